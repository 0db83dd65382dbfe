//! Measurements of the crowd: frame time, the time of this crate's systems, of Bevy's animation and transform systems, and
//! draw calls.

use super::population::{Crowd, Playing};
use crate::support::draws::{DrawCount, DrawCountPlugin};
use bevy::app::AnimationSystems;
use bevy::asset::UntypedAssetId;
use bevy::ecs::schedule::SingleThreadedExecutor;
use bevy::ecs::system::System;
use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;
use bevy_classic_models::lgw::LgwTexEnvMaterial;
use bevy_classic_models::lithtech::AbcDeformMaterial;
use bevy_classic_models::quake::MdlMaterial;
use bevy_classic_models::root::ClassicModelsSystems;
use std::any::TypeId;
use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

/// Frames after the crowd is spawned that are not measured. Pipelines compile in the first ones.
const WARM_UP: u32 = 10;

/// Writes measurements to the resource [`Measurements`], which must be inserted.
///
/// Makes `PostUpdate` single-threaded, so that no other system runs during a measured one.
pub struct MeasurementsPlugin;

impl Plugin for MeasurementsPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(DrawCountPlugin)
            .edit_schedule(PostUpdate, |schedule| {
                schedule.set_executor(SingleThreadedExecutor::new());
            })
            .init_resource::<SectionStarts>()
            .add_systems(Update, warm_up)
            .add_systems(
                PostUpdate,
                (
                    record_start::<0>.before(ClassicModelsSystems::Play),
                    record_start::<1>
                        .after(ClassicModelsSystems::Play)
                        .before(AnimationSystems),
                    record_start::<2>
                        .after(AnimationSystems)
                        .before(ClassicModelsSystems::Appearance),
                    record_start::<3>
                        .after(ClassicModelsSystems::Appearance)
                        .before(TransformSystems::Propagate),
                    record_start::<4>.after(TransformSystems::Propagate),
                    record_sections,
                )
                    .chain(),
            );
    }
}

/// The latest measurements.
#[derive(Resource)]
pub struct Measurements {
    /// Seconds of each frame.
    pub frames: Samples,
    /// Seconds of this crate's clip and appearance systems in each frame. Its other systems may run outside the measured
    /// sections and are not included.
    pub systems: Samples,
    /// Seconds of Bevy's animation.
    pub animation: Samples,
    /// Seconds of Bevy's transform propagation.
    pub transforms: Samples,
    /// Instance count at the end of spawning.
    pub instances: usize,
    warm_up_left: u32,
}

impl Measurements {
    /// Keeps the measurements of the last `capacity` frames.
    pub fn new(capacity: usize) -> Self {
        Self {
            frames: Samples::new(capacity),
            systems: Samples::new(capacity),
            animation: Samples::new(capacity),
            transforms: Samples::new(capacity),
            instances: 0,
            warm_up_left: WARM_UP,
        }
    }

    /// Whether the crowd is spawned and rendered, and the warm-up is over.
    pub fn ready(&self) -> bool {
        self.warm_up_left == 0
    }
}

/// The latest durations, in seconds.
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

    /// Adds a duration, and removes the oldest if the capacity is exceeded.
    pub fn push(&mut self, duration: Duration) {
        if self.seconds.len() == self.capacity {
            self.seconds.pop_front();
        }
        self.seconds.push_back(duration.as_secs_f64());
    }

    /// Count of durations.
    pub fn len(&self) -> usize {
        self.seconds.len()
    }

    /// Arithmetic mean, in seconds; 0 without measurements.
    pub fn mean(&self) -> f64 {
        self.seconds.iter().sum::<f64>() / self.len().max(1) as f64
    }

    /// Median, in seconds; 0 without measurements.
    pub fn median(&self) -> f64 {
        let mut sorted: Vec<_> = self.seconds.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    }
}

/// The start times of the sections of `PostUpdate`: this crate's clip systems, Bevy's animation, this crate's appearance
/// systems, Bevy's transform propagation, and the rest.
#[derive(Resource, Default)]
struct SectionStarts([Option<Instant>; 5]);

fn record_start<const SECTION: usize>(mut starts: ResMut<SectionStarts>) {
    starts.0[SECTION] = Some(Instant::now());
}

fn record_sections(mut starts: ResMut<SectionStarts>, mut measurements: ResMut<Measurements>) {
    let starts = std::mem::take(&mut starts.0);
    if let [
        Some(clips),
        Some(animation),
        Some(appearance),
        Some(transforms),
        Some(rest),
    ] = starts
        && measurements.ready()
    {
        let ours = (animation - clips) + (transforms - appearance);
        measurements.systems.push(ours);
        measurements.animation.push(appearance - animation);
        measurements.transforms.push(rest - transforms);
    }
}

/// Counts the warm-up frames once the crowd is spawned and rendered.
fn warm_up(
    crowd: Res<Crowd>,
    playing: Query<(), Playing>,
    draws: Res<DrawCount>,
    mut measurements: ResMut<Measurements>,
) {
    if measurements.ready() {
        return;
    }
    measurements.instances = playing.iter().count();
    if measurements.instances >= crowd.instances && draws.get() > 0 {
        measurements.warm_up_left = measurements.warm_up_left.saturating_sub(1);
    }
}

/// All results. `Display` writes one line per quantity.
pub struct Report {
    adapter: String,
    instances: usize,
    /// Counts of visible meshes, and of distinct (mesh, material) pairs among them.
    visible: (usize, usize),
    frames: usize,
    /// Mean and median durations, in seconds.
    frame: [f64; 2],
    systems: [f64; 2],
    animation: [f64; 2],
    transforms: [f64; 2],
    measured_systems: Option<usize>,
    draws: u32,
}

impl Report {
    /// Creates the report from the resources of an app.
    pub fn new(world: &mut World) -> Self {
        let visible = visible_pairs(world);
        let measurements = world.resource::<Measurements>();
        let both = |samples: &Samples| [samples.mean(), samples.median()];
        Self {
            adapter: adapter(world),
            instances: measurements.instances,
            visible,
            frames: measurements.frames.len(),
            frame: both(&measurements.frames),
            systems: both(&measurements.systems),
            animation: both(&measurements.animation),
            transforms: both(&measurements.transforms),
            measured_systems: measured_systems(world),
            draws: world.resource::<DrawCount>().get(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (visible, pairs) = self.visible;
        let per_instance = 1e6 / self.instances.max(1) as f64;
        writeln!(f, "adapter                          {}", self.adapter)?;
        writeln!(f, "instances                        {}", self.instances)?;
        writeln!(f, "visible meshes                   {visible}")?;
        writeln!(f, "frames                           {}", self.frames)?;
        for (label, seconds, scale) in [
            ("ms per frame                    ", self.frame, 1e3),
            (
                "our systems, µs per instance    ",
                self.systems,
                per_instance,
            ),
            (
                "Bevy's animation, the same      ",
                self.animation,
                per_instance,
            ),
            (
                "Bevy's transforms, the same     ",
                self.transforms,
                per_instance,
            ),
        ] {
            let [mean, median] = seconds.map(|seconds| seconds * scale);
            writeln!(f, "{label} mean {mean:.3}, median {median:.3}")?;
        }
        if let Some(systems) = self.measured_systems {
            writeln!(f, "systems counted as ours          {systems}")?;
        }
        writeln!(f, "draw calls                       {}", self.draws)?;
        writeln!(f, "distinct (mesh, material) pairs  {pairs}")
    }
}

fn adapter(world: &World) -> String {
    world
        .get_resource::<RenderAdapterInfo>()
        .map_or_else(String::new, |info| {
            format!("{} ({:?})", info.name, info.backend)
        })
}

/// Counts visible meshes, and distinct (mesh, material) pairs among them.
pub fn visible_pairs(world: &mut World) -> (usize, usize) {
    let mut pairs = HashSet::new();
    let visible = visible_with::<MdlMaterial>(world, &mut pairs)
        + visible_with::<StandardMaterial>(world, &mut pairs)
        + visible_with::<AbcDeformMaterial>(world, &mut pairs)
        + visible_with::<LgwTexEnvMaterial>(world, &mut pairs);
    (visible, pairs.len())
}

/// Counts visible meshes with a material type, and adds their pairs to `pairs`.
fn visible_with<M: Material>(
    world: &mut World,
    pairs: &mut HashSet<(AssetId<Mesh>, UntypedAssetId)>,
) -> usize {
    let mut meshes = world.query::<(&Mesh3d, &MeshMaterial3d<M>, &ViewVisibility)>();
    let mut visible = 0;
    for (mesh, material, visibility) in meshes.iter(world) {
        if visibility.get() {
            visible += 1;
            pairs.insert((mesh.id(), material.id().untyped()));
        }
    }
    visible
}

/// Count of systems in the sections that are measured as this crate's. Includes a few idle systems of other crates.
fn measured_systems(world: &World) -> Option<usize> {
    let schedule = world.resource::<Schedules>().get(PostUpdate)?;
    let position = |system_type: TypeId| {
        let mut systems = schedule.systems().ok()?;
        systems.position(|(_, system)| system.system_type() == system_type)
    };
    let clips = position(type_of_system(record_start::<0>))?;
    let animation = position(type_of_system(record_start::<1>))?;
    let appearance = position(type_of_system(record_start::<2>))?;
    let transforms = position(type_of_system(record_start::<3>))?;
    Some((animation - clips - 1) + (transforms - appearance - 1))
}

fn type_of_system<M>(system: impl IntoSystem<(), (), M>) -> TypeId {
    IntoSystem::into_system(system).system_type()
}
