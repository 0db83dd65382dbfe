//! Alamo animations: making clips of files, sampling their curves, and a thousand models that play
//! them, beside Bevy's own curves over the same keys.
//!
//! Limits: a file becomes a clip in 4 times what `memcpy` takes for it and 200 ns for each bone;
//! a sample takes no longer than from Bevy's keyframes, at a third of their memory (the file's own
//! words take more); a bone of an
//! animated model costs at most 1.3 times what it does with Bevy's curves.

mod support;

use bevy::animation::animated_field;
use bevy::animation::animation_curves::{AnimatableCurve, AnimatableKeyframeCurve};
use bevy::animation::graph::{AnimationGraph, AnimationGraphHandle, AnimationNodeIndex};
use bevy::animation::{AnimationClip, AnimationPlayer, advance_animations, animate_targets};
use bevy::ecs::schedule::Schedule;
use bevy::math::curve::{ConstantCurve, Curve, Interval};
use bevy::prelude::*;
use bevy_classic_models::alamo::ala::write::{AlaDocument, BoneTracks, Rotations, Vectors, write};
use bevy_classic_models::alamo::ala::{AlaBone, AlaFile, parse};
use bevy_classic_models::alamo::{AlaCurves, bone_target, clip};
use bevy_classic_models::alamo::{Alo, AloInstance, AloLoaderSettings};
use bevy_classic_models::prelude::*;
use classic_models_support::gpuless;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use support::{Model, ala_files};

/// Of `memcpy`, for the bytes of a file.
const COPIES: f64 = 4.0;

/// For each bone.
const NANOSECONDS: f64 = 200.0;

/// Of the cost of a bone with Bevy's curves.
const CROWD_LIMIT: f64 = 1.3;

const INSTANCES: usize = 1000;

/// Time spent on each measurement.
const PATIENCE: Duration = Duration::from_millis(300);

fn main() {
    // Makes glibc's allocator keep memory that is freed, of both sides alike.
    drop(black_box(vec![1_u8; 31 << 20]));
    clips();
    samples();
    crowd();
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The least time that something takes, less that to drop what it made.
fn least<T>(mut run: impl FnMut() -> T) -> Duration {
    let begin = Instant::now();
    let mut least = Duration::MAX;
    while begin.elapsed() < PATIENCE {
        let start = Instant::now();
        let made = black_box(run());
        least = least.min(start.elapsed());
        drop(made);
    }
    least
}

fn clips() {
    println!(
        "{:36} {:>7} {:>6} | {:>9} {:>9} {:>9} | {:>8} {:>8}",
        "file", "KiB", "bones", "parse µs", "+ clip µs", "memcpy µs", "limit µs", "× limit"
    );
    let mut files = ala_files();
    files.extend([synthetic(1), synthetic(2)]);
    let mut worst = 0.0_f64;
    let (mut all, mut allowed) = (0.0, 0.0);
    for Model { name, bytes } in files {
        let Ok(file) = parse(&bytes) else {
            continue;
        };
        let mut copy = vec![0_u8; bytes.len()];
        let parsing = micros(least(|| parse(black_box(&bytes)).is_ok()));
        let whole = micros(least(|| {
            clip(&parse(black_box(&bytes)).expect("it parses"))
        }));
        let copying = micros(least(|| {
            black_box(&mut copy).copy_from_slice(black_box(&bytes));
        }));
        let limit = COPIES * copying + NANOSECONDS * file.bones.len() as f64 / 1000.0;
        all += whole;
        allowed += limit;
        worst = worst.max(whole / limit);
        println!(
            "{name:36} {:7.1} {:6} | {parsing:9.2} {whole:9.2} {copying:9.2} | {limit:8.2} {:8.2}",
            bytes.len() as f64 / 1024.0,
            file.bones.len(),
            whole / limit
        );
    }
    println!(
        "all together {:.2} × the limit, at worst {worst:.2}\n",
        all / allowed
    );
}

/// Forty bones that move and turn for two seconds.
fn document(version: u8) -> AlaDocument {
    const FRAMES: u32 = 61;
    let wave = |seed: u32, frame: u32| (seed as f32 * 12.9898 + frame as f32 * 0.233).sin();
    let bone = |number: u32| {
        let mut bone = BoneTracks::new(format!("Bone_{number:02}"), number, [0.0; 3]);
        let places: Vec<_> = (0..FRAMES)
            .map(|frame| [0, 1, 2].map(|axis| 10.0 * wave(number * 3 + axis, frame)))
            .collect();
        bone.translation = Vectors::from_frames(&places);
        let turns: Vec<_> = (0..FRAMES)
            .map(|frame| [0, 1, 2, 3].map(|axis| wave(number * 5 + axis, frame) + 0.2))
            .collect();
        bone.rotation = Rotations::from_frames(&turns);
        bone
    };
    AlaDocument {
        version,
        frames: FRAMES,
        fps: 30.0,
        bones: (1..41).map(bone).collect(),
    }
}

fn synthetic(version: u8) -> Model {
    Model {
        name: format!("40 moving bones of format {version}"),
        bytes: write(&document(version)).expect("it can be written"),
    }
}

/// Bevy's keys of a bone.
struct Keys {
    translation: AnimatableKeyframeCurve<Vec3>,
    rotation: AnimatableKeyframeCurve<Quat>,
}

/// The keys of a bone at all frames.
fn frames<T>(file: &AlaFile<'_>, value: impl Fn(f32) -> T) -> Vec<(f32, T)> {
    let at = |frame: u32| (frame as f32 / file.fps, value(frame as f32));
    (0..file.frames).map(at).collect()
}

fn translations(file: &AlaFile<'_>, bone: &AlaBone<'_>) -> Vec<(f32, Vec3)> {
    frames(file, |frame| file.sample(bone, frame).translation.into())
}

fn rotations(file: &AlaFile<'_>, bone: &AlaBone<'_>) -> Vec<(f32, Quat)> {
    frames(file, |frame| {
        let rotation = file.sample(bone, frame).rotation;
        Quat::from_array(rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]))
    })
}

fn samples() {
    let Model { bytes, .. } = synthetic(2);
    let file = parse(&bytes).expect("it parses");
    let tracks = AlaCurves::new(&file);
    let packed: Vec<_> = tracks.bones(&file).map(|(_, curves)| curves).collect();
    let bevys: Vec<_> = file
        .bones
        .iter()
        .map(|bone| Keys {
            translation: AnimatableKeyframeCurve::new(translations(&file, bone))
                .expect("there are keys"),
            rotation: AnimatableKeyframeCurve::new(rotations(&file, bone)).expect("there are keys"),
        })
        .collect();
    // All bones at a moment, as models are animated; moments in no order that a processor could learn.
    let moments: Vec<f32> = (0..256_u32)
        .map(|number| {
            let any = number.wrapping_mul(0x9e37_79b9) >> 8;
            any as f32 / (1 << 24) as f32 * file.seconds()
        })
        .collect();
    let count = (moments.len() * packed.len()) as f64;
    let each = |time: Duration| time.as_secs_f64() * 1e9 / count;
    let all = |sample: &dyn Fn(usize, f32) -> f32| {
        each(least(|| {
            let mut sum = 0.0;
            for time in &moments {
                for bone in 0..packed.len() {
                    sum += sample(bone, black_box(*time));
                }
            }
            sum
        }))
    };
    let translation = [
        all(&|bone, time| {
            let curve = packed[bone].translation.as_ref();
            curve.map_or(0.0, |curve| curve.sample_clamped(time).x)
        }),
        all(&|bone, time| bevys[bone].translation.sample_clamped(time).x),
    ];
    let rotation = [
        all(&|bone, time| {
            let curve = packed[bone].rotation.as_ref();
            curve.map_or(0.0, |curve| curve.sample_clamped(time).x)
        }),
        all(&|bone, time| bevys[bone].rotation.sample_clamped(time).x),
    ];
    let bytes = [[6, 4 + 12], [8, 4 + 16]];
    println!(
        "{:12} | {:>9} {:>9} {:>8} | {:>11} {:>11} {:>8}",
        "sample", "packed ns", "Bevy's ns", "× Bevy's", "packed B", "Bevy's B", "× Bevy's"
    );
    for (name, [ours, bevys], [our_bytes, bevys_bytes]) in [
        ("translation", translation, bytes[0]),
        ("rotation", rotation, bytes[1]),
    ] {
        println!(
            "{name:12} | {ours:9.1} {bevys:9.1} {:8.2} | {our_bytes:7} /key {bevys_bytes:7} /key {:8.2}",
            ours / bevys,
            f64::from(our_bytes) / f64::from(bevys_bytes)
        );
    }
    println!("limits: 1 and 0.33\n");
}

/// The same clip of Bevy's own curves. There are none for visibility.
fn converted(file: &AlaFile<'_>) -> AnimationClip {
    let mut clip = AnimationClip::default();
    for bone in &file.bones {
        let target = bone_target(bone.index as usize);
        let held = file.sample(bone, 0.0);
        match bone.translation {
            Some(_) => clip.add_curve_to_target(
                target,
                AnimatableCurve::new(
                    animated_field!(Transform::translation),
                    AnimatableKeyframeCurve::new(translations(file, bone)).expect("there are keys"),
                ),
            ),
            None => clip.add_curve_to_target(
                target,
                AnimatableCurve::new(
                    animated_field!(Transform::translation),
                    ConstantCurve::new(Interval::EVERYWHERE, Vec3::from(held.translation)),
                ),
            ),
        }
        match (bone.rotation, held.rotation) {
            (Some(_), _) => clip.add_curve_to_target(
                target,
                AnimatableCurve::new(
                    animated_field!(Transform::rotation),
                    AnimatableKeyframeCurve::new(rotations(file, bone)).expect("there are keys"),
                ),
            ),
            (None, Some(rotation)) => clip.add_curve_to_target(
                target,
                AnimatableCurve::new(
                    animated_field!(Transform::rotation),
                    ConstantCurve::new(Interval::EVERYWHERE, Quat::from_array(rotation)),
                ),
            ),
            (None, None) => {}
        }
    }
    clip.set_duration(file.seconds());
    clip
}

/// Models that all play the same clip, each at its own time.
struct Crowd {
    app: App,
    roots: Vec<Entity>,
    animate: Schedule,
}

impl Crowd {
    fn new() -> Self {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let mut app = App::new();
        app.add_plugins((gpuless::plugins(&assets, false), ClassicModelsPlugins));
        gpuless::finish(&mut app);
        let server = app.world().resource::<AssetServer>().clone();
        let settings = |settings: &mut AloLoaderSettings| settings.load_textures = false;
        let builder = server.load_builder().with_settings(settings);
        let alo: Handle<Alo> = builder.load("models/walker.alo");
        gpuless::wait_until(&mut app, |_| server.is_loaded_with_dependencies(&alo));
        let scene = app.world().resource::<Assets<Alo>>().get(&alo);
        let scene = WorldAssetRoot(scene.expect("it is loaded").scene.clone());
        let roots: Vec<_> = (0..INSTANCES)
            .map(|_| app.world_mut().spawn(scene.clone()).id())
            .collect();
        let are_there = |world: &mut World| {
            let mut roots = roots.iter();
            roots.all(|root| world.get::<AloInstance>(*root).is_some())
        };
        assert!(gpuless::wait_until(&mut app, are_there));
        let mut animate = Schedule::default();
        animate.add_systems((advance_animations, animate_targets).chain());
        Self {
            app,
            roots,
            animate,
        }
    }

    fn graph(&mut self, clip: AnimationClip) -> (Handle<AnimationGraph>, AnimationNodeIndex) {
        let world = self.app.world_mut();
        let clip = world.resource_mut::<Assets<AnimationClip>>().add(clip);
        let (graph, node) = AnimationGraph::from_clip(clip);
        let graph = world.resource_mut::<Assets<AnimationGraph>>().add(graph);
        (graph, node)
    }

    fn play(&mut self, (graph, node): &(Handle<AnimationGraph>, AnimationNodeIndex)) {
        for (number, root) in self.roots.iter().enumerate() {
            let mut root = self.app.world_mut().entity_mut(*root);
            root.insert(AnimationGraphHandle(graph.clone()));
            if let Some(mut player) = root.get_mut::<AnimationPlayer>() {
                player.stop_all();
                player
                    .start(*node)
                    .repeat()
                    .set_seek_time(number as f32 * 0.037 % 1.0);
            }
        }
        for _ in 0..3 {
            gpuless::step(&mut self.app, 1.0 / 60.0);
        }
    }

    /// The least time that Bevy's animation takes for all.
    fn measure(&mut self) -> f64 {
        micros(least(|| self.animate.run(self.app.world_mut())))
    }
}

fn crowd() {
    let mut crowd = Crowd::new();
    println!(
        "{:24} {:>6} {:>7} | {:>11} {:>11} {:>8}",
        "1,000 walkers", "bones", "visible", "ns per bone", "with Bevy's", "× Bevy's"
    );
    for name in ["MOVE_00", "ATTACK_00", "DIE_00"] {
        let path = format!("assets/models/walker_{name}.ala");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let bytes = std::fs::read(path).expect("the samples are bundled");
        one_clip(&mut crowd, name, &parse(&bytes).expect("the samples parse"));
    }
    println!("limit {CROWD_LIMIT}");
    whole_frames(&mut crowd);
}

fn one_clip(crowd: &mut Crowd, name: &str, file: &AlaFile<'_>) {
    let graphs = [clip(file), converted(file)].map(|clip| crowd.graph(clip));
    let mut least = [f64::MAX; 2];
    // By turns, so that what disturbs one disturbs the other.
    for _ in 0..4 {
        for (least, graph) in least.iter_mut().zip(&graphs) {
            crowd.play(graph);
            *least = least.min(crowd.measure());
        }
    }
    let bones = (INSTANCES * file.bones.len()) as f64;
    let [ours, bevys] = least.map(|time| time * 1000.0 / bones);
    let visible = file.bones.iter().filter(|bone| bone.visibility.is_some());
    println!(
        "{name:24} {:6} {:7} | {ours:11.1} {bevys:11.1} {:8.2}",
        file.bones.len(),
        visible.count(),
        ours / bevys
    );
}

/// All that a frame without a GPU takes, with `PlayClip` and without anything that plays.
fn whole_frames(crowd: &mut Crowd) {
    let frame = |crowd: &mut Crowd| micros(least(|| gpuless::step(&mut crowd.app, 1.0 / 60.0)));
    for root in &crowd.roots {
        let mut root = crowd.app.world_mut().entity_mut(*root);
        root.remove::<AnimationGraphHandle>();
        if let Some(mut player) = root.get_mut::<AnimationPlayer>() {
            player.stop_all();
        }
    }
    let still = frame(crowd);
    for (number, root) in crowd.roots.iter().enumerate() {
        let play = PlayClip::looping("MOVE_00").starting_at(number as f32 * 0.037);
        crowd.app.world_mut().entity_mut(*root).insert(play);
    }
    for _ in 0..3 {
        gpuless::step(&mut crowd.app, 1.0 / 60.0);
    }
    let moving = frame(crowd);
    println!("a frame without a GPU: {still:.0} µs at rest, {moving:.0} µs with `PlayClip`");
}
