//! The models, side by side, and the camera that sees them.

use crate::support::stage::fit;
use bevy::camera::RenderTarget;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::prelude::*;
use bevy::ui::IsDefaultUiCamera;
use bevy_classic_models::model::ClassicModel;
use std::f32::consts::PI;

/// From one model to the next, in metres.
const SPACING: f32 = 3.4;
/// As tall as a model may become.
const HEIGHT: f32 = 2.8;
const FOV: f32 = 0.35;

/// What the camera draws to; the window if there is none.
#[derive(Resource)]
pub struct Target(pub RenderTarget);

/// The roots of the models.
#[derive(Resource)]
pub struct Row {
    pub sentry: Entity,
    pub walker: Entity,
    pub warden: Entity,
    pub courier: Entity,
}

/// Spawns them.
pub struct RowPlugin;

impl Plugin for RowPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, (spawn_models, spawn_camera));
    }
}

fn spawn_models(mut commands: Commands, server: Res<AssetServer>) {
    // They look to the camera, a little to the side of it; Alamo models look to where the others have their backs.
    let mut spawn = |place: f32, yaw: f32, file: &'static str| {
        let at = Transform::from_xyz((1.5 - place) * SPACING, 0.0, 0.0);
        let turned = at.with_rotation(Quat::from_rotation_y(yaw));
        let model = ClassicModel(server.load(file));
        commands.spawn((model, turned)).id()
    };
    let row = Row {
        sentry: spawn(0.0, 0.45, "models/sentry.model.ron"),
        walker: spawn(1.0, 0.45 + PI, "models/walker.model.ron"),
        warden: spawn(2.0, 0.45, "models/warden.model.ron"),
        courier: spawn(3.0, 0.45, "models/courier.model.ron"),
    };
    commands.insert_resource(row);
}

fn spawn_camera(mut commands: Commands, target: Option<Res<Target>>) {
    let rotation = Quat::from_euler(EulerRot::YXZ, PI, -0.2, 0.0);
    let half = 2.0 * SPACING;
    let points = [(-half, 0.0), (half, 0.0), (-half, HEIGHT), (half, HEIGHT)];
    let points = points.map(|(x, y)| Vec3::new(x, y, 0.0));
    let (eye, depth) = fit(&points, rotation, FOV, 16.0 / 9.0).unwrap_or((Vec3::NEG_Z, 1.0));
    let projection = PerspectiveProjection {
        fov: FOV,
        near: depth * 0.01,
        far: depth * 10.0,
        ..default()
    };
    let camera = (
        Camera3d::default(),
        IsDefaultUiCamera,
        Tonemapping::None,
        Projection::Perspective(projection),
        Transform::from_translation(eye).with_rotation(rotation),
    );
    // Pictures are taken by the dozen, perhaps by a processor.
    let msaa = if target.is_some() {
        Msaa::Off
    } else {
        Msaa::default()
    };
    let target = target.map(|target| target.0.clone()).unwrap_or_default();
    commands.spawn((camera, msaa, target));
}
