//! Converts solids and poses to the document of an ABC file.
//!
//! Samples are modeled with Z up, the front at −Y and the left at +X. The file has Y up, the front
//! at +Z and the right at +X, and a larger scale.

use crate::alamo::shape::{Face, Solid};
use crate::math::{Transform, quaternion};
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::write::{GeometryDocument, TrackDocument};
use bevy_classic_models::lithtech::abc::{NodeKey, Triangle, Vertex};
use std::collections::HashMap;

/// Units of the file per unit of the samples.
pub const SCALE: f32 = 10.0;

/// Cosine of the largest angle between faces that share smooth shading.
const CREASE: f32 = 0.45;

/// Converts a position to the file's axes and units.
pub fn stored(at: Vec3) -> Vec3 {
    stored_direction(at) * SCALE
}

fn stored_direction(direction: Vec3) -> Vec3 {
    Vec3::new(-direction.x, direction.z, -direction.y)
}

/// Converts a rotation to the file's axes.
fn stored_rotation(rotation: Mat3) -> Mat3 {
    let columns = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| {
        // The change of axes is its own inverse, except for the last two.
        let axis = Vec3::new(-axis.x, -axis.z, axis.y);
        stored_direction(rotation * axis)
    });
    Mat3::from_cols(columns[0], columns[1], columns[2])
}

/// The key of a node with transform `transform` and parent transform `parent`.
pub fn key(transform: Transform, parent: Transform) -> NodeKey {
    let back = parent.rotation.transpose();
    let translation = stored(back * (transform.translation - parent.translation));
    NodeKey::new(
        translation.into(),
        quaternion(stored_rotation(back * transform.rotation)),
    )
}

/// A position in 1/1024 units, for comparison.
type PositionKey = [i32; 3];

fn position_key(at: Vec3) -> PositionKey {
    (at * 1024.0).round().as_ivec3().into()
}

/// Triangles and vertices of solids, without bounds, and the position of each vertex in model
/// space.
///
/// `joint` returns the origin of a node in the modeling pose, `uv` the texture coordinates of a
/// point of a face.
pub fn geometry(
    solids: &[Solid],
    joint: impl Fn(usize) -> Vec3,
    uv: impl Fn(&Face, Vec2) -> Vec2,
) -> (GeometryDocument, Vec<Vec3>) {
    let mut geometry = GeometryDocument::default();
    let mut positions = Vec::new();
    for solid in solids {
        let mut vertex_indices: HashMap<(PositionKey, PositionKey), u16> = HashMap::new();
        for face in &solid.faces {
            let mut vertex = |index: usize| {
                let corner = &face.corners[index];
                let node = corner.bones[0];
                let normal = stored_direction(normal(solid, face, corner.at));
                *vertex_indices
                    .entry((position_key(corner.at), position_key(normal)))
                    .or_insert_with(|| {
                        geometry.vertices.push(Vertex {
                            position: stored(corner.at - joint(node)).to_array().map(Into::into),
                            normal: (normal * 127.0)
                                .round()
                                .to_array()
                                .map(|component| component as i8),
                            node: node as u8,
                            replacements: [0; 2].map(Into::into),
                        });
                        positions.push(corner.at);
                        (geometry.vertices.len() - 1) as u16
                    })
            };
            let vertices: Vec<u16> = (0..face.corners.len()).map(&mut vertex).collect();
            for [a, b, c] in face.triangles() {
                // Clockwise in the file's space, which mirrors that of the samples.
                let corners = [a, c, b];
                let at = corners.map(|corner| face.corners[corner].at);
                let across = (at[2] - at[0]).cross(at[1] - at[0]);
                if across.length() < 1e-5 {
                    continue;
                }
                let normal = stored_direction(across.normalize_or_zero()) * 127.0;
                geometry.triangles.push(Triangle {
                    uvs: corners.map(|corner| {
                        let uv = uv(face, face.corners[corner].uv);
                        uv.to_array().map(Into::into)
                    }),
                    vertices: corners.map(|corner| vertices[corner].into()),
                    normal: normal.round().to_array().map(|component| component as i8),
                });
            }
        }
    }
    geometry.base_vertices = geometry.vertices.len() as u32;
    (geometry, positions)
}

/// The normal at a corner of a face: the mean of all faces that meet there at smooth edges.
fn normal(solid: &Solid, face: &Face, at: Vec3) -> Vec3 {
    let own = face.normal();
    let towards = own.normalize_or(Vec3::Z);
    let meets = |face: &&Face| {
        let soft = face.normal().normalize_or_zero().dot(towards) > CREASE;
        soft && face
            .corners
            .iter()
            .any(|corner| position_key(corner.at) == position_key(at))
    };
    let normals = solid.faces.iter().filter(meets).map(Face::normal);
    normals
        .fold(own * 1e-3, |sum, normal| sum + normal)
        .normalize_or(towards)
}

/// Quantizes the vertex positions of each keyframe into a track, in the file's axes and units.
pub fn deform(track: &mut TrackDocument, keyframes: &[Vec<Vec3>]) {
    let all = || keyframes.iter().flatten();
    let least = all().copied().fold(Vec3::INFINITY, Vec3::min);
    let greatest = all().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let step = ((greatest - least) / 255.0).max(Vec3::splat(1e-6));
    let bytes = |at: &Vec3| {
        ((*at - least) / step)
            .round()
            .to_array()
            .map(|component| component as u8)
    };
    track.deform = all().map(bytes).collect();
    track.deform_scale = step.into();
    track.deform_translation = least.into();
}
