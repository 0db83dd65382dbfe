//! Members of crowds of any format, and their vertices as the shader computes them.

use crate::support::prelude::*;
use bevy_classic_models::crowd::CrowdSkinning;
use bevy_classic_models::gpu::{PoseBlend, PosePair};
use bevy_classic_models::lithtech::AbcCrowd;

/// The state of a member of any format.
#[derive(Clone, Debug)]
pub struct Member {
    pub scene: Entity,
    pub meshes: Vec<Entity>,
    pub row: u32,
    pub is_baking: bool,
}

/// The member at a root.
pub fn member(world: &World, root: Entity) -> Option<Member> {
    let alo = world.get::<AloCrowd>(root).map(|member| Member {
        scene: member.scene(),
        meshes: member.meshes().to_vec(),
        row: member.row(),
        is_baking: member.is_baking(),
    });
    alo.or_else(|| {
        world.get::<AbcCrowd>(root).map(|member| Member {
            scene: member.scene(),
            meshes: member.meshes().to_vec(),
            row: member.row(),
            is_baking: member.is_baking(),
        })
    })
}

pub fn is_baking(world: &World, root: Entity) -> bool {
    member(world, root).is_some_and(|member| member.is_baking)
}

/// The pose of a member.
pub fn pose(world: &World, root: Entity) -> PoseBlend {
    let row = member(world, root).unwrap().row;
    match world.get::<AloCrowd>(root) {
        Some(_) => world.resource::<AloPoseTable>().get(row),
        None => world.resource::<AbcCrowdPoseTable>().get(row),
    }
}

/// The pose of a member in the previous frame.
pub fn previous_pose(world: &World, root: Entity) -> PoseBlend {
    let row = member(world, root).unwrap().row;
    match world.get::<AloCrowd>(root) {
        Some(_) => world.resource::<AloPoseTable>().previous(row),
        None => world.resource::<AbcCrowdPoseTable>().previous(row),
    }
}

/// The skinning of a member's mesh.
fn skinning(world: &World, mesh: Entity) -> &CrowdSkinning {
    let alo = world.get::<MeshMaterial3d<AloCrowdMaterial>>(mesh);
    if let Some(alo) = alo {
        let materials = world.resource::<Assets<AloCrowdMaterial>>();
        return &materials.get(&alo.0).unwrap().extension;
    }
    let abc = world.get::<MeshMaterial3d<AbcCrowdMaterial>>(mesh).unwrap();
    let materials = world.resource::<Assets<AbcCrowdMaterial>>();
    &materials.get(&abc.0).unwrap().extension
}

/// The texels of the baked clips of a material.
struct Poses<'w>(&'w Image);

impl Poses<'_> {
    fn texel(&self, index: u32) -> Vec4 {
        let data = self.0.data.as_ref().unwrap();
        let (values, _) = data.as_chunks::<4>();
        let first = index as usize * 4;
        Vec4::from_array([0, 1, 2, 3].map(|channel| f32::from_le_bytes(values[first + channel])))
    }

    /// A texel in a pair of poses.
    fn between(&self, pair: PosePair, offset: u32) -> Vec4 {
        let [a, b] = [pair.a, pair.b].map(|pose| self.texel(pose + offset));
        a.lerp(b, pair.towards_b)
    }

    fn is_visible(&self, pose: u32, bit: u32) -> bool {
        let texel = self.texel(pose + bit / 64);
        let channel = texel[(bit as usize % 64) / 16] as u32;
        channel >> (bit % 16) & 1 != 0
    }

    fn vertex(&self, blend: PoseBlend, joints: [u16; 4], weights: [f32; 4], point: Vec3) -> Vec3 {
        let mut sum = Vec3::ZERO;
        let pairs = [
            (blend.to, 1.0 - blend.from_weight),
            (blend.from, blend.from_weight),
        ];
        for (pair, pair_weight) in pairs {
            if weights[0] < 0.0 {
                // A deformed vertex.
                sum += self.between(pair, deformed_offset(joints)).truncate() * pair_weight;
                continue;
            }
            for (joint, weight) in joints.into_iter().zip(weights) {
                if weight * pair_weight > 0.0 {
                    let rows = [0, 1, 2].map(|row| self.between(pair, u32::from(joint) + row));
                    let moved = rows.map(|row| row.dot(point.extend(1.0)));
                    sum += Vec3::from_array(moved) * weight * pair_weight;
                }
            }
        }
        sum
    }
}

/// The vertices of a member of a crowd, computed as in the shader.
pub fn crowd_vertices(world: &World, root: Entity) -> Vec<PosedVertex> {
    let blend = pose(world, root);
    vertices_in(world, root, blend)
}

/// The vertices of a member of a crowd in a pose.
fn vertices_in(world: &World, root: Entity, blend: PoseBlend) -> Vec<PosedVertex> {
    let member = member(world, root).unwrap();
    let mut vertices = Vec::new();
    for entity in member.meshes {
        let tag = world.get::<MeshTag>(entity).unwrap();
        assert_eq!(tag.0, member.row);
        let transform = world.get::<GlobalTransform>(entity).unwrap();
        let meshes = world.resource::<Assets<Mesh>>();
        let mesh = meshes.get(&world.get::<Mesh3d>(entity).unwrap().0).unwrap();
        let images = world.resource::<Assets<Image>>();
        let poses = Poses(images.get(&skinning(world, entity).poses).unwrap());
        let (
            VertexAttributeValues::Uint16x4(joints),
            VertexAttributeValues::Float32x4(weights),
            VertexAttributeValues::Uint32(bits),
            VertexAttributeValues::Float32x3(positions),
        ) = (
            attribute(mesh, "CrowdJoints"),
            attribute(mesh, "CrowdWeights"),
            attribute(mesh, "CrowdVisibility"),
            attribute(mesh, "Vertex_Position"),
        )
        else {
            panic!("other formats of attributes");
        };
        for index in 0..positions.len() {
            let point = Vec3::from_array(positions[index]);
            let posed = poses.vertex(blend, joints[index], weights[index], point);
            let shown = poses.is_visible(blend.to.a, bits[index]);
            let from_shown = poses.is_visible(blend.from.a, bits[index]);
            let weight = blend.from_weight;
            let is_visible = match weight > 0.0 {
                true => (shown && weight <= 0.5) || (from_shown && weight >= 0.5),
                false => shown,
            };
            vertices.push((transform.transform_point(posed), is_visible));
        }
    }
    vertices
}

/// The normals of the deformed vertices that a member shows, in the world, each with the offset of its texel in a pose. In
/// the order of the offsets. The pose must be a single one.
pub fn deformed_normals(world: &World, root: Entity) -> Vec<(u32, Vec3)> {
    let pose = pose(world, root);
    assert_eq!((pose.to.towards_b, pose.from_weight), (0.0, 0.0));
    let mut normals = BTreeMap::new();
    for entity in member(world, root).unwrap().meshes {
        let meshes = world.resource::<Assets<Mesh>>();
        let mesh = meshes.get(&world.get::<Mesh3d>(entity).unwrap().0).unwrap();
        let images = world.resource::<Assets<Image>>();
        let poses = Poses(images.get(&skinning(world, entity).poses).unwrap());
        let transform = world.get::<GlobalTransform>(entity).unwrap().affine();
        let (VertexAttributeValues::Uint16x4(joints), VertexAttributeValues::Float32x4(weights)) = (
            attribute(mesh, "CrowdJoints"),
            attribute(mesh, "CrowdWeights"),
        ) else {
            panic!("other formats of attributes");
        };
        for (joints, _) in joints.iter().zip(weights).filter(|(_, it)| it[0] < 0.0) {
            let offset = deformed_offset(*joints);
            let normal = decode_normal(poses.texel(pose.to.a + offset).w);
            normals.insert(offset, world_normal(transform, normal));
        }
    }
    normals.into_iter().collect()
}

/// Transforms a normal to the world.
pub fn world_normal(to_world: Affine3A, normal: Vec3) -> Vec3 {
    let normals = to_world.matrix3.inverse().transpose();
    (normals * normal).normalize()
}

/// Decodes a normal as the shader does.
fn decode_normal(encoded: f32) -> Vec3 {
    let number = encoded as u32;
    let [x, y] = [number >> 12, number & 4095].map(|coordinate| coordinate as f32 / 2047.5 - 1.0);
    let z = 1.0 - x.abs() - y.abs();
    let fold = (-z).max(0.0);
    let folded = |value: f32| value - fold.copysign(value);
    Vec3::new(folded(x), folded(y), z).normalize()
}

/// The offset of a deformed vertex's texel in a pose.
fn deformed_offset(joints: [u16; 4]) -> u32 {
    u32::from(joints[0]) | u32::from(joints[1]) << 16
}

fn attribute<'a>(mesh: &'a Mesh, name: &str) -> &'a VertexAttributeValues {
    let mut attributes = mesh.attributes();
    let found = attributes.find(|(attribute, _)| attribute.name == name);
    found.unwrap().1
}
