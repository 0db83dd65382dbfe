//! Converts pieces on bones to the vertices and triangles of a file.

use super::atlas::Atlas;
use super::math::Transform;
use super::piece::Piece;
use super::surface::{Corner, Side};
use bevy::math::Vec3;
use bevy_classic_models::quake::mdl::nearest_normal;
use bevy_classic_models::quake::mdl::write::Shape;
use bevy_classic_models::quake::mdl::{StVertex, Triangle};
use std::collections::HashMap;

/// A vertex of the file, before it is posed.
struct Vertex {
    bone: usize,
    position: Vec3,
    normal: Vec3,
}

/// The part of a file besides poses and skins, and the source data of the poses.
#[derive(Default)]
pub struct Mesh {
    vertices: Vec<Vertex>,
    /// Texture coordinates, one per vertex.
    pub st_vertices: Vec<StVertex>,
    /// Triangles.
    pub triangles: Vec<Triangle>,
}

/// Corners with equal keys share a vertex of the file: the bone, the position in 1/1024 units, the
/// index of the normal, and the position on the skin.
type Key = (usize, [i32; 3], u8, [i32; 3]);

impl Mesh {
    /// Merges the corners of all pieces into vertices.
    ///
    /// A vertex has one normal and one texture coordinate. So corners at a hard edge or at the edge
    /// of an island become several vertices. The fold of a surface needs none: see [`StVertex`].
    pub fn new(pieces: &[Piece], atlas: &Atlas) -> Self {
        let mut mesh = Self::default();
        let mut vertex_indices = HashMap::<Key, i32>::new();
        for piece in pieces {
            for surface in &piece.surfaces {
                let island = atlas.island(surface.name);
                for face in &surface.faces {
                    let face_normal = face.normal();
                    let mut vertex = |corner: &Corner| {
                        let normal = piece.normal(corner, face_normal);
                        let st = (island + corner.st).as_ivec2();
                        // On the seam, the triangle's own side selects the half.
                        let back = face.side == Side::Back && !corner.seam;
                        let shift = if back { atlas.half_width() as i32 } else { 0 };
                        let st = [i32::from(corner.seam) * 0x20, st.x + shift, st.y];
                        let rounded = (corner.position * 1024.0).round().as_ivec3();
                        let key = (
                            piece.bone,
                            rounded.into(),
                            nearest_normal(normal.to_array()),
                            st,
                        );
                        *vertex_indices.entry(key).or_insert_with(|| {
                            mesh.vertices.push(Vertex {
                                bone: piece.bone,
                                position: corner.position,
                                normal,
                            });
                            mesh.st_vertices.push(StVertex {
                                on_seam: st[0].into(),
                                s: st[1].into(),
                                t: st[2].into(),
                            });
                            mesh.vertices.len() as i32 - 1
                        })
                    };
                    let corners: Vec<i32> = face.corners.iter().map(&mut vertex).collect();
                    for [a, b, c] in face.triangles() {
                        mesh.triangles.push(Triangle {
                            faces_front: i32::from(face.side == Side::Front).into(),
                            // Triangles here are counter-clockwise, those of the file clockwise.
                            vertices: [a, c, b].map(|corner| corners[corner].into()),
                        });
                    }
                }
            }
        }
        mesh
    }

    /// The shape of the model in one pose: `transform_vertex` transforms the position and the normal of a
    /// vertex of a bone.
    pub fn shape(
        &self,
        name: impl Into<String>,
        transform_vertex: impl Fn(usize, Vec3, Vec3) -> (Vec3, Vec3),
    ) -> Shape {
        let vertices = self.vertices.iter();
        let (positions, normals) = vertices
            .map(|vertex| {
                let (position, normal) =
                    transform_vertex(vertex.bone, vertex.position, vertex.normal);
                (position.to_array(), normal.to_array())
            })
            .unzip();
        Shape {
            name: name.into(),
            positions,
            normals,
        }
    }
}

/// For [`Mesh::shape`]: transforms every vertex with its bone.
pub fn separate_node_meshes(bones: &[Transform]) -> impl Fn(usize, Vec3, Vec3) -> (Vec3, Vec3) {
    |bone, position, normal| {
        let bone = &bones[bone];
        // A bone with zero scale keeps the normals.
        let turned = (bone.rotation * normal).normalize_or(normal);
        (bone.point(position), turned)
    }
}
