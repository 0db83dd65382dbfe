//! Compares [`ModelRayCast`] with Bevy's `MeshRayCast` on fields of the bundled models of each format, in one run.
//!
//! Both find the nearest hits of the same rays on the same entities, and ignore visibility. The clips play. `MeshRayCast`
//! tests the meshes as they are stored: pose 0 of MDL models and the bind pose of skinned meshes. `ModelRayCast` poses the
//! models that a ray comes near, and tests these poses. So the counts of hits differ, except on LGW models.

use bevy::picking::mesh_picking::ray_cast::{MeshRayCast, MeshRayCastSettings, RayCastVisibility};
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::query::{ModelRayCast, ModelRayCastSettings, ModelRayCastVisibility};
use bevy_classic_models::spawn::ModelInstance;
use classic_models_support::dice::random_ray;
use classic_models_support::gpuless;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Count of the models of a field: a square number.
const MODELS: u16 = 1_024;

/// Meters between neighboring models.
const SPACING: f32 = 3.0;

/// Runs per measurement. The fastest counts.
const RUNS: usize = 9;

/// Rays per frame in the measurements of many rays.
const RAYS: u32 = 400;

/// The models, and the clips that play.
const SUBJECTS: [(&str, Option<&str>); 4] = [
    ("models/sentry.mdl", Some("walk")),
    ("models/warden.abc", Some("walk")),
    ("models/courier.lgw", None),
    ("models/walker.alo", Some("MOVE_00")),
];

#[derive(Resource)]
struct Rays(Vec<Ray3d>);

/// The hits of all rays, and the sum of their distances.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    hits: usize,
    distance: f64,
}

fn main() {
    println!("{MODELS} models per field; fastest of {RUNS} runs");
    for (path, clip) in SUBJECTS {
        match field(path, clip) {
            Some(mut app) => measure(&mut app, path),
            None => println!("{path}: skipped, it did not load"),
        }
    }
}

/// Spawns a square of models, and the rays. `None` if the model does not load.
fn field(path: &'static str, clip: Option<&'static str>) -> Option<App> {
    let mut app = App::new();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    app.add_plugins((gpuless::plugins(&assets, false), ClassicModelsPlugins));
    gpuless::finish(&mut app);
    let side = (f32::from(MODELS)).sqrt().round() as u16;
    for index in 0..side * side {
        let scene = app
            .world()
            .resource::<AssetServer>()
            .load(format!("{path}#Scene"));
        let position = Vec3::new(f32::from(index % side), 0.0, f32::from(index / side)) * SPACING;
        let rotation = Quat::from_rotation_y(f32::from(index) * 2.4);
        let mut root = app.world_mut().spawn((
            WorldAssetRoot(scene),
            BevySpace::default(),
            Transform::from_translation(position).with_rotation(rotation),
        ));
        if let Some(clip) = clip {
            root.insert(PlayClip::looping(clip).starting_at(f32::from(index) * 0.37));
        }
    }
    let all_spawned = |world: &mut World| {
        let mut spawned = world.query::<&ModelInstance>();
        spawned.iter(world).count() == usize::from(side * side)
    };
    if !gpuless::wait_until(&mut app, all_spawned) {
        return None;
    }
    for _ in 0..5 {
        gpuless::step(&mut app, 0.03);
    }
    let extent = f32::from(side) * SPACING;
    let rays = (0..RAYS)
        .map(|index| random_ray(index, extent, 1.0, 11.0))
        .collect();
    app.world_mut().insert_resource(Rays(rays));
    Some(app)
}

/// Measures one ray per frame, and many rays per frame. All models move between frames.
fn measure(app: &mut App, path: &str) {
    for (what, count) in [("one ray", 1), ("many rays", RAYS as usize)] {
        let [mut ours, mut any, mut theirs] = [Duration::MAX; 3];
        let mut found = [Found::default(); 2];
        for _ in 0..RUNS {
            gpuless::step(app, 0.03);
            let world = app.world_mut();
            let start = Instant::now();
            found[0] = black_box(world.run_system_cached_with(nearest, count).unwrap());
            ours = ours.min(start.elapsed());
            let start = Instant::now();
            black_box(world.run_system_cached_with(any_hits, count).unwrap());
            any = any.min(start.elapsed());
            let start = Instant::now();
            found[1] = black_box(world.run_system_cached_with(mesh_nearest, count).unwrap());
            theirs = theirs.min(start.elapsed());
        }
        println!(
            "{path}, {what} per frame: {} µs (any hit {} µs), MeshRayCast {} µs: {:.1} × as fast",
            ours.as_micros(),
            any.as_micros(),
            theirs.as_micros(),
            theirs.as_secs_f64() / ours.as_secs_f64(),
        );
        let [mine, bevy] = found;
        println!(
            "  hits {} and {}, sums of distances {:.1} and {:.1}",
            mine.hits, bevy.hits, mine.distance, bevy.distance
        );
    }
}

impl Found {
    fn add(mut self, distance: Option<f32>) -> Self {
        self.hits += usize::from(distance.is_some());
        self.distance += f64::from(distance.unwrap_or(0.0));
        self
    }
}

fn settings() -> ModelRayCastSettings<'static> {
    ModelRayCastSettings::default().with_visibility(ModelRayCastVisibility::Any)
}

fn nearest(count: In<usize>, rays: Res<Rays>, mut models: ModelRayCast) -> Found {
    let rays = rays.0.iter().take(*count);
    rays.fold(Found::default(), |found, ray| {
        let hits = models.cast_ray(*ray, &settings());
        found.add(hits.first().map(|hit| hit.distance))
    })
}

fn any_hits(count: In<usize>, rays: Res<Rays>, mut models: ModelRayCast) -> usize {
    let rays = rays.0.iter().take(*count);
    rays.filter(|ray| models.any_hit(**ray, &settings()))
        .count()
}

fn mesh_nearest(count: In<usize>, rays: Res<Rays>, mut meshes: MeshRayCast) -> Found {
    let settings = MeshRayCastSettings::default().with_visibility(RayCastVisibility::Any);
    let rays = rays.0.iter().take(*count);
    rays.fold(Found::default(), |found, ray| {
        let hits = meshes.cast_ray(*ray, &settings);
        found.add(hits.first().map(|(_, hit)| hit.distance))
    })
}
