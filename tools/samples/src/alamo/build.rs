//! Solids to the vertices and triangles of a file.

use super::shape::{Corner, Face, Solid};
use crate::maths::Place;
use bevy::math::{Vec2, Vec3};
use bevy_classic_models::alamo::alo::Vertex;
use bevy_classic_models::alamo::alo::write::SubmeshBuffers;
use std::collections::HashMap;

/// Cosine of the angle up to which round faces are shaded as one with others.
const CREASE: f32 = 0.45;

/// How solids become vertices.
pub struct Recipe<'a> {
    /// The space that the vertices are to be in.
    pub space: Place,
    /// The bones that they follow; empty if they are rigid.
    pub palette: &'a [usize],
    /// Where a point of a face is in the picture.
    pub uv: &'a dyn Fn(&Face, Vec2) -> Vec2,
    /// The colour of a point.
    pub color: &'a dyn Fn(Vec3) -> [f32; 4],
}

/// A vertex in the making: tangents are summed over the triangles around it.
struct Sum {
    vertex: Vertex,
    normal: Vec3,
    along_u: Vec3,
    along_v: Vec3,
}

/// Where a point is, in 1/1024 units.
pub type Spot = [i32; 3];

/// Where a point is.
pub fn spot(at: Vec3) -> Spot {
    (at * 1024.0).round().as_ivec3().into()
}

impl Recipe<'_> {
    /// The buffers of all solids together.
    pub fn build(&self, solids: &[Solid]) -> SubmeshBuffers {
        let mut sums: Vec<Sum> = Vec::new();
        let mut triangles = Vec::new();
        for solid in solids {
            let meeting = meeting(solid);
            let mut known = HashMap::new();
            for (number, face) in solid.faces.iter().enumerate() {
                let corners: Vec<usize> = face
                    .corners
                    .iter()
                    .map(|corner| {
                        let normal = normal(solid, number, &meeting[&spot(corner.at)]);
                        let uv = (self.uv)(face, corner.uv);
                        // Mirrored faces have tangents of their own.
                        let key = (
                            spot(corner.at),
                            spot(normal),
                            [uv.x, uv.y].map(f32::to_bits),
                            is_mirrored(face),
                        );
                        *known.entry(key).or_insert_with(|| {
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
            position: (self.space.turn.transpose() * (corner.at - self.space.at)).into(),
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

    /// The vertex with its frame: the binormal goes up in the picture, where V shrinks.
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
        let back = self.space.turn.transpose();
        Vertex {
            normal: (back * normal).into(),
            tangent: (back * tangent).into(),
            binormal: (back * binormal).into(),
            ..sum.vertex
        }
    }
}

/// The faces that meet at each point.
pub fn meeting(solid: &Solid) -> HashMap<Spot, Vec<usize>> {
    let mut meeting: HashMap<Spot, Vec<usize>> = HashMap::new();
    for (number, face) in solid.faces.iter().enumerate() {
        for corner in &face.corners {
            let faces = meeting.entry(spot(corner.at)).or_default();
            if faces.last() != Some(&number) {
                faces.push(number);
            }
        }
    }
    meeting
}

/// The normal at a corner of a face. Flat faces are shaded flat; bevels go over into them.
pub fn normal(solid: &Solid, number: usize, meeting: &[usize]) -> Vec3 {
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
    let (round, flat): (Vec<usize>, Vec<usize>) = meeting
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

/// Whether a face shows its chart from behind.
fn is_mirrored(face: &Face) -> bool {
    let areas = face.triangles().map(|triangle| {
        let [a, b, c] = triangle.map(|corner| face.corners[corner].uv);
        (b - a).perp_dot(c - a)
    });
    areas.sum::<f32>() > 0.0
}

/// The directions on a triangle in which U and V grow.
fn slopes([a, b, c]: [Corner; 3]) -> [Vec3; 2] {
    let (ab, ac) = (b.at - a.at, c.at - a.at);
    let (uv_ab, uv_ac) = (b.uv - a.uv, c.uv - a.uv);
    let area = uv_ab.perp_dot(uv_ac);
    if area == 0.0 {
        return [Vec3::ZERO; 2];
    }
    // As long as the triangle is large.
    let size = ab.cross(ac).length();
    let along_u = (ab * uv_ac.y - ac * uv_ab.y) / area;
    let along_v = (ac * uv_ab.x - ab * uv_ac.x) / area;
    [along_u, along_v].map(|slope| slope.normalize_or_zero() * size)
}
