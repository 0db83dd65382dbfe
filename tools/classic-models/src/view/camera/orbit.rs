//! The camera that orbits the models: its position, and how the mouse changes it.

use crate::view::open::args::View;
use crate::view::panels::input::PanelInput;
use bevy::core_pipeline::prepass::DepthPrepass;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::input::mouse::{AccumulatedMouseMotion, AccumulatedMouseScroll, MouseScrollUnit};
use bevy::light::CascadeShadowConfig;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_classic_models::manifest::ManifestView;
use classic_models_support::stage::{KeyLight, fit, shadows};
use std::f32::consts::{FRAC_PI_2, PI};

/// The vertical field of view, in radians.
pub const FOV: f32 = 0.6;

/// The share of the picture that [`fit`] fills.
const FITTED: f32 = 0.9;

/// The position of the camera: distance and direction from a focus. Angles in radians.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[require(Camera3d, Tonemapping::None, DepthPrepass)]
pub struct Orbit {
    pub focus: Vec3,
    pub distance: f32,
    /// 0 is behind the models.
    pub yaw: f32,
    /// 0 is level, and a quarter turn straight from above.
    pub pitch: f32,
}

impl Orbit {
    pub fn new(view: View) -> Self {
        let mut orbit = Self {
            focus: Vec3::ZERO,
            distance: 100.0,
            yaw: 0.0,
            pitch: 0.0,
        };
        orbit.set_view(view);
        orbit
    }

    pub fn set_view(&mut self, view: View) {
        (self.yaw, self.pitch) = match view {
            View::Front => (PI, 0.0),
            View::Side => (FRAC_PI_2, 0.0),
            View::Top => (0.0, FRAC_PI_2),
            View::Iso => (PI - 0.6, 0.4),
            View::Back => (-0.6, 0.4),
        };
    }

    /// The view of a manifest of a model with this origin and size.
    pub fn of_manifest(view: &ManifestView, origin: Vec3, size: f32) -> Self {
        Self {
            focus: origin + Vec3::from(view.focus) * size,
            distance: view.distance * size,
            yaw: view.yaw.to_radians(),
            pitch: view.pitch.to_radians(),
        }
    }

    /// The view for the manifest of a model with this origin and size.
    pub fn to_manifest(self, origin: Vec3, size: f32) -> ManifestView {
        ManifestView {
            yaw: self.yaw.to_degrees(),
            pitch: self.pitch.to_degrees(),
            distance: self.distance / size,
            focus: ((self.focus - origin) / size).into(),
        }
    }

    pub fn rotation(&self) -> Quat {
        Quat::from_euler(EulerRot::YXZ, self.yaw, -self.pitch, 0.0)
    }

    /// The position and rotation of the camera.
    pub fn transform(&self) -> Transform {
        let rotation = self.rotation();
        let eye = self.focus + rotation * Vec3::Z * self.distance;
        Transform::from_translation(eye).with_rotation(rotation)
    }

    /// The distance from the camera up to which there are shadows.
    pub fn shadow_reach(&self) -> f32 {
        self.distance * 2.0
    }

    /// Moves the camera to the smallest distance at which all points are visible, so that they fill a share of the picture's
    /// width or height.
    pub fn frame(&mut self, points: &[Vec3], aspect: f32, share: f32) {
        let rotation = self.rotation();
        // `fit` fills a share of its own.
        let fov = 2.0 * ((FOV / 2.0).tan() * share / FITTED).atan();
        if let Some((eye, depth)) = fit(points, rotation, fov, aspect) {
            self.distance = depth;
            self.focus = eye + rotation * Vec3::NEG_Z * depth;
        }
    }
}

/// Points the camera.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameModels;

/// Moves the camera. Needs one entity with [`Orbit`].
pub fn orbit_plugin(app: &mut App) {
    app.add_systems(
        PostUpdate,
        apply_orbit
            .after(FrameModels)
            .before(TransformSystems::Propagate),
    );
}

/// Writes the transform, the projection and the shadow distances of cameras that moved.
fn apply_orbit(
    mut cameras: Query<(&Orbit, &mut Transform, &mut Projection), Changed<Orbit>>,
    mut lights: Query<&mut CascadeShadowConfig, With<KeyLight>>,
) {
    for (orbit, mut transform, mut projection) in &mut cameras {
        *transform = orbit.transform();
        *projection = Projection::Perspective(PerspectiveProjection {
            fov: FOV,
            near: orbit.distance * 0.01,
            far: orbit.distance * 1000.0,
            ..default()
        });
        for mut config in &mut lights {
            *config = shadows(orbit.shadow_reach());
        }
    }
}

/// Moves the camera with the mouse. Not part of the plugin: captures have no window.
pub fn follow_mouse(
    window: Single<&Window, With<PrimaryWindow>>,
    input: Res<PanelInput>,
    buttons: Res<ButtonInput<MouseButton>>,
    motion: Res<AccumulatedMouseMotion>,
    scroll: Res<AccumulatedMouseScroll>,
    mut orbit: Single<&mut Orbit>,
    mut drag: Local<Option<MouseButton>>,
) {
    let is_free = window.cursor_position().is_some_and(|at| input.is_free(at));
    let drag_buttons = [MouseButton::Left, MouseButton::Right, MouseButton::Middle];
    if let Some(button) = drag_buttons.into_iter().find(|b| buttons.just_pressed(*b)) {
        *drag = Some(button).filter(|_| is_free);
    }
    *drag = drag.filter(|button| buttons.pressed(*button));
    if motion.delta != Vec2::ZERO {
        match *drag {
            Some(MouseButton::Left) => {
                orbit.yaw -= motion.delta.x * 0.008;
                orbit.pitch = (orbit.pitch + motion.delta.y * 0.008).clamp(-FRAC_PI_2, FRAC_PI_2);
            }
            Some(_) => {
                // Points at the distance of the focus follow the mouse.
                let height = input.free.map_or(window.height(), |free| free.height());
                let per_pixel = 2.0 * (FOV / 2.0).tan() * orbit.distance / height.max(1.0);
                let shift = Vec3::new(-motion.delta.x, motion.delta.y, 0.0) * per_pixel;
                let shift = orbit.rotation() * shift;
                orbit.focus += shift;
            }
            None => {}
        }
    }
    if scroll.delta.y != 0.0 && is_free {
        let notches = match scroll.unit {
            MouseScrollUnit::Line => scroll.delta.y,
            MouseScrollUnit::Pixel => scroll.delta.y / 40.0,
        };
        orbit.distance = (orbit.distance * 0.88_f32.powf(notches)).clamp(1e-3, 1e6);
    }
}
