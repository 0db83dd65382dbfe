//! Measures costs per model: idle models, models whose speed changes in every frame, and models of a manifest with many
//! clips. No GPU is needed.
//!
//! Each result is compared with a limit. The baselines are measured in the same run: the same entities without this
//! crate's components, and the same model without a manifest.
//!
//! `cargo bench --bench scale -- 0.01` runs with 1 % of the models.

use bevy::animation::{AnimatedBy, AnimationPlayer};
use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::ecs::bundle::NoBundleEffect;
use bevy::prelude::*;
use bevy_classic_models::alamo::ala::write::{AlaDocument, BoneTracks, Vectors};
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write_unchecked};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh as FileMesh, Vertex};
use bevy_classic_models::alamo::{Alo, AloInstance};
use bevy_classic_models::alamo::{AloAnimator, AloBone, AloPart};
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlInstance;
use classic_models_support::bench_models::{Size, median, synthetic};
use classic_models_support::gpuless;
use peak_alloc::PeakAlloc;
use std::path::Path;
use std::time::Instant;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const FRAMES: usize = 60;

/// Seconds of animation time between frames.
const STEP: f32 = 1.0 / 60.0;

const IDLE_MODELS: usize = 10_000;
const BONES: usize = 120;

/// Maximum microseconds per idle model and frame.
const IDLE_LIMIT: f64 = 0.05;

const SPEED_MODELS: usize = 5_000;

/// Maximum microseconds that a speed change adds per model and frame.
const SPEED_LIMIT: f64 = 0.2;

const MANIFEST_MODELS: usize = 10_000;
const CLIPS: usize = 60;

/// Maximum time to spawn a model with a manifest, relative to one without.
const SPAWN_LIMIT: f64 = 2.0;

/// Maximum bytes that a manifest adds to an entity.
const MEMORY_LIMIT: f64 = 4096.0;

fn main() {
    let mut arguments = std::env::args().filter_map(|text| text.parse::<f64>().ok());
    let share = arguments.next().unwrap_or(1.0);
    let count = |full: usize| ((full as f64 * share) as usize).max(1);
    measure_idle(count(IDLE_MODELS));
    measure_speed_changes(count(SPEED_MODELS));
    measure_spawning(count(MANIFEST_MODELS));
}

/// An app whose default asset source holds these files in memory.
fn app(files: &[(&str, Vec<u8>)]) -> App {
    let root = Dir::default();
    for (path, bytes) in files {
        root.insert_asset(Path::new(path), bytes.clone());
    }
    let mut app = App::new();
    let reader = move || -> Box<dyn bevy::asset::io::ErasedAssetReader> {
        Box::new(MemoryAssetReader { root: root.clone() })
    };
    app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader))
        // Bevy's transform propagation would add noise.
        .add_plugins(gpuless::plugins(Path::new("unused"), false).disable::<TransformPlugin>())
        .add_plugins(ClassicModelsPlugins);
    gpuless::finish(&mut app);
    app
}

fn load<A: Asset>(app: &mut App, path: &'static str) -> Handle<A> {
    let server = app.world().resource::<AssetServer>().clone();
    let asset: Handle<A> = server.load(path);
    let is_loaded = |_: &mut World| server.is_loaded_with_dependencies(&asset);
    assert!(gpuless::wait_until(app, is_loaded), "{path} did not load");
    asset
}

/// Waits until `count` entities have a component.
fn wait_for<C: Component>(app: &mut App, count: usize) {
    let all_spawned = |world: &mut World| world.query::<&C>().iter(world).count() == count;
    assert!(
        gpuless::wait_until(app, all_spawned),
        "not all {count} models spawned"
    );
}

/// The median duration of a frame, in microseconds.
fn median_frame(app: &mut App) -> f64 {
    for _ in 0..5 {
        gpuless::step(app, STEP);
    }
    let times = (0..FRAMES).map(|_| {
        let start = Instant::now();
        gpuless::step(app, STEP);
        start.elapsed().as_secs_f64() * 1e6
    });
    median(times.collect())
}

/// Text that says whether a value is within its limit.
fn verdict(value: f64, limit: f64) -> &'static str {
    match value <= limit {
        true => "within the limit",
        false => "ABOVE THE LIMIT",
    }
}

/// An Alamo model with `bones` bones and one triangle.
fn model(bones: usize) -> Vec<u8> {
    let bone = |index: usize| {
        let parent = index.checked_sub(1).map(|index| (index / 3) as u32);
        Bone::new(format!("Bone_{index:03}"), parent, [0.0, 0.0, 1.0])
    };
    let mut file = AloFile::new((0..bones).map(bone).collect());
    let vertex = |position| Vertex {
        position,
        normal: [0.0, 0.0, 1.0],
        tex_coords: [[0.0; 2]; 4],
        tangent: [1.0, 0.0, 0.0],
        binormal: [0.0, 1.0, 0.0],
        color: [1.0; 4],
        bone_indices: [0; 4],
        bone_weights: [1.0, 0.0, 0.0, 0.0],
    };
    let vertices = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(vertex);
    let buffers = SubmeshBuffers::new(&vertices, &[[0, 1, 2]]);
    let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![]);
    file.meshes = vec![FileMesh::new("Mesh", 0, vec![submesh])];
    write_unchecked(&file)
}

/// Measures frames with models that play no clip, with and without this crate's components.
fn measure_idle(count: usize) {
    let mut app = app(&[("station.alo", model(BONES))]);
    let model: Handle<Alo> = load(&mut app, "station.alo");
    let server = app.world().resource::<AssetServer>();
    let scene = server.load::<WorldAsset>("station.alo#Scene");
    let roots = (0..count).map(|_| WorldAssetRoot(scene.clone()));
    let roots: Vec<Entity> = app
        .world_mut()
        .spawn_batch(roots.collect::<Vec<_>>())
        .collect();
    wait_for::<AloInstance>(&mut app, count);
    let with = median_frame(&mut app);
    remove_components(app.world_mut(), &roots);
    let without = median_frame(&mut app);
    drop(model);
    let each = (with - without) / count as f64;
    println!("{count} idle models of {BONES} bones");
    println!("  a frame              {with:10.1} µs");
    println!("  without components   {without:10.1} µs");
    println!(
        "  per model            {each:10.4} µs, limit {IDLE_LIMIT}: {}\n",
        verdict(each, IDLE_LIMIT)
    );
}

/// Removes this crate's components and Bevy's animation components. All other components stay.
fn remove_components(world: &mut World, roots: &[Entity]) {
    let mut parts = world.query_filtered::<Entity, Or<(With<AloBone>, With<AloPart>)>>();
    let parts: Vec<Entity> = parts.iter(world).collect();
    for entity in parts {
        let mut entity = world.entity_mut(entity);
        entity.remove::<(AloBone, AloPart, AnimatedBy)>();
    }
    for root in roots {
        let mut root = world.entity_mut(*root);
        root.remove::<(AloInstance, AloAnimator, AnimationPlayer)>();
    }
    world.flush();
}

/// What [`change_models`] modifies in every frame.
#[derive(Resource, Clone, Copy, PartialEq)]
enum Change {
    Nothing,
    Speed,
    Clip,
}

/// Changes each model's speed or clip.
fn change_models(change: Res<Change>, time: Res<Time>, mut models: Query<&mut PlayClip>) {
    let speed = 1.0 + (time.elapsed_secs() * 7.0).sin() * 0.5;
    match *change {
        Change::Nothing => {}
        Change::Speed => {
            for mut play in &mut models {
                play.speed = speed;
            }
        }
        Change::Clip => {
            let clip = (time.elapsed_secs() * 60.0) as usize % CLIPS;
            let name = format!("clip_{clip:02}");
            for mut play in &mut models {
                play.clip = name.as_str().into();
            }
        }
    }
}

/// Measures frames with models of a manifest with many clips whose speed or clip changes in every frame.
fn measure_speed_changes(count: usize) {
    let size = Size {
        rows: 3,
        columns: 3,
        poses: CLIPS + 1,
        skin: 4,
    };
    let clip = |index: usize| {
        let next = index + 1;
        format!("(name: \"clip_{index:02}\", frames: ({index}, {next})),")
    };
    let clips: String = (0..CLIPS).map(clip).collect();
    let manifest = format!("(model: \"wave.mdl\", clips: [{clips}], play: \"clip_30\")");
    let mut app = app(&[
        ("wave.mdl", synthetic("wave", &size).bytes),
        ("wave.model.ron", manifest.into_bytes()),
    ]);
    app.insert_resource(Change::Nothing)
        .add_systems(Update, change_models);
    let manifest = load::<ModelManifest>(&mut app, "wave.model.ron");
    let roots: Vec<_> = (0..count)
        .map(|_| ClassicModel::new(manifest.clone()))
        .collect();
    app.world_mut().spawn_batch(roots);
    wait_for::<MdlInstance>(&mut app, count);
    let mut measure = |change: Change| {
        app.insert_resource(change);
        median_frame(&mut app)
    };
    let [unchanged, speed, clip] = [Change::Nothing, Change::Speed, Change::Clip].map(&mut measure);
    let each = |time: f64| (time - unchanged) / count as f64;
    println!("{count} models of a manifest with {CLIPS} clips");
    println!("  a frame              {unchanged:10.1} µs");
    println!(
        "  a speed change adds  {:10.4} µs per model, limit {SPEED_LIMIT}: {}",
        each(speed),
        verdict(each(speed), SPEED_LIMIT)
    );
    println!(
        "  a clip change adds   {:10.4} µs per model, {:.1} times as much\n",
        each(clip),
        each(clip) / each(speed).max(1e-6)
    );
}

/// The cost of spawning models.
struct SpawnCost {
    /// Microseconds per model.
    time: f64,
    /// Bytes per model.
    memory: f64,
}

/// Measures spawning models of a manifest with many clips, and as many of the same model without a manifest.
fn measure_spawning(count: usize) {
    let manifest = r#"(model: "unit.alo", clips: [(file: "anims/*.ala")], play: "clip_30")"#;
    let animations: Vec<_> = (0..CLIPS).map(animation).collect();
    let mut files = vec![
        ("unit.model.ron", manifest.as_bytes().to_vec()),
        ("unit.alo", model(2)),
    ];
    let animations = animations.iter();
    files.extend(animations.map(|(path, bytes)| (path.as_str(), bytes.clone())));
    let mut app = app(&files);
    let manifest = load::<ModelManifest>(&mut app, "unit.model.ron");
    let server = app.world().resource::<AssetServer>();
    let scene = server.load::<WorldAsset>("unit.alo#Scene");
    // Spawns one of each first, so that shared assets exist.
    let clip: Handle<AnimationClip> = server.load("anims/clip_30.ala#Clip");
    let play = || PlayClip::looping(clip.clone());
    app.world_mut().spawn(ClassicModel::new(manifest.clone()));
    app.world_mut()
        .spawn((WorldAssetRoot(scene.clone()), play()));
    wait_for::<AloInstance>(&mut app, 2);
    let without: Vec<_> = (0..count)
        .map(|_| (WorldAssetRoot(scene.clone()), play()))
        .collect();
    let without = spawn_all(&mut app, without, 2 + count);
    let with: Vec<_> = (0..count)
        .map(|_| ClassicModel::new(manifest.clone()))
        .collect();
    let with = spawn_all(&mut app, with, 2 + 2 * count);
    let ratio = with.time / without.time;
    let added = with.memory - without.memory;
    println!("{count} entities of a manifest with {CLIPS} clips in files");
    println!("  spawning             {:10.2} µs each", with.time);
    println!("  without a manifest   {:10.2} µs each", without.time);
    println!(
        "  ratio                {ratio:10.2} times, limit {SPAWN_LIMIT}: {}",
        verdict(ratio, SPAWN_LIMIT)
    );
    println!("  memory               {:10.0} bytes each", with.memory);
    println!("  without a manifest   {:10.0} bytes each", without.memory);
    println!(
        "  a manifest adds      {added:10.0} bytes each, limit {MEMORY_LIMIT}: {}",
        verdict(added, MEMORY_LIMIT)
    );
}

/// Spawns entities and waits until the world has `total` models.
fn spawn_all<B: Bundle<Effect: NoBundleEffect>>(
    app: &mut App,
    bundles: Vec<B>,
    total: usize,
) -> SpawnCost {
    let count = bundles.len() as f64;
    let before = HEAP.current_usage() as f64;
    let start = Instant::now();
    app.world_mut().spawn_batch(bundles);
    gpuless::step(app, STEP);
    let first_frame = start.elapsed();
    wait_for::<AloInstance>(app, total);
    SpawnCost {
        time: first_frame.as_secs_f64() * 1e6 / count,
        memory: (HEAP.current_usage() as f64 - before) / count,
    }
}

/// The path and bytes of a short animation of one bone.
fn animation(index: usize) -> (String, Vec<u8>) {
    let mut bone = BoneTracks::new("Bone_001", 1, [0.0; 3]);
    let translations = [[0.0; 3], [index as f32, 0.0, 1.0]];
    bone.translation = Vectors::from_frames(&translations);
    let document = AlaDocument {
        version: 1,
        frames: 2,
        fps: 30.0,
        bones: vec![bone],
    };
    let bytes = bevy_classic_models::alamo::ala::write::write(&document);
    let path = format!("anims/clip_{index:02}.ala");
    (path, bytes.expect("the animation can be written"))
}
