//! Rays at spawned Alamo models, and what they ought to meet: asked of every triangle by itself, in
//! doubles, by matrices of the tests' own.

use super::alo::between_rings;
use bevy::ecs::system::SystemId;
use bevy::math::{DAffine3, DMat3, DVec3};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::alamo::alo::{Vertex, parse};
use bevy_classic_models::alamo::{
    AloRayCast, AloRayCastSettings, AloRayCastVisibility, AloRayHit, AloSubmeshIndex, Backfaces,
};
use bevy_classic_models::prelude::*;

/// Rays that come nearer to an edge than this, in parts of a triangle, are judged by rounding.
const EDGE: f64 = 2e-3;

/// Rays that make a smaller angle with a triangle than this are judged by rounding.
const GRAZING: f64 = 5e-3;

/// A part of a file that has a collision tree.
struct Part {
    mesh: usize,
    submesh: usize,
    bone: usize,
    vertices: Vec<Vertex>,
    triangles: Vec<[u16; 3]>,
    palette: Vec<u32>,
    weighted: bool,
}

/// What of a file can be met.
pub struct Shape {
    parts: Vec<Part>,
    /// From each bone's space to the model's, at rest.
    rest: Vec<DAffine3>,
}

/// A triangle in the world.
pub struct Triangle {
    pub entity: Entity,
    pub mesh: usize,
    pub submesh: usize,
    pub bone: usize,
    pub number: usize,
    pub corners: [DVec3; 3],
}

impl Shape {
    pub fn new(bytes: &[u8]) -> Self {
        let file = parse(bytes).unwrap();
        let mut rest: Vec<DAffine3> = Vec::new();
        for bone in &file.bones {
            let column = |at: usize| DVec3::from_array(bone.matrix.map(|row| f64::from(row[at])));
            let own = DAffine3 {
                matrix3: DMat3::from_cols(column(0), column(1), column(2)),
                translation: column(3),
            };
            rest.push(
                bone.parent
                    .map_or(own, |parent| rest[parent as usize] * own),
            );
        }
        let mut parts = Vec::new();
        for (number, mesh) in file.meshes.iter().enumerate() {
            for (submesh, part) in mesh.submeshes.iter().enumerate() {
                let indices: Vec<u16> = part.indices.iter().map(|index| index.get()).collect();
                let has_tree = part.tree.is_some();
                parts.extend(has_tree.then(|| Part {
                    mesh: number,
                    submesh,
                    bone: mesh.bone.unwrap_or(0) as usize,
                    vertices: part.vertices.iter().collect(),
                    triangles: indices.as_chunks().0.to_vec(),
                    palette: part.palette.iter().map(|bone| bone.get()).collect(),
                    weighted: part.is_weighted(),
                }));
            }
        }
        Self { parts, rest }
    }

    /// Its triangles where an instance has them, by what tells a bone's place.
    pub fn triangles(
        &self,
        world: &World,
        root: Entity,
        place: fn(&World, Entity) -> DAffine3,
    ) -> Vec<Triangle> {
        let bones = world.get::<AloInstance>(root).unwrap().bones();
        let places: Vec<DAffine3> = bones.iter().map(|bone| place(world, *bone)).collect();
        let entities = submeshes(world, root);
        let mut triangles = Vec::new();
        for part in &self.parts {
            let posed: Vec<DVec3> = part
                .vertices
                .iter()
                .map(|vertex| self.posed(part, vertex, &places))
                .collect();
            triangles.extend(
                part.triangles
                    .iter()
                    .enumerate()
                    .map(|(number, corners)| Triangle {
                        entity: entities[&(part.mesh, part.submesh)],
                        mesh: part.mesh,
                        submesh: part.submesh,
                        bone: part.bone,
                        number,
                        corners: corners.map(|corner| posed[usize::from(corner)]),
                    }),
            );
        }
        triangles
    }

    fn posed(&self, part: &Part, vertex: &Vertex, places: &[DAffine3]) -> DVec3 {
        let position = DVec3::from_array(vertex.position.map(f64::from));
        if part.palette.is_empty() {
            return places[part.bone].transform_point3(position);
        }
        let weights = match part.weighted {
            true => vertex.bone_weights.map(f64::from),
            false => [1.0, 0.0, 0.0, 0.0],
        };
        let influences = vertex.bone_indices.iter().zip(weights);
        let moved = influences
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(slot, weight)| {
                let bone = part.palette[*slot as usize] as usize;
                let moved = places[bone] * self.rest[bone].inverse();
                moved.transform_point3(position) * weight
            });
        moved.sum::<DVec3>() / weights.iter().sum::<f64>()
    }
}

/// The entities of an instance's sub-meshes.
pub fn submeshes(world: &World, root: Entity) -> HashMap<(usize, usize), Entity> {
    let parts = world.get::<AloInstance>(root).unwrap().parts();
    let children = parts.iter().filter_map(|part| world.get::<Children>(*part));
    let entities = children.flat_map(|children| children.iter());
    entities
        .filter_map(|entity| {
            let of = world.get::<AloSubmeshIndex>(entity)?;
            Some(((of.mesh, of.submesh), entity))
        })
        .collect()
}

/// Where an entity is by all the transforms above it.
pub fn by_transforms(world: &World, entity: Entity) -> DAffine3 {
    let own = world.get::<Transform>(entity).unwrap();
    let own = DAffine3::from_scale_rotation_translation(
        own.scale.as_dvec3(),
        own.rotation.as_dquat().normalize(),
        own.translation.as_dvec3(),
    );
    match world.get::<ChildOf>(entity) {
        Some(above) => by_transforms(world, above.parent()) * own,
        None => own,
    }
}

/// Where Bevy draws it: far from the world's origin its numbers are coarse.
pub fn as_drawn(world: &World, entity: Entity) -> DAffine3 {
    let place = world.get::<GlobalTransform>(entity).unwrap().affine();
    DAffine3 {
        matrix3: Mat3::from(place.matrix3).as_dmat3(),
        translation: Vec3::from(place.translation).as_dvec3(),
    }
}

/// A question to [`AloRayCast`].
#[derive(Clone, Debug)]
pub struct Ask {
    pub ray: Ray3d,
    pub visibility: AloRayCastVisibility,
    pub backfaces: Backfaces,
    pub max: f32,
    /// Entities that are not asked.
    pub without: Vec<Entity>,
    /// Entities that hide nothing.
    pub clear: Vec<Entity>,
}

impl Ask {
    pub fn new(ray: Ray3d) -> Self {
        Self {
            ray,
            visibility: AloRayCastVisibility::Any,
            backfaces: Backfaces::Cull,
            max: f32::INFINITY,
            without: Vec::new(),
            clear: Vec::new(),
        }
    }

    pub fn seeing(self, visibility: AloRayCastVisibility) -> Self {
        Self { visibility, ..self }
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Answer {
    pub hits: Vec<(Entity, AloRayHit)>,
    pub any: bool,
}

fn answer(In(asks): In<Vec<Ask>>, mut rays: AloRayCast) -> Vec<Answer> {
    let mut answer = |ask: &Ask| {
        let filter = |entity: Entity| !ask.without.contains(&entity);
        let hides = |entity: Entity| !ask.clear.contains(&entity);
        let settings = AloRayCastSettings::default()
            .with_visibility(ask.visibility)
            .with_backfaces(ask.backfaces)
            .with_max_distance(ask.max)
            .with_filter(&filter)
            .with_early_exit_test(&hides);
        let hits = rays.cast_ray(ask.ray, &settings).to_vec();
        let any = rays.any_hit(ask.ray, &settings);
        Answer { hits, any }
    };
    asks.iter().map(&mut answer).collect()
}

/// A system that casts when it is told to, and knows nothing of the frames between.
pub struct Caster(SystemId<In<Vec<Ask>>, Vec<Answer>>);

impl Caster {
    pub fn new(world: &mut World) -> Self {
        Self(world.register_system(answer))
    }

    pub fn ask(&self, world: &mut World, asks: Vec<Ask>) -> Vec<Answer> {
        world.run_system_with(self.0, asks).unwrap()
    }

    /// What a single ray meets first.
    pub fn first(&self, world: &mut World, ask: Ask) -> Option<(Entity, AloRayHit)> {
        self.ask(world, vec![ask])[0].hits.first().copied()
    }
}

/// Where a ray meets a triangle.
struct Met<'a> {
    triangle: &'a Triangle,
    distance: f64,
    barycentrics: DVec3,
    /// Of its front.
    normal: DVec3,
    /// How much farther along the ray a place is than it is off the triangle.
    stretch: f64,
    /// Whether no rounding could change it.
    sure: bool,
}

/// Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997).
fn meets<'a>(triangle: &'a Triangle, ask: &Ask, nearly: f64) -> Option<Met<'a>> {
    let (origin, direction) = (
        ask.ray.origin.as_dvec3(),
        ask.ray.direction.as_vec3().as_dvec3(),
    );
    let [a, b, c] = triangle.corners;
    let (ab, ac, to) = (b - a, c - a, origin - a);
    let normal = ab.cross(ac).normalize_or_zero();
    let p = direction.cross(ac);
    let determinant = ab.dot(p);
    if normal == DVec3::ZERO || determinant == 0.0 {
        return None;
    }
    let q = to.cross(ab);
    let [v, w, distance] = [to.dot(p), direction.dot(q), ac.dot(q)].map(|x| x / determinant);
    let barycentrics = DVec3::new(1.0 - v - w, v, w);
    let inside = barycentrics.min_element();
    let max = f64::from(ask.max);
    let cosine = -direction.dot(normal);
    let seen = ask.backfaces != Backfaces::Cull || cosine > -GRAZING;
    let is_near = inside > -EDGE && distance > -nearly && distance < max + nearly && seen;
    is_near.then_some(Met {
        triangle,
        distance,
        barycentrics,
        normal,
        stretch: cosine.abs().max(GRAZING).recip(),
        sure: inside > EDGE
            && distance > nearly
            && distance < max - nearly
            && cosine.abs() > GRAZING,
    })
}

/// What a ray meets of each part, the nearest first; `None` if rounding would decide it.
fn expected<'a>(triangles: &'a [Triangle], ask: &Ask, nearly: f64) -> Option<Vec<Met<'a>>> {
    let all = triangles
        .iter()
        .filter_map(|triangle| meets(triangle, ask, nearly));
    let mut all: Vec<Met> = all
        .filter(|met| !ask.without.contains(&met.triangle.entity))
        .collect();
    all.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let mut parts: Vec<Met> = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for met in all {
        if parts.iter().any(|part| {
            part.triangle.entity == met.triangle.entity && met.distance > part.distance + nearly
        }) {
            continue;
        }
        let nearly = nearly * met.stretch;
        if !met.sure || met.distance - last <= nearly {
            return None;
        }
        last = met.distance + nearly;
        parts.push(met);
    }
    if let Some(hides) = parts
        .iter()
        .position(|met| !ask.clear.contains(&met.triangle.entity))
    {
        parts.truncate(hides + 1);
    }
    Some(parts)
}

/// How many rays were judged.
#[derive(Debug, Default)]
pub struct Tally {
    pub hits: usize,
    pub misses: usize,
    pub doubtful: usize,
}

impl Tally {
    /// Fails unless a good part of the rays was judged, and some of them either way.
    #[track_caller]
    pub fn assert_telling(&self, what: &str) {
        let Self {
            hits,
            misses,
            doubtful,
        } = self;
        assert!(*hits > 20 && *misses > 5, "{what}: {self:?}");
        assert!(2 * doubtful < hits + misses, "{what}: {self:?}");
    }
}

/// Fails unless all rays meet what they ought to. `slack` is how far off places may be.
#[track_caller]
pub fn compare(
    world: &mut World,
    caster: &Caster,
    triangles: &[Triangle],
    asks: Vec<Ask>,
    slack: f64,
    what: &str,
) -> Tally {
    let answers = caster.ask(world, asks.clone());
    let mut tally = Tally::default();
    for (ask, answer) in asks.iter().zip(&answers) {
        let Some(expected) = expected(triangles, ask, 4.0 * slack) else {
            tally.doubtful += 1;
            continue;
        };
        let entities: Vec<Entity> = expected.iter().map(|met| met.triangle.entity).collect();
        let found: Vec<Entity> = answer.hits.iter().map(|(entity, _)| *entity).collect();
        assert_eq!(found, entities, "{what}: {ask:?}");
        assert_eq!(answer.any, !found.is_empty(), "{what}: {ask:?}");
        for ((_, hit), met) in answer.hits.iter().zip(&expected) {
            assert_hit(ask, hit, met, slack, what);
        }
        match found.is_empty() {
            true => tally.misses += 1,
            false => tally.hits += 1,
        }
    }
    tally
}

#[track_caller]
fn assert_hit(ask: &Ask, hit: &AloRayHit, met: &Met, slack: f64, what: &str) {
    let told = || format!("{what}: {ask:?}: {hit:?}");
    let triangle = met.triangle;
    let place = (hit.mesh, hit.submesh, hit.triangle as usize, hit.bone);
    let expected = (
        triangle.mesh,
        triangle.submesh,
        triangle.number,
        triangle.bone,
    );
    assert_eq!(place, expected, "{}", told());
    let slack = slack * met.stretch;
    let off = (f64::from(hit.distance) - met.distance).abs();
    assert!(off <= slack, "{} is {off} off its distance", told());
    let direction = ask.ray.direction.as_vec3().as_dvec3();
    let point = ask.ray.origin.as_dvec3() + direction * met.distance;
    let off = hit.point.as_dvec3().distance(point);
    assert!(off <= slack, "{} is {off} off its point", told());
    let sees_back = met.normal.dot(direction) > 0.0;
    let normal = match ask.backfaces {
        Backfaces::Flip if sees_back => -met.normal,
        _ => met.normal,
    };
    assert!((hit.normal.length() - 1.0).abs() < 1e-5, "{}", told());
    let off = hit.normal.as_dvec3().distance(normal);
    assert!(off < 1e-3, "{} has the normal {normal}", told());
    let off = hit.barycentrics.as_dvec3().distance(met.barycentrics);
    assert!(off < EDGE, "{} has {}", told(), met.barycentrics);
}

/// Numbers in no order, the same every time.
pub struct Random(pub u64);

impl Random {
    /// Marsaglia, "Xorshift RNGs" (2003).
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, least: f64, greatest: f64) -> f64 {
        least + (greatest - least) * self.unit()
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// A point of a box around the origin.
    pub fn point(&mut self, half: f64) -> DVec3 {
        DVec3::from_array([(); 3].map(|()| self.between(-half, half)))
    }

    pub fn direction(&mut self) -> DVec3 {
        loop {
            let point = self.point(1.0);
            if point.length() > 0.1 && point.length() < 1.0 {
                return point.normalize();
            }
        }
    }

    pub fn rotation(&mut self) -> Quat {
        Quat::from_axis_angle(self.direction().as_vec3(), self.between(0.0, 6.0) as f32)
    }

    /// Rays at triangles: onto them, past them, along their outline, and from among them.
    pub fn rays(&mut self, triangles: &[Triangle], count: usize) -> Vec<Ray3d> {
        let (center, radius) = ball_around(triangles);
        let mut ray = |number: usize| {
            let triangle = &triangles[self.below(triangles.len())];
            let [a, b, c] = triangle.corners;
            let (u, v) = (self.unit(), self.unit());
            let on = a + (b - a) * u * v + (c - a) * u * (1.0 - v);
            let outside = center + self.direction() * radius * self.between(1.2, 3.0);
            let (from, to) = match number % 5 {
                0 | 1 => (outside, on),
                2 => (outside, a + self.direction() * radius * 0.03),
                3 => (outside, center + self.direction() * radius),
                _ => (on + self.direction() * radius * 0.4, on),
            };
            let direction = Dir3::new((to - from).normalize().as_vec3()).unwrap();
            Ray3d {
                origin: from.as_vec3(),
                direction,
            }
        };
        (0..count).map(&mut ray).collect()
    }
}

/// A ball around triangles.
pub fn ball_around(triangles: &[Triangle]) -> (DVec3, f64) {
    let corners = || triangles.iter().flat_map(|triangle| triangle.corners);
    let min = corners().fold(DVec3::INFINITY, DVec3::min);
    let max = corners().fold(DVec3::NEG_INFINITY, DVec3::max);
    ((min + max) / 2.0, (max - min).length() / 2.0)
}

/// A bumpy ball: rings around Z, from below.
pub fn ball(radius: f32, center: [f32; 3]) -> (Vec<Vertex>, Vec<[u16; 3]>) {
    const RINGS: u16 = 6;
    const SIDES: u16 = 10;
    let mut vertices = Vec::new();
    for ring in 0..=RINGS {
        let height = (f32::from(ring) / f32::from(RINGS) - 0.5) * core::f32::consts::PI;
        for side in 0..=SIDES {
            let turn = f32::from(side) / f32::from(SIDES) * core::f32::consts::TAU;
            let out = Vec3::new(
                height.cos() * turn.cos(),
                height.cos() * turn.sin(),
                height.sin(),
            );
            let bump = 1.0 + 0.12 * (3.0 * turn).sin() * (2.0 * height).cos();
            vertices.push(Vertex {
                position: (Vec3::from_array(center) + out * radius * bump).to_array(),
                normal: out.to_array(),
                color: [1.0; 4],
                bone_weights: [1.0, 0.0, 0.0, 0.0],
                ..default()
            });
        }
    }
    (vertices, between_rings(RINGS, SIDES))
}
