//! Converts vertices to the attribute arrays of a mesh, and repairs values that would break rendering.

use crate::formats::alamo::raycast::collider::ColliderSkin;
use crate::geometry::vertices::{NO_POINTS, expanded, replace_missing, skinned_bounds};
use bevy::asset::RenderAssetUsages;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::skinning::SkinnedMeshBounds;
use bevy::mesh::{Indices, MeshVertexAttribute, PrimitiveTopology, VertexAttributeValues};
use bevy::prelude::*;
use classic_model_formats::alo::{
    MAX_PALETTE, Submesh, VertexHead, VertexRecord, VertexTail, Vertices, floats,
};
use zerocopy::little_endian::{F32, U16};

/// The count of vertices that are read at a time. A block stays in the L1 cache while each attribute is read and
/// checked.
const BLOCK: usize = 64;

/// A vector whose squared length is below this has no usable direction.
const MIN_LENGTH_SQUARED: f32 = 1e-12;

/// The attributes of a sub-mesh, one array each.
pub(crate) struct Attributes {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    /// Empty if all are zero.
    uvs1: Vec<[f32; 2]>,
    /// Empty unless the format has them.
    tangents: Vec<[f32; 4]>,
    /// Empty unless the format has them.
    colors: Vec<[f32; 4]>,
    /// Empty unless the sub-mesh is skinned.
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    bounds: [[f32; 3]; 2],
    /// The count of joints per vertex that can have a weight.
    influences: usize,
    /// Whether any value in the file was not finite.
    has_non_finite: bool,
    /// Whether any normal in the file had no usable length.
    has_zero_normals: bool,
}

/// The optional attributes of a sub-mesh. Positions, normals and texture coordinates always exist.
#[derive(Clone, Copy)]
struct Layout {
    tangents: bool,
    colors: bool,
    /// The count of bones in its palette; 0 if it is not skinned.
    palette: usize,
    /// Whether vertices have weights for several bones. Otherwise each vertex has one bone.
    weighted: bool,
}

impl Attributes {
    /// Reads and repairs the vertices of a sub-mesh.
    pub(crate) fn read(submesh: &Submesh<'_>) -> Self {
        let format = submesh.vertex_format.to_ascii_uppercase();
        let layout = Layout {
            tangents: format.contains("U3U3"),
            colors: format.ends_with('C'),
            palette: submesh.palette.len(),
            weighted: submesh.is_weighted(),
        };
        let mut attributes = match submesh.vertices {
            Vertices::V1(vertices) => Self::read_all(vertices, layout),
            Vertices::V2(vertices) => Self::read_all(vertices, layout),
        };
        attributes.repair(submesh.indices);
        attributes
    }

    fn read_all<T: VertexRecord>(vertices: &[T], layout: Layout) -> Self {
        let count = vertices.len();
        let capacity = |is_used: bool| if is_used { count } else { 0 };
        let skinned = layout.palette > 0;
        let one_bone = skinned && !layout.weighted;
        let mut attributes = Self {
            positions: Vec::with_capacity(count),
            normals: Vec::with_capacity(count),
            uvs: Vec::with_capacity(count),
            uvs1: Vec::new(),
            tangents: Vec::with_capacity(capacity(layout.tangents)),
            colors: Vec::with_capacity(capacity(layout.colors)),
            joints: Vec::with_capacity(capacity(skinned)),
            weights: if one_bone {
                vec![[1.0, 0.0, 0.0, 0.0]; count]
            } else {
                Vec::with_capacity(capacity(skinned))
            },
            bounds: NO_POINTS,
            influences: if layout.weighted { 4 } else { 1 },
            has_non_finite: false,
            has_zero_normals: false,
        };
        for block in vertices.chunks(BLOCK) {
            attributes.read_block(block, layout, count);
        }
        attributes
    }

    fn read_block<T: VertexRecord>(&mut self, block: &[T], layout: Layout, count: usize) {
        let heads = || block.iter().map(VertexRecord::head);
        let begin = self.positions.len();
        self.positions
            .extend(heads().map(|head| floats(head.position)));
        self.normals.extend(heads().map(|head| floats(head.normal)));
        self.uvs
            .extend(heads().map(|head| floats(head.tex_coords[0])));
        if layout.tangents {
            self.tangents.extend(heads().map(tangent));
        }
        if layout.colors {
            self.colors.extend(heads().map(color));
        }
        let palette = layout.palette;
        if palette > 0 && layout.weighted {
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
        self.inspect_block(begin);
    }

    /// Updates the bounds, and checks the values of a block while it is in the cache.
    fn inspect_block(&mut self, begin: usize) {
        let has_non_finite = has_non_finite(&self.positions, begin)
            | has_non_finite(&self.normals, begin)
            | has_non_finite(&self.uvs, begin)
            | has_non_finite(&self.uvs1, begin)
            | has_non_finite(&self.tangents, begin)
            | has_non_finite(&self.colors, begin);
        self.has_non_finite |= has_non_finite;
        let normals = self.normals.get(begin..).unwrap_or_default();
        let any_zero = |any: bool, normal: &[f32; 3]| any | is_zero_length(normal);
        self.has_zero_normals |= normals.iter().fold(false, any_zero);
        let positions = self.positions.get(begin..).unwrap_or_default();
        self.bounds = positions.iter().fold(self.bounds, expanded);
    }

    /// Whether all values in the file were finite.
    pub(crate) fn all_finite(&self) -> bool {
        !self.has_non_finite
    }

    /// The bounding box of all positions; a point at the origin if there are none.
    pub(crate) fn bounds(&self) -> Aabb3d {
        let [min, max] = if self.positions.is_empty() {
            [Vec3A::ZERO; 2]
        } else {
            self.bounds.map(Vec3A::from_array)
        };
        Aabb3d { min, max }
    }

    /// The positions, all of them finite.
    pub(crate) fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    /// The skinning of the vertices for collision queries; `None` if they are not skinned.
    pub(crate) fn skin(&self, inverse_bindposes: &[Mat4]) -> Option<ColliderSkin> {
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

    /// Adds what the shader of grass needs: as second texture coordinates the X and Y of the center of each vertex's clump,
    /// and vertex colors. A clump is connected by triangles. The games' shader says that clumps have these centers. The
    /// game computes them itself, so those in files are not used.
    pub(crate) fn add_clumps(&mut self, indices: &[U16]) {
        let count = self.positions.len();
        let mut parents: Vec<u32> = (0..count as u32).collect();
        let (triangles, _) = indices.as_chunks::<3>();
        for triangle in triangles {
            let [a, b, c] = triangle.map(|index| root(&mut parents, index.get().into()));
            for other in [b, c] {
                if let Some(parent) = parents.get_mut(other as usize) {
                    *parent = a;
                }
            }
        }
        let mut boxes = vec![NO_POINTS; count];
        for (vertex, position) in self.positions.iter().enumerate() {
            let root = root(&mut parents, vertex as u32);
            if let Some(bounds) = boxes.get_mut(root as usize) {
                *bounds = expanded(*bounds, position);
            }
        }
        let center = |vertex: usize| {
            let root = root(&mut parents, vertex as u32);
            let bounds = boxes.get(root as usize);
            bounds.map_or([0.0; 2], |[min, max]| {
                [0.5 * (min[0] + max[0]), 0.5 * (min[1] + max[1])]
            })
        };
        self.uvs1 = (0..count).map(center).collect();
        if self.colors.is_empty() {
            self.colors = vec![[1.0; 4]; count];
        }
    }

    fn repair(&mut self, indices: &[U16]) {
        if self.has_non_finite {
            make_finite(&mut self.positions);
            make_finite(&mut self.normals);
            make_finite(&mut self.uvs);
            make_finite(&mut self.uvs1);
            make_finite(&mut self.tangents);
            make_finite(&mut self.colors);
            self.bounds = self.positions.iter().fold(NO_POINTS, expanded);
        }
        if self.has_non_finite || self.has_zero_normals {
            self.repair_normals(indices);
            self.repair_tangents();
        }
    }

    /// Replaces zero-length normals with the mean normal of the adjacent triangles.
    fn repair_normals(&mut self, indices: &[U16]) {
        let (triangles, _) = indices.as_chunks::<3>();
        let triangles = triangles
            .iter()
            .map(|triangle| triangle.map(|index| usize::from(index.get())));
        replace_missing(
            &mut self.normals,
            is_zero_length,
            &self.positions,
            triangles,
            Vec3::Z,
        );
    }

    /// Replaces tangents that are parallel to a repaired normal.
    fn repair_tangents(&mut self) {
        for (tangent, normal) in self.tangents.iter_mut().zip(&self.normals) {
            let [x, y, z, w] = *tangent;
            let normal = Vec3::from_array(*normal);
            let across = normal.cross(Vec3::new(x, y, z));
            if across.length_squared() < MIN_LENGTH_SQUARED {
                *tangent = any_tangent(normal).extend(w).to_array();
            }
        }
    }

    /// Makes the mesh; `None` without triangles.
    pub(crate) fn mesh(self, submesh: &Submesh<'_>, usage: RenderAssetUsages) -> Option<Mesh> {
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

    /// The bounding box of each joint's vertices. The result is the same as Bevy's, but faster to compute.
    fn skinned_bounds(&self) -> SkinnedMeshBounds {
        let mut boxes = [NO_POINTS; MAX_PALETTE];
        let influences = self.joints.iter().zip(&self.weights);
        for ((joints, weights), position) in influences.zip(&self.positions) {
            let influences = joints.iter().zip(weights).take(self.influences);
            for (joint, weight) in influences {
                if *weight > 0.0
                    && let Some(bounds) = boxes.get_mut(usize::from(*joint))
                {
                    *bounds = expanded(*bounds, position);
                }
            }
        }
        skinned_bounds(boxes)
    }
}

/// The vertex that represents all vertices that are connected to a vertex. Shortens the paths of parents on the way.
fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
    loop {
        let parent = parents.get(vertex as usize).copied().unwrap_or(vertex);
        if parent == vertex {
            return vertex;
        }
        let next = parents.get(parent as usize).copied().unwrap_or(parent);
        if let Some(shortened) = parents.get_mut(vertex as usize) {
            *shortened = next;
        }
        vertex = next;
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

/// Whether any value from the index `begin` on is not finite. It tests bits without branches, because there may be
/// millions of values.
fn has_non_finite<const N: usize>(values: &[[f32; N]], begin: usize) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    let values = values.get(begin..).unwrap_or_default().as_flattened();
    values.iter().fold(false, |any, value| {
        any | (value.to_bits() & EXPONENT == EXPONENT)
    })
}

fn is_zero_length([x, y, z]: &[f32; 3]) -> bool {
    x * x + y * y + z * z < MIN_LENGTH_SQUARED
}

fn make_finite<const N: usize>(values: &mut [[f32; N]]) {
    let values = values.as_flattened_mut().iter_mut();
    for value in values.filter(|value| !value.is_finite()) {
        *value = 0.0;
    }
}

/// Converts a color from the file's sRGB to linear. Alpha is not converted.
fn color(head: &VertexHead) -> [f32; 4] {
    let [r, g, b, a] = floats(head.color);
    // Most vertices are white.
    if [r, g, b] == [1.0; 3] {
        return [r, g, b, a];
    }
    Color::srgba(r, g, b, a).to_linear().to_f32_array()
}

/// The tangent, with the handedness of the stored binormal.
///
/// A tangent of length 0 or parallel to the normal would make the lit surface disappear, so it is replaced.
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
    if across.length_squared() < MIN_LENGTH_SQUARED {
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

/// The joints and weights of up to four bones. Weights are normalized to a sum of 1.
fn skin(tail: &VertexTail, palette: usize) -> ([u16; 4], [f32; 4]) {
    // The parser has checked the indices that have a weight. The others may be invalid.
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
    fn weights_add_up_to_one_or_fall_back_to_the_first_bone() {
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
