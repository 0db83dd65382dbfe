//! Where the walkers stand, the camera that sees them, and what is written above them.

use crate::support::stage::{KeyLight, corners, extent, fit, shadows};
use crate::timeline::HEIGHT;
use crate::walkers::{Model, Walker};
use bevy::camera::visibility::RenderLayers;
use bevy::camera::{RenderTarget, Viewport};
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::light::CascadeShadowConfig;
use bevy::prelude::*;
use bevy::ui::IsDefaultUiCamera;
use bevy_classic_models::alamo::AloModel;
use bevy_classic_models::prelude::Alo;
use std::f32::consts::PI;

/// So narrow that all walkers are seen from almost the same side.
const FOV: f32 = 0.25;
/// Radians that the camera looks down.
const PITCH: f32 = 0.16;
/// Logical pixels of the captions.
const CAPTION: f32 = 46.0;

/// What the cameras draw to; the window if there is none.
#[derive(Resource)]
pub struct Target(pub RenderTarget);

/// Places everything.
pub struct TheatrePlugin;

impl Plugin for TheatrePlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, (spawn_cameras, spawn_captions))
            .add_systems(Update, (stand, look).chain());
    }
}

#[derive(Component)]
struct Eye;

fn spawn_cameras(mut commands: Commands, target: Option<Res<Target>>) {
    let target = target.map(|target| target.0.clone()).unwrap_or_default();
    commands.spawn((Eye, Camera3d::default(), Tonemapping::None, target.clone()));
    // A camera of its own, because the other one sees only what is above the timeline.
    let camera = Camera {
        order: 1,
        clear_color: ClearColorConfig::None,
        ..default()
    };
    commands.spawn((
        Camera2d,
        IsDefaultUiCamera,
        RenderLayers::none(),
        camera,
        target,
    ));
}

fn spawn_captions(mut commands: Commands) {
    let row = Node {
        position_type: PositionType::Absolute,
        top: px(12),
        width: percent(100),
        ..default()
    };
    let column = Node {
        flex_basis: percent(0),
        flex_grow: 1.0,
        flex_direction: FlexDirection::Column,
        align_items: AlignItems::Center,
        row_gap: px(3),
        ..default()
    };
    commands.spawn(row).with_children(|row| {
        for walker in Walker::ALL {
            let [title, remark] = walker.caption();
            row.spawn((
                column.clone(),
                children![
                    (Text::new(title), TextFont::from_font_size(18.0)),
                    (
                        Text::new(remark),
                        TextFont::from_font_size(14.0),
                        TextColor(Color::srgb(0.62, 0.64, 0.67)),
                    )
                ],
            ));
        }
    });
}

/// How far a walker is from the next, in the usual shape of a picture.
fn spacing(low: Vec3, high: Vec3) -> f32 {
    (high.z - low.z) * 1.25
}

/// Puts the walkers side by side, as seen by a camera that looks at their faces.
fn stand(
    model: Res<Model>,
    models: Res<Assets<Alo>>,
    mut walkers: Query<(&Walker, &mut Transform)>,
) {
    let Some(model) = models.get(&model.0) else {
        return;
    };
    let (low, high) = extent(model);
    for (walker, mut transform) in &mut walkers {
        let place = Walker::ALL.iter().position(|other| other == walker);
        let steps = place.unwrap_or(0) as f32 - 1.0;
        let at = Vec3::new(-steps * spacing(low, high), -low.z, 0.0);
        transform.set_if_neq(transform.with_translation(at));
    }
}

/// Sees all walkers, in what the timeline leaves of the picture.
fn look(
    model: Res<Model>,
    models: Res<Assets<Alo>>,
    mut eyes: Query<(&mut Camera, &mut Transform, &mut Projection), With<Eye>>,
    mut lights: Query<&mut CascadeShadowConfig, With<KeyLight>>,
    mut seen: Local<UVec2>,
) {
    let Some(model) = models.get(&model.0) else {
        return;
    };
    for (mut camera, mut transform, mut projection) in &mut eyes {
        let (Some(size), Some(scale)) = (
            camera.physical_target_size(),
            camera.target_scaling_factor(),
        ) else {
            continue;
        };
        let above = size.y.saturating_sub((HEIGHT * scale) as u32).max(1);
        let size = UVec2::new(size.x.max(1), above);
        if *seen == size {
            continue;
        }
        *seen = size;
        camera.viewport = Some(Viewport {
            physical_size: size,
            ..default()
        });
        // Room for what is written above them.
        let free = 1.0 - CAPTION * scale / size.y as f32;
        let rotation = Quat::from_euler(EulerRot::YXZ, PI, -PITCH, 0.0);
        let points = around(model, free);
        let aspect = size.x as f32 / size.y as f32;
        let Some((eye, depth)) = fit(&points, rotation, FOV, aspect) else {
            continue;
        };
        *transform = Transform::from_translation(eye).with_rotation(rotation);
        *projection = Projection::Perspective(PerspectiveProjection {
            fov: FOV,
            near: depth * 0.01,
            far: depth * 100.0,
            ..default()
        });
        for mut config in &mut lights {
            *config = shadows(depth * 2.0);
        }
    }
}

/// Places around all walkers. `free` is the part of the height that they may take.
fn around(model: &AloModel, free: f32) -> Vec<Vec3> {
    let (low, high) = extent(model);
    // Not all of the outer columns: nobody stands at their outer ends.
    let half = spacing(low, high) * 1.35;
    let top = (high.z - low.z) / free.max(0.5);
    let depth = (high.y - low.y) / 2.0;
    corners(Vec3::new(-half, 0.0, -depth), Vec3::new(half, top, depth)).into()
}
