//! The example without a window: figures without drawing, or a picture.

use crate::casting::Mouse;
use crate::eye::Target;
use crate::field::Model;
use crate::figures::{Figures, per_frame};
use crate::support::headless::{Headless, plugins};
use crate::support::{gpuless, pictures};
use crate::{ASSETS, Options};
use bevy::asset::RecursiveDependencyLoadState;
use bevy::ecs::schedule::SingleThreadedExecutor;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloCollider;
use bevy_classic_models::prelude::*;
use std::fmt;
use std::path::Path;

const SIZE: UVec2 = UVec2::new(1280, 720);

/// Seconds between frames.
const STEP: f32 = 1.0 / 60.0;

/// Frames before those that are measured, in which memory is taken and caches are filled.
const WARM_UP: usize = 10;

/// Frames in which everything that is drawn reaches the GPU, and what is written finds its place.
const SETTLING: usize = 6;

/// What so many frames cost.
pub struct Report {
    walkers: usize,
    parts: usize,
    visible: usize,
    probes: usize,
    figures: Figures,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sum, frames) = self.figures.sum();
        let (all, first) = (per_frame(sum.all, frames), per_frame(sum.first, frames));
        writeln!(f, "walkers                {}", self.walkers)?;
        writeln!(f, "parts with trees       {}", self.parts)?;
        writeln!(f, "  visible              {}", self.visible)?;
        writeln!(f, "probes                 {}", self.probes)?;
        writeln!(f, "frames                 {frames}")?;
        writeln!(f, "rays that meet a part  {:.1} %", sum.percent_hit())?;
        writeln!(f, "casting in each frame  {all:.3} ms")?;
        writeln!(f, "  of it the first ray  {first:.3} ms")?;
        writeln!(f, "rays a second          {:.0}", sum.rays_per_second())
    }
}

/// Casts the rays of so many frames.
///
/// The systems that the casting is one of run on one thread, so that nothing else runs meanwhile.
pub fn measure(options: Options, frames: usize) -> Result<Report, String> {
    let (walkers, probes) = (options.walkers, options.probes);
    let mut app = App::new();
    app.add_plugins(gpuless::plugins(ASSETS.as_ref(), false));
    crate::add_contents(&mut app, options);
    app.edit_schedule(PostUpdate, |schedule| {
        schedule.set_executor(SingleThreadedExecutor::new());
    });
    gpuless::finish(&mut app);
    if !gpuless::wait_until(&mut app, |world| all_walk(world, walkers)) {
        return Err("the walkers were not loaded".to_owned());
    }
    for _ in 0..WARM_UP {
        gpuless::step(&mut app, STEP);
    }
    app.insert_resource(Figures::new(frames));
    for _ in 0..frames {
        gpuless::step(&mut app, STEP);
    }
    let world = app.world_mut();
    let mut parts = world.query_filtered::<&InheritedVisibility, With<AloCollider>>();
    let visible = parts.iter(world).filter(|shows| shows.get()).count();
    Ok(Report {
        walkers,
        parts: parts.iter(world).count(),
        visible,
        probes,
        figures: world.remove_resource().unwrap_or_default(),
    })
}

/// Draws a moment.
pub fn picture(options: Options, path: &Path) -> Result<(), String> {
    let (walkers, time) = (options.walkers, options.time);
    let mouse = options.mouse.unwrap_or(SIZE.as_vec2() / 2.0);
    let mut app = App::new();
    app.add_plugins(plugins(ASSETS.as_ref(), false));
    crate::add_contents(&mut app, options);
    crate::add_drawing(&mut app);
    let mut headless = Headless::start(app, SIZE);
    let target = headless.render_target();
    headless.app.insert_resource(Target(target));
    headless.app.insert_resource(Mouse(Some(mouse)));
    headless.wait_until("the walkers walk", |world| {
        let loaded = world.run_system_cached(is_loaded);
        all_walk(world, walkers) && loaded.is_ok_and(|loaded| loaded)
    });
    headless.step(time);
    for _ in 0..SETTLING {
        headless.step(0.0);
    }
    pictures::save(headless.capture(), path)
}

/// Whether all walkers are there and play their clip.
fn all_walk(world: &mut World, walkers: usize) -> bool {
    let mut animators = world.query::<&AloAnimator>();
    let playing = animators.iter(world).filter(|one| one.clip().is_some());
    playing.count() == walkers
}

/// Whether the walkers wear what they wear.
fn is_loaded(model: Res<Model>, server: Res<AssetServer>) -> bool {
    matches!(
        server.recursive_dependency_load_state(&model.0),
        RecursiveDependencyLoadState::Loaded
    )
}
