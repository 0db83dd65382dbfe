//! Renders and measures the crowd without a window.

use super::measurements::{Measurements, MeasurementsPlugin, Report};
use super::population::{ASSETS, Crowd, CrowdPlugin};
use crate::support::capture::wait_for_gpu;
use crate::support::headless::{Headless, plugins};
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugins;
use std::time::Instant;

/// Size of the render target, in pixels.
const SIZE: UVec2 = UVec2::new(1280, 720);

/// Seconds of animation time between frames.
const STEP: f32 = 1.0 / 60.0;

/// Renders the crowd for `frames` frames and measures it.
///
/// The frame time includes the update of the app, the renderer, and waiting until the GPU has finished.
pub fn measure(crowd: Crowd, frames: usize) -> Report {
    let mut app = App::new();
    app.add_plugins((
        plugins(ASSETS.as_ref(), false),
        ClassicModelsPlugins,
        CrowdPlugin,
        MeasurementsPlugin,
    ))
    .insert_resource(crowd)
    .insert_resource(Measurements::new(frames));
    let mut headless = Headless::start(app, SIZE);
    let target = headless.render_target();
    headless.app.world_mut().resource_mut::<Crowd>().target = target;
    let mut failure = None;
    headless.wait_until("the crowd is spawned", |world| {
        failure = Crowd::failure(world);
        failure.is_some() || world.resource::<Measurements>().ready()
    });
    if let Some(failure) = failure {
        eprintln!("crowd: {failure}");
        std::process::exit(1);
    }
    for _ in 0..frames {
        let start = Instant::now();
        headless.step(STEP);
        wait_for_gpu(&headless);
        let mut measurements = headless.app.world_mut().resource_mut::<Measurements>();
        measurements.frames.push(start.elapsed());
    }
    Report::new(headless.app.world_mut())
}
