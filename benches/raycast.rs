//! Compares [`ModelRayCast`] in a world of 10,000 colliders with Bevy's `MeshRayCast` and with a BVH of `obvhs`.
//!
//! All three find the nearest hit of the same rays on the same parts and ignore visibility. The `obvhs` BVH holds the
//! same bounding boxes as [`ModelRayCast`] and queries the same collision trees. The two differ only in how they find
//! the parts.

use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::picking::mesh_picking::ray_cast::{MeshRayCast, MeshRayCastSettings, RayCastVisibility};
use bevy::prelude::*;
use bevy_classic_models::alamo::CollisionTree;
use bevy_classic_models::alamo::{Alo, AloCollider, AloInstance};
use bevy_classic_models::prelude::*;
use bevy_classic_models::query::{
    ModelRayCast, ModelRayCastSettings, ModelRayCastVisibility, ModelRayHit,
};
use classic_models_support::dice::random_ray;
use classic_models_support::gpuless;
use obvhs::BvhBuildParams;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::ray::{Ray, RayHit};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Approximate collider count.
const COLLIDERS: usize = 10_000;

/// World units between neighboring walkers.
const SPACING: f32 = 24.0;

/// Runs per measurement. The fastest counts.
const RUNS: usize = 15;

#[derive(Resource)]
struct Rays(Vec<Ray3d>);

fn main() {
    let Some(mut app) = field() else {
        println!("skipped: assets/models/walker.alo did not load");
        return;
    };
    let world = app.world_mut();
    let count = world.query::<&AloCollider>().iter(world).count();
    println!("{count} colliders; fastest of {RUNS} runs");
    first_ray(world);
    many_rays(world);
}

/// Spawns a square of walkers and the rays. Only parts with both a mesh and a rigid collider are kept.
/// Returns `None` if the walker does not load.
fn field() -> Option<App> {
    let mut app = App::new();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    app.add_plugins((gpuless::plugins(&assets, false), ClassicModelsPlugins));
    gpuless::finish(&mut app);
    let walker: Handle<Alo> = app
        .world()
        .resource::<AssetServer>()
        .load("models/walker.alo");
    let is_loaded = |world: &mut World| {
        let server = world.resource::<AssetServer>();
        server.is_loaded_with_dependencies(&walker)
    };
    if !gpuless::wait_until(&mut app, is_loaded) {
        return None;
    }
    let alo = app.world().resource::<Assets<Alo>>().get(&walker)?.clone();
    let submeshes = alo.meshes.iter().flat_map(|mesh| &mesh.submeshes);
    let rigid_colliders = submeshes
        .filter(|part| part.tree.is_some() && part.material.is_some() && part.palette.is_empty())
        .count();
    let side = (COLLIDERS as f32 / rigid_colliders as f32).sqrt().round() as i16;
    for index in 0..side * side {
        let translation =
            Vec3::new(f32::from(index % side), 0.0, f32::from(index / side)) * SPACING;
        let rotation = Quat::from_rotation_y(f32::from(index) * 2.4);
        app.world_mut().spawn((
            WorldAssetRoot(alo.scene.clone()),
            Transform::from_translation(translation).with_rotation(rotation),
        ));
    }
    let instances = usize::from(side.unsigned_abs()).pow(2);
    let all_spawned = |world: &mut World| {
        let mut spawned = world.query::<&AloInstance>();
        spawned.iter(world).count() == instances
    };
    if !gpuless::wait_until(&mut app, all_spawned) {
        return None;
    }
    gpuless::step(&mut app, 0.0);
    let world = app.world_mut();
    // Removes parts that only one of the two ray casts can hit.
    let mut parts = world.query_filtered::<(Entity, &AloCollider), With<Mesh3d>>();
    let kept: Vec<Entity> = parts
        .iter(world)
        .filter(|(_, collider)| !collider.is_skinned())
        .map(|(entity, _)| entity)
        .collect();
    let mut all = world.query_filtered::<Entity, Or<(With<Mesh3d>, With<AloCollider>)>>();
    let all: Vec<Entity> = all.iter(world).collect();
    for entity in all {
        if !kept.contains(&entity) {
            world.despawn(entity);
        }
    }
    let extent = f32::from(side) * SPACING;
    world.insert_resource(Rays(
        (0..20_000_u32)
            .map(|index| random_ray(index, extent, 4.0, 60.0))
            .collect(),
    ));
    Some(app)
}

/// Measures the first ray of a frame, which updates the bounding boxes of moved colliders.
fn first_ray(world: &mut World) {
    let ray = world.resource::<Rays>().0[7];
    for moves in [false, true] {
        let [mut ours, mut theirs] = [Duration::MAX; 2];
        for _ in 0..RUNS {
            if moves {
                let mut transforms =
                    world.query_filtered::<&mut GlobalTransform, With<AloCollider>>();
                transforms
                    .iter_mut(world)
                    .for_each(|mut transform| transform.set_changed());
            }
            let start = Instant::now();
            black_box(world.run_system_cached_with(nearest, ray).unwrap());
            ours = ours.min(start.elapsed());
            let start = Instant::now();
            black_box(world.run_system_cached_with(mesh_nearest, ray).unwrap());
            theirs = theirs.min(start.elapsed());
        }
        println!(
            "one ray per frame, {}: {} µs, MeshRayCast {} µs ({:.1} ×)",
            if moves { "all moving" } else { "none moving" },
            ours.as_micros(),
            theirs.as_micros(),
            theirs.as_secs_f64() / ours.as_secs_f64(),
        );
    }
}

/// Measures many rays in one frame.
fn many_rays(world: &mut World) {
    let count = world.resource::<Rays>().0.len();
    let few = count / 100;
    let boxes = Boxes::new(world);
    let mut fastest = [Duration::MAX; 4];
    let mut sums = [0.0; 4];
    for _ in 0..RUNS {
        let mut measure = |slot: usize, run: &mut dyn FnMut() -> f64| {
            let start = Instant::now();
            sums[slot] = black_box(run());
            fastest[slot] = fastest[slot].min(start.elapsed());
        };
        measure(0, &mut || world.run_system_cached(all_nearest).unwrap());
        measure(1, &mut || world.run_system_cached(all_any).unwrap());
        let rays = &world.resource::<Rays>().0;
        measure(2, &mut || rays.iter().map(|ray| boxes.nearest(*ray)).sum());
        measure(3, &mut || {
            world
                .run_system_cached_with(some_mesh_nearest, few)
                .unwrap()
        });
    }
    let rate = |slot: usize, rays: usize| rays as f64 / fastest[slot].as_secs_f64();
    let ours = rate(0, count);
    println!("rays per second, nearest hit: {ours:.0}, including the first of a frame");
    println!("  any hit: {:.0}", rate(1, count));
    let theirs = rate(2, count);
    println!(
        "  obvhs over the same boxes: {theirs:.0} (ours is {:.2} × as fast)",
        ours / theirs
    );
    println!(
        "  its BVH: built in {} µs, refitted in {} µs; its boxes collected in {} µs",
        boxes.build.as_micros(),
        boxes.refit.as_micros(),
        boxes.collect.as_micros()
    );
    let theirs = rate(3, few);
    println!(
        "  MeshRayCast: {theirs:.0} (ours is {:.0} × as fast)",
        ours / theirs
    );
    println!(
        "sums of distances: ours {:.1}, obvhs {:.1}",
        sums[0], sums[2]
    );
    let some = world.run_system_cached_with(some_nearest, few).unwrap();
    println!(
        "sums of distances of the first {few} rays: ours {some:.1}, MeshRayCast {:.1}",
        sums[3]
    );
}

/// Settings that ignore visibility.
fn any_visibility() -> ModelRayCastSettings<'static> {
    ModelRayCastSettings::default().with_visibility(ModelRayCastVisibility::Any)
}

fn first_distance(hits: &[ModelRayHit]) -> f64 {
    hits.first().map_or(0.0, |hit| f64::from(hit.distance))
}

fn nearest(ray: In<Ray3d>, mut ray_cast: ModelRayCast) -> f64 {
    first_distance(ray_cast.cast_ray(*ray, &any_visibility()))
}

fn mesh_distance(ray_cast: &mut MeshRayCast, ray: Ray3d) -> f64 {
    let settings = MeshRayCastSettings::default().with_visibility(RayCastVisibility::Any);
    let hits = ray_cast.cast_ray(ray, &settings);
    hits.first().map_or(0.0, |(_, hit)| f64::from(hit.distance))
}

fn mesh_nearest(ray: In<Ray3d>, mut ray_cast: MeshRayCast) -> f64 {
    mesh_distance(&mut ray_cast, *ray)
}

fn all_nearest(rays: Res<Rays>, mut ray_cast: ModelRayCast) -> f64 {
    let mut distance = |ray: &Ray3d| first_distance(ray_cast.cast_ray(*ray, &any_visibility()));
    rays.0.iter().map(&mut distance).sum()
}

fn some_nearest(count: In<usize>, rays: Res<Rays>, mut ray_cast: ModelRayCast) -> f64 {
    let mut distance = |ray: &Ray3d| first_distance(ray_cast.cast_ray(*ray, &any_visibility()));
    rays.0.iter().take(*count).map(&mut distance).sum()
}

fn all_any(rays: Res<Rays>, mut ray_cast: ModelRayCast) -> f64 {
    let hits = rays
        .0
        .iter()
        .filter(|ray| ray_cast.any_hit(**ray, &any_visibility()));
    hits.count() as f64
}

fn some_mesh_nearest(count: In<usize>, rays: Res<Rays>, mut ray_cast: MeshRayCast) -> f64 {
    let rays = rays.0.iter().take(*count);
    rays.map(|ray| mesh_distance(&mut ray_cast, *ray)).sum()
}

/// A BVH of `obvhs` over the bounding boxes of all colliders, and the times to make it.
struct Boxes {
    bvh: Bvh2,
    parts: Vec<(Affine3A, Arc<CollisionTree>)>,
    collect: Duration,
    build: Duration,
    refit: Duration,
}

impl Boxes {
    fn new(world: &mut World) -> Self {
        let mut colliders = world.query::<(&AloCollider, &GlobalTransform)>();
        let start = Instant::now();
        let parts: Vec<_> = colliders
            .iter(world)
            .map(|(collider, transform)| (transform.affine(), collider.tree().clone()))
            .collect();
        let boxes = |(affine, tree): &(Affine3A, Arc<CollisionTree>)| {
            let [min, max] = transformed_bounds(
                affine,
                tree.bounds().unwrap_or(Aabb3d {
                    min: default(),
                    max: default(),
                }),
            );
            obvhs::aabb::Aabb::new(min.into(), max.into())
        };
        let boxes: Vec<_> = parts.iter().map(boxes).collect();
        let collect = start.elapsed();
        let start = Instant::now();
        let params = BvhBuildParams::fastest_build();
        let mut bvh = build_bvh2(&boxes, params, &mut Duration::default());
        let build = start.elapsed();
        let start = Instant::now();
        bvh.refit_all();
        let refit = start.elapsed();
        Self {
            bvh,
            parts,
            collect,
            build,
            refit,
        }
    }

    fn nearest(&self, ray: Ray3d) -> f64 {
        let [origin, direction] = [ray.origin, *ray.direction].map(|at| at.to_array().into());
        let mut hit = RayHit::none();
        self.bvh.ray_traverse(
            Ray::new(origin, direction, 0.0, f32::INFINITY),
            &mut hit,
            |clipped_ray, slot| {
                let index = self.bvh.primitive_indices[slot] as usize;
                let (affine, tree) = &self.parts[index];
                let inverse = affine.inverse();
                let local = inverse.transform_vector3(*ray.direction);
                let Ok((direction, scale)) = Dir3::new_and_length(local) else {
                    return f32::INFINITY;
                };
                let local = Ray3d::new(inverse.transform_point3(ray.origin), direction);
                let hit = tree.cast_ray(local, clipped_ray.tmax * scale, default());
                hit.map_or(f32::INFINITY, |hit| hit.distance / scale)
            },
        );
        if hit.t < f32::INFINITY {
            f64::from(hit.t)
        } else {
            0.0
        }
    }
}

/// The axis-aligned bounds of a transformed box: minimum and maximum.
fn transformed_bounds(affine: &Affine3A, bounds: Aabb3d) -> [[f32; 3]; 2] {
    let center = affine.transform_point3a((bounds.min + bounds.max) / 2.0);
    let half = affine.matrix3.abs() * ((bounds.max - bounds.min) / 2.0);
    [(center - half).to_array(), (center + half).to_array()]
}
