//! Converts solids to the meshes of an LGW file: lists, strips and fans.
//!
//! Samples are modeled in decimeters, with Z up and the front at −Y. The file uses centimeters,
//! with Y up and the front at −Z. The right is −X here and +X in the file.

use crate::alamo::build::{PositionKey, faces_by_position, normal, position_key};
use crate::alamo::shape::{Face, Solid};
use bevy::prelude::*;
use bevy_classic_models::lgw::lgw::{Group, GroupKind, Mesh, Vertices};
use std::collections::HashMap;

/// Centimeters of the file per decimeter of the samples.
const SCALE: f32 = 10.0;

/// Maps a point of a face to texture coordinates, 0 to 1 from the upper left.
pub type UvMap<'a> = &'a dyn Fn(&Face, Vec2) -> Vec2;

/// Corners with equal keys share a vertex.
type Key = (PositionKey, PositionKey, [u32; 2]);

/// A mesh under construction.
pub struct MeshBuilder<'a> {
    uv_map: UvMap<'a>,
    vertices: Vertices,
    groups: Vec<Group>,
}

impl<'a> MeshBuilder<'a> {
    /// An empty mesh.
    pub fn new(uv_map: UvMap<'a>) -> Self {
        Self {
            uv_map,
            vertices: Vertices::default(),
            groups: Vec::new(),
        }
    }

    /// Adds solids as a triangle list.
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

    /// Adds a surface over rows of points as one strip per row; each row has `faces` faces.
    pub fn strips(&mut self, surface: &Solid, faces: usize) -> &mut Self {
        for strip in self.rows(surface, faces) {
            self.group(GroupKind::Strip, strip);
        }
        self
    }

    /// Adds a surface as a single strip. Triangles without area connect the rows.
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

    /// Adds a face as a triangle fan around its first corner.
    pub fn fan(&mut self, face: &Solid) -> &mut Self {
        let corners = self.corners(face);
        self.group(GroupKind::Fan, corners.into_iter().flatten().collect())
    }

    /// Adds adjacent triangles that share their first corner as a fan.
    pub fn dome(&mut self, triangles: &Solid) -> &mut Self {
        let corners = self.corners(triangles);
        let mut indices = corners[0][..2].to_vec();
        indices.extend(corners.iter().map(|corners| corners[2]));
        self.group(GroupKind::Fan, indices)
    }

    /// Builds the mesh.
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
            let start = [row[0][3], row[0][0]];
            let rest = row.iter().flat_map(|corners| [corners[2], corners[1]]);
            start.into_iter().chain(rest).collect()
        };
        corners.chunks(faces).map(strip).collect()
    }

    /// The vertex indices of the corners of all faces.
    fn corners(&mut self, solid: &Solid) -> Vec<Vec<u32>> {
        let faces_by_position = faces_by_position(solid);
        let mut vertex_indices: HashMap<Key, u32> = HashMap::new();
        let mut all = Vec::new();
        for (number, face) in solid.faces.iter().enumerate() {
            let mut vertex = |at: Vec3, uv: Vec2| {
                let normal = normal(solid, number, &faces_by_position[&position_key(at)]);
                let uv = (self.uv_map)(face, uv);
                let key = (
                    position_key(at),
                    position_key(normal),
                    uv.to_array().map(f32::to_bits),
                );
                *vertex_indices.entry(key).or_insert_with(|| {
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

/// A vertex with the axes and units of the file. V points up there.
fn stored(at: Vec3, uv: Vec2, normal: Vec3) -> [f32; 8] {
    let at = at * SCALE;
    let positions = [-at.x, at.z, at.y].map(|component| rounded(component, 1e2));
    let uv = [uv.x, 1.0 - uv.y].map(|component| rounded(component, 1e4));
    let normal = [-normal.x, normal.z, normal.y].map(|component| rounded(component, 1e3));
    let [x, y, z] = positions;
    [x, y, z, uv[0], uv[1], normal[0], normal[1], normal[2]]
}

/// Rounds to multiples of 1/`parts`, without negative zero.
fn rounded(value: f32, parts: f32) -> f32 {
    ((f64::from(value) * f64::from(parts)).round() / f64::from(parts)) as f32 + 0.0
}

/// The surface seen from behind. The file has thin surfaces twice, once per side.
pub fn reversed(mut solid: Solid) -> Solid {
    for face in &mut solid.faces {
        face.corners.reverse();
    }
    solid
}
