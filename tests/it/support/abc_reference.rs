//! A reference implementation of LithTech animation in `f64`, written from the format's description. Tests compare the
//! app's vertices with it.

use crate::support::prelude::*;
use bevy::math::DQuat;
use bevy_classic_models::lithtech::abc::write::TrackDocument;

/// A time in an animation: two successive keyframes, and the fraction from the first to the second.
#[derive(Clone, Copy)]
struct Moment {
    from: usize,
    to: usize,
    fraction: f64,
}

/// The translation and rotation of a node.
#[derive(Clone, Copy)]
struct Pose {
    translation: DVec3,
    rotation: DQuat,
}

pub struct Reference<'a> {
    model: &'a AbcDocument,
    /// The parent of each node.
    parents: Vec<Option<usize>>,
}

/// A corner of a triangle of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Corner {
    pub triangle: usize,
    pub corner: usize,
    /// The vertex used at a level of detail.
    pub vertex: usize,
}

impl<'a> Reference<'a> {
    pub fn new(model: &'a AbcDocument) -> Self {
        let mut parents = Vec::new();
        let mut open: Vec<(usize, u32)> = Vec::new();
        for (index, node) in model.nodes.iter().enumerate() {
            while open.last().is_some_and(|(_, left)| *left == 0) {
                open.pop();
            }
            parents.push(open.last_mut().map(|(parent, left)| {
                *left -= 1;
                *parent
            }));
            // With the count of children that are still to come.
            open.push((index, node.children));
        }
        Self { model, parents }
    }

    fn flips(&self) -> (bool, bool) {
        let info = self.model.transform_info;
        info.map_or((true, true), |info| {
            (info.flip_geometry, info.flip_animation)
        })
    }

    /// The animation, or the one whose first keyframe is the rest pose.
    fn animation(&self, animation: Option<usize>) -> &'a AnimationDocument {
        &self.model.animations[animation.unwrap_or(0)]
    }

    fn moment(&self, animation: Option<usize>, seconds: f64) -> Moment {
        let time = if animation.is_none() {
            0.0
        } else {
            seconds * 1000.0
        };
        let times = self.animation(animation).keyframes.iter();
        let times: Vec<f64> = times.map(|keyframe| f64::from(keyframe.time)).collect();
        let last = times.len() - 1;
        let next = times.iter().position(|it| *it > time);
        match next {
            Some(0) => Moment {
                from: 0,
                to: 0,
                fraction: 0.0,
            },
            Some(to) => Moment {
                from: to - 1,
                to,
                fraction: (time - times[to - 1]) / (times[to] - times[to - 1]),
            },
            None => Moment {
                from: last,
                to: last,
                fraction: 0.0,
            },
        }
    }

    fn in_parent(&self, track: &TrackDocument, moment: Moment) -> Pose {
        let key = |key: usize| {
            let key = &track.keys[key];
            let translation = DVec3::from_array(key.translation.map(|it| f64::from(it.get())));
            let rotation = DQuat::from_array(key.rotation.map(|it| f64::from(it.get())));
            let rotation = if rotation.length() > 0.0 {
                rotation.normalize()
            } else {
                DQuat::IDENTITY
            };
            let flips = self.flips().1;
            Pose {
                translation,
                rotation: if flips {
                    rotation.conjugate()
                } else {
                    rotation
                },
            }
        };
        let (from, to) = (key(moment.from), key(moment.to));
        Pose {
            translation: from.translation * (1.0 - moment.fraction)
                + to.translation * moment.fraction,
            rotation: slerp(from.rotation, to.rotation, moment.fraction),
        }
    }

    fn in_model(&self, animation: Option<usize>, seconds: f64) -> Vec<Pose> {
        let moment = self.moment(animation, seconds);
        let mut poses: Vec<Pose> = Vec::new();
        for (track, parent) in self.animation(animation).tracks.iter().zip(&self.parents) {
            let own = self.in_parent(track, moment);
            poses.push(match parent.map(|parent| poses[parent]) {
                Some(parent) => Pose {
                    translation: parent.translation + parent.rotation * own.translation,
                    rotation: parent.rotation * own.rotation,
                },
                None => own,
            });
        }
        poses
    }

    /// Each vertex position in the space of the model, in the file's axes: +Y up, +Z forward, left-handed.
    pub fn vertices(&self, animation: Option<usize>, seconds: f64) -> Vec<DVec3> {
        let geometry = &self.model.geometry;
        let mut positions: Vec<DVec3> = geometry
            .vertices
            .iter()
            .map(|vertex| DVec3::from_array(vertex.position.map(|it| f64::from(it.get()))))
            .collect();
        let moment = self.moment(animation, seconds);
        let tracks = &self.animation(animation).tracks;
        for (node, track) in self.model.nodes.iter().zip(tracks) {
            let listed = node.deform_vertices.len();
            let [scale, origin] = [track.deform_scale, track.deform_translation]
                .map(|vector| DVec3::from_array(vector.map(f64::from)));
            for (slot, vertex) in node.deform_vertices.iter().enumerate() {
                let at = |key: usize| {
                    let bytes = track.deform[key * listed + slot].map(f64::from);
                    DVec3::from_array(bytes) * scale + origin
                };
                let (from, to) = (at(moment.from), at(moment.to));
                positions[usize::from(*vertex)] =
                    from * (1.0 - moment.fraction) + to * moment.fraction;
            }
        }
        let extras = geometry.vertices.iter().enumerate();
        for (index, vertex) in extras.skip(geometry.base_vertices as usize) {
            let node = &self.model.nodes[usize::from(vertex.node)];
            if !node.deform_vertices.is_empty() {
                let [a, b] = vertex.replacements.map(|it| usize::from(it.get()));
                positions[index] = (positions[a] + positions[b]) / 2.0;
            }
        }
        let poses = self.in_model(animation, seconds);
        for (position, vertex) in positions.iter_mut().zip(&geometry.vertices) {
            let pose = poses[usize::from(vertex.node)];
            *position = pose.translation + pose.rotation * *position;
        }
        positions
    }

    /// The triangles that remain at a level of detail, in file order. A vertex that this or a finer level replaces is
    /// resolved to its replacement.
    pub fn corners(&self, level: usize) -> Vec<[Corner; 3]> {
        let geometry = &self.model.geometry;
        let first = geometry.base_vertices as usize;
        let replacement = |mut vertex: usize| {
            for step in 0..level.min(geometry.vertices.len() - first) {
                let added = first + step;
                let pair = geometry.vertices[added].replacements;
                if pair.iter().any(|it| usize::from(it.get()) == vertex) {
                    vertex = added;
                }
            }
            vertex
        };
        let mut remaining = Vec::new();
        for (triangle, corners) in geometry.triangles.iter().enumerate() {
            let [a, b, c] = corners
                .vertices
                .map(|it| replacement(usize::from(it.get())));
            if a != b && b != c && c != a {
                let corner = |(corner, vertex)| Corner {
                    triangle,
                    corner,
                    vertex,
                };
                remaining.push([(0, a), (1, b), (2, c)].map(corner));
            }
        }
        remaining
    }

    /// The same triangles as Bevy draws them: counter-clockwise from outside, ordered by mesh. Each node with vertex
    /// deformation has its own mesh; with `separate_node_meshes`, each node has.
    pub fn drawn(
        &self,
        level: usize,
        separate_node_meshes: bool,
        mirrors: bool,
    ) -> Vec<[Corner; 3]> {
        let mut corners = self.corners(level);
        let mesh = |[first, ..]: &[Corner; 3]| {
            let node = usize::from(self.model.geometry.vertices[first.vertex].node);
            let deforms = !self.model.nodes[node].deform_vertices.is_empty();
            (separate_node_meshes || deforms).then_some(node)
        };
        corners.sort_by_key(mesh);
        // Clockwise in a left-handed space is counter-clockwise in its mirror image.
        if self.flips().0 != mirrors {
            corners.iter_mut().for_each(|corners| corners.swap(1, 2));
        }
        corners
    }
}

/// Spherical interpolation along the shorter arc.
fn slerp(from: DQuat, to: DQuat, fraction: f64) -> DQuat {
    let mut cosine = from.dot(to);
    let mut to = to;
    if cosine < 0.0 {
        (cosine, to) = (-cosine, -to);
    }
    let angle = cosine.min(1.0).acos();
    let [a, b] = if angle < 1e-6 {
        [1.0 - fraction, fraction]
    } else {
        [1.0 - fraction, fraction].map(|part| (part * angle).sin() / angle.sin())
    };
    (from * a + to * b).normalize()
}
