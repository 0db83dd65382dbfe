//! Casts rays at spawned Alamo models, and compares the hits with a brute-force reference: every triangle, in `f64`, with
//! separate matrix code.

use crate::support::prelude::*;
use bevy::math::{DAffine3, DMat3};
use bevy::platform::collections::HashMap;
use bevy_classic_models::alamo::alo::parse;
use bevy_classic_models::query::{Backfaces, ModelRayCast};
use core::fmt::Debug;

/// Rays nearer to an edge than this, in barycentric coordinates, are undecided: rounding decides them.
pub const EDGE: f64 = 2e-3;

/// Rays with a smaller angle (in radians) to a triangle than this are undecided: rounding decides them.
const GRAZING: f64 = 5e-3;

/// A sub-mesh with a collision tree.
struct Part {
    mesh: usize,
    submesh: usize,
    bone: usize,
    vertices: Vec<Vertex>,
    triangles: Vec<[u16; 3]>,
    palette: Vec<u32>,
    weighted: bool,
}

/// The parts of a file that rays can hit.
pub struct HitModel {
    parts: Vec<Part>,
    /// From each bone's space to the model's, in the rest pose.
    rest: Vec<DAffine3>,
}

/// A triangle in the world.
pub struct Triangle {
    pub entity: Entity,
    pub mesh: usize,
    pub submesh: usize,
    pub bone: usize,
    pub index: usize,
    pub corners: [DVec3; 3],
}

impl HitModel {
    pub fn new(bytes: &[u8]) -> Self {
        let file = parse(bytes).unwrap();
        let mut rest: Vec<DAffine3> = Vec::new();
        for bone in &file.bones {
            let column =
                |column: usize| DVec3::from_array(bone.matrix.map(|row| f64::from(row[column])));
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
        for (index, mesh) in file.meshes.iter().enumerate() {
            for (submesh, part) in mesh.submeshes.iter().enumerate() {
                let indices: Vec<u16> = part.indices.iter().map(|index| index.get()).collect();
                let has_tree = part.tree.is_some();
                parts.extend(has_tree.then(|| Part {
                    mesh: index,
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

    /// The triangles of an instance in the world. `transform` returns the global transform of a bone.
    pub fn triangles(
        &self,
        world: &World,
        root: Entity,
        transform: fn(&World, Entity) -> DAffine3,
    ) -> Vec<Triangle> {
        let bones = world.get::<AloInstance>(root).unwrap().bones();
        let transforms: Vec<DAffine3> = bones.iter().map(|bone| transform(world, *bone)).collect();
        let entities = submeshes(world, root);
        let mut triangles = Vec::new();
        for part in &self.parts {
            let posed: Vec<DVec3> = part
                .vertices
                .iter()
                .map(|vertex| self.posed(part, vertex, &transforms))
                .collect();
            triangles.extend(
                part.triangles
                    .iter()
                    .enumerate()
                    .map(|(index, corners)| Triangle {
                        entity: entities[&(part.mesh, part.submesh)],
                        mesh: part.mesh,
                        submesh: part.submesh,
                        bone: part.bone,
                        index,
                        corners: corners.map(|corner| posed[usize::from(corner)]),
                    }),
            );
        }
        triangles
    }

    /// The bones that move a point of a triangle, and their weights there.
    pub fn weights(&self, triangle: &Triangle, barycentrics: DVec3) -> HashMap<usize, f64> {
        let is_its = |part: &&Part| (part.mesh, part.submesh) == (triangle.mesh, triangle.submesh);
        let part = self.parts.iter().find(is_its).unwrap();
        let corners = part.triangles[triangle.index].map(usize::from);
        let mut weights = HashMap::default();
        for (corner, share) in corners.into_iter().zip(barycentrics.to_array()) {
            let vertex = &part.vertices[corner];
            let own = match part.weighted {
                true => vertex.bone_weights.map(f64::from),
                false => [1.0, 0.0, 0.0, 0.0],
            };
            for (slot, weight) in vertex.bone_indices.iter().zip(own) {
                let bone = match part.palette.get(*slot as usize) {
                    Some(bone) => *bone as usize,
                    None => part.bone,
                };
                *weights.entry(bone).or_insert(0.0) += weight * share;
            }
        }
        weights
    }

    /// The texture coordinates of the corners of a triangle.
    pub fn uvs(&self, triangle: &Triangle) -> [DVec2; 3] {
        let is_its = |part: &&Part| (part.mesh, part.submesh) == (triangle.mesh, triangle.submesh);
        let part = self.parts.iter().find(is_its).unwrap();
        let corners = part.triangles[triangle.index];
        corners.map(|corner| {
            let [uv, ..] = part.vertices[usize::from(corner)].tex_coords;
            DVec2::from_array(uv.map(f64::from))
        })
    }

    fn posed(&self, part: &Part, vertex: &Vertex, transforms: &[DAffine3]) -> DVec3 {
        let position = DVec3::from_array(vertex.position.map(f64::from));
        if part.palette.is_empty() {
            return transforms[part.bone].transform_point3(position);
        }
        let weights = match part.weighted {
            true => vertex.bone_weights.map(f64::from),
            false => [1.0, 0.0, 0.0, 0.0],
        };
        let influences = vertex.bone_indices.iter().zip(weights);
        let weighted = influences
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(slot, weight)| {
                let bone = part.palette[*slot as usize] as usize;
                let joint = transforms[bone] * self.rest[bone].inverse();
                joint.transform_point3(position) * weight
            });
        weighted.sum::<DVec3>() / weights.iter().sum::<f64>()
    }
}

/// The entities of an instance's sub-meshes.
pub fn submeshes(world: &World, root: Entity) -> HashMap<(usize, usize), Entity> {
    let parts = world.get::<AloInstance>(root).unwrap().parts();
    let children = parts.iter().filter_map(|part| world.get::<Children>(*part));
    let entities = children.flat_map(|children| children.iter());
    entities
        .filter_map(|entity| {
            let index = world.get::<AloSubmeshIndex>(entity)?;
            Some(((index.mesh, index.submesh), entity))
        })
        .collect()
}

/// The global transform of an entity, computed from the `Transform`s of its ancestors.
pub fn by_transforms(world: &World, entity: Entity) -> DAffine3 {
    let own = world.get::<Transform>(entity).unwrap();
    let own = DAffine3::from_scale_rotation_translation(
        own.scale.as_dvec3(),
        own.rotation.as_dquat().normalize(),
        own.translation.as_dvec3(),
    );
    match world.get::<ChildOf>(entity) {
        Some(child_of) => by_transforms(world, child_of.parent()) * own,
        None => own,
    }
}

/// The `GlobalTransform` of an entity, as Bevy draws it. `f32` is imprecise far from the world's origin.
pub fn by_global_transform(world: &World, entity: Entity) -> DAffine3 {
    let transform = world.get::<GlobalTransform>(entity).unwrap().affine();
    DAffine3 {
        matrix3: Mat3::from(transform.matrix3).as_dmat3(),
        translation: Vec3::from(transform.translation).as_dvec3(),
    }
}

/// A ray and the settings to cast it with.
#[derive(Clone, Debug)]
pub struct RayQuery {
    pub ray: Ray3d,
    pub visibility: ModelRayCastVisibility,
    pub backfaces: Backfaces,
    pub max: f32,
    /// Whether LithTech models are hit at their collision boxes.
    pub collision_boxes: bool,
    /// Entities that the filter excludes.
    pub excluded: Vec<Entity>,
    /// Entities at which the ray does not end.
    pub transparent: Vec<Entity>,
}

impl RayQuery {
    pub fn new(ray: Ray3d) -> Self {
        Self {
            ray,
            visibility: ModelRayCastVisibility::Any,
            backfaces: Backfaces::Cull,
            max: f32::INFINITY,
            collision_boxes: false,
            excluded: Vec::new(),
            transparent: Vec::new(),
        }
    }

    pub fn with_visibility(self, visibility: ModelRayCastVisibility) -> Self {
        Self { visibility, ..self }
    }
}

/// The result of a [`RayQuery`].
#[derive(Clone, Debug)]
pub struct RayResult {
    pub hits: Vec<ModelRayHit>,
    pub any: bool,
}

fn cast(In(queries): In<Vec<RayQuery>>, mut rays: ModelRayCast) -> Vec<RayResult> {
    let cast = |query: &RayQuery| {
        let filter = |entity: Entity| !query.excluded.contains(&entity);
        let ends_ray = |entity: Entity| !query.transparent.contains(&entity);
        let mut settings = ModelRayCastSettings::default()
            .with_visibility(query.visibility)
            .with_backfaces(query.backfaces)
            .with_max_distance(query.max)
            .with_filter(&filter)
            .with_early_exit_test(&ends_ray);
        settings.collision_boxes = query.collision_boxes;
        RayResult {
            hits: rays.cast_ray(query.ray, &settings).to_vec(),
            any: rays.any_hit(query.ray, &settings),
        }
    };
    queries.iter().map(cast).collect()
}

/// A one-shot system that casts rays. It does not run in other frames.
pub struct RayCaster(SystemId<In<Vec<RayQuery>>, Vec<RayResult>>);

impl RayCaster {
    pub fn new(world: &mut World) -> Self {
        Self(world.register_system(cast))
    }

    pub fn cast(&self, world: &mut World, queries: Vec<RayQuery>) -> Vec<RayResult> {
        world.run_system_with(self.0, queries).unwrap()
    }

    /// The first hit of a single ray.
    pub fn first(&self, world: &mut World, query: RayQuery) -> Option<ModelRayHit> {
        self.cast(world, vec![query])[0].hits.first().copied()
    }

    /// Asserts that all rays have the expected hits. `check` compares what only some hits have, with a text for messages.
    #[track_caller]
    pub fn compare_with(
        &self,
        world: &mut World,
        triangles: &[Triangle],
        queries: Vec<RayQuery>,
        (limits, what): (Limits, &str),
        check: impl Fn(&ModelRayHit, &Intersection, &str),
    ) -> RayCounts {
        let results = self.cast(world, queries.clone());
        let mut counts = RayCounts::default();
        for (query, result) in queries.iter().zip(&results) {
            let Some(expected) = expected(triangles, query, 4.0 * limits.position) else {
                counts.undecided += 1;
                continue;
            };
            let parts: Vec<Entity> = expected.iter().map(|it| it.triangle.entity).collect();
            let found: Vec<Entity> = result.hits.iter().map(|hit| hit.part).collect();
            assert_eq!(found, parts, "{what}: {query:?}");
            assert_eq!(result.any, !found.is_empty(), "{what}: {query:?}");
            for (hit, expected) in result.hits.iter().zip(&expected) {
                let context = format!("{what}: {query:?}: {hit:?}");
                expected.assert_hit(query, hit, limits, &context);
                check(hit, expected, &context);
            }
            match found.is_empty() {
                true => counts.misses += 1,
                false => counts.hits += 1,
            }
        }
        counts
    }
}

/// The intersection of a ray with a triangle.
pub struct Intersection<'a> {
    pub triangle: &'a Triangle,
    pub distance: f64,
    pub barycentrics: DVec3,
    /// The normal of the triangle's front.
    pub normal: DVec3,
    /// The distance along the ray for each unit of distance from the triangle's plane.
    pub stretch: f64,
    /// Whether rounding cannot change the result.
    is_certain: bool,
}

/// Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997).
fn intersect<'a>(
    triangle: &'a Triangle,
    query: &RayQuery,
    margin: f64,
) -> Option<Intersection<'a>> {
    let (origin, direction) = (
        query.ray.origin.as_dvec3(),
        query.ray.direction.as_vec3().as_dvec3(),
    );
    let [a, b, c] = triangle.corners;
    let (ab, ac, to) = (b - a, c - a, origin - a);
    let normal = ab.cross(ac).normalize_or_zero();
    let longest = ab.length().max(ac.length()).max((c - b).length());
    let height = ab.cross(ac).length() / longest;
    let p = direction.cross(ac);
    let determinant = ab.dot(p);
    if normal == DVec3::ZERO || determinant == 0.0 {
        return None;
    }
    let q = to.cross(ab);
    let [v, w, distance] = [to.dot(p), direction.dot(q), ac.dot(q)].map(|x| x / determinant);
    let barycentrics = DVec3::new(1.0 - v - w, v, w);
    let inside = barycentrics.min_element();
    let max = f64::from(query.max);
    let cosine = -direction.dot(normal);
    let faces_ray = query.backfaces != Backfaces::Cull || cosine > -GRAZING;
    let is_near = inside > -EDGE && distance > -margin && distance < max + margin && faces_ray;
    is_near.then_some(Intersection {
        triangle,
        distance,
        barycentrics,
        normal,
        stretch: cosine.abs().max(GRAZING).recip(),
        is_certain: inside > EDGE
            // Triangles at the poles of a sphere are slivers.
            && height > margin
            && distance > margin
            && distance < max - margin
            && cosine.abs() > GRAZING,
    })
}

/// The first intersection with each part, the nearest first; `None` if rounding decides it.
pub fn expected<'a>(
    triangles: &'a [Triangle],
    query: &RayQuery,
    margin: f64,
) -> Option<Vec<Intersection<'a>>> {
    let all = triangles
        .iter()
        .filter_map(|triangle| intersect(triangle, query, margin));
    let mut all: Vec<Intersection> = all
        .filter(|found| !query.excluded.contains(&found.triangle.entity))
        .collect();
    all.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let mut parts: Vec<Intersection> = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for found in all {
        if parts.iter().any(|part| {
            part.triangle.entity == found.triangle.entity && found.distance > part.distance + margin
        }) {
            continue;
        }
        let margin = margin * found.stretch;
        if !found.is_certain || found.distance - last <= margin {
            return None;
        }
        last = found.distance + margin;
        parts.push(found);
    }
    if let Some(opaque) = parts
        .iter()
        .position(|found| !query.transparent.contains(&found.triangle.entity))
    {
        parts.truncate(opaque + 1);
    }
    Some(parts)
}

/// The counts of compared rays.
#[derive(Debug, Default)]
pub struct RayCounts {
    pub hits: usize,
    pub misses: usize,
    /// Rays that rounding decides, which are not compared.
    pub undecided: usize,
}

impl RayCounts {
    /// Asserts that enough rays were compared, with both hits and misses.
    #[track_caller]
    pub fn assert_representative(&self, what: &str) {
        let Self {
            hits,
            misses,
            undecided,
        } = self;
        assert!(*hits > 20 && *misses > 5, "{what}: {self:?}");
        assert!(2 * undecided < hits + misses, "{what}: {self:?}");
    }
}

/// The accepted errors of positions and of normals.
#[derive(Clone, Copy)]
pub struct Limits {
    pub position: f64,
    pub normal: f64,
}

/// Asserts that all rays hit the expected models, parts, triangles and, on rigid parts, bones of Alamo models.
#[track_caller]
pub fn compare(
    world: &mut World,
    caster: &RayCaster,
    triangles: &[Triangle],
    queries: Vec<RayQuery>,
    tolerance: f64,
    what: &str,
) -> RayCounts {
    let limits = Limits {
        position: tolerance,
        normal: 1e-3,
    };
    let mut owners = HashMap::<Entity, (Entity, Option<Entity>)>::default();
    for triangle in triangles {
        owners.entry(triangle.entity).or_insert_with(|| {
            let mut above = triangle.entity;
            let root = loop {
                above = world.get::<ChildOf>(above).unwrap().parent();
                if world.get::<AloInstance>(above).is_some() {
                    break above;
                }
            };
            let bones = world.get::<AloInstance>(root).unwrap().bones();
            let is_rigid = world.get::<SkinnedMesh>(triangle.entity).is_none();
            (root, is_rigid.then(|| bones[triangle.bone]))
        });
    }
    let check = |hit: &ModelRayHit, expected: &Intersection, context: &str| {
        let (root, bone) = owners[&expected.triangle.entity];
        let bone = bone.or(hit.bone);
        let found = (hit.root, hit.bone, hit.triangle as usize);
        assert_eq!(found, (root, bone, expected.triangle.index), "{context}");
    };
    caster.compare_with(world, triangles, queries, (limits, what), check)
}

impl Intersection<'_> {
    #[track_caller]
    fn assert_hit(&self, query: &RayQuery, hit: &ModelRayHit, limits: Limits, context: &str) {
        let tolerance = limits.position * self.stretch;
        let error = (f64::from(hit.distance) - self.distance).abs();
        assert!(error <= tolerance, "{context}: distance off by {error}");
        let direction = query.ray.direction.as_vec3().as_dvec3();
        let point = query.ray.origin.as_dvec3() + direction * self.distance;
        let error = hit.point.as_dvec3().distance(point);
        assert!(error <= tolerance, "{context}: point off by {error}");
        let is_backface = self.normal.dot(direction) > 0.0;
        let normal = match query.backfaces {
            Backfaces::Flip if is_backface => -self.normal,
            _ => self.normal,
        };
        assert!((hit.normal.length() - 1.0).abs() < 1e-5, "{context}");
        let error = hit.normal.as_dvec3().distance(normal);
        assert!(
            error < limits.normal,
            "{context}: expected the normal {normal}"
        );
        let barycentrics = self.barycentrics;
        let error = hit.barycentrics.as_dvec3().distance(barycentrics);
        // A point that is off by the tolerance changes them by it, in units of the smallest altitude of the triangle.
        let [a, b, c] = self.triangle.corners;
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let altitude = (b - a).cross(c - a).length() / longest;
        let limit = EDGE.max(tolerance / altitude);
        assert!(error < limit, "{context}: expected {barycentrics}");
    }
}

/// A generator of pseudorandom numbers with a fixed seed.
pub struct Random(pub u64);

impl Random {
    /// Marsaglia, "Xorshift RNGs" (2003).
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, least: f64, greatest: f64) -> f64 {
        least + (greatest - least) * self.unit()
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// A point in a cube around the origin.
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

    /// Rays that hit triangles, that miss them, that pass near their corners, and that start between them.
    pub fn rays(&mut self, triangles: &[Triangle], count: usize) -> Vec<Ray3d> {
        let (center, radius) = bounding_sphere(triangles);
        let mut ray = |index: usize| {
            let triangle = &triangles[self.below(triangles.len())];
            let [a, b, c] = triangle.corners;
            let (u, v) = (self.unit(), self.unit());
            let inside = a + (b - a) * u * v + (c - a) * u * (1.0 - v);
            let outside = center + self.direction() * radius * self.between(1.2, 3.0);
            let (from, to) = match index % 5 {
                0 | 1 => (outside, inside),
                2 => (outside, a + self.direction() * radius * 0.03),
                3 => (outside, center + self.direction() * radius),
                _ => (inside + self.direction() * radius * 0.4, inside),
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

/// The center and radius of a bounding sphere.
pub fn bounding_sphere(triangles: &[Triangle]) -> (DVec3, f64) {
    let corners = || triangles.iter().flat_map(|triangle| triangle.corners);
    let min = corners().fold(DVec3::INFINITY, DVec3::min);
    let max = corners().fold(DVec3::NEG_INFINITY, DVec3::max);
    ((min + max) / 2.0, (max - min).length() / 2.0)
}

/// A bumpy ball: rings around Z, from the bottom.
pub fn ball(radius: f32, center: [f32; 3]) -> (Vec<Vertex>, Vec<[u16; 3]>) {
    const RINGS: u16 = 6;
    const SIDES: u16 = 10;
    let mut vertices = Vec::new();
    for ring in 0..=RINGS {
        let height = (f32::from(ring) / f32::from(RINGS) - 0.5) * core::f32::consts::PI;
        for side in 0..=SIDES {
            let angle = f32::from(side) / f32::from(SIDES) * core::f32::consts::TAU;
            let out = Vec3::new(
                height.cos() * angle.cos(),
                height.cos() * angle.sin(),
                height.sin(),
            );
            let bump = 1.0 + 0.12 * (3.0 * angle).sin() * (2.0 * height).cos();
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
