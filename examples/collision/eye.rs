//! The camera, which goes around the middle of the field.

use crate::Options;
use crate::field::Field;
use crate::support::stage::{KeyLight, shadows};
use bevy::camera::RenderTarget;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::input::mouse::{AccumulatedMouseMotion, AccumulatedMouseScroll};
use bevy::light::CascadeShadowConfig;
use bevy::prelude::*;
use bevy::ui::IsDefaultUiCamera;
use std::f32::consts::FRAC_PI_2;

/// Where the camera is.
#[derive(Component, Clone, Copy, Debug)]
pub struct Eye {
    /// Radians; 0 looks towards −Z.
    yaw: f32,
    /// Radians that it looks down.
    pitch: f32,
    /// From the middle of the field, in distances from one walker to the next.
    distance: f32,
}

impl Default for Eye {
    fn default() -> Self {
        Self {
            yaw: 0.6,
            pitch: 0.4,
            distance: 5.0,
        }
    }
}

impl Eye {
    /// As in `35,20,4`.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const NEEDED: &str = "degrees, degrees and a distance are needed, such as 35,20,4";
        let numbers: Result<Vec<f32>, _> = text.split(',').map(str::parse).collect();
        match numbers.as_deref() {
            Ok([yaw, pitch, distance]) if *distance > 0.0 && distance.is_finite() => Ok(Self {
                yaw: yaw.to_radians(),
                pitch: pitch.to_radians(),
                distance: *distance,
            }),
            _ => Err(NEEDED),
        }
    }

    fn transform(&self, field: &Field) -> Transform {
        let rotation = Quat::from_euler(EulerRot::YXZ, self.yaw, -self.pitch, 0.0);
        let middle = Vec3::Y * field.height / 2.0;
        Transform::from_translation(middle + rotation * Vec3::Z * self.distance * field.spacing)
            .with_rotation(rotation)
    }
}

/// What the camera draws to; the window if there is none.
#[derive(Resource)]
pub struct Target(pub RenderTarget);

/// Sees the field, and shows the ground that it is on.
pub struct EyePlugin;

impl Plugin for EyePlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn).add_systems(
            Update,
            (
                lay_ground.run_if(resource_added::<Field>),
                place.run_if(resource_exists::<Field>),
            ),
        );
    }
}

fn spawn(mut commands: Commands, options: Res<Options>, target: Option<Res<Target>>) {
    commands.spawn((
        options.eye,
        Camera3d::default(),
        Tonemapping::None,
        IsDefaultUiCamera,
        target.map(|target| target.0.clone()).unwrap_or_default(),
    ));
}

fn lay_ground(
    mut commands: Commands,
    field: Res<Field>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let side = 2.0 * field.half + field.spacing;
    let material = StandardMaterial {
        base_color: Color::srgb(0.16, 0.17, 0.18),
        perceptual_roughness: 1.0,
        reflectance: 0.0,
        ..default()
    };
    commands.spawn((
        Mesh3d(meshes.add(Plane3d::default().mesh().size(side, side))),
        MeshMaterial3d(materials.add(material)),
    ));
}

fn place(
    field: Res<Field>,
    mut eyes: Query<(Ref<Eye>, &mut Transform, &mut Projection)>,
    mut lights: Query<&mut CascadeShadowConfig, With<KeyLight>>,
) {
    for (eye, mut transform, mut projection) in &mut eyes {
        if !eye.is_changed() && !field.is_added() {
            continue;
        }
        *transform = eye.transform(&field);
        let distance = eye.distance * field.spacing;
        *projection = Projection::Perspective(PerspectiveProjection {
            near: 0.01 * distance,
            far: 2.0 * distance + 4.0 * field.half,
            ..default()
        });
        for mut config in &mut lights {
            *config = shadows(2.0 * distance);
        }
    }
}

/// Goes around as the mouse says. Not part of the plugin: without a window there is none.
pub fn follow_mouse(
    buttons: Res<ButtonInput<MouseButton>>,
    motion: Res<AccumulatedMouseMotion>,
    scroll: Res<AccumulatedMouseScroll>,
    mut eye: Single<&mut Eye>,
) {
    if buttons.pressed(MouseButton::Left) && motion.delta != Vec2::ZERO {
        eye.yaw -= motion.delta.x * 0.008;
        eye.pitch = (eye.pitch + motion.delta.y * 0.008).clamp(0.02, FRAC_PI_2);
    }
    if scroll.delta.y != 0.0 {
        let notches = scroll.delta.y.signum();
        eye.distance = (eye.distance * 0.88_f32.powf(notches)).clamp(0.5, 200.0);
    }
}
