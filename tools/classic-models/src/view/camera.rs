//! A camera that orbits the models.

use crate::view::args::View;
use crate::view::model_bounds::WorldBounds;
use crate::view::row::RowLayout;
use bevy::camera::Viewport;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::input::mouse::{AccumulatedMouseMotion, AccumulatedMouseScroll, MouseScrollUnit};
use bevy::light::CascadeShadowConfig;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use classic_models_support::stage::{KeyLight, fit, shadows};
use std::f32::consts::{FRAC_PI_2, PI};

/// The vertical field of view, in radians.
pub const FOV: f32 = 0.6;

/// Width of the panel at the left, which the viewport excludes, in logical pixels.
pub const PANEL_WIDTH: f32 = 310.0;

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

    fn transform(&self) -> Transform {
        let rotation = self.rotation();
        let eye = self.focus + rotation * Vec3::Z * self.distance;
        Transform::from_translation(eye).with_rotation(rotation)
    }

    /// Moves the camera to the smallest distance at which all points are visible.
    fn frame(&mut self, points: &[Vec3], aspect: f32) {
        let rotation = self.rotation();
        if let Some((eye, depth)) = fit(points, rotation, FOV, aspect) {
            self.distance = depth;
            self.focus = eye + rotation * Vec3::NEG_Z * depth;
        }
    }
}

/// The direction of the row of models: to the right of the view, so that none hides another.
pub fn row_direction(view: View) -> Vec3 {
    Orbit::new(view).rotation() * Vec3::X
}

/// The models that the camera is to frame. It waits until all models are loaded.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    Done,
    All,
    Selected,
}

/// Moves the camera. Needs [`Row`](crate::view::row::Row) and one entity with [`Orbit`].
pub struct OrbitPlugin;

impl Plugin for OrbitPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(Framing::All).add_systems(
            PostUpdate,
            (frame, apply_orbit)
                .chain()
                .after(RowLayout)
                .before(TransformSystems::Propagate),
        );
    }
}

fn frame(
    mut framing: ResMut<Framing>,
    all_bounds: WorldBounds,
    mut cameras: Query<(&mut Orbit, &Camera)>,
) {
    if *framing == Framing::Done || !all_bounds.all_spawned() {
        return;
    }
    let points = match *framing {
        Framing::Selected => all_bounds
            .selected_corners()
            .map(Vec::from)
            .unwrap_or_default(),
        _ => all_bounds.all_corners(),
    };
    for (mut orbit, camera) in &mut cameras {
        let Some(size) = camera.logical_viewport_size() else {
            return;
        };
        orbit.frame(&points, size.x / size.y);
    }
    *framing = Framing::Done;
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
            *config = shadows(orbit.distance * 2.0);
        }
    }
}

/// Moves the camera with the mouse. Not part of the plugin: captures have no window.
pub fn follow_mouse(
    window: Single<&Window, With<PrimaryWindow>>,
    buttons: Res<ButtonInput<MouseButton>>,
    motion: Res<AccumulatedMouseMotion>,
    scroll: Res<AccumulatedMouseScroll>,
    mut orbit: Single<&mut Orbit>,
    mut drag: Local<Option<MouseButton>>,
) {
    let over_panel = window.cursor_position().is_none_or(|at| at.x < PANEL_WIDTH);
    let drag_buttons = [MouseButton::Left, MouseButton::Right, MouseButton::Middle];
    if let Some(button) = drag_buttons.into_iter().find(|b| buttons.just_pressed(*b)) {
        *drag = Some(button).filter(|_| !over_panel);
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
                let per_pixel = 2.0 * (FOV / 2.0).tan() * orbit.distance / window.height();
                let shift = Vec3::new(-motion.delta.x, motion.delta.y, 0.0) * per_pixel;
                let shift = orbit.rotation() * shift;
                orbit.focus += shift;
            }
            None => {}
        }
    }
    if scroll.delta.y != 0.0 && !over_panel {
        let notches = match scroll.unit {
            MouseScrollUnit::Line => scroll.delta.y,
            MouseScrollUnit::Pixel => scroll.delta.y / 40.0,
        };
        orbit.distance = (orbit.distance * 0.88_f32.powf(notches)).clamp(1e-3, 1e6);
    }
}

/// Keeps the camera's viewport beside the panel.
pub fn fit_viewport(
    window: Single<&Window, With<PrimaryWindow>>,
    mut camera: Single<&mut Camera, With<Orbit>>,
) {
    let size = window.physical_size();
    let panel = ((PANEL_WIDTH * window.scale_factor()) as u32).min(size.x.saturating_sub(1));
    let viewport = (size.x > panel && size.y > 0).then(|| Viewport {
        physical_position: UVec2::new(panel, 0),
        physical_size: UVec2::new(size.x - panel, size.y),
        ..default()
    });
    let rect = |viewport: &Viewport| (viewport.physical_position, viewport.physical_size);
    if camera.viewport.as_ref().map(rect) != viewport.as_ref().map(rect) {
        camera.viewport = viewport;
    }
}
