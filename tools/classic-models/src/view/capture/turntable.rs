//! Writes views of models from all sides, at equal angles.

use crate::view::camera::orbit::Orbit;
use crate::view::models::bounds::WorldBounds;
use crate::view::models::viewed_model::limits;
use crate::view::open::args::Turntable;
use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use classic_models_support::headless::Headless;
use classic_models_support::images::{Alpha, frame_path, remove_other_frames, save};
use std::f32::consts::TAU;

/// The angles at which the models must fit, so that the camera has the same distance in all views.
const ANGLES: u16 = 24;

/// The share of the picture that is filled.
const SHARE: f32 = 0.9;

/// Frames until a view is drawn.
const FRAMES: usize = 2;

/// Writes the views as `000.png`, `001.png` and so on, and removes those of earlier sequences. The first is that of the camera.
///
/// # Errors
/// If an image cannot be written.
pub fn turn(headless: &mut Headless, turntable: &Turntable, alpha: Alpha) -> Result<(), String> {
    let folder = &turntable.folder;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let framed = headless.app.world_mut().run_system_once(frame_all_sides);
    framed.map_err(|error| error.to_string())?;
    for view in 0..turntable.count {
        for _ in 0..FRAMES {
            headless.step(0.0);
        }
        let file = frame_path(folder, view, turntable.count);
        save(headless.capture(), alpha, &file)?;
        let step = TAU / turntable.count as f32;
        let world = headless.app.world_mut();
        for mut orbit in world.query::<&mut Orbit>().iter_mut(world) {
            orbit.yaw += step;
        }
    }
    remove_other_frames(folder, turntable.count)
}

/// Moves the camera so that the models fit in the picture from all sides, and turns about the middle of the models.
fn frame_all_sides(bounds: WorldBounds, mut cameras: Query<(&mut Orbit, &Camera)>) {
    let corners = bounds.all_corners();
    if corners.is_empty() {
        return;
    }
    let (low, high) = limits(corners.iter().copied());
    let center = (low + high) / 2.0;
    let turned = (0..ANGLES).flat_map(|angle| {
        let turn = Quat::from_rotation_y(f32::from(angle) / f32::from(ANGLES) * TAU);
        corners
            .iter()
            .map(move |corner| center + turn * (corner - center))
    });
    let points: Vec<Vec3> = turned.collect();
    for (mut orbit, camera) in &mut cameras {
        let Some(size) = camera.logical_viewport_size() else {
            continue;
        };
        orbit.frame(&points, size.x / size.y, SHARE);
        focus_on_axis(&mut orbit, center);
    }
}

/// Moves the focus along the line of sight to the vertical axis through `center`, so that the models do not sway.
fn focus_on_axis(orbit: &mut Orbit, center: Vec3) {
    let forward = orbit.rotation() * Vec3::NEG_Z;
    let (flat, to_center) = (forward.xz(), (center - orbit.focus).xz());
    // From straight above, the line is the axis.
    if flat.length_squared() > 1e-6 {
        let step = flat.dot(to_center) / flat.length_squared();
        orbit.focus += forward * step;
        orbit.distance += step;
    }
}

#[cfg(test)]
mod tests {
    use super::focus_on_axis;
    use crate::view::camera::orbit::Orbit;
    use crate::view::open::args::View;
    use bevy::prelude::*;

    #[test]
    fn the_focus_moves_along_the_line_of_sight_to_the_axis() {
        for view in [View::Front, View::Iso, View::Top] {
            let mut orbit = Orbit::new(view);
            let center = Vec3::new(3.0, 4.0, 5.0);
            orbit.focus = center + orbit.rotation() * Vec3::Z * 7.0;
            let eye = orbit.transform().translation;
            focus_on_axis(&mut orbit, center);
            let after = orbit.transform().translation;
            assert!(after.distance(eye) < 1e-3, "{view:?}");
            assert!(orbit.focus.xz().distance(center.xz()) < 1e-3, "{view:?}");
        }
    }
}
