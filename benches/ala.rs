//! Measures Alamo animations: creating clips, sampling their curves, and animating 1,000 models.
//!
//! The curves are compared with Bevy's curves over the same keys. Limits:
//! - Creating a clip takes at most 4 times the `memcpy` of the file plus 200 ns per bone.
//! - A sample takes at most the time of a sample of Bevy's keyframes.
//! - A key takes at most a third of the memory of Bevy's key. The 16-bit words of the file alone take more: 6 of 16
//!   bytes for a translation, and 8 of 20 bytes for a rotation.
//! - A bone of an animated model takes at most 1.3 times its time with Bevy's curves.

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
use classic_models_support::bench_models::{Model, ala_files};
use classic_models_support::gpuless;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// `memcpy` runs of the file's bytes that creating a clip may take.
const MAX_COPIES: f64 = 4.0;

/// Time per bone that creating a clip may take in addition.
const MAX_NANOSECONDS_PER_BONE: f64 = 200.0;

/// Time of a bone relative to its time with Bevy's curves.
const CROWD_LIMIT: f64 = 1.3;

const INSTANCES: usize = 1000;

/// Time spent on each measurement.
const DURATION: Duration = Duration::from_millis(300);

fn main() {
    // Makes glibc's allocator keep freed memory, so that all measurements allocate under the same conditions.
    drop(black_box(vec![1_u8; 31 << 20]));
    clips();
    samples();
    crowd();
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The minimum duration of a function. Dropping its result is not measured.
fn min_duration<T>(mut run: impl FnMut() -> T) -> Duration {
    let begin = Instant::now();
    let mut min = Duration::MAX;
    while begin.elapsed() < DURATION {
        let start = Instant::now();
        let result = black_box(run());
        min = min.min(start.elapsed());
        drop(result);
    }
    min
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
        let parsing = micros(min_duration(|| parse(black_box(&bytes)).is_ok()));
        let clip_time = micros(min_duration(|| {
            clip(&parse(black_box(&bytes)).expect("the animation parses"))
        }));
        let copying = micros(min_duration(|| {
            black_box(&mut copy).copy_from_slice(black_box(&bytes));
        }));
        let limit =
            MAX_COPIES * copying + MAX_NANOSECONDS_PER_BONE * file.bones.len() as f64 / 1000.0;
        all += clip_time;
        allowed += limit;
        worst = worst.max(clip_time / limit);
        println!(
            "{name:36} {:7.1} {:6} | {parsing:9.2} {clip_time:9.2} {copying:9.2} | {limit:8.2} {:8.2}",
            bytes.len() as f64 / 1024.0,
            file.bones.len(),
            clip_time / limit
        );
    }
    println!(
        "all files: {:.2} × the limit, worst file: {worst:.2} × the limit\n",
        all / allowed
    );
}

/// An animation with 40 translating and rotating bones, two seconds long.
fn document(version: u8) -> AlaDocument {
    const FRAMES: u32 = 61;
    let wave = |seed: u32, frame: u32| (seed as f32 * 12.9898 + frame as f32 * 0.233).sin();
    let bone = |index: u32| {
        let mut bone = BoneTracks::new(format!("Bone_{index:02}"), index, [0.0; 3]);
        let translations: Vec<_> = (0..FRAMES)
            .map(|frame| [0, 1, 2].map(|axis| 10.0 * wave(index * 3 + axis, frame)))
            .collect();
        bone.translation = Vectors::from_frames(&translations);
        let rotations: Vec<_> = (0..FRAMES)
            .map(|frame| [0, 1, 2, 3].map(|axis| wave(index * 5 + axis, frame) + 0.2))
            .collect();
        bone.rotation = Rotations::from_frames(&rotations);
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
        bytes: write(&document(version)).expect("the animation can be written"),
    }
}

/// Bevy's keyframe curves of a bone.
struct BevyCurves {
    translation: AnimatableKeyframeCurve<Vec3>,
    rotation: AnimatableKeyframeCurve<Quat>,
}

/// A key of seconds and value for each frame.
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
    let file = parse(&bytes).expect("the animation parses");
    let tracks = AlaCurves::new(&file);
    let packed: Vec<_> = tracks.bones(&file).map(|(_, curves)| curves).collect();
    let bevy: Vec<_> = file
        .bones
        .iter()
        .map(|bone| BevyCurves {
            translation: AnimatableKeyframeCurve::new(translations(&file, bone))
                .expect("the curve has keys"),
            rotation: AnimatableKeyframeCurve::new(rotations(&file, bone))
                .expect("the curve has keys"),
        })
        .collect();
    // Samples all bones at each time, as an animation player does. The times are shuffled, so that the branch
    // predictor cannot learn their order.
    let times: Vec<f32> = (0..256_u32)
        .map(|index| {
            let hash = index.wrapping_mul(0x9e37_79b9) >> 8;
            hash as f32 / (1 << 24) as f32 * file.seconds()
        })
        .collect();
    let count = (times.len() * packed.len()) as f64;
    let per_sample = |time: Duration| time.as_secs_f64() * 1e9 / count;
    let sample_all = |sample: &dyn Fn(usize, f32) -> f32| {
        per_sample(min_duration(|| {
            let mut sum = 0.0;
            for time in &times {
                for bone in 0..packed.len() {
                    sum += sample(bone, black_box(*time));
                }
            }
            sum
        }))
    };
    let translation = [
        sample_all(&|bone, time| {
            let curve = packed[bone].translation.as_ref();
            curve.map_or(0.0, |curve| curve.sample_clamped(time).x)
        }),
        sample_all(&|bone, time| bevy[bone].translation.sample_clamped(time).x),
    ];
    let rotation = [
        sample_all(&|bone, time| {
            let curve = packed[bone].rotation.as_ref();
            curve.map_or(0.0, |curve| curve.sample_clamped(time).x)
        }),
        sample_all(&|bone, time| bevy[bone].rotation.sample_clamped(time).x),
    ];
    let bytes = [[6, 4 + 12], [8, 4 + 16]];
    println!(
        "{:12} | {:>9} {:>9} {:>8} | {:>11} {:>11} {:>8}",
        "sample", "packed ns", "Bevy's ns", "× Bevy's", "packed B", "Bevy's B", "× Bevy's"
    );
    for (name, [ours, bevy], [our_bytes, bevy_bytes]) in [
        ("translation", translation, bytes[0]),
        ("rotation", rotation, bytes[1]),
    ] {
        println!(
            "{name:12} | {ours:9.1} {bevy:9.1} {:8.2} | {our_bytes:7} /key {bevy_bytes:7} /key {:8.2}",
            ours / bevy,
            f64::from(our_bytes) / f64::from(bevy_bytes)
        );
    }
    println!("limits: 1 and 0.33\n");
}

/// The same clip with Bevy's curves, without visibility tracks: Bevy has no curves for them.
fn bevy_clip(file: &AlaFile<'_>) -> AnimationClip {
    let mut clip = AnimationClip::default();
    for bone in &file.bones {
        let target = bone_target(bone.index as usize);
        let first = file.sample(bone, 0.0);
        match bone.translation {
            Some(_) => clip.add_curve_to_target(
                target,
                AnimatableCurve::new(
                    animated_field!(Transform::translation),
                    AnimatableKeyframeCurve::new(translations(file, bone))
                        .expect("the curve has keys"),
                ),
            ),
            None => clip.add_curve_to_target(
                target,
                AnimatableCurve::new(
                    animated_field!(Transform::translation),
                    ConstantCurve::new(Interval::EVERYWHERE, Vec3::from(first.translation)),
                ),
            ),
        }
        match (bone.rotation, first.rotation) {
            (Some(_), _) => clip.add_curve_to_target(
                target,
                AnimatableCurve::new(
                    animated_field!(Transform::rotation),
                    AnimatableKeyframeCurve::new(rotations(file, bone))
                        .expect("the curve has keys"),
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

/// Instances that play the same clip, each with its own seek time.
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
        let scene = WorldAssetRoot(
            scene
                .expect("the loaded model is in its assets")
                .scene
                .clone(),
        );
        let roots: Vec<_> = (0..INSTANCES)
            .map(|_| app.world_mut().spawn(scene.clone()).id())
            .collect();
        let all_spawned = |world: &mut World| {
            let mut roots = roots.iter();
            roots.all(|root| world.get::<AloInstance>(*root).is_some())
        };
        assert!(
            gpuless::wait_until(&mut app, all_spawned),
            "not all instances spawned"
        );
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
        for (index, root) in self.roots.iter().enumerate() {
            let mut root = self.app.world_mut().entity_mut(*root);
            root.insert(AnimationGraphHandle(graph.clone()));
            if let Some(mut player) = root.get_mut::<AnimationPlayer>() {
                player.stop_all();
                player
                    .start(*node)
                    .repeat()
                    .set_seek_time(index as f32 * 0.037 % 1.0);
            }
        }
        for _ in 0..3 {
            gpuless::step(&mut self.app, 1.0 / 60.0);
        }
    }

    /// The minimum time that Bevy's animation systems take for all instances, in microseconds.
    fn measure(&mut self) -> f64 {
        micros(min_duration(|| self.animate.run(self.app.world_mut())))
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
        measure_clip(&mut crowd, name, &parse(&bytes).expect("the samples parse"));
    }
    println!("limit {CROWD_LIMIT}");
    measure_frames(&mut crowd);
}

/// Prints the time per bone with this crate's curves and with Bevy's.
fn measure_clip(crowd: &mut Crowd, name: &str, file: &AlaFile<'_>) {
    let graphs = [clip(file), bevy_clip(file)].map(|clip| crowd.graph(clip));
    let mut min = [f64::MAX; 2];
    // The two alternate, so that a disturbance affects both.
    for _ in 0..4 {
        for (min, graph) in min.iter_mut().zip(&graphs) {
            crowd.play(graph);
            *min = min.min(crowd.measure());
        }
    }
    let bones = (INSTANCES * file.bones.len()) as f64;
    let [ours, bevy] = min.map(|time| time * 1000.0 / bones);
    let tracks = file.bones.iter().filter(|bone| bone.visibility.is_some());
    println!(
        "{name:24} {:6} {:7} | {ours:11.1} {bevy:11.1} {:8.2}",
        file.bones.len(),
        tracks.count(),
        ours / bevy
    );
}

/// Prints the time of a whole frame without a GPU: with idle models, and with models that play a `PlayClip`.
fn measure_frames(crowd: &mut Crowd) {
    let frame =
        |crowd: &mut Crowd| micros(min_duration(|| gpuless::step(&mut crowd.app, 1.0 / 60.0)));
    for root in &crowd.roots {
        let mut root = crowd.app.world_mut().entity_mut(*root);
        root.remove::<AnimationGraphHandle>();
        if let Some(mut player) = root.get_mut::<AnimationPlayer>() {
            player.stop_all();
        }
    }
    let idle = frame(crowd);
    for (index, root) in crowd.roots.iter().enumerate() {
        let play = PlayClip::looping("MOVE_00").starting_at(index as f32 * 0.037);
        crowd.app.world_mut().entity_mut(*root).insert(play);
    }
    for _ in 0..3 {
        gpuless::step(&mut crowd.app, 1.0 / 60.0);
    }
    let animated = frame(crowd);
    println!("a frame without a GPU: {idle:.0} µs idle, {animated:.0} µs with `PlayClip`");
}
