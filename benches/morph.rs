//! Compares the frame time of morphing 1,000 instances with this crate and with Bevy's morph targets.
//!
//! Renders three scenes with the same model, camera, light and adapter: a static mesh, morphing by this crate, and Bevy's
//! morphing with all poses as morph targets. In both animated scenes an instance blends the same two poses in the same
//! frame. The scenes run alternately. The cost of a scene is its frame time minus that of the static scene. Limit: at
//! most a fifth of the cost of Bevy's morph targets.
//!
//! Uses the model with the most vertices among those with more than 100 poses. The candidates are the Quake models of the
//! corpus that `CLASSIC_MODELS_CORPUS` names, or otherwise the bundled ones. If none fits, the model is generated.

use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::NoAutoAabb;
use bevy::mesh::morph::{MAX_MORPH_WEIGHTS, MeshMorphWeights, MorphAttributes};
use bevy::prelude::*;
use bevy::render::render_resource::PollType;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};
use bevy_classic_models::load::z_up_forward_x;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::mdl::{self, DEFAULT_FRAME_RATE};
use bevy_classic_models::quake::{ConvertedMdl, MdlInstance, MdlMaterial, Palette};
use bevy_classic_models::quake::{Mdl, MdlLoaderSettings};
use classic_models_support::headless::{Headless, plugins};

use classic_models_support::bench_models::{Model, Size, median, models, synthetic};
use std::path::Path;
use std::time::Instant;

const INSTANCES: usize = 1000;

/// Minimum pose count of the model.
const MIN_POSES: usize = 101;

/// Small, so that the cost of vertices dominates that of fragments.
const SIZE: UVec2 = UVec2::new(320, 180);

/// Seconds of animation time between frames.
const STEP: f32 = 1.0 / 60.0;

const WARM_UP: usize = 10;
const ROUNDS: usize = 10;
const FRAMES_PER_ROUND: usize = 12;

/// Minimum cost of Bevy's morph targets, relative to this crate's.
const MIN_RATIO: f64 = 5.0;

type Failure = Box<dyn std::error::Error>;

/// How the instances of a scene are animated.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Static,
    Ours,
    MorphTargets,
}

const KINDS: [Kind; 3] = [Kind::Static, Kind::Ours, Kind::MorphTargets];

fn main() -> Result<(), Failure> {
    let model = model();
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("model.mdl"), &model.bytes)?;
    let converted = ConvertedMdl::load(
        &model.bytes,
        &MdlLoaderSettings::default(),
        &Palette::default(),
    )?;
    let mut scenes = Vec::new();
    for kind in KINDS {
        scenes.push(Scene::new(kind, folder.path(), &converted)?);
    }
    println!(
        "{INSTANCES} instances of {}: {} vertices, {} triangles, {} poses, {} × {} pixels, on {}",
        model.name,
        converted.mesh.count_vertices(),
        converted
            .mesh
            .indices()
            .map_or(0, |indices| indices.len() / 3),
        converted.poses.pose_count(),
        SIZE.x,
        SIZE.y,
        adapter(&scenes),
    );
    for scene in &mut scenes {
        scene.run(WARM_UP);
        scene.seconds.clear();
    }
    for _ in 0..ROUNDS {
        for scene in &mut scenes {
            scene.run(FRAMES_PER_ROUND);
        }
    }
    compare_images(&mut scenes);
    report(&scenes);
    Ok(())
}

/// The model with the most vertices whose pose count is at least [`MIN_POSES`] and fits in Bevy's morph targets.
fn model() -> Model {
    let counts = |model: &Model| {
        mdl::parse(&model.bytes).map_or((0, 0), |file| (file.poses.len(), file.st_vertices.len()))
    };
    let range = MIN_POSES..=MAX_MORPH_WEIGHTS + 1;
    let fitting = models()
        .into_iter()
        .filter(|model| range.contains(&counts(model).0));
    fitting
        .max_by_key(|model| counts(model).1)
        .unwrap_or_else(|| {
            let size = Size {
                rows: 16,
                columns: 25,
                poses: 144,
                skin: 256,
            };
            synthetic("a generated model", &size)
        })
}

fn adapter(scenes: &[Scene]) -> String {
    let info = |scene: &Scene| {
        let info = scene
            .headless
            .app
            .world()
            .get_resource::<RenderAdapterInfo>()?;
        Some(format!("{} ({})", info.name, info.driver_info))
    };
    scenes.first().and_then(info).unwrap_or_default()
}

struct Scene {
    kind: Kind,
    headless: Headless,
    seconds: Vec<f64>,
}

impl Scene {
    fn new(kind: Kind, folder: &Path, converted: &ConvertedMdl) -> Result<Self, Failure> {
        let mut app = App::new();
        app.add_plugins((plugins(folder, false), ClassicModelsPlugins))
            .add_systems(Update, animate);
        let mut headless = Headless::start(app, SIZE);
        let assets = headless.app.world().resource::<AssetServer>().clone();
        let mdl: Handle<Mdl> = assets.load("model.mdl");
        headless.wait_until("the model is loaded", |_| {
            assets.is_loaded_with_dependencies(&mdl)
        });
        let target = headless.render_target();
        let world = headless.app.world_mut();
        let mdl = world.resource::<Assets<Mdl>>().get(&mdl);
        let mdl = mdl.ok_or("the model was unloaded")?.clone();
        match kind {
            Kind::Ours => spawn_ours(world, &mdl),
            Kind::Static => spawn_baseline(world, &mdl, baseline_mesh(converted), None)?,
            Kind::MorphTargets => {
                let mesh = baseline_mesh(converted).with_morph_targets(morph_targets(converted));
                spawn_baseline(world, &mdl, mesh, Some(converted.poses.pose_count()))?;
            }
        }
        spawn_view(world, &mdl, target);
        if kind == Kind::Ours {
            headless.wait_until("all instances are spawned", |world| {
                world.query::<&MdlInstance>().iter(world).count() == INSTANCES
            });
        }
        Ok(Self {
            kind,
            headless,
            seconds: Vec::new(),
        })
    }

    fn run(&mut self, frames: usize) {
        for _ in 0..frames {
            let start = Instant::now();
            self.headless.step(STEP);
            self.wait_for_gpu();
            self.seconds.push(start.elapsed().as_secs_f64());
        }
    }

    fn wait_for_gpu(&self) {
        let device = self.headless.app.world().resource::<RenderDevice>();
        if let Err(error) = device.poll(PollType::wait_indefinitely()) {
            eprintln!("waiting for the GPU failed: {error}");
        }
    }

    fn mean(&self) -> f64 {
        self.seconds.iter().sum::<f64>() / self.seconds.len().max(1) as f64
    }

    fn median(&self) -> f64 {
        median(self.seconds.clone())
    }
}

/// The transform of each instance, in a square grid with a spacing of the model's largest dimension.
fn transforms(mdl: &Mdl) -> impl Iterator<Item = Transform> {
    let spacing = spacing(mdl);
    let per_side = per_side();
    let middle = (per_side - 1.0) / 2.0;
    (0..INSTANCES).map(move |index| {
        let (row, column) = (index / per_side as usize, index % per_side as usize);
        let cell = Vec3::new(column as f32 - middle, 0.0, row as f32 - middle);
        Transform::from_translation(cell * spacing)
    })
}

fn per_side() -> f32 {
    (INSTANCES as f32).sqrt().ceil()
}

fn spacing(mdl: &Mdl) -> f32 {
    let (min, max) = mdl.poses.bounds();
    (max - min).max_element()
}

/// The start time of an instance in an animation of `length` seconds.
fn phase(index: usize, length: f32) -> f32 {
    // The golden ratio spreads consecutive instances evenly.
    (index as f32 * 0.618_034).fract() * length
}

fn spawn_ours(world: &mut World, mdl: &Mdl) {
    let frames = mdl.frames.len() as u32;
    let length = frames as f32 / DEFAULT_FRAME_RATE;
    for (index, transform) in transforms(mdl).enumerate() {
        let clip = PlayClip::looping(0..frames).starting_at(phase(index, length));
        world.spawn((WorldAssetRoot(mdl.scene.clone()), transform, clip));
    }
}

/// The mesh of pose 0, without the attribute that only this crate's shader reads.
fn baseline_mesh(converted: &ConvertedMdl) -> Mesh {
    let mut mesh = converted.mesh.clone();
    mesh.remove_attribute(Mesh::ATTRIBUTE_UV_1);
    mesh
}

/// All poses except the first, as differences from it.
fn morph_targets(converted: &ConvertedMdl) -> Vec<MorphAttributes> {
    let poses = &converted.poses;
    let file_vertices: Vec<u32> = match converted.mesh.attribute(Mesh::ATTRIBUTE_UV_1) {
        Some(bevy::mesh::VertexAttributeValues::Float32x2(values)) => {
            values.iter().map(|[vertex, _]| *vertex as u32).collect()
        }
        _ => Vec::new(),
    };
    let file_vertices = &file_vertices;
    (1..poses.pose_count())
        .flat_map(|pose| file_vertices.iter().map(move |vertex| (pose, *vertex)))
        .map(|(pose, vertex)| {
            let (base, target) = (poses.vertex(0, vertex), poses.vertex(pose, vertex));
            MorphAttributes::new(target.0 - base.0, target.1 - base.1, Vec3::ZERO)
        })
        .collect()
}

/// Spawns the same entities as this crate does, with Bevy's `StandardMaterial`.
fn spawn_baseline(
    world: &mut World,
    mdl: &Mdl,
    mesh: Mesh,
    poses: Option<u32>,
) -> Result<(), Failure> {
    let material = mdl.material(0, 0).ok_or("the model has no material")?;
    let material = world.resource::<Assets<MdlMaterial>>().get(material);
    let material = material.ok_or("the material was unloaded")?.base.clone();
    let material = world
        .resource_mut::<Assets<StandardMaterial>>()
        .add(material);
    let mesh = world.resource_mut::<Assets<Mesh>>().add(mesh);
    let (min, max) = mdl.poses.bounds();
    for (index, transform) in transforms(mdl).enumerate() {
        let root = world.spawn((transform, Visibility::default())).id();
        let mut child = world.spawn((
            ChildOf(root),
            z_up_forward_x().transform(1.0),
            Visibility::default(),
            Mesh3d(mesh.clone()),
            MeshMaterial3d(material.clone()),
            Aabb::from_min_max(min, max),
            NoAutoAabb,
        ));
        if let Some(poses) = poses {
            let length = poses as f32 / DEFAULT_FRAME_RATE;
            child.insert((
                MorphTargetAnimation {
                    poses,
                    time: phase(index, length),
                    active: [None; 2],
                },
                MeshMorphWeights::Value {
                    weights: vec![0.0; poses as usize - 1],
                },
            ));
        }
    }
    Ok(())
}

/// The animation state of an instance with Bevy's morph targets.
#[derive(Component)]
struct MorphTargetAnimation {
    poses: u32,
    /// Seconds into the animation.
    time: f32,
    /// The targets whose weights are not zero. `None` is pose 0, the base mesh.
    active: [Option<usize>; 2],
}

/// Advances the instances with Bevy's morph targets: clears the two old weights and sets two new ones.
fn animate(
    time: Res<Time>,
    mut instances: Query<(&mut MorphTargetAnimation, &mut MeshMorphWeights)>,
) {
    for (mut targets, mut weights) in &mut instances {
        let MeshMorphWeights::Value { weights } = &mut *weights else {
            continue;
        };
        let length = targets.poses as f32 / DEFAULT_FRAME_RATE;
        targets.time = (targets.time + time.delta_secs()).rem_euclid(length);
        let position = targets.time * DEFAULT_FRAME_RATE;
        let pose = (position as u32).min(targets.poses - 1);
        let fraction = position - pose as f32;
        for target in targets.active.into_iter().flatten() {
            weights[target] = 0.0;
        }
        let target = |pose: u32| {
            (pose % targets.poses)
                .checked_sub(1)
                .map(|target| target as usize)
        };
        let active = [target(pose), target(pose + 1)];
        for (target, weight) in active.iter().zip([1.0 - fraction, fraction]) {
            if let Some(target) = target {
                weights[*target] = weight;
            }
        }
        targets.active = active;
    }
}

/// Spawns a camera that sees all instances, and a directional light.
fn spawn_view(world: &mut World, mdl: &Mdl, target: bevy::camera::RenderTarget) {
    let width = per_side() * spacing(mdl);
    let projection = PerspectiveProjection {
        far: width * 4.0,
        ..default()
    };
    world.spawn((
        Camera3d::default(),
        Msaa::Off,
        Projection::Perspective(projection),
        target,
        Transform::from_xyz(0.0, width * 0.9, width * 1.2).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    world.spawn((
        DirectionalLight::default(),
        Transform::from_xyz(1.0, 2.0, 1.5).looking_at(Vec3::ZERO, Vec3::Y),
    ));
}

/// Prints how much the rendered images of the scenes differ.
fn compare_images(scenes: &mut [Scene]) {
    let images: Vec<Vec<u8>> = scenes
        .iter_mut()
        .map(|scene| scene.headless.capture().data.unwrap_or_default())
        .collect();
    let [baseline, ours, targets] = &images[..] else {
        return;
    };
    println!(
        "mean difference of the images, of 255: ours to morph targets {:.3}, ours to static {:.3}",
        difference(ours, targets),
        difference(ours, baseline),
    );
}

/// The mean absolute difference of two images, per byte.
fn difference(a: &[u8], b: &[u8]) -> f64 {
    let sum: f64 = a
        .iter()
        .zip(b)
        .map(|(a, b)| f64::from(a.abs_diff(*b)))
        .sum();
    sum / a.len().max(1) as f64
}

fn report(scenes: &[Scene]) {
    let [baseline, ours, targets] = scenes else {
        return;
    };
    println!(
        "{:14} {:>9} {:>10} {:>11} {:>12}",
        "ms per frame", "mean", "median", "added mean", "added median"
    );
    for scene in scenes {
        println!(
            "{:14} {:9.2} {:10.2} {:11.2} {:12.2}",
            format!("{:?}", scene.kind),
            scene.mean() * 1e3,
            scene.median() * 1e3,
            (scene.mean() - baseline.mean()) * 1e3,
            (scene.median() - baseline.median()) * 1e3,
        );
    }
    let ratio =
        |time: fn(&Scene) -> f64| (time(targets) - time(baseline)) / (time(ours) - time(baseline));
    println!(
        "Bevy's morph targets add {:.1} times as much to the mean, {:.1} times to the median; limit: at least {MIN_RATIO}",
        ratio(Scene::mean),
        ratio(Scene::median),
    );
}
