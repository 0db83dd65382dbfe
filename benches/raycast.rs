//! Rays into a world of 10,000 colliders, beside Bevy's `MeshRayCast` and a library's tree.
//!
//! All three are asked about the same parts of the same walkers, without regard to visibility, and
//! with the same rays, each for the nearest hit. `obvhs` has a tree over the boxes that
//! [`AloRayCast`] would have, and asks the same collision trees, so that the two differ by how they
//! find parts alone.

use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::picking::mesh_picking::ray_cast::{MeshRayCast, MeshRayCastSettings, RayCastVisibility};
use bevy::prelude::*;
use bevy_classic_models::alamo::CollisionTree;
use bevy_classic_models::alamo::{
    Alo, AloCollider, AloInstance, AloRayCast, AloRayCastSettings, AloRayCastVisibility, AloRayHit,
};
use bevy_classic_models::prelude::*;
use classic_models_support::gpuless;
use obvhs::BvhBuildParams;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::ray::{Ray, RayHit};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Colliders, about.
const COLLIDERS: usize = 10_000;

/// Units between the walkers.
const SPACING: f32 = 24.0;

/// How often each measurement is taken; the best counts.
const TURNS: usize = 15;

#[derive(Resource)]
struct Rays(Vec<Ray3d>);

fn main() {
    let Some(mut app) = field() else {
        println!("the bundled walker did not load");
        return;
    };
    let world = app.world_mut();
    let count = world.query::<&AloCollider>().iter(world).count();
    println!("{count} colliders; best of {TURNS} turns");
    first_ray(world);
    many_rays(world);
}

/// Walkers in a square, all of whose drawn parts have trees.
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
    let separate_node_meshes = submeshes
        .filter(|part| part.tree.is_some() && part.material.is_some() && part.palette.is_empty())
        .count();
    let side = (COLLIDERS as f32 / separate_node_meshes as f32)
        .sqrt()
        .round() as i16;
    for number in 0..side * side {
        let place = Vec3::new(f32::from(number % side), 0.0, f32::from(number / side)) * SPACING;
        let turn = Quat::from_rotation_y(f32::from(number) * 2.4);
        app.world_mut().spawn((
            WorldAssetRoot(alo.scene.clone()),
            Transform::from_translation(place).with_rotation(turn),
        ));
    }
    let instances = usize::from(side.unsigned_abs()).pow(2);
    let spawned = |world: &mut World| {
        let mut spawned = world.query::<&AloInstance>();
        spawned.iter(world).count() == instances
    };
    if !gpuless::wait_until(&mut app, spawned) {
        return None;
    }
    gpuless::step(&mut app, 0.0);
    let world = app.world_mut();
    // What only one of the two can meet is none of this.
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
        (0..20_000_u32).map(|number| ray(number, extent)).collect(),
    ));
    Some(app)
}

/// A ray from above the field into it, or along it.
fn ray(number: u32, extent: f32) -> Ray3d {
    let roll = |salt: u32| {
        let hash = (number * 4 + salt).wrapping_mul(0x9e37_79b1);
        let hash = (hash ^ hash >> 15).wrapping_mul(0x85eb_ca6b);
        (hash ^ hash >> 13) as f32 / u32::MAX as f32
    };
    let origin = Vec3::new(roll(0) * extent, 4.0 + roll(1) * 60.0, roll(2) * extent);
    let target = Vec3::new(roll(3) * extent, 4.0, roll(1) * extent);
    Ray3d::new(origin, Dir3::new(target - origin).unwrap_or(Dir3::NEG_Y))
}

/// The first ray of a frame, which has to find out what moved.
fn first_ray(world: &mut World) {
    let ray = world.resource::<Rays>().0[7];
    for moves in [false, true] {
        let [mut ours, mut theirs] = [Duration::MAX; 2];
        for _ in 0..TURNS {
            if moves {
                let mut places = world.query_filtered::<&mut GlobalTransform, With<AloCollider>>();
                places
                    .iter_mut(world)
                    .for_each(|mut place| place.set_changed());
            }
            let start = Instant::now();
            black_box(world.run_system_cached_with(nearest, ray).unwrap());
            ours = ours.min(start.elapsed());
            let start = Instant::now();
            black_box(world.run_system_cached_with(mesh_nearest, ray).unwrap());
            theirs = theirs.min(start.elapsed());
        }
        println!(
            "one ray a frame, {}: {} µs, MeshRayCast {} µs ({:.1} ×)",
            if moves { "all moving" } else { "none moving" },
            ours.as_micros(),
            theirs.as_micros(),
            theirs.as_secs_f64() / ours.as_secs_f64(),
        );
    }
}

/// Many rays of one frame.
fn many_rays(world: &mut World) {
    let rays = world.resource::<Rays>().0.len();
    let few = rays / 100;
    let boxes = Boxes::new(world);
    let mut best = [Duration::MAX; 4];
    let mut found = [0.0; 4];
    for _ in 0..TURNS {
        let mut take = |slot: usize, run: &mut dyn FnMut() -> f64| {
            let start = Instant::now();
            found[slot] = black_box(run());
            best[slot] = best[slot].min(start.elapsed());
        };
        take(0, &mut || world.run_system_cached(all_nearest).unwrap());
        take(1, &mut || world.run_system_cached(all_any).unwrap());
        let asked = &world.resource::<Rays>().0;
        take(2, &mut || asked.iter().map(|ray| boxes.nearest(*ray)).sum());
        take(3, &mut || {
            world.run_system_cached_with(all_mesh, few).unwrap()
        });
    }
    let rate = |slot: usize, rays: usize| rays as f64 / best[slot].as_secs_f64();
    let ours = rate(0, rays);
    println!("rays per second, nearest hit: {ours:.0}, the first of a frame included");
    println!("  any hit: {:.0}", rate(1, rays));
    let theirs = rate(2, rays);
    println!(
        "  obvhs over the boxes: {theirs:.0} ({:.2} × as fast as it)",
        ours / theirs
    );
    println!(
        "  making that tree: {} µs, fitting it: {} µs; of its boxes: {} µs",
        boxes.build.as_micros(),
        boxes.refit.as_micros(),
        boxes.gather.as_micros()
    );
    let theirs = rate(3, few);
    println!(
        "  MeshRayCast: {theirs:.0} ({:.0} × as fast as it)",
        ours / theirs
    );
    println!(
        "sums of distances: ours {:.1}, obvhs {:.1}",
        found[0], found[2]
    );
    let some = world.run_system_cached_with(some_nearest, few).unwrap();
    println!(
        "of the first {few}: ours {some:.1}, MeshRayCast {:.1}",
        found[3]
    );
}

fn any() -> AloRayCastSettings<'static> {
    AloRayCastSettings::default().with_visibility(AloRayCastVisibility::Any)
}

fn first_distance(hits: &[(Entity, AloRayHit)]) -> f64 {
    hits.first().map_or(0.0, |(_, hit)| f64::from(hit.distance))
}

fn nearest(ray: In<Ray3d>, mut rays: AloRayCast) -> f64 {
    first_distance(rays.cast_ray(*ray, &any()))
}

fn mesh_distance(rays: &mut MeshRayCast, ray: Ray3d) -> f64 {
    let settings = MeshRayCastSettings::default().with_visibility(RayCastVisibility::Any);
    let hits = rays.cast_ray(ray, &settings);
    hits.first().map_or(0.0, |(_, hit)| f64::from(hit.distance))
}

fn mesh_nearest(ray: In<Ray3d>, mut rays: MeshRayCast) -> f64 {
    mesh_distance(&mut rays, *ray)
}

fn all_nearest(asked: Res<Rays>, mut rays: AloRayCast) -> f64 {
    let mut distance = |ray: &Ray3d| first_distance(rays.cast_ray(*ray, &any()));
    asked.0.iter().map(&mut distance).sum()
}

fn some_nearest(count: In<usize>, asked: Res<Rays>, mut rays: AloRayCast) -> f64 {
    let mut distance = |ray: &Ray3d| first_distance(rays.cast_ray(*ray, &any()));
    asked.0.iter().take(*count).map(&mut distance).sum()
}

fn all_any(asked: Res<Rays>, mut rays: AloRayCast) -> f64 {
    let hits = asked.0.iter().filter(|ray| rays.any_hit(**ray, &any()));
    hits.count() as f64
}

fn all_mesh(count: In<usize>, asked: Res<Rays>, mut rays: MeshRayCast) -> f64 {
    let asked = asked.0.iter().take(*count);
    asked.map(|ray| mesh_distance(&mut rays, *ray)).sum()
}

/// A library's tree over the boxes of all colliders.
struct Boxes {
    bvh: Bvh2,
    parts: Vec<(Affine3A, Arc<CollisionTree>)>,
    gather: Duration,
    build: Duration,
    refit: Duration,
}

impl Boxes {
    fn new(world: &mut World) -> Self {
        let mut colliders = world.query::<(&AloCollider, &GlobalTransform)>();
        let start = Instant::now();
        let parts: Vec<_> = colliders
            .iter(world)
            .map(|(collider, place)| (place.affine(), collider.tree().clone()))
            .collect();
        let boxes = |(affine, tree): &(Affine3A, Arc<CollisionTree>)| {
            let [min, max] = around(
                affine,
                tree.bounds().unwrap_or(Aabb3d {
                    min: default(),
                    max: default(),
                }),
            );
            obvhs::aabb::Aabb::new(min.into(), max.into())
        };
        let boxes: Vec<_> = parts.iter().map(boxes).collect();
        let gather = start.elapsed();
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
            gather,
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
            |ray_now, slot| {
                let index = self.bvh.primitive_indices[slot] as usize;
                let (affine, tree) = &self.parts[index];
                let inverse = affine.inverse();
                let local = inverse.transform_vector3(*ray.direction);
                let Ok((direction, stretch)) = Dir3::new_and_length(local) else {
                    return f32::INFINITY;
                };
                let local = Ray3d::new(inverse.transform_point3(ray.origin), direction);
                let hit = tree.cast_ray(local, ray_now.tmax * stretch, default());
                hit.map_or(f32::INFINITY, |hit| hit.distance / stretch)
            },
        );
        if hit.t < f32::INFINITY {
            f64::from(hit.t)
        } else {
            0.0
        }
    }
}

/// The box around a box that is moved.
fn around(affine: &Affine3A, bounds: Aabb3d) -> [[f32; 3]; 2] {
    let center = affine.transform_point3a((bounds.min + bounds.max) / 2.0);
    let half = affine.matrix3.abs() * ((bounds.max - bounds.min) / 2.0);
    [(center - half).to_array(), (center + half).to_array()]
}
