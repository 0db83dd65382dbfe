//! Solids and poses to the document of an ABC file.
//!
//! Samples are shaped with Z up, the front along −Y and the left at +X; the file has Y up, the front
//! along +Z and the right at +X, and many more units.

use crate::alamo::shape::{Face, Solid};
use crate::maths::{Place, quaternion};
use bevy::math::{Mat3, Vec2, Vec3};
use bevy_classic_models::lithtech::abc::write::{GeometryDocument, TrackDocument};
use bevy_classic_models::lithtech::abc::{NodeKey, Triangle, Vertex};
use std::collections::HashMap;

/// Units of the file per unit of the samples.
pub const SCALE: f32 = 10.0;

/// Cosine of the angle up to which faces are shaded as one.
const CREASE: f32 = 0.45;

/// A place in the file's axes and units.
pub fn stored(at: Vec3) -> Vec3 {
    stored_direction(at) * SCALE
}

fn stored_direction(direction: Vec3) -> Vec3 {
    Vec3::new(-direction.x, direction.z, -direction.y)
}

/// A turn in the file's axes.
fn stored_turn(turn: Mat3) -> Mat3 {
    let columns = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| {
        // To the samples' axes, which is the same way as back, but for the last two.
        let axis = Vec3::new(-axis.x, -axis.z, axis.y);
        stored_direction(turn * axis)
    });
    Mat3::from_cols(columns[0], columns[1], columns[2])
}

/// The key of a node that is at `place`, whose parent is at `parent`.
pub fn key(place: Place, parent: Place) -> NodeKey {
    let back = parent.turn.transpose();
    let translation = stored(back * (place.at - parent.at));
    NodeKey::new(
        translation.into(),
        quaternion(stored_turn(back * place.turn)),
    )
}

/// Where a point is, in 1/1024 units.
type Spot = [i32; 3];

fn spot(at: Vec3) -> Spot {
    (at * 1024.0).round().as_ivec3().into()
}

/// Triangles and vertices of solids, without bounds, and where each vertex is on the shaped model.
///
/// `joint` is where a node is while the model is shaped, `uv` where a point of a face is on the skin.
pub fn geometry(
    solids: &[Solid],
    joint: impl Fn(usize) -> Vec3,
    uv: impl Fn(&Face, Vec2) -> Vec2,
) -> (GeometryDocument, Vec<Vec3>) {
    let mut geometry = GeometryDocument::default();
    let mut places = Vec::new();
    for solid in solids {
        let mut known: HashMap<(Spot, Spot), u16> = HashMap::new();
        for face in &solid.faces {
            let mut vertex = |index: usize| {
                let corner = &face.corners[index];
                let node = corner.bones[0];
                let normal = stored_direction(normal(solid, face, corner.at));
                *known
                    .entry((spot(corner.at), spot(normal)))
                    .or_insert_with(|| {
                        geometry.vertices.push(Vertex {
                            position: stored(corner.at - joint(node)).to_array().map(Into::into),
                            normal: (normal * 127.0).round().to_array().map(|way| way as i8),
                            node: node as u8,
                            replacements: [0; 2].map(Into::into),
                        });
                        places.push(corner.at);
                        (geometry.vertices.len() - 1) as u16
                    })
            };
            let vertices: Vec<u16> = (0..face.corners.len()).map(&mut vertex).collect();
            for [a, b, c] in face.triangles() {
                // Clockwise in the file's space, which is a mirror image of the samples'.
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
                    normal: normal.round().to_array().map(|way| way as i8),
                });
            }
        }
    }
    geometry.base_vertices = geometry.vertices.len() as u32;
    (geometry, places)
}

/// The normal at a corner of a face: the mean of all faces that meet there at soft edges.
fn normal(solid: &Solid, face: &Face, at: Vec3) -> Vec3 {
    let own = face.normal();
    let towards = own.normalize_or(Vec3::Z);
    let meets = |face: &&Face| {
        let soft = face.normal().normalize_or_zero().dot(towards) > CREASE;
        soft && face
            .corners
            .iter()
            .any(|corner| spot(corner.at) == spot(at))
    };
    let normals = solid.faces.iter().filter(meets).map(Face::normal);
    normals
        .fold(own * 1e-3, |sum, normal| sum + normal)
        .normalize_or(towards)
}

/// Fills in the bytes of a track of vertices that are here at each keyframe, in the file's axes and
/// units.
pub fn deform(track: &mut TrackDocument, keyframes: &[Vec<Vec3>]) {
    let all = || keyframes.iter().flatten();
    let least = all().copied().fold(Vec3::INFINITY, Vec3::min);
    let greatest = all().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let step = ((greatest - least) / 255.0).max(Vec3::splat(1e-6));
    let bytes = |at: &Vec3| {
        ((*at - least) / step)
            .round()
            .to_array()
            .map(|way| way as u8)
    };
    track.deform = all().map(bytes).collect();
    track.deform_scale = step.into();
    track.deform_translation = least.into();
}
