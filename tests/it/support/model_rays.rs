//! Casts rays at spawned models of all formats, and compares the hits with a brute-force reference: every triangle in `f64`,
//! at positions that do not come from the code under test.

use super::abc_app::drawn_mesh;
use super::crowd::{crowd_vertices, member};
use super::rays::{EDGE, Intersection, Limits, RayCaster, RayQuery, Triangle};
use crate::support::prelude::*;
use bevy::platform::collections::HashMap;
use bevy_classic_models::quake::mdl;

/// The triangles of models in the world, and what hits on them must have.
#[derive(Default)]
pub struct Targets {
    pub triangles: Vec<Triangle>,
    details: HashMap<(Entity, usize), Detail>,
}

/// What a hit on a triangle must have.
struct Detail {
    root: Entity,
    /// The bones that move the triangle, and their weights at its corners.
    bones: Vec<(Entity, DVec3)>,
    uvs: [DVec2; 3],
}

impl Targets {
    fn add(&mut self, entity: Entity, index: usize, corners: [DVec3; 3], detail: Detail) {
        self.details.insert((entity, index), detail);
        self.triangles.push(Triangle {
            entity,
            mesh: 0,
            submesh: 0,
            bone: 0,
            index,
            corners,
        });
    }

    /// Adds the triangles of a spawned model. `bytes` is its file.
    pub fn add_model(&mut self, world: &World, root: Entity, bytes: &[u8]) {
        if member(world, root).is_some() {
            self.add_member(world, root);
        } else if world.get::<AloInstance>(root).is_some() {
            self.add_alo(world, root, bytes);
        } else if let Some(animator) = world.get::<MdlInstance>(root) {
            self.add_mdl(world, root, animator, bytes);
        } else if let Some(instance) = world.get::<AbcInstance>(root) {
            for mesh in instance.meshes() {
                self.add_abc(world, root, *mesh);
            }
        } else {
            let instance = world.get::<LgwInstance>(root).unwrap();
            for mesh in instance.meshes() {
                self.add_static(world, root, *mesh);
            }
        }
    }

    /// The visible triangles of a member of a crowd, as the shader poses them.
    fn add_member(&mut self, world: &World, root: Entity) {
        let vertices = crowd_vertices(world, root);
        let mut first = 0;
        for entity in member(world, root).unwrap().meshes {
            let mesh = mesh_of(world, entity);
            for (index, corners) in triangles_of(mesh).into_iter().enumerate() {
                let posed = corners.map(|corner| vertices[first + corner]);
                if !posed.iter().all(|(_, is_visible)| *is_visible) {
                    continue;
                }
                let detail = Detail {
                    root,
                    bones: Vec::new(),
                    uvs: corners.map(|corner| uv_of(mesh, corner)),
                };
                let corners = posed.map(|(position, _)| position.as_dvec3());
                self.add(entity, index, corners, detail);
            }
            first += mesh.count_vertices();
        }
    }

    fn add_alo(&mut self, world: &World, root: Entity, bytes: &[u8]) {
        let model = HitModel::new(bytes);
        let bones = world.get::<AloInstance>(root).unwrap().bones();
        for triangle in model.triangles(world, root, by_transforms) {
            let mut weights: HashMap<usize, DVec3> = HashMap::default();
            for (axis, corner) in DVec3::AXES.into_iter().enumerate() {
                for (bone, weight) in model.weights(&triangle, corner) {
                    weights.entry(bone).or_default()[axis] += weight;
                }
            }
            let weights = weights.into_iter();
            let detail = Detail {
                root,
                bones: weights.map(|(bone, at)| (bones[bone], at)).collect(),
                uvs: model.uvs(&triangle),
            };
            self.add(triangle.entity, triangle.index, triangle.corners, detail);
        }
    }

    /// The vertices of the blended poses, from the bytes of the file.
    fn add_mdl(&mut self, world: &World, root: Entity, animator: &MdlInstance, bytes: &[u8]) {
        let file = mdl::parse(bytes).unwrap();
        let entity = animator.mesh();
        let transform = by_transforms(world, entity);
        let stored = |pose: u32, vertex: usize| {
            let pose = &file.poses[pose as usize];
            let low = pose.low_vertices.get(vertex);
            let steps = |axis: usize| {
                let low = low.map_or(0.0, |low| f64::from(low.position[axis]));
                f64::from(pose.vertices[vertex].position[axis]) + low / 256.0
            };
            let position = |axis: usize| {
                let [scale, origin] = [file.header.scale[axis], file.header.origin[axis]];
                steps(axis) * f64::from(scale) + f64::from(origin)
            };
            DVec3::new(position(0), position(1), position(2))
        };
        let between = |pair: PosePair, vertex: usize| {
            let [a, b] = [pair.a, pair.b].map(|pose| stored(pose, vertex));
            a.lerp(b, f64::from(pair.towards_b))
        };
        let shown = animator.shown();
        let size = DVec2::new(
            f64::from(file.header.skin_width),
            f64::from(file.header.skin_height),
        );
        for (index, triangle) in file.triangles.iter().enumerate() {
            // Front faces are clockwise in the file.
            let [a, b, c] = triangle.vertices.map(|index| index.get() as usize);
            let vertices = [a, c, b];
            let corners = vertices.map(|vertex| {
                let to = between(shown.to, vertex);
                let from = between(shown.from, vertex);
                transform.transform_point3(to.lerp(from, f64::from(shown.from_weight)))
            });
            let uvs = vertices.map(|vertex| {
                let st = &file.st_vertices[vertex];
                let is_back = triangle.faces_front.get() == 0 && st.on_seam.get() != 0;
                let shift = if is_back { size.x / 2.0 } else { 0.0 };
                let texel = DVec2::new(f64::from(st.s.get()) + shift, f64::from(st.t.get()));
                (texel + 0.5) / size
            });
            let detail = Detail {
                root,
                bones: Vec::new(),
                uvs,
            };
            self.add(entity, index, corners, detail);
        }
    }

    fn add_abc(&mut self, world: &World, root: Entity, entity: Entity) {
        let instance = world.get::<AbcInstance>(root).unwrap();
        let mesh = mesh_of(world, entity);
        let node = world.get::<AbcMesh>(entity).unwrap().node;
        let joints = mesh.attribute(Mesh::ATTRIBUTE_JOINT_INDEX);
        let node = |vertex: usize| match (node, joints) {
            (Some(node), _) => node,
            (None, Some(VertexAttributeValues::Uint16x4(joints))) => {
                instance.model().joints[usize::from(joints[vertex][0])]
            }
            _ => panic!("a mesh without joints and node"),
        };
        let triangles = drawn_mesh(world, entity).into_iter();
        for (index, (corners, vertices)) in triangles.zip(triangles_of(mesh)).enumerate() {
            let bones = vertices.into_iter().zip(DVec3::AXES);
            let detail = Detail {
                root,
                bones: bones
                    .map(|(vertex, at)| (instance.nodes()[node(vertex)], at))
                    .collect(),
                uvs: vertices.map(|vertex| uv_of(mesh, vertex)),
            };
            self.add(
                entity,
                index,
                corners.map(|corner| corner.as_dvec3()),
                detail,
            );
        }
    }

    fn add_static(&mut self, world: &World, root: Entity, entity: Entity) {
        if world.get::<Mesh3d>(entity).is_none() {
            return;
        }
        let mesh = mesh_of(world, entity);
        let positions = mesh.attribute(Mesh::ATTRIBUTE_POSITION).unwrap();
        let positions = positions.as_float3().unwrap();
        let transform = by_transforms(world, entity);
        for (index, vertices) in triangles_of(mesh).into_iter().enumerate() {
            let corners = vertices.map(|vertex| {
                let position = DVec3::from_array(positions[vertex].map(f64::from));
                transform.transform_point3(position)
            });
            let detail = Detail {
                root,
                bones: Vec::new(),
                uvs: vertices.map(|vertex| uv_of(mesh, vertex)),
            };
            self.add(entity, index, corners, detail);
        }
    }
}

fn mesh_of(world: &World, entity: Entity) -> &Mesh {
    let handle = world.get::<Mesh3d>(entity).unwrap();
    world.resource::<Assets<Mesh>>().get(&handle.0).unwrap()
}

fn triangles_of(mesh: &Mesh) -> Vec<[usize; 3]> {
    let indices: Vec<usize> = match mesh.indices().unwrap() {
        Indices::U16(indices) => indices.iter().map(|index| (*index).into()).collect(),
        Indices::U32(indices) => indices.iter().map(|index| *index as usize).collect(),
    };
    indices.as_chunks().0.to_vec()
}

fn uv_of(mesh: &Mesh, vertex: usize) -> DVec2 {
    match mesh.attribute(Mesh::ATTRIBUTE_UV_0) {
        Some(VertexAttributeValues::Float32x2(uvs)) => {
            DVec2::from_array(uvs[vertex].map(f64::from))
        }
        _ => panic!("no texture coordinates"),
    }
}

impl RayCaster {
    /// Asserts that all rays have the expected hits. `tolerance` is the accepted error of positions.
    #[track_caller]
    pub fn compare(
        &self,
        world: &mut World,
        targets: &Targets,
        queries: Vec<RayQuery>,
        tolerance: f64,
        what: &str,
    ) -> RayCounts {
        let check = |hit: &ModelRayHit, expected: &Intersection, context: &str| {
            let triangle = expected.triangle;
            let detail = &targets.details[&(triangle.entity, triangle.index)];
            let found = (hit.root, hit.triangle as usize);
            assert_eq!(found, (detail.root, triangle.index), "{context}");
            detail.assert_matches(hit, expected.barycentrics, context);
        };
        let limits = Limits {
            position: tolerance,
            normal: 2e-3,
        };
        self.compare_with(world, &targets.triangles, queries, (limits, what), check)
    }
}

impl Detail {
    #[track_caller]
    fn assert_matches(&self, hit: &ModelRayHit, barycentrics: DVec3, context: &str) {
        let weight = |bone: Entity| -> f64 {
            let own = self.bones.iter().filter(|(other, _)| *other == bone);
            own.map(|(_, at)| at.dot(barycentrics)).sum()
        };
        match hit.bone {
            None => assert!(self.bones.is_empty(), "{context}: no bone"),
            Some(bone) => {
                let greatest = self.bones.iter().map(|(bone, _)| weight(*bone));
                let greatest = greatest.fold(0.0, f64::max);
                assert!(weight(bone) > greatest - 0.01, "{context}: bone {bone}");
            }
        }
        let [a, b, c] = self.uvs;
        let uv = a * barycentrics.x + b * barycentrics.y + c * barycentrics.z;
        let largest = a.abs().max(b.abs()).max(c.abs()).max_element().max(1.0);
        let found = hit.uv.unwrap().as_dvec2();
        let error = found.distance(uv);
        assert!(error < 4.0 * EDGE * largest, "{context}: expected {uv}");
    }
}
