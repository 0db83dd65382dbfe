//! Solids to the meshes of an LGW file: lists, strips and fans.
//!
//! Samples are shaped in decimetres, with Z up and the front along −Y; the file has centimetres, Y up
//! and the front along −Z. The right is at −X here, and at +X there.

use crate::alamo::build::{Spot, meeting, normal, spot};
use crate::alamo::shape::{Face, Solid};
use bevy::math::{Vec2, Vec3};
use bevy_classic_models::lgw::text::{Group, GroupKind, Mesh, Vertices};
use std::collections::HashMap;

/// Centimetres of the file per decimetre of the samples.
const SCALE: f32 = 10.0;

/// Where a point of a face is in its picture, 0 to 1 from the upper left.
pub type Unfolding<'a> = &'a dyn Fn(&Face, Vec2) -> Vec2;

/// What vertices have to have in common to be one.
type Key = (Spot, Spot, [u32; 2]);

/// A mesh in the making.
pub struct Draft<'a> {
    unfolding: Unfolding<'a>,
    vertices: Vertices,
    groups: Vec<Group>,
}

impl<'a> Draft<'a> {
    /// A mesh without triangles.
    pub fn new(unfolding: Unfolding<'a>) -> Self {
        Self {
            unfolding,
            vertices: Vertices::default(),
            groups: Vec::new(),
        }
    }

    /// Adds solids as a group of triangles of three indices each.
    pub fn list<'s>(&mut self, solids: impl IntoIterator<Item = &'s Solid>) -> &mut Self {
        let mut indices = Vec::new();
        for solid in solids {
            let corners = self.corners(solid);
            for (face, corners) in solid.faces.iter().zip(&corners) {
                let triangles = face.triangles().map(|of| of.map(|corner| corners[corner]));
                let whole = |[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
                indices.extend(triangles.filter(whole).flatten());
            }
        }
        self.group(GroupKind::List, indices)
    }

    /// Adds a surface over rows of points, of so many faces from row to row, as a strip of each row.
    pub fn strips(&mut self, surface: &Solid, faces: usize) -> &mut Self {
        for strip in self.rows(surface, faces) {
            self.group(GroupKind::Strip, strip);
        }
        self
    }

    /// The same as one strip. From row to row go triangles without area.
    pub fn stitched(&mut self, surface: &Solid, faces: usize) -> &mut Self {
        let mut indices: Vec<u32> = Vec::new();
        for strip in self.rows(surface, faces) {
            if let Some(last) = indices.last().copied() {
                indices.extend([last, strip[0]]);
            }
            indices.extend(strip);
        }
        self.group(GroupKind::Strip, indices)
    }

    /// Adds a face as triangles around its first corner.
    pub fn fan(&mut self, face: &Solid) -> &mut Self {
        let corners = self.corners(face);
        self.group(GroupKind::Fan, corners.into_iter().flatten().collect())
    }

    /// Adds triangles that meet in their first corner, one beside the other.
    pub fn dome(&mut self, triangles: &Solid) -> &mut Self {
        let corners = self.corners(triangles);
        let mut indices = corners[0][..2].to_vec();
        indices.extend(corners.iter().map(|corners| corners[2]));
        self.group(GroupKind::Fan, indices)
    }

    /// The mesh.
    pub fn finished(self, name: &'static str, material: i64, color: [f32; 3]) -> Mesh<'static> {
        Mesh {
            name: name.into(),
            material: Some(material),
            default_color: Some(color),
            vertices: self.vertices,
            groups: self.groups,
        }
    }

    fn group(&mut self, kind: GroupKind, indices: Vec<u32>) -> &mut Self {
        let id = self.groups.len() as i64;
        self.groups.push(Group { id, kind, indices });
        self
    }

    fn rows(&mut self, surface: &Solid, faces: usize) -> Vec<Vec<u32>> {
        let corners = self.corners(surface);
        let strip = |row: &[Vec<u32>]| {
            let begin = [row[0][3], row[0][0]];
            let rest = row.iter().flat_map(|corners| [corners[2], corners[1]]);
            begin.into_iter().chain(rest).collect()
        };
        corners.chunks(faces).map(strip).collect()
    }

    /// The vertices of the corners of all faces.
    fn corners(&mut self, solid: &Solid) -> Vec<Vec<u32>> {
        let meeting = meeting(solid);
        let mut known: HashMap<Key, u32> = HashMap::new();
        let mut all = Vec::new();
        for (number, face) in solid.faces.iter().enumerate() {
            let mut vertex = |at: Vec3, uv: Vec2| {
                let normal = normal(solid, number, &meeting[&spot(at)]);
                let uv = (self.unfolding)(face, uv);
                let key = (spot(at), spot(normal), uv.to_array().map(f32::to_bits));
                *known.entry(key).or_insert_with(|| {
                    self.vertices.push(stored(at, uv, normal));
                    self.vertices.len() as u32 - 1
                })
            };
            let corners = face.corners.iter();
            all.push(corners.map(|corner| vertex(corner.at, corner.uv)).collect());
        }
        all
    }
}

/// A vertex as the file has it. V goes up there.
fn stored(at: Vec3, uv: Vec2, normal: Vec3) -> [f32; 8] {
    let at = at * SCALE;
    let places = [-at.x, at.z, at.y].map(|way| rounded(way, 1e2));
    let uv = [uv.x, 1.0 - uv.y].map(|way| rounded(way, 1e4));
    let normal = [-normal.x, normal.z, normal.y].map(|way| rounded(way, 1e3));
    let [x, y, z] = places;
    [x, y, z, uv[0], uv[1], normal[0], normal[1], normal[2]]
}

/// So many parts of one, and no zero with a sign.
fn rounded(value: f32, parts: f32) -> f32 {
    ((f64::from(value) * f64::from(parts)).round() / f64::from(parts)) as f32 + 0.0
}

/// The same surface from behind: what is thin is there twice in the file.
pub fn reversed(mut solid: Solid) -> Solid {
    for face in &mut solid.faces {
        face.corners.reverse();
    }
    solid
}
