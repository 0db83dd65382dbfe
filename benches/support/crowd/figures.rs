//! What is measured: the time of frames, of this crate's systems and of what Bevy does for them, and draws.

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
use bevy_classic_models::scene::ClassicModelsSystems;
use std::any::TypeId;
use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

/// Frames after the crowd is there that are not measured: pipelines compile in the first ones.
const WARM_UP: u32 = 10;

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
                    note::<0>.before(ClassicModelsSystems::Play),
                    note::<1>
                        .after(ClassicModelsSystems::Play)
                        .before(AnimationSystems),
                    note::<2>
                        .after(AnimationSystems)
                        .before(ClassicModelsSystems::Appearance),
                    note::<3>
                        .after(ClassicModelsSystems::Appearance)
                        .before(TransformSystems::Propagate),
                    note::<4>.after(TransformSystems::Propagate),
                    add_up,
                )
                    .chain(),
            );
    }
}

/// The latest measurements.
#[derive(Resource)]
pub struct Figures {
    /// Seconds of each frame.
    pub frames: Samples,
    /// Seconds of this crate's systems in each frame. Those that follow Bevy's animation may run later,
    /// and are not in them.
    pub systems: Samples,
    /// Seconds of Bevy's animation.
    pub animation: Samples,
    /// Seconds in which Bevy finds out where everything is.
    pub transforms: Samples,
    /// Instances that were there when the crowd was.
    pub instances: usize,
    warm_up_left: u32,
}

impl Figures {
    /// Keeps measurements of so many frames.
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

/// When each of the parts of `PostUpdate` began: this crate's systems that choose clips, Bevy's
/// animation, this crate's that choose looks, Bevy's transforms, and the rest.
#[derive(Resource, Default)]
struct Clock([Option<Instant>; 5]);

fn note<const PART: usize>(mut clock: ResMut<Clock>) {
    clock.0[PART] = Some(Instant::now());
}

fn add_up(mut clock: ResMut<Clock>, mut figures: ResMut<Figures>) {
    let noted = std::mem::take(&mut clock.0);
    if let [
        Some(clips),
        Some(animation),
        Some(looks),
        Some(transforms),
        Some(rest),
    ] = noted
        && figures.ready()
    {
        let ours = (animation - clips) + (transforms - looks);
        figures.systems.push(ours);
        figures.animation.push(looks - animation);
        figures.transforms.push(rest - transforms);
    }
}

/// Waits for the crowd, and then for the first frames to pass.
fn begin(
    crowd: Res<Crowd>,
    playing: Query<(), Playing>,
    draws: Res<DrawCount>,
    mut figures: ResMut<Figures>,
) {
    if figures.ready() {
        return;
    }
    figures.instances = playing.iter().count();
    if figures.instances >= crowd.instances && draws.get() > 0 {
        figures.warm_up_left = figures.warm_up_left.saturating_sub(1);
    }
}

/// Everything that was measured; written out, one line per quantity.
pub struct Report {
    adapter: String,
    instances: usize,
    /// Meshes in view, and distinct pairs of mesh and material among them.
    visible: (usize, usize),
    frames: usize,
    /// What was measured, as means and medians in seconds.
    frame: [f64; 2],
    systems: [f64; 2],
    animation: [f64; 2],
    transforms: [f64; 2],
    systems_in_that_time: Option<usize>,
    draws: u32,
}

impl Report {
    /// Sums up the measurements of an app.
    pub fn new(world: &mut World) -> Self {
        let visible = visible_pairs(world);
        let figures = world.resource::<Figures>();
        let both = |samples: &Samples| [samples.mean(), samples.median()];
        Self {
            adapter: adapter(world),
            instances: figures.instances,
            visible,
            frames: figures.frames.len(),
            frame: both(&figures.frames),
            systems: both(&figures.systems),
            animation: both(&figures.animation),
            transforms: both(&figures.transforms),
            systems_in_that_time: systems_in_that_time(world),
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
        writeln!(f, "meshes in view                   {visible}")?;
        writeln!(f, "frames                           {}", self.frames)?;
        for (what, seconds, scale) in [
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
            writeln!(f, "{what} mean {mean:.3}, median {median:.3}")?;
        }
        if let Some(systems) = self.systems_in_that_time {
            writeln!(f, "systems counted as ours          {systems}")?;
        }
        writeln!(f, "draws                            {}", self.draws)?;
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

/// Number of meshes in view, and of distinct pairs of mesh and material among them.
pub fn visible_pairs(world: &mut World) -> (usize, usize) {
    let mut pairs = HashSet::new();
    let visible = visible_with::<MdlMaterial>(world, &mut pairs)
        + visible_with::<StandardMaterial>(world, &mut pairs)
        + visible_with::<AbcDeformMaterial>(world, &mut pairs)
        + visible_with::<LgwTexEnvMaterial>(world, &mut pairs);
    (visible, pairs.len())
}

/// Counts meshes with one kind of material, and adds their pairs.
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

/// Number of systems whose time counts as that of this crate's, a few of others among them that had
/// nothing to do then.
fn systems_in_that_time(world: &World) -> Option<usize> {
    let schedule = world.resource::<Schedules>().get(PostUpdate)?;
    let place = |wanted: TypeId| {
        let mut systems = schedule.systems().ok()?;
        systems.position(|(_, system)| system.system_type() == wanted)
    };
    let clips = place(type_of_system(note::<0>))?;
    let animation = place(type_of_system(note::<1>))?;
    let looks = place(type_of_system(note::<2>))?;
    let transforms = place(type_of_system(note::<3>))?;
    Some((animation - clips - 1) + (transforms - looks - 1))
}

fn type_of_system<M>(system: impl IntoSystem<(), (), M>) -> TypeId {
    IntoSystem::into_system(system).system_type()
}
