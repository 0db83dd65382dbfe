//! Meshes of Alamo models: one for each node with a mesh, with a sub-mesh for each primitive.

use crate::alo::lods::Names;
use crate::alo::material::{Materials, Shader, Skinning};
use crate::alo::skeleton::{Skeleton, is_hidden, shown_rest, stated_name};
use crate::error::{Error, Result};
use crate::pose::{Pose, Vertices, morphed};
use crate::scene::{Node, Primitive, Scene};
use crate::skin::srgb;
use classic_model_formats::alo::write::SubmeshBuffers;
use classic_model_formats::alo::{MAX_PALETTE, Mesh as AloMesh, Vertex};
use glam::{Affine3A, Vec3};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// The maximum count of vertices of a sub-mesh, whose indices have 16 bits.
const MAX_VERTICES: usize = 1 << 16;

/// A mesh with the arrays that the format's values borrow.
pub struct Mesh {
    name: String,
    bone: u32,
    hidden: bool,
    /// The index of the mesh in a converted model.
    index: Option<u64>,
    submeshes: Vec<(Shader, SubmeshBuffers)>,
}

impl Mesh {
    /// The values of the format.
    pub fn borrowed(&self) -> AloMesh<'_> {
        let submeshes = self.submeshes.iter().map(|(shader, buffers)| {
            buffers.submesh(
                shader.name.as_str(),
                shader.vertex_format.as_str(),
                shader.parameters.clone(),
            )
        });
        AloMesh {
            hidden: self.hidden,
            ..AloMesh::new(self.name.as_str(), self.bone, submeshes.collect())
        }
    }
}

/// The meshes of all nodes, in the order of a converted model, and then the others.
pub fn meshes(
    scene: &Scene,
    skeleton: &Skeleton,
    materials: &mut Materials<'_>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Mesh>> {
    let rest = shown_rest(scene);
    let transforms = scene.rest_transforms();
    let names = Names::new(scene);
    warnings.extend(names.warnings());
    let mut nodes: Vec<(usize, &Node)> = scene.nodes.iter().enumerate().collect();
    let stated = |node: &Node| node.extras.get("mesh").and_then(Value::as_u64);
    nodes.sort_by_key(|(_, node)| stated(node).unwrap_or(u64::MAX));
    let mut meshes: Vec<Mesh> = Vec::new();
    for (index, node) in nodes {
        let Some(mesh) = node.mesh.and_then(|mesh| scene.meshes.get(mesh)) else {
            continue;
        };
        let flag = |name: &str| node.extras.get(name).and_then(Value::as_bool);
        let context = Context {
            scene,
            skeleton,
            rest: &rest,
            index,
            node,
        };
        let mut submeshes = Vec::new();
        for primitive in &mesh.primitives {
            let (source, skinning) = context.source(primitive);
            let has_colors = !primitive.colors.is_empty();
            let shader = materials.shader(primitive.material, skinning, has_colors)?;
            let is_solid = flag("collidable").unwrap_or(shader.is_solid);
            let pieces = source.pieces(skinning)?;
            if pieces.len() > 1 {
                let name = stated_name(node);
                let count = pieces.len();
                warnings.push(format!("mesh {name:?}: split into {count}, because a sub-mesh has at most {MAX_PALETTE} bones and {MAX_VERTICES} vertices"));
            }
            let pieces = pieces.into_iter();
            let pieces = pieces.map(|piece| if is_solid { piece.with_tree() } else { piece });
            submeshes.extend(pieces.map(|piece| (shader.clone(), piece)));
        }
        // A mesh whose sub-meshes are partly skinned is two nodes.
        let index_in_file = stated(node);
        let same = meshes
            .last_mut()
            .filter(|last| index_in_file.is_some() && last.index == index_in_file);
        match same {
            Some(mesh) => mesh.submeshes.extend(submeshes),
            None => meshes.push(Mesh {
                name: names.of(node),
                bone: skeleton.place(index).0 as u32,
                hidden: flag("hidden")
                    .unwrap_or_else(|| transforms.get(index).is_some_and(is_hidden)),
                index: index_in_file,
                submeshes,
            }),
        }
    }
    Ok(meshes)
}

/// A node with a mesh.
struct Context<'a> {
    scene: &'a Scene,
    skeleton: &'a Skeleton,
    rest: &'a Pose,
    index: usize,
    node: &'a Node,
}

/// The vertices and triangles of a primitive, in the space of the model if it is skinned, otherwise in that of its bone. The vertices'
/// bone indices are those of the model.
struct Source {
    vertices: Vec<Vertex>,
    triangles: Vec<[u32; 3]>,
}

impl Context<'_> {
    fn source(&self, primitive: &Primitive) -> (Source, Skinning) {
        let skin = self.node.skin.and_then(|skin| self.scene.skins.get(skin));
        let skin = skin.filter(|_| !primitive.joints.is_empty());
        let (vertices, matrix) = match skin {
            Some(_) => {
                let mut vertices = self
                    .scene
                    .vertices(self.rest, self.index, self.node, primitive);
                vertices.transform(&self.skeleton.to_model);
                (vertices, self.skeleton.to_model)
            }
            None => {
                let (_, matrix) = self.skeleton.place(self.index);
                let mut vertices = morphed(primitive, &self.node.weights);
                vertices.transform(&matrix);
                (vertices, matrix)
            }
        };
        let joints: Vec<usize> = skin.map_or(Vec::new(), |skin| skin.joints.clone());
        let vertices = self.vertices(primitive, &vertices, &matrix, &joints);
        let is_single = vertices
            .iter()
            .all(|vertex| vertex.bone_weights.iter().any(|it| *it > 0.999));
        let skinning = match (skin, is_single) {
            (None, _) => Skinning::Rigid,
            (Some(_), true) => Skinning::Single,
            (Some(_), false) => Skinning::Weighted,
        };
        let is_mirrored = matrix.matrix3.determinant() < 0.0;
        let turn = |[a, b, c]: &[u32; 3]| {
            if is_mirrored {
                [*a, *c, *b]
            } else {
                [*a, *b, *c]
            }
        };
        let triangles = primitive.triangles.iter().map(turn).collect();
        (
            Source {
                vertices,
                triangles,
            },
            skinning,
        )
    }

    fn vertices(
        &self,
        primitive: &Primitive,
        vertices: &Vertices,
        matrix: &Affine3A,
        joints: &[usize],
    ) -> Vec<Vertex> {
        let material = primitive
            .material
            .and_then(|material| self.scene.materials.get(material));
        let base = material.and_then(|material| material.base_texture);
        let is_stated = material.is_some_and(|material| material.extras.contains_key("shader"));
        // The way out makes alpha of the brightness of colors that are added.
        let adds_colors = base.is_none()
            && material.is_some_and(|material| {
                material.extras.get("blend").and_then(Value::as_str) == Some("additive")
            });
        let uvs = primitive.uvs.get(base.map_or(0, |base| base.set));
        let tangents = tangents(primitive, vertices, matrix);
        let pairs = vertices.positions.iter().zip(&vertices.normals).enumerate();
        let color = |index: usize| {
            let [red, green, blue, alpha] =
                primitive.colors.get(index).copied().unwrap_or([1.0; 4]);
            let stored = |value: f32| srgb(if adds_colors { value * alpha } else { value });
            let alpha = if adds_colors { 1.0 } else { alpha };
            [stored(red), stored(green), stored(blue), alpha]
        };
        let vertex = |(index, (position, normal)): (usize, (&Vec3, &Vec3))| {
            let uv = uvs
                .and_then(|uvs| uvs.get(index))
                .copied()
                .unwrap_or_default();
            // The shader of a converted model has the transform of the coordinates.
            let uv = base
                .filter(|_| !is_stated)
                .map_or(uv, |base| base.transformed(uv));
            let (tangent, sign) = tangents.get(index).copied().unwrap_or_default();
            let (bone_indices, bone_weights) = self.influences(primitive, index, joints);
            Vertex {
                position: position.to_array(),
                normal: normal.to_array(),
                tex_coords: [uv, [0.0; 2], [0.0; 2], [0.0; 2]],
                tangent: tangent.to_array(),
                binormal: (normal.cross(tangent) * sign).to_array(),
                color: color(index),
                bone_indices,
                bone_weights,
            }
        };
        pairs.map(vertex).collect()
    }

    /// The bones of a vertex and their weights, the greatest first.
    fn influences(
        &self,
        primitive: &Primitive,
        index: usize,
        joints: &[usize],
    ) -> ([u32; 4], [f32; 4]) {
        let rigid = ([0; 4], [1.0, 0.0, 0.0, 0.0]);
        let (Some(own), Some(weights)) =
            (primitive.joints.get(index), primitive.weights.get(index))
        else {
            return rigid;
        };
        let mut sums: Vec<(u32, f32)> = Vec::new();
        for (joint, weight) in own.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            let node = joints.get(*joint as usize).copied().unwrap_or_default();
            let bone = self.skeleton.place(node).0 as u32;
            match sums.iter_mut().find(|(other, _)| *other == bone) {
                Some((_, sum)) => *sum += weight,
                None => sums.push((bone, *weight)),
            }
        }
        let total: f32 = sums.iter().map(|(_, weight)| weight).sum();
        let Some((first, _)) = sums.first().filter(|_| total > 0.0).copied() else {
            return rigid;
        };
        sums.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut influences = ([first; 4], [0.0; 4]);
        for (slot, (bone, weight)) in sums.iter().enumerate() {
            (influences.0[slot], influences.1[slot]) = (*bone, weight / total);
        }
        influences
    }
}

/// The tangents and the signs of the binormals. Those that the file does not have follow from texture coordinates.
fn tangents(primitive: &Primitive, vertices: &Vertices, matrix: &Affine3A) -> Vec<(Vec3, f32)> {
    if !primitive.tangents.is_empty() {
        let tangents = primitive.tangents.iter().map(|[x, y, z, w]| {
            (
                matrix
                    .transform_vector3(Vec3::new(*x, *y, *z))
                    .normalize_or_zero(),
                *w,
            )
        });
        return tangents.collect();
    }
    let Some(uvs) = primitive.uvs.first() else {
        return Vec::new();
    };
    // Directions of U and of −V, by the formula of Lengyel (Foundations of Game Engine Development 2, section 7.5).
    let mut sums = vec![(Vec3::ZERO, Vec3::ZERO); vertices.positions.len()];
    for triangle in &primitive.triangles {
        let corner = |index: u32| {
            let position = vertices
                .positions
                .get(index as usize)
                .copied()
                .unwrap_or_default();
            (
                position,
                uvs.get(index as usize).copied().unwrap_or_default(),
            )
        };
        let [(a, uv_a), (b, uv_b), (c, uv_c)] = triangle.map(corner);
        let (e1, e2) = (b - a, c - a);
        let [u1, v1] = [uv_b[0] - uv_a[0], uv_a[1] - uv_b[1]];
        let [u2, v2] = [uv_c[0] - uv_a[0], uv_a[1] - uv_c[1]];
        let area = u1 * v2 - u2 * v1;
        if area == 0.0 {
            continue;
        }
        let (tangent, binormal) = ((e1 * v2 - e2 * v1) / area, (e2 * u1 - e1 * u2) / area);
        for index in triangle {
            if let Some((t, b)) = sums.get_mut(*index as usize) {
                *t += tangent;
                *b += binormal;
            }
        }
    }
    let tangent = |((tangent, binormal), normal): (&(Vec3, Vec3), &Vec3)| {
        let flat = *tangent - *normal * normal.dot(*tangent);
        let sign = if normal.cross(flat).dot(*binormal) < 0.0 {
            -1.0
        } else {
            1.0
        };
        (
            flat.normalize_or(normal.any_orthogonal_vector().normalize_or_zero()),
            sign,
        )
    };
    sums.iter().zip(&vertices.normals).map(tangent).collect()
}

impl Source {
    /// The arrays of its sub-meshes: one, unless there are too many bones or vertices.
    fn pieces(&self, skinning: Skinning) -> Result<Vec<SubmeshBuffers>> {
        let bones = |vertex: &Vertex| -> BTreeSet<u32> {
            let used = vertex.bone_indices.iter().zip(vertex.bone_weights);
            used.filter(|(_, weight)| *weight > 0.0)
                .map(|(bone, _)| *bone)
                .collect()
        };
        let all: BTreeSet<u32> = match skinning {
            Skinning::Rigid => BTreeSet::new(),
            _ => self.vertices.iter().flat_map(bones).collect(),
        };
        if all.len() <= MAX_PALETTE && self.vertices.len() <= MAX_VERTICES {
            let triangles = self.triangles.iter().map(|it| it.map(|index| index as u16));
            return Ok(vec![buffers(
                self.vertices.clone(),
                &triangles.collect::<Vec<_>>(),
                &all,
            )]);
        }
        let mut pieces = Vec::new();
        let mut piece = Piece::default();
        for triangle in &self.triangles {
            let corners = triangle.map(|index| {
                self.vertices
                    .get(index as usize)
                    .copied()
                    .unwrap_or_default()
            });
            let needed: BTreeSet<u32> = match skinning {
                Skinning::Rigid => BTreeSet::new(),
                _ => corners.iter().flat_map(bones).collect(),
            };
            if !piece.fits(&needed) {
                pieces.push(core::mem::take(&mut piece).finish());
            }
            piece.add(triangle, &corners, &needed);
        }
        pieces.push(piece.finish());
        if self.triangles.is_empty() {
            return Err(Error::new("too many vertices without triangles"));
        }
        Ok(pieces)
    }
}

/// A part of a primitive.
#[derive(Default)]
struct Piece {
    vertices: Vec<Vertex>,
    triangles: Vec<[u16; 3]>,
    bones: BTreeSet<u32>,
    /// The new indices of vertices.
    indices: HashMap<u32, u16>,
}

impl Piece {
    fn fits(&self, needed: &BTreeSet<u32>) -> bool {
        self.bones.union(needed).count() <= MAX_PALETTE && self.vertices.len() + 3 <= MAX_VERTICES
    }

    fn add(&mut self, triangle: &[u32; 3], corners: &[Vertex; 3], needed: &BTreeSet<u32>) {
        self.bones.extend(needed);
        let mut new = [0; 3];
        for ((index, corner), new) in triangle.iter().zip(corners).zip(&mut new) {
            let next = self.vertices.len() as u16;
            *new = *self.indices.entry(*index).or_insert(next);
            if *new == next && self.vertices.len() == usize::from(next) {
                self.vertices.push(*corner);
            }
        }
        self.triangles.push(new);
    }

    fn finish(self) -> SubmeshBuffers {
        buffers(self.vertices, &self.triangles, &self.bones)
    }
}

/// The arrays of a sub-mesh. The bone indices of vertices become indices into the palette.
fn buffers(
    mut vertices: Vec<Vertex>,
    triangles: &[[u16; 3]],
    bones: &BTreeSet<u32>,
) -> SubmeshBuffers {
    let palette: Vec<u32> = bones.iter().copied().collect();
    for vertex in &mut vertices {
        for bone in &mut vertex.bone_indices {
            *bone = palette.binary_search(bone).unwrap_or(0) as u32;
        }
    }
    SubmeshBuffers::new(&vertices, triangles).with_palette(&palette)
}
