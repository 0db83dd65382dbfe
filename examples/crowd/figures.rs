//! What is measured: the time of frames, the time of this crate's systems, and draws.

use crate::population::Crowd;
use crate::support::draws::{DrawCount, DrawCountPlugin};
use bevy::ecs::schedule::SingleThreadedExecutor;
use bevy::ecs::system::System;
use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;
use bevy::time::Real;
use bevy_classic_models::quake::{MdlMaterial, PoseTable};
use bevy_classic_models::scene::ClassicModelsSystems;
use std::any::TypeId;
use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

/// Frames after the crowd is there that are not measured: pipelines compile in the first ones.
const WARM_UP: u32 = 10;

/// This crate's systems in `PostUpdate`: changed scenes, clips, pose table, looks, forgotten colours.
const OUR_SYSTEMS: usize = 5;

/// Measures into [`Figures`], which must be inserted.
///
/// `PostUpdate` runs on one thread, so that nothing else runs at the same time as what is measured.
pub struct FiguresPlugin;

impl Plugin for FiguresPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(DrawCountPlugin)
            .edit_schedule(PostUpdate, |schedule| {
                schedule.set_executor(SingleThreadedExecutor::new());
            })
            .init_resource::<Clock>()
            .add_systems(Update, begin)
            .add_systems(
                PostUpdate,
                (
                    start_clock.before(ClassicModelsSystems::Play),
                    stop_clock.after(ClassicModelsSystems::Look),
                ),
            );
    }
}

/// The latest measurements.
#[derive(Resource)]
pub struct Figures {
    /// Seconds of each frame.
    pub frames: Samples,
    /// Seconds of this crate's systems in each frame.
    pub systems: Samples,
    warm_up_left: u32,
}

impl Figures {
    /// Keeps measurements of so many frames.
    pub fn new(capacity: usize) -> Self {
        Self {
            frames: Samples::new(capacity),
            systems: Samples::new(capacity),
            warm_up_left: WARM_UP,
        }
    }

    /// Whether the crowd is there and on screen.
    pub fn ready(&self) -> bool {
        self.warm_up_left == 0
    }
}

/// Seconds, the latest of them.
pub struct Samples {
    seconds: VecDeque<f64>,
    capacity: usize,
}

impl Samples {
    fn new(capacity: usize) -> Self {
        Self {
            seconds: VecDeque::with_capacity(capacity),
            capacity: capacity.max(1),
        }
    }

    /// Adds a measurement, and forgets the oldest if there are too many.
    pub fn push(&mut self, duration: Duration) {
        if self.seconds.len() == self.capacity {
            self.seconds.pop_front();
        }
        self.seconds.push_back(duration.as_secs_f64());
    }

    /// Number of measurements.
    pub fn len(&self) -> usize {
        self.seconds.len()
    }

    /// Arithmetic mean, in seconds; 0 without measurements.
    pub fn mean(&self) -> f64 {
        self.seconds.iter().sum::<f64>() / self.len().max(1) as f64
    }

    /// The middle one, in seconds; 0 without measurements.
    pub fn median(&self) -> f64 {
        let mut sorted: Vec<_> = self.seconds.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    }
}

#[derive(Resource, Default)]
struct Clock(Option<Instant>);

fn start_clock(mut clock: ResMut<Clock>) {
    clock.0 = Some(Instant::now());
}

fn stop_clock(mut clock: ResMut<Clock>, mut figures: ResMut<Figures>) {
    let elapsed = clock.0.take().map(|start| start.elapsed());
    if let Some(elapsed) = elapsed
        && figures.ready()
    {
        figures.systems.push(elapsed);
    }
}

/// Waits for the crowd, and then for the first frames to pass.
fn begin(
    crowd: Res<Crowd>,
    table: Res<PoseTable>,
    draws: Res<DrawCount>,
    mut figures: ResMut<Figures>,
) {
    if table.len() >= crowd.instances && draws.get() > 0 {
        figures.warm_up_left = figures.warm_up_left.saturating_sub(1);
    }
}

/// Takes the time of frames from the app's clock.
pub fn note_frame(time: Res<Time<Real>>, mut figures: ResMut<Figures>) {
    if figures.ready() {
        figures.frames.push(time.delta());
    }
}

/// Everything that was measured; written out, one line per quantity.
pub struct Report {
    adapter: String,
    instances: usize,
    visible: usize,
    frames: usize,
    frame_mean: f64,
    frame_median: f64,
    systems_mean: f64,
    systems_median: f64,
    other_systems: Option<usize>,
    draws: u32,
    pairs: usize,
}

impl Report {
    /// Sums up the measurements of an app.
    pub fn new(world: &mut World) -> Self {
        let (visible, pairs) = visible_pairs(world);
        let figures = world.resource::<Figures>();
        Self {
            adapter: adapter(world),
            instances: world.resource::<PoseTable>().len(),
            visible,
            frames: figures.frames.len(),
            frame_mean: figures.frames.mean(),
            frame_median: figures.frames.median(),
            systems_mean: figures.systems.mean(),
            systems_median: figures.systems.median(),
            other_systems: other_systems(world),
            draws: world.resource::<DrawCount>().get(),
            pairs,
        }
    }

    /// Microseconds of this crate's systems per instance and frame.
    fn per_instance(&self, seconds: f64) -> f64 {
        seconds * 1e6 / self.instances.max(1) as f64
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "adapter                          {}", self.adapter)?;
        writeln!(f, "instances                        {}", self.instances)?;
        writeln!(f, "instances in view                {}", self.visible)?;
        writeln!(f, "frames                           {}", self.frames)?;
        writeln!(
            f,
            "ms per frame                     mean {:.2}, median {:.2}",
            self.frame_mean * 1e3,
            self.frame_median * 1e3
        )?;
        writeln!(
            f,
            "our systems, µs per instance     mean {:.3}, median {:.3}",
            self.per_instance(self.systems_mean),
            self.per_instance(self.systems_median)
        )?;
        if let Some(others) = self.other_systems {
            writeln!(f, "other systems in that time       {others}")?;
        }
        writeln!(f, "draws                            {}", self.draws)?;
        writeln!(f, "distinct (mesh, material) pairs  {}", self.pairs)
    }
}

fn adapter(world: &World) -> String {
    world
        .get_resource::<RenderAdapterInfo>()
        .map_or_else(String::new, |info| {
            format!("{} ({:?})", info.name, info.backend)
        })
}

/// Number of instances in view, and of distinct pairs of mesh and material among them.
pub fn visible_pairs(world: &mut World) -> (usize, usize) {
    let mut meshes = world.query::<(&Mesh3d, &MeshMaterial3d<MdlMaterial>, &ViewVisibility)>();
    let mut visible = 0;
    let mut pairs = HashSet::new();
    for (mesh, material, visibility) in meshes.iter(world) {
        if visibility.get() {
            visible += 1;
            pairs.insert((mesh.id(), material.id()));
        }
    }
    (visible, pairs.len())
}

/// Number of systems that the clock measures although they are not this crate's.
fn other_systems(world: &World) -> Option<usize> {
    let schedule = world.resource::<Schedules>().get(PostUpdate)?;
    let place = |wanted: TypeId| {
        let mut systems = schedule.systems().ok()?;
        systems.position(|(_, system)| system.system_type() == wanted)
    };
    let start = place(type_of_system(start_clock))?;
    let stop = place(type_of_system(stop_clock))?;
    stop.checked_sub(start + 1 + OUR_SYSTEMS)
}

fn type_of_system<M>(system: impl IntoSystem<(), (), M>) -> TypeId {
    IntoSystem::into_system(system).system_type()
}
