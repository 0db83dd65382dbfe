//! What morphing 1,000 instances adds to a frame: this crate's way against Bevy's morph targets.
//!
//! Three scenes of the same model, camera and light on the same adapter in the same run: as a static
//! mesh, morphed by this crate, and morphed by Bevy with all poses as morph targets. In both moving
//! scenes every instance is between the same two poses in the same frame. Frames of the three scenes
//! are measured in turns. What a scene adds is its time less that of the static scene; ours should
//! add at most a fifth of what Bevy's adds.
//!
//! The model is that with most vertices, of those with over 100 poses, in the corpus that
//! `CLASSIC_MODELS_CORPUS` names, or else among the bundled ones, or else a synthetic one.

mod support;

use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::NoAutoAabb;
use bevy::mesh::morph::{MAX_MORPH_WEIGHTS, MeshMorphWeights, MorphAttributes};
use bevy::prelude::*;
use bevy::render::render_resource::PollType;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::mdl::{self, DEFAULT_FRAME_RATE};
use bevy_classic_models::quake::{ConvertedMdl, MdlAnimator, MdlMaterial, Palette};
use bevy_classic_models::quake::{Mdl, MdlLoaderSettings};
use bevy_classic_models::scene::z_up_forward_x;
use classic_models_support::headless::{Headless, plugins};

use std::path::Path;
use std::time::Instant;
use support::{Model, Size, median, models, synthetic};

const INSTANCES: usize = 1000;

/// Fewest poses of the model.
const MIN_POSES: usize = 101;

/// Small, so that it is the vertices that cost.
const SIZE: UVec2 = UVec2::new(320, 180);

/// Seconds between frames, as the animations see it.
const STEP: f32 = 1.0 / 60.0;

const WARM_UP: usize = 10;
const ROUNDS: usize = 10;
const FRAMES_PER_ROUND: usize = 12;

/// How many times as much Bevy's morph targets should add.
const LIMIT: f64 = 5.0;

type Failure = Box<dyn std::error::Error>;

/// How the instances of a scene move.
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
    let contents = ConvertedMdl::load(
        &model.bytes,
        &MdlLoaderSettings::default(),
        &Palette::default(),
    )?;
    let mut scenes = Vec::new();
    for kind in KINDS {
        scenes.push(Scene::new(kind, folder.path(), &contents)?);
    }
    println!(
        "{INSTANCES} instances of {}: {} vertices, {} triangles, {} poses, {} × {} pixels, on {}",
        model.name,
        contents.mesh.count_vertices(),
        contents
            .mesh
            .indices()
            .map_or(0, |indices| indices.len() / 3),
        contents.poses.pose_count(),
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
    compare_pictures(&mut scenes);
    report(&scenes);
    Ok(())
}

/// The model with most vertices of those that have many poses, but not too many to be morph targets.
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
            synthetic("a synthetic model", &size)
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
    fn new(kind: Kind, folder: &Path, contents: &ConvertedMdl) -> Result<Self, Failure> {
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
            Kind::Static => spawn_peer(world, &mdl, peer_mesh(contents), None)?,
            Kind::MorphTargets => {
                let mesh = peer_mesh(contents).with_morph_targets(morph_targets(contents));
                spawn_peer(world, &mdl, mesh, Some(contents.poses.pose_count()))?;
            }
        }
        spawn_view(world, &mdl, target);
        if kind == Kind::Ours {
            headless.wait_until("all instances are there", |world| {
                world.query::<&MdlAnimator>().iter(world).count() == INSTANCES
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
            self.wait_for_adapter();
            self.seconds.push(start.elapsed().as_secs_f64());
        }
    }

    fn wait_for_adapter(&self) {
        let device = self.headless.app.world().resource::<RenderDevice>();
        if let Err(error) = device.poll(PollType::wait_indefinitely()) {
            eprintln!("the adapter does not come to an end: {error}");
        }
    }

    fn mean(&self) -> f64 {
        self.seconds.iter().sum::<f64>() / self.seconds.len().max(1) as f64
    }

    fn median(&self) -> f64 {
        median(self.seconds.clone())
    }
}

/// Where each instance stands: rows and columns with no more than a model's width between them.
fn places(mdl: &Mdl) -> impl Iterator<Item = Transform> {
    let spacing = spacing(mdl);
    let per_side = per_side();
    let middle = (per_side - 1.0) / 2.0;
    (0..INSTANCES).map(move |index| {
        let (row, column) = (index / per_side as usize, index % per_side as usize);
        let place = Vec3::new(column as f32 - middle, 0.0, row as f32 - middle);
        Transform::from_translation(place * spacing)
    })
}

fn per_side() -> f32 {
    (INSTANCES as f32).sqrt().ceil()
}

fn spacing(mdl: &Mdl) -> f32 {
    let (min, max) = mdl.poses.bounds();
    (max - min).max_element()
}

/// Seconds into the animation at which an instance begins, of so many in all.
fn phase(index: usize, length: f32) -> f32 {
    // The golden ratio spreads consecutive instances evenly.
    (index as f32 * 0.618_034).fract() * length
}

fn spawn_ours(world: &mut World, mdl: &Mdl) {
    let frames = mdl.frames.len() as u32;
    let length = frames as f32 / DEFAULT_FRAME_RATE;
    for (index, place) in places(mdl).enumerate() {
        let clip = PlayClip::looping(0..frames).starting_at(phase(index, length));
        world.spawn((WorldAssetRoot(mdl.scene.clone()), place, clip));
    }
}

/// The mesh of pose 0, without what only this crate's shader reads.
fn peer_mesh(contents: &ConvertedMdl) -> Mesh {
    let mut mesh = contents.mesh.clone();
    mesh.remove_attribute(Mesh::ATTRIBUTE_UV_1);
    mesh
}

/// All poses but the first, as differences from it.
fn morph_targets(contents: &ConvertedMdl) -> Vec<MorphAttributes> {
    let poses = &contents.poses;
    let file_vertices: Vec<u32> = match contents.mesh.attribute(Mesh::ATTRIBUTE_UV_1) {
        Some(bevy::mesh::VertexAttributeValues::Float32x2(values)) => {
            values.iter().map(|[vertex, _]| *vertex as u32).collect()
        }
        _ => Vec::new(),
    };
    let file_vertices = &file_vertices;
    (1..poses.pose_count())
        .flat_map(|pose| file_vertices.iter().map(move |vertex| (pose, *vertex)))
        .map(|(pose, vertex)| {
            let (base, shape) = (poses.vertex(0, vertex), poses.vertex(pose, vertex));
            MorphAttributes::new(shape.0 - base.0, shape.1 - base.1, Vec3::ZERO)
        })
        .collect()
}

/// The same entities as this crate spawns, with a mesh and a material of Bevy's.
fn spawn_peer(world: &mut World, mdl: &Mdl, mesh: Mesh, poses: Option<u32>) -> Result<(), Failure> {
    let material = mdl.material(0, 0).ok_or("the model has no material")?;
    let material = world.resource::<Assets<MdlMaterial>>().get(material);
    let material = material.ok_or("the material was unloaded")?.base.clone();
    let material = world
        .resource_mut::<Assets<StandardMaterial>>()
        .add(material);
    let mesh = world.resource_mut::<Assets<Mesh>>().add(mesh);
    let (min, max) = mdl.poses.bounds();
    for (index, place) in places(mdl).enumerate() {
        let root = world.spawn((place, Visibility::default())).id();
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
                Targets {
                    poses,
                    time: phase(index, length),
                    shown: [None; 2],
                },
                MeshMorphWeights::Value {
                    weights: vec![0.0; poses as usize - 1],
                },
            ));
        }
    }
    Ok(())
}

/// What an instance of Bevy's morph targets shows.
#[derive(Component)]
struct Targets {
    poses: u32,
    time: f32,
    /// The targets whose weights are not zero. Pose 0 is none.
    shown: [Option<usize>; 2],
}

/// Moves the instances of Bevy's morph targets on: two weights to zero, two to their share.
fn animate(time: Res<Time>, mut instances: Query<(&mut Targets, &mut MeshMorphWeights)>) {
    for (mut targets, mut weights) in &mut instances {
        let MeshMorphWeights::Value { weights } = &mut *weights else {
            continue;
        };
        let length = targets.poses as f32 / DEFAULT_FRAME_RATE;
        targets.time = (targets.time + time.delta_secs()).rem_euclid(length);
        let position = targets.time * DEFAULT_FRAME_RATE;
        let pose = (position as u32).min(targets.poses - 1);
        let towards_next = position - pose as f32;
        for target in targets.shown.into_iter().flatten() {
            weights[target] = 0.0;
        }
        let target = |pose: u32| {
            (pose % targets.poses)
                .checked_sub(1)
                .map(|target| target as usize)
        };
        let shown = [target(pose), target(pose + 1)];
        for (target, weight) in shown.iter().zip([1.0 - towards_next, towards_next]) {
            if let Some(target) = target {
                weights[*target] = weight;
            }
        }
        targets.shown = shown;
    }
}

/// A camera that sees all instances, and a sun.
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

/// Shows that the two ways of morphing draw the same.
fn compare_pictures(scenes: &mut [Scene]) {
    let pictures: Vec<Vec<u8>> = scenes
        .iter_mut()
        .map(|scene| scene.headless.capture().data.unwrap_or_default())
        .collect();
    let [still, ours, targets] = &pictures[..] else {
        return;
    };
    println!(
        "mean difference of the pictures, of 255: ours to morph targets {:.3}, ours to static {:.3}",
        difference(ours, targets),
        difference(ours, still),
    );
}

fn difference(a: &[u8], b: &[u8]) -> f64 {
    let sum: f64 = a
        .iter()
        .zip(b)
        .map(|(a, b)| f64::from(a.abs_diff(*b)))
        .sum();
    sum / a.len().max(1) as f64
}

fn report(scenes: &[Scene]) {
    let [still, ours, targets] = scenes else {
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
            (scene.mean() - still.mean()) * 1e3,
            (scene.median() - still.median()) * 1e3,
        );
    }
    let ratio = |of: fn(&Scene) -> f64| (of(targets) - of(still)) / (of(ours) - of(still));
    println!(
        "Bevy's morph targets add {:.1} times as much by the mean, {:.1} by the median; at least {LIMIT} is asked for",
        ratio(Scene::mean),
        ratio(Scene::median),
    );
}
