//! The crowd without a window.

use super::figures::{Figures, FiguresPlugin, Report};
use super::population::{ASSETS, Crowd, CrowdPlugin};
use crate::support::capture::wait_for_gpu;
use crate::support::headless::{Headless, plugins};
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugins;
use std::time::Instant;

/// Size of the image that the crowd is drawn to.
const SIZE: UVec2 = UVec2::new(1280, 720);

/// Seconds between frames, as the clips see it.
const STEP: f32 = 1.0 / 60.0;

/// Draws the crowd so many times and measures it.
///
/// The time of a frame is that of an update of the app, the renderer included, and of waiting until
/// the adapter is done with it.
pub fn measure(crowd: Crowd, frames: usize) -> Report {
    let mut app = App::new();
    app.add_plugins((
        plugins(ASSETS.as_ref(), false),
        ClassicModelsPlugins,
        CrowdPlugin,
        FiguresPlugin,
    ))
    .insert_resource(crowd)
    .insert_resource(Figures::new(frames));
    let mut headless = Headless::start(app, SIZE);
    let target = headless.render_target();
    headless.app.world_mut().resource_mut::<Crowd>().target = target;
    let mut failure = None;
    headless.wait_until("the crowd is there", |world| {
        failure = Crowd::failure(world);
        failure.is_some() || world.resource::<Figures>().ready()
    });
    if let Some(failure) = failure {
        eprintln!("crowd: {failure}");
        std::process::exit(1);
    }
    for _ in 0..frames {
        let start = Instant::now();
        headless.step(STEP);
        wait_for_gpu(&headless);
        let mut figures = headless.app.world_mut().resource_mut::<Figures>();
        figures.frames.push(start.elapsed());
    }
    Report::new(headless.app.world_mut())
}
