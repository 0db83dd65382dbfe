//! Converts solids to the vertices and triangles of a file.

use super::shape::{Corner, Face, Solid};
use crate::math::Transform;
use bevy::prelude::*;
use bevy_classic_models::alamo::alo::Vertex;
use bevy_classic_models::alamo::alo::write::SubmeshBuffers;
use std::collections::HashMap;

/// Cosine of the largest angle between round faces that share smooth shading.
const CREASE: f32 = 0.45;

/// Settings of the conversion from solids to vertices.
pub struct Recipe<'a> {
    /// The space of the written vertices.
    pub space: Transform,
    /// The bones of a skinned mesh; empty if the mesh is rigid.
    pub palette: &'a [usize],
    /// Texture coordinates of a point of a face.
    pub uv: &'a dyn Fn(&Face, Vec2) -> Vec2,
    /// The color of a point.
    pub color: &'a dyn Fn(Vec3) -> [f32; 4],
}

/// A vertex under construction: tangents are summed over the adjacent triangles.
struct Sum {
    vertex: Vertex,
    normal: Vec3,
    along_u: Vec3,
    along_v: Vec3,
}

/// A position in 1/1024 units, for comparison.
pub type PositionKey = [i32; 3];

/// Rounds a position to 1/1024 units.
pub fn position_key(at: Vec3) -> PositionKey {
    (at * 1024.0).round().as_ivec3().into()
}

impl Recipe<'_> {
    /// Builds the buffers of all solids together.
    pub fn build(&self, solids: &[Solid]) -> SubmeshBuffers {
        let mut sums: Vec<Sum> = Vec::new();
        let mut triangles = Vec::new();
        for solid in solids {
            let faces_by_position = faces_by_position(solid);
            let mut vertex_indices = HashMap::new();
            for (number, face) in solid.faces.iter().enumerate() {
                let corners: Vec<usize> = face
                    .corners
                    .iter()
                    .map(|corner| {
                        let normal =
                            normal(solid, number, &faces_by_position[&position_key(corner.at)]);
                        let uv = (self.uv)(face, corner.uv);
                        // Mirrored faces have their own tangents.
                        let key = (
                            position_key(corner.at),
                            position_key(normal),
                            [uv.x, uv.y].map(f32::to_bits),
                            is_mirrored(face),
                        );
                        *vertex_indices.entry(key).or_insert_with(|| {
                            sums.push(self.sum(corner, normal, uv));
                            sums.len() - 1
                        })
                    })
                    .collect();
                for triangle in face.triangles() {
                    let [a, b, c] = triangle.map(|corner| corners[corner]);
                    if a == b || b == c || c == a {
                        continue;
                    }
                    let [along_u, along_v] = slopes(triangle.map(|corner| face.corners[corner]));
                    for index in [a, b, c] {
                        sums[index].along_u += along_u;
                        sums[index].along_v += along_v;
                    }
                    triangles.push([a, b, c].map(|index| index as u16));
                }
            }
        }
        let vertices: Vec<Vertex> = sums.iter().map(|sum| self.finished(sum)).collect();
        let palette: Vec<u32> = self.palette.iter().map(|bone| *bone as u32).collect();
        SubmeshBuffers::new(&vertices, &triangles).with_palette(&palette)
    }

    fn sum(&self, corner: &Corner, normal: Vec3, uv: Vec2) -> Sum {
        let mut vertex = Vertex {
            position: (self.space.rotation.transpose() * (corner.at - self.space.translation))
                .into(),
            color: (self.color)(corner.at),
            bone_weights: [1.0, 0.0, 0.0, 0.0],
            ..Vertex::default()
        };
        vertex.tex_coords[0] = uv.into();
        if !self.palette.is_empty() {
            let entry = |bone: usize| self.palette.iter().position(|other| *other == bone);
            for (slot, bone) in corner.bones.into_iter().enumerate() {
                vertex.bone_indices[slot] = entry(bone).unwrap_or_default() as u32;
            }
            vertex.bone_weights = [1.0 - corner.second, corner.second, 0.0, 0.0];
        }
        Sum {
            vertex,
            normal,
            along_u: Vec3::ZERO,
            along_v: Vec3::ZERO,
        }
    }

    /// The finished vertex with its tangent frame. The binormal points up in the texture, where V
    /// decreases.
    fn finished(&self, sum: &Sum) -> Vertex {
        let normal = sum.normal;
        let tangent = sum.along_u - normal * normal.dot(sum.along_u);
        let tangent = tangent.normalize_or(normal.any_orthonormal_vector());
        let across = normal.cross(tangent);
        let binormal = if across.dot(-sum.along_v) < 0.0 {
            -across
        } else {
            across
        };
        let back = self.space.rotation.transpose();
        Vertex {
            normal: (back * normal).into(),
            tangent: (back * tangent).into(),
            binormal: (back * binormal).into(),
            ..sum.vertex
        }
    }
}

/// The indices of the faces that meet at each point.
pub fn faces_by_position(solid: &Solid) -> HashMap<PositionKey, Vec<usize>> {
    let mut faces_by_position: HashMap<PositionKey, Vec<usize>> = HashMap::new();
    for (number, face) in solid.faces.iter().enumerate() {
        for corner in &face.corners {
            let faces = faces_by_position
                .entry(position_key(corner.at))
                .or_default();
            if faces.last() != Some(&number) {
                faces.push(number);
            }
        }
    }
    faces_by_position
}

/// The normal at a corner of a face; `adjacent` lists all faces at the corner. Flat faces have flat shading; bevels blend into them.
pub fn normal(solid: &Solid, number: usize, adjacent: &[usize]) -> Vec3 {
    let own = solid.faces[number].normal();
    let towards = own.normalize_or(Vec3::Z);
    if !solid.faces[number].round {
        return towards;
    }
    let near = |other: &usize| {
        solid.faces[*other]
            .normal()
            .normalize_or_zero()
            .dot(towards)
            > CREASE
    };
    let (round, flat): (Vec<usize>, Vec<usize>) = adjacent
        .iter()
        .copied()
        .filter(near)
        .partition(|other| solid.faces[*other].round);
    let pick = if flat.is_empty() { round } else { flat };
    let sum: Vec3 = pick
        .iter()
        .map(|other| solid.faces[*other].normal().normalize_or_zero())
        .sum();
    sum.normalize_or(towards)
}

/// Whether a face shows its chart mirrored.
fn is_mirrored(face: &Face) -> bool {
    let areas = face.triangles().map(|triangle| {
        let [a, b, c] = triangle.map(|corner| face.corners[corner].uv);
        (b - a).perp_dot(c - a)
    });
    areas.sum::<f32>() > 0.0
}

/// The directions on a triangle in which U and V increase.
fn slopes([a, b, c]: [Corner; 3]) -> [Vec3; 2] {
    let (ab, ac) = (b.at - a.at, c.at - a.at);
    let (uv_ab, uv_ac) = (b.uv - a.uv, c.uv - a.uv);
    let area = uv_ab.perp_dot(uv_ac);
    if area == 0.0 {
        return [Vec3::ZERO; 2];
    }
    // The area of the triangle weights the directions.
    let size = ab.cross(ac).length();
    let along_u = (ab * uv_ac.y - ac * uv_ab.y) / area;
    let along_v = (ac * uv_ab.x - ab * uv_ac.x) / area;
    [along_u, along_v].map(|slope| slope.normalize_or_zero() * size)
}
