//! Vertices taken apart into the arrays of a mesh, repaired where they would break how it is drawn.

use crate::alamo::alo::{
    MAX_PALETTE, Submesh, VertexHead, VertexRecord, VertexTail, Vertices, floats,
};
#[cfg(feature = "collision")]
use crate::alamo::raycast::ColliderSkin;
use crate::scene::replace_missing;
use bevy::asset::RenderAssetUsages;
use bevy::color::{Color, ColorToComponents};
#[cfg(feature = "collision")]
use bevy::math::Mat4;
use bevy::math::bounding::Aabb3d;
use bevy::math::{Vec3, Vec3A};
use bevy::mesh::skinning::{JointAabb, JointIndex, SkinnedMeshBounds};
use bevy::mesh::{Indices, Mesh, MeshVertexAttribute, PrimitiveTopology, VertexAttributeValues};
use zerocopy::little_endian::{F32, U16};

/// Vertices are taken this many at a time: few enough to stay in the nearest cache while each
/// attribute is taken from them, and looked at.
const BLOCK: usize = 64;

/// Squares of lengths below this are no direction.
const NO_LENGTH: f32 = 1e-12;

/// The attributes of a sub-mesh, one array each.
pub(super) struct Attributes {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    /// Empty unless something is in them.
    uvs1: Vec<[f32; 2]>,
    /// Empty unless the format has them.
    tangents: Vec<[f32; 4]>,
    /// Empty unless the format has them.
    colors: Vec<[f32; 4]>,
    /// Empty unless the sub-mesh is skinned.
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    bounds: [[f32; 3]; 2],
    /// How many joints of each vertex weigh anything.
    influences: usize,
    has_wrong_numbers: bool,
    has_wrong_normals: bool,
}

/// What a sub-mesh has besides positions, normals and texture coordinates.
#[derive(Clone, Copy)]
struct Extras {
    tangents: bool,
    colors: bool,
    /// Number of bones that it may follow; 0 if it is not skinned.
    palette: usize,
    weighted: bool,
}

impl Attributes {
    pub(super) fn take(submesh: &Submesh<'_>) -> Self {
        let format = submesh.vertex_format.to_ascii_uppercase();
        let extras = Extras {
            tangents: format.contains("U3U3"),
            colors: format.ends_with('C'),
            palette: submesh.palette.len(),
            weighted: submesh.is_weighted(),
        };
        let mut taken = match submesh.vertices {
            Vertices::V1(vertices) => Self::take_all(vertices, extras),
            Vertices::V2(vertices) => Self::take_all(vertices, extras),
        };
        taken.repair(submesh.indices);
        taken
    }

    fn take_all<T: VertexRecord>(vertices: &[T], extras: Extras) -> Self {
        let count = vertices.len();
        let room = |wanted: bool| if wanted { count } else { 0 };
        let skinned = extras.palette > 0;
        let one_bone = skinned && !extras.weighted;
        let mut taken = Self {
            positions: Vec::with_capacity(count),
            normals: Vec::with_capacity(count),
            uvs: Vec::with_capacity(count),
            uvs1: Vec::new(),
            tangents: Vec::with_capacity(room(extras.tangents)),
            colors: Vec::with_capacity(room(extras.colors)),
            joints: Vec::with_capacity(room(skinned)),
            weights: if one_bone {
                vec![[1.0, 0.0, 0.0, 0.0]; count]
            } else {
                Vec::with_capacity(room(skinned))
            },
            bounds: [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]],
            influences: if extras.weighted { 4 } else { 1 },
            has_wrong_numbers: false,
            has_wrong_normals: false,
        };
        for block in vertices.chunks(BLOCK) {
            taken.take_block(block, extras, count);
        }
        taken
    }

    fn take_block<T: VertexRecord>(&mut self, block: &[T], extras: Extras, count: usize) {
        let heads = || block.iter().map(VertexRecord::head);
        let begin = self.positions.len();
        self.positions
            .extend(heads().map(|head| floats(head.position)));
        self.normals.extend(heads().map(|head| floats(head.normal)));
        self.uvs
            .extend(heads().map(|head| floats(head.tex_coords[0])));
        if extras.tangents {
            self.tangents.extend(heads().map(tangent));
        }
        if extras.colors {
            self.colors.extend(heads().map(color));
        }
        let palette = extras.palette;
        if palette > 0 && extras.weighted {
            for (joints, weights) in block.iter().map(|vertex| skin(vertex.tail(), palette)) {
                self.joints.push(joints);
                self.weights.push(weights);
            }
        } else if palette > 0 {
            let joint = |vertex: &T| [vertex.tail().bone_indices[0].get() as u16, 0, 0, 0];
            self.joints.extend(block.iter().map(joint));
        }
        let used = |used: bool, head: &VertexHead| used | (head.tex_coords[1] != [F32::ZERO; 2]);
        if !self.uvs1.is_empty() || heads().fold(false, used) {
            self.uvs1.reserve_exact(count - self.uvs1.len());
            self.uvs1.resize(begin, [0.0; 2]);
            self.uvs1
                .extend(heads().map(|head| floats(head.tex_coords[1])));
        }
        self.look_at(begin);
    }

    /// Takes down what can be told of a block while it is near.
    fn look_at(&mut self, begin: usize) {
        let wrong = has_wrong_numbers(&self.positions, begin)
            | has_wrong_numbers(&self.normals, begin)
            | has_wrong_numbers(&self.uvs, begin)
            | has_wrong_numbers(&self.uvs1, begin)
            | has_wrong_numbers(&self.tangents, begin)
            | has_wrong_numbers(&self.colors, begin);
        self.has_wrong_numbers |= wrong;
        let normals = self.normals.get(begin..).unwrap_or_default();
        let wrong = |wrong: bool, normal: &[f32; 3]| wrong | has_no_length(normal);
        self.has_wrong_normals |= normals.iter().fold(false, wrong);
        let positions = self.positions.get(begin..).unwrap_or_default();
        self.bounds = positions.iter().fold(self.bounds, around);
    }

    /// Whether all numbers that were taken are.
    pub(super) fn all_finite(&self) -> bool {
        !self.has_wrong_numbers
    }

    /// The box around all positions; a point if there are none.
    pub(super) fn bounds(&self) -> Aabb3d {
        let [min, max] = if self.positions.is_empty() {
            [Vec3A::ZERO; 2]
        } else {
            self.bounds.map(Vec3A::from_array)
        };
        Aabb3d { min, max }
    }

    /// The positions, all of them finite.
    #[cfg(feature = "collision")]
    pub(super) fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    /// How the vertices follow the bones; `None` if they do not.
    #[cfg(feature = "collision")]
    pub(super) fn skin(&self, inverse_bindposes: &[Mat4]) -> Option<ColliderSkin> {
        let skin = || {
            let Self {
                positions,
                joints,
                weights,
                ..
            } = self;
            ColliderSkin::new(positions, joints, weights, inverse_bindposes)
        };
        (!self.joints.is_empty()).then(skin)
    }

    fn repair(&mut self, indices: &[U16]) {
        if self.has_wrong_numbers {
            make_finite(&mut self.positions);
            make_finite(&mut self.normals);
            make_finite(&mut self.uvs);
            make_finite(&mut self.uvs1);
            make_finite(&mut self.tangents);
            make_finite(&mut self.colors);
            let nothing = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
            self.bounds = self.positions.iter().fold(nothing, around);
        }
        if self.has_wrong_numbers || self.has_wrong_normals {
            self.repair_normals(indices);
            self.repair_tangents();
        }
    }

    /// Gives vertices without a normal the mean of those of the triangles around them.
    fn repair_normals(&mut self, indices: &[U16]) {
        let (triangles, _) = indices.as_chunks::<3>();
        let triangles = triangles
            .iter()
            .map(|triangle| triangle.map(|index| usize::from(index.get())));
        replace_missing(
            &mut self.normals,
            has_no_length,
            &self.positions,
            triangles,
            Vec3::Z,
        );
    }

    /// Tangents that were right with the normals of the file may not be with others.
    fn repair_tangents(&mut self) {
        for (tangent, normal) in self.tangents.iter_mut().zip(&self.normals) {
            let [x, y, z, w] = *tangent;
            let normal = Vec3::from_array(*normal);
            let across = normal.cross(Vec3::new(x, y, z));
            if across.length_squared() < NO_LENGTH {
                *tangent = any_tangent(normal).extend(w).to_array();
            }
        }
    }

    /// The mesh; none without triangles.
    pub(super) fn mesh(self, submesh: &Submesh<'_>, usage: RenderAssetUsages) -> Option<Mesh> {
        if self.positions.is_empty() || submesh.indices.is_empty() {
            return None;
        }
        let indices = submesh.indices.iter().map(|index| index.get()).collect();
        let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, usage);
        mesh.insert_indices(Indices::U16(indices));
        if !self.joints.is_empty() {
            mesh.set_skinned_mesh_bounds(Some(self.skinned_bounds()));
        }
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, self.positions);
        mesh.insert_attribute(Mesh::ATTRIBUTE_NORMAL, self.normals);
        mesh.insert_attribute(Mesh::ATTRIBUTE_UV_0, self.uvs);
        insert(&mut mesh, Mesh::ATTRIBUTE_UV_1, self.uvs1);
        insert(&mut mesh, Mesh::ATTRIBUTE_TANGENT, self.tangents);
        insert(&mut mesh, Mesh::ATTRIBUTE_COLOR, self.colors);
        if !self.joints.is_empty() {
            let joints = VertexAttributeValues::Uint16x4(self.joints);
            mesh.insert_attribute(Mesh::ATTRIBUTE_JOINT_INDEX, joints);
            mesh.insert_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, self.weights);
        }
        Some(mesh)
    }

    /// The box around what follows each joint, as Bevy would find it out, in less time.
    fn skinned_bounds(&self) -> SkinnedMeshBounds {
        let nothing = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        let mut boxes = [nothing; MAX_PALETTE];
        let influences = self.joints.iter().zip(&self.weights);
        for ((joints, weights), position) in influences.zip(&self.positions) {
            let influences = joints.iter().zip(weights).take(self.influences);
            for (joint, weight) in influences {
                if *weight > 0.0
                    && let Some(bounds) = boxes.get_mut(usize::from(*joint))
                {
                    *bounds = around(*bounds, position);
                }
            }
        }
        let mut bounds = SkinnedMeshBounds::default();
        for (joint, [min, max]) in (0..).zip(boxes) {
            if min[0] <= max[0] {
                let [min, max] = [min, max].map(Vec3::from_array);
                bounds.aabbs.push(JointAabb {
                    center: (min + max) / 2.0,
                    half_size: (max - min) / 2.0,
                });
                bounds.aabb_index_to_joint_index.push(JointIndex(joint));
            }
        }
        bounds
    }
}

fn insert<T>(mesh: &mut Mesh, attribute: MeshVertexAttribute, values: Vec<T>)
where
    Vec<T>: Into<VertexAttributeValues>,
{
    if !values.is_empty() {
        mesh.insert_attribute(attribute, values);
    }
}

/// A box, and a point that it is to hold.
fn around([mut min, mut max]: [[f32; 3]; 2], position: &[f32; 3]) -> [[f32; 3]; 2] {
    for axis in 0..3 {
        min[axis] = if position[axis] < min[axis] {
            position[axis]
        } else {
            min[axis]
        };
        max[axis] = if position[axis] > max[axis] {
            position[axis]
        } else {
            max[axis]
        };
    }
    [min, max]
}

/// Whether any number from a place on is not finite. Bits and no branch, since there may be millions.
fn has_wrong_numbers<const N: usize>(values: &[[f32; N]], begin: usize) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    let values = values.get(begin..).unwrap_or_default().as_flattened();
    values.iter().fold(false, |wrong, value| {
        wrong | (value.to_bits() & EXPONENT == EXPONENT)
    })
}

fn has_no_length([x, y, z]: &[f32; 3]) -> bool {
    x * x + y * y + z * z < NO_LENGTH
}

fn make_finite<const N: usize>(values: &mut [[f32; N]]) {
    let values = values.as_flattened_mut().iter_mut();
    for value in values.filter(|value| !value.is_finite()) {
        *value = 0.0;
    }
}

/// The colour, of the screen in the file and linear in Bevy; its alpha is a number already.
fn color(head: &VertexHead) -> [f32; 4] {
    let [r, g, b, a] = floats(head.color);
    // White is what most are.
    if [r, g, b] == [1.0; 3] {
        return [r, g, b, a];
    }
    Color::srgba(r, g, b, a).to_linear().to_f32_array()
}

/// The tangent, with the handedness of the stored binormal. One without length, or along the normal,
/// would make what is lit by it vanish: any other is better.
fn tangent(head: &VertexHead) -> [f32; 4] {
    let normal = Vec3::from_array(floats(head.normal));
    let tangent = Vec3::from_array(floats(head.tangent));
    let binormal = Vec3::from_array(floats(head.binormal));
    let across = normal.cross(tangent);
    let handedness = if across.dot(binormal) < 0.0 {
        -1.0
    } else {
        1.0
    };
    if across.length_squared() < NO_LENGTH {
        return any_tangent(normal).extend(handedness).to_array();
    }
    tangent.extend(handedness).to_array()
}

fn any_tangent(normal: Vec3) -> Vec3 {
    normal
        .try_normalize()
        .unwrap_or(Vec3::Z)
        .any_orthonormal_vector()
}

/// Joints and weights of up to four bones, whose weights are made to add up to 1.
fn skin(tail: &VertexTail, palette: usize) -> ([u16; 4], [f32; 4]) {
    // The parser has checked those that weigh something.
    let in_palette = |index: u32| {
        if (index as usize) < palette {
            index as u16
        } else {
            0
        }
    };
    let indices = tail.bone_indices.map(|index| in_palette(index.get()));
    let weights = floats(tail.bone_weights).map(|weight| if weight > 0.0 { weight } else { 0.0 });
    let sum: f32 = weights.iter().sum();
    if sum.is_finite() && sum > 0.0 {
        return (indices, weights.map(|weight| weight / sum));
    }
    ([indices[0], 0, 0, 0], [1.0, 0.0, 0.0, 0.0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::little_endian::U32;

    #[test]
    fn weights_add_up_to_one_or_are_those_of_one_bone() {
        let tail = |weights: [f32; 4]| VertexTail {
            bone_indices: [1, 2, 99, 0].map(U32::new),
            bone_weights: weights.map(F32::new),
        };
        let (joints, weights) = skin(&tail([3.0, 1.0, 0.0, 0.0]), 3);
        assert_eq!((joints, weights), ([1, 2, 0, 0], [0.75, 0.25, 0.0, 0.0]));
        for weights in [[0.0; 4], [f32::NAN; 4], [-1.0, 0.0, 0.0, 0.0]] {
            assert_eq!(
                skin(&tail(weights), 3),
                ([1, 0, 0, 0], [1.0, 0.0, 0.0, 0.0])
            );
        }
    }
}
