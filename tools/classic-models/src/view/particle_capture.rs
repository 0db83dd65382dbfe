//! Plays models with particle systems from their start to the time of an image, in frames of the same length.

use crate::view::particle_player::STEP;
use crate::view::viewed_model::ViewedModel;
use bevy::camera::Viewport;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloParticles, ParticleEmission};
use bevy_classic_models::prelude::*;
use classic_models_support::capture::IsReady;
use classic_models_support::headless::Headless;

/// The most frames. With more than this many steps, frames are longer than [`STEP`]. Births come at exact times in frames
/// of any length.
const MOST_FRAMES: f32 = 300.0;

/// Whether all models have [`IsReady`] or have failed to load.
pub fn models_ready(models: Query<(&ViewedModel, Has<IsReady>)>) -> bool {
    let mut models = models.iter();
    models.all(|(model, is_ready)| is_ready || model.problem.is_some())
}

/// Runs the app for `time` seconds, after the camera was spawned. If particle systems are loaded, they begin, and the
/// clips play from their start to `time`: where particles are depends on the poses before. Without, one frame is enough.
pub fn play(headless: &mut Headless, time: f32) {
    let world = headless.app.world();
    if world.resource::<Assets<AloParticles>>().is_empty() {
        return headless.step(time);
    }
    // Only visible systems are simulated. They are visible in a small image too, which is faster.
    shrink_views(headless.app.world_mut(), true);
    let clips = paused_clips(headless.app.world_mut());
    seek(headless.app.world_mut(), &clips, |_| 0.0);
    // Shows and hides proxies.
    headless.step(0.0);
    restart(headless.app.world_mut());
    headless.step(0.0);
    let steps = (time / STEP).ceil().min(MOST_FRAMES);
    for step in 1..=steps as u32 {
        let now = time * step as f32 / steps;
        seek(headless.app.world_mut(), &clips, |_| now);
        headless.step(time / steps);
    }
    seek(headless.app.world_mut(), &clips, |time| time);
    shrink_views(headless.app.world_mut(), false);
}

/// Renders a small image of the same view, or the whole image.
fn shrink_views(world: &mut World, shrinks: bool) {
    const FACTOR: u32 = 16;
    for mut camera in world.query::<&mut Camera>().iter_mut(world) {
        camera.viewport = None;
        if shrinks && let Some(size) = camera.physical_target_size() {
            camera.viewport = Some(Viewport {
                physical_size: (size / FACTOR).max(UVec2::ONE),
                ..default()
            });
        }
    }
}

/// The models whose clip is paused at the time of the image, and that time in seconds.
fn paused_clips(world: &mut World) -> Vec<(Entity, f32)> {
    let mut models = world.query_filtered::<(Entity, &PlayClip, &Playback), With<ViewedModel>>();
    let paused = models.iter(world).filter(|(_, play, _)| play.paused);
    paused
        .map(|(model, _, playback)| (model, playback.time))
        .collect()
}

/// Sets the times of clips. `to` maps the time of the image to that of this frame.
fn seek(world: &mut World, clips: &[(Entity, f32)], to: impl Fn(f32) -> f32) {
    let mut playbacks = world.query::<&mut Playback>();
    for (model, time) in clips {
        if let Ok(mut playback) = playbacks.get_mut(world, *model) {
            playback.time = to(*time);
        }
    }
}

/// Removes all particles. The systems of shown proxies begin again.
fn restart(world: &mut World) {
    for mut emission in world.query::<&mut ParticleEmission>().iter_mut(world) {
        match *emission {
            ParticleEmission::Stopped => *emission = ParticleEmission::Killed,
            _ => emission.restart(),
        }
    }
}
