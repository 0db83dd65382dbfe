//! A parsed model as the data of Bevy's assets: pure, and the part of a load that costs time.

use crate::alamo::alo::{self, AloFile, Submesh, VertexRecord, Vertices, floats};
use crate::alamo::limits;
use crate::alamo::model::{AloBoneInfo, AloTree, AloTreeNode};
use crate::read::{ParseError, Warning};
use bevy::asset::RenderAssetUsages;
use bevy::math::bounding::Aabb3d;
use bevy::math::{Affine3A, Mat3A, Mat4, Quat, Vec3, Vec3A};
use bevy::mesh::{Indices, Mesh, MeshVertexAttribute, PrimitiveTopology, VertexAttributeValues};
use bevy::transform::components::Transform;
use zerocopy::little_endian::{F32, U16, U32};

/// A model's file and all of its meshes as Bevy's, but not yet as assets.
#[derive(Clone, Debug)]
pub struct AloContents<'a> {
    /// The parsed file.
    pub file: AloFile<'a>,
    /// The bones, with their places at rest.
    pub bones: Vec<AloBoneInfo>,
    /// The sub-meshes of every mesh, in file order.
    pub meshes: Vec<Vec<SubmeshContents>>,
    /// Flaws of the file that do no harm.
    pub warnings: Vec<Warning>,
}

/// A sub-mesh of [`AloContents`].
#[derive(Clone, Debug)]
pub struct SubmeshContents {
    /// The mesh. `None` if there are no triangles.
    pub mesh: Option<Mesh>,
    /// The box around its vertices.
    pub bounds: Aabb3d,
    /// The inverse bind poses of its palette; empty if it is not skinned.
    pub inverse_bindposes: Vec<Mat4>,
    /// Its collision tree.
    pub tree: Option<AloTree>,
}

impl<'a> AloContents<'a> {
    /// Converts the bytes of a file. `usage` decides where a sub-mesh's mesh is kept.
    ///
    /// # Errors
    /// A [`ParseError`] if the bytes are not a model, or one that says far more things than real ones
    /// do in so many bytes.
    pub fn load(
        bytes: &'a [u8],
        usage: impl Fn(&alo::Mesh<'_>, &Submesh<'_>) -> RenderAssetUsages,
    ) -> Result<Self, ParseError> {
        let mut file = alo::parse(bytes)?;
        limits::check(&file, bytes.len())?;
        let warnings = core::mem::take(&mut file.warnings);
        let bones = bones(&file.bones);
        let meshes = file.meshes.iter().map(|mesh| {
            let submeshes = mesh.submeshes.iter();
            submeshes
                .map(|submesh| {
                    let converted = convert(submesh, usage(mesh, submesh));
                    SubmeshContents {
                        bounds: converted.as_ref().map_or(EMPTY, |(_, bounds)| *bounds),
                        mesh: converted.map(|(mesh, _)| mesh),
                        inverse_bindposes: inverse_bindposes(submesh, &bones),
                        tree: submesh.tree.as_ref().map(tree),
                    }
                })
                .collect()
        });
        let meshes = meshes.collect();
        Ok(Self {
            file,
            bones,
            meshes,
            warnings,
        })
    }
}

const EMPTY: Aabb3d = Aabb3d {
    min: Vec3A::ZERO,
    max: Vec3A::ZERO,
};

/// Three rows of four as a transform of column vectors.
fn affine(matrix: &[[f32; 4]; 3]) -> Affine3A {
    let column = |index: usize| Vec3A::from_array(matrix.map(|row| row[index]));
    Affine3A {
        matrix3: Mat3A::from_cols(column(0), column(1), column(2)),
        translation: column(3),
    }
}

/// The bones, parents before children, with their places in the model.
fn bones(file: &[alo::Bone<'_>]) -> Vec<AloBoneInfo> {
    let mut bones: Vec<AloBoneInfo> = Vec::with_capacity(file.len());
    for bone in file {
        let local = affine(&bone.matrix);
        let parent = bone.parent.map(|parent| parent as usize);
        let parent_pose = parent
            .and_then(|parent| bones.get(parent))
            .map(|bone| bone.bind_pose);
        bones.push(AloBoneInfo {
            name: (*bone.name).into(),
            parent,
            visible: bone.visible,
            billboard: bone.billboard,
            transform: transform(&local),
            bind_pose: parent_pose.map_or(local, |parent| parent * local),
        });
    }
    bones
}

/// A transform as Bevy's, which knows no shear. A flattened one keeps its place alone.
fn transform(affine: &Affine3A) -> Transform {
    let (scale, rotation, translation) = affine.to_scale_rotation_translation();
    if rotation.is_finite() && rotation.is_normalized() && scale.is_finite() {
        return Transform {
            translation,
            rotation,
            scale,
        };
    }
    Transform {
        translation,
        rotation: Quat::IDENTITY,
        scale: Vec3::new(
            affine.matrix3.x_axis.length(),
            affine.matrix3.y_axis.length(),
            affine.matrix3.z_axis.length(),
        ),
    }
}

/// Skinned vertices are in the model's space, so a joint's matrix undoes its place at rest.
fn inverse_bindposes(submesh: &Submesh<'_>, bones: &[AloBoneInfo]) -> Vec<Mat4> {
    let inverse = |bone: &U32| {
        let pose = bones.get(bone.get() as usize)?.bind_pose;
        let inverse = pose.inverse();
        Some(if inverse.is_finite() {
            inverse.into()
        } else {
            Mat4::IDENTITY
        })
    };
    submesh.palette.iter().filter_map(inverse).collect()
}

fn tree(tree: &alo::Tree<'_>) -> AloTree {
    let node = |node: &alo::TreeNode| AloTreeNode {
        min: node.min,
        max: node.max,
        triangle_count: node.triangle_count.get(),
        link: node.link.get(),
    };
    AloTree {
        bounds: tree.bounds,
        nodes: tree.nodes.iter().map(node).collect(),
        triangles: tree.triangles.iter().map(|index| index.get()).collect(),
    }
}

/// Vertices are taken this many at a time: few enough to stay in the nearest cache while each
/// attribute is taken from them.
const BLOCK: usize = 64;

fn convert(submesh: &Submesh<'_>, usage: RenderAssetUsages) -> Option<(Mesh, Aabb3d)> {
    if submesh.vertices.is_empty() || submesh.indices.is_empty() {
        return None;
    }
    let mut attributes = match submesh.vertices {
        Vertices::V1(vertices) => Attributes::take(vertices, submesh),
        Vertices::V2(vertices) => Attributes::take(vertices, submesh),
    };
    attributes.make_finite();
    attributes.repair_normals(submesh.indices);
    attributes.repair_tangents();
    let bounds = attributes.bounds();
    let indices = submesh.indices.iter().map(|index| index.get()).collect();
    Some((attributes.mesh(indices, usage), bounds))
}

/// The attributes of a mesh, one array each.
struct Attributes {
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
}

impl Attributes {
    fn take<T: VertexRecord>(vertices: &[T], submesh: &Submesh<'_>) -> Self {
        let format = submesh.vertex_format.to_ascii_uppercase();
        let has_tangents = format.contains("U3U3");
        let has_colors = format.ends_with('C');
        let skinned = !submesh.palette.is_empty();
        let weighted = submesh.is_weighted();
        let unused = |vertex: &T| vertex.head().tex_coords[1] == [F32::ZERO; 2];
        let has_uv1 = !vertices.iter().all(unused);
        let room = |wanted: bool| if wanted { vertices.len() } else { 0 };
        let mut taken = Self {
            positions: Vec::with_capacity(vertices.len()),
            normals: Vec::with_capacity(vertices.len()),
            uvs: Vec::with_capacity(vertices.len()),
            uvs1: Vec::with_capacity(room(has_uv1)),
            tangents: Vec::with_capacity(room(has_tangents)),
            colors: Vec::with_capacity(room(has_colors)),
            joints: Vec::with_capacity(room(skinned)),
            weights: Vec::with_capacity(room(skinned)),
        };
        for block in vertices.chunks(BLOCK) {
            let heads = || block.iter().map(VertexRecord::head);
            taken
                .positions
                .extend(heads().map(|head| floats(head.position)));
            taken
                .normals
                .extend(heads().map(|head| floats(head.normal)));
            taken
                .uvs
                .extend(heads().map(|head| floats(head.tex_coords[0])));
            if has_uv1 {
                taken
                    .uvs1
                    .extend(heads().map(|head| floats(head.tex_coords[1])));
            }
            if has_tangents {
                taken.tangents.extend(heads().map(tangent));
            }
            if has_colors {
                taken.colors.extend(heads().map(|head| floats(head.color)));
            }
            if skinned {
                let palette = submesh.palette.len();
                let skins = block
                    .iter()
                    .map(|vertex| skin(vertex.tail(), weighted, palette));
                for (joints, weights) in skins {
                    taken.joints.push(joints);
                    taken.weights.push(weights);
                }
            }
        }
        taken
    }

    /// Makes numbers zero that are none; the parser has told of them.
    fn make_finite(&mut self) {
        make_finite(&mut self.positions);
        make_finite(&mut self.normals);
        make_finite(&mut self.uvs);
        make_finite(&mut self.uvs1);
        make_finite(&mut self.tangents);
        make_finite(&mut self.colors);
    }

    /// Gives vertices without a normal that of the triangles around them.
    fn repair_normals(&mut self, indices: &[U16]) {
        let is_zero = |normal: &[f32; 3]| Vec3::from_array(*normal).length_squared() < 1e-12;
        let broken: Vec<bool> = self.normals.iter().map(is_zero).collect();
        if !broken.contains(&true) {
            return;
        }
        for triangle in indices.chunks_exact(3) {
            let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|corner| {
                let vertex = triangle.get(corner)?.get();
                let position = self.positions.get(usize::from(vertex))?;
                Some((usize::from(vertex), Vec3::from_array(*position)))
            }) else {
                continue;
            };
            let area = (b.1 - a.1).cross(c.1 - a.1);
            for (vertex, _) in [a, b, c] {
                if broken.get(vertex) == Some(&true)
                    && let Some(normal) = self.normals.get_mut(vertex)
                {
                    *normal = (Vec3::from_array(*normal) + area).to_array();
                }
            }
        }
        for (normal, broken) in self.normals.iter_mut().zip(&broken) {
            if *broken {
                *normal = Vec3::from_array(*normal)
                    .try_normalize()
                    .unwrap_or(Vec3::Z)
                    .to_array();
            }
        }
    }

    /// A tangent without length, or along the normal, would make what is lit by it vanish.
    fn repair_tangents(&mut self) {
        for (tangent, normal) in self.tangents.iter_mut().zip(&self.normals) {
            let [x, y, z, w] = *tangent;
            let normal = Vec3::from_array(*normal);
            if Vec3::new(x, y, z).cross(normal).length_squared() < 1e-12 {
                let normal = normal.try_normalize().unwrap_or(Vec3::Z);
                *tangent = normal.any_orthonormal_vector().extend(w).to_array();
            }
        }
    }

    fn bounds(&self) -> Aabb3d {
        let mut min = Vec3A::INFINITY;
        let mut max = Vec3A::NEG_INFINITY;
        for position in &self.positions {
            let position = Vec3A::from_array(*position);
            min = min.min(position);
            max = max.max(position);
        }
        Aabb3d { min, max }
    }

    fn mesh(self, indices: Vec<u16>, usage: RenderAssetUsages) -> Mesh {
        let skinned = !self.joints.is_empty();
        let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, usage);
        mesh.insert_indices(Indices::U16(indices));
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, self.positions);
        mesh.insert_attribute(Mesh::ATTRIBUTE_NORMAL, self.normals);
        mesh.insert_attribute(Mesh::ATTRIBUTE_UV_0, self.uvs);
        insert(&mut mesh, Mesh::ATTRIBUTE_UV_1, self.uvs1);
        insert(&mut mesh, Mesh::ATTRIBUTE_TANGENT, self.tangents);
        insert(&mut mesh, Mesh::ATTRIBUTE_COLOR, self.colors);
        if skinned {
            let joints = VertexAttributeValues::Uint16x4(self.joints);
            mesh.insert_attribute(Mesh::ATTRIBUTE_JOINT_INDEX, joints);
            mesh.insert_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, self.weights);
            // Cannot fail: there are joints and weights. Without it the mesh is never culled.
            let _ = mesh.generate_skinned_mesh_bounds();
        }
        mesh
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

fn make_finite<const N: usize>(values: &mut [[f32; N]]) {
    let values = values.as_flattened_mut();
    // Most arrays are told good by one loop without a branch.
    let magnitude = |value: &f32| value.to_bits() & !(1 << 31);
    let greatest = values.iter().map(magnitude).fold(0, u32::max);
    if greatest >= f32::INFINITY.to_bits() {
        for value in values.iter_mut().filter(|value| !value.is_finite()) {
            *value = 0.0;
        }
    }
}

/// The tangent, with the handedness of the stored binormal.
fn tangent(head: &alo::VertexHead) -> [f32; 4] {
    let normal = Vec3::from_array(floats(head.normal));
    let tangent = Vec3::from_array(floats(head.tangent));
    let binormal = Vec3::from_array(floats(head.binormal));
    let handedness = if normal.cross(tangent).dot(binormal) < 0.0 {
        -1.0
    } else {
        1.0
    };
    tangent.extend(handedness).to_array()
}

/// Joints and weights: one bone, or up to four whose weights are made to add up to 1.
fn skin(tail: &alo::VertexTail, weighted: bool, palette: usize) -> ([u16; 4], [f32; 4]) {
    // The parser has checked those that weigh something.
    let in_palette = |index: u32| {
        if (index as usize) < palette {
            index as u16
        } else {
            0
        }
    };
    let indices = tail.bone_indices.map(|index| in_palette(index.get()));
    let alone = ([indices[0], 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
    if !weighted {
        return alone;
    }
    let weights = floats(tail.bone_weights).map(|weight| if weight > 0.0 { weight } else { 0.0 });
    let sum: f32 = weights.iter().sum();
    if !(sum.is_finite() && sum > 0.0) {
        return alone;
    }
    (indices, weights.map(|weight| weight / sum))
}
