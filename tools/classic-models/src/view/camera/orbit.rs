//! The position of the camera that orbits the models.

use crate::view::open::args::View;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::prelude::*;
use classic_models_support::stage::fit;
use std::f32::consts::{FRAC_PI_2, PI};

/// The vertical field of view, in radians.
pub const FOV: f32 = 0.6;

/// The share of the picture that [`fit`] fills.
const FITTED: f32 = 0.9;

/// The position of the camera: distance and direction from a focus. Angles in radians.
#[derive(Component, Clone, Copy)]
#[require(Camera3d, Tonemapping::None)]
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

    pub fn rotation(&self) -> Quat {
        Quat::from_euler(EulerRot::YXZ, self.yaw, -self.pitch, 0.0)
    }

    /// The position and rotation of the camera.
    pub fn transform(&self) -> Transform {
        let rotation = self.rotation();
        let eye = self.focus + rotation * Vec3::Z * self.distance;
        Transform::from_translation(eye).with_rotation(rotation)
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
