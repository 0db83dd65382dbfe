//! A picture instead of a window, the same every time.

use crate::controls::{Playing, fade_to};
use crate::support::headless::{Headless, plugins};
use crate::support::pictures::save;
use crate::theatre::Target;
use crate::walkers::{FADE, Model, Program, Walker};
use crate::{ASSETS, Options};
use bevy::asset::RecursiveDependencyLoadState;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use std::path::Path;

const SIZE: UVec2 = UVec2::new(1280, 720);

/// Frames in which everything that is drawn reaches the GPU, and what is written finds its place.
const SETTLING: usize = 6;

/// Writes it.
pub fn write(options: Options, path: &Path) -> Result<(), String> {
    let mut app = App::new();
    app.add_plugins(plugins(ASSETS.as_ref(), false));
    let (time, fade) = (options.time, options.fade.clone());
    let clip = options.clip.clone();
    // The cameras are spawned at the first update.
    crate::add_contents(&mut app, options);
    let mut headless = Headless::start(app, SIZE);
    let target = headless.render_target();
    headless.app.insert_resource(Target(target));
    headless.wait_until("the walkers play", |world| {
        world.run_system_cached(is_ready).is_ok_and(|ready| ready)
    });
    let world = headless.app.world_mut();
    find(world, &clip)?;
    if let Some(name) = fade {
        headless.step(time);
        let world = headless.app.world_mut();
        let next = find(world, &name)?;
        let changed = world.run_system_cached_with(fade_into, next);
        changed.map_err(|error| error.to_string())?;
        // It begins in the first of these, in which no time passes.
        headless.step(0.0);
        headless.step(FADE / 2.0);
    } else {
        headless.step(time);
    }
    for _ in 0..SETTLING {
        headless.step(0.0);
    }
    save(headless.capture(), path)
}

/// Whether all walkers play, and wear what they wear.
fn is_ready(
    model: Res<Model>,
    server: Res<AssetServer>,
    walkers: Query<&AloAnimator, With<Walker>>,
) -> bool {
    let is_loaded = matches!(
        server.recursive_dependency_load_state(&model.0),
        RecursiveDependencyLoadState::Loaded
    );
    let plays = |animator: &AloAnimator| animator.clip().is_some();
    let count = walkers.iter().filter(|animator| plays(animator)).count();
    is_loaded && count == Walker::ALL.len()
}

/// The place of a clip in the program.
fn find(world: &World, name: &str) -> Result<usize, String> {
    let program = world.resource::<Program>();
    program.find(name).ok_or_else(|| {
        let names: Vec<&str> = program.shows.iter().map(|show| &*show.name).collect();
        format!(
            "there is no clip \"{name}\"; there are {}",
            names.join(", ")
        )
    })
}

fn fade_into(next: In<usize>, mut program: ResMut<Program>, mut walkers: Query<Playing>) {
    fade_to(*next, &mut program, &mut walkers);
}
