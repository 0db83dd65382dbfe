//! How the triangles of a skinned sub-mesh follow its bones.

use bevy::math::bounding::Aabb3d;
use bevy::math::{Affine3A, Mat4, Vec3, Vec3A};

/// The weights of a skinned sub-mesh's vertices, with all that posing them takes.
#[derive(Clone, Debug)]
pub(in crate::alamo) struct ColliderSkin {
    /// At rest, in the model's space.
    positions: Box<[[f32; 3]]>,
    /// Of each vertex: four joints, by their numbers in the palette, and their weights, which add up
    /// to 1.
    joints: Box<[[u16; 4]]>,
    weights: Box<[[f32; 4]]>,
    /// From the model's space to each joint's, at rest.
    inverse_bindposes: Box<[Affine3A]>,
    /// The box in each joint's space around what follows it; `None` if nothing does.
    bounds: Box<[Option<Aabb3d>]>,
}

impl ColliderSkin {
    pub(in crate::alamo) fn new(
        positions: &[[f32; 3]],
        joints: &[[u16; 4]],
        weights: &[[f32; 4]],
        inverse_bindposes: &[Mat4],
    ) -> Self {
        let inverse_bindposes = inverse_bindposes
            .iter()
            .map(|pose| Affine3A::from_mat4(*pose));
        let mut skin = Self {
            positions: positions.into(),
            joints: joints.into(),
            weights: weights.into(),
            inverse_bindposes: inverse_bindposes.collect(),
            bounds: Box::default(),
        };
        skin.bounds = skin.joint_bounds();
        skin
    }

    fn joint_bounds(&self) -> Box<[Option<Aabb3d>]> {
        let mut bounds: Box<[Option<Aabb3d>]> = vec![None; self.inverse_bindposes.len()].into();
        for ((position, joints), weights) in
            self.positions.iter().zip(&self.joints).zip(&self.weights)
        {
            for (joint, weight) in joints.iter().zip(weights) {
                let joint = usize::from(*joint);
                if let (Some(bounds), Some(pose)) =
                    (bounds.get_mut(joint), self.inverse_bindposes.get(joint))
                    && *weight > 0.0
                {
                    let place = pose.transform_point3a(Vec3A::from(*position));
                    let around = bounds.get_or_insert(Aabb3d {
                        min: place,
                        max: place,
                    });
                    around.min = around.min.min(place);
                    around.max = around.max.max(place);
                }
            }
        }
        bounds
    }

    /// A box around the posed vertices: they lie between where each of their joints would have them.
    pub(super) fn bounds(&self, joint: impl Fn(usize) -> Option<Affine3A>) -> Option<Aabb3d> {
        let joints = self.bounds.iter().enumerate();
        let boxes = joints.filter_map(|(index, bounds)| Some((joint(index)?, bounds.as_ref()?)));
        boxes
            .map(|(joint, bounds)| super::index::moved(&joint, bounds))
            .reduce(|a, b| Aabb3d {
                min: a.min.min(b.min),
                max: a.max.max(b.max),
            })
    }

    /// The vertices where the joints have them, in the space that the joints lead to.
    pub(super) fn pose(
        &self,
        joint: impl Fn(usize) -> Option<Affine3A>,
        posed: &mut Vec<[f32; 3]>,
    ) {
        let matrix = |(index, pose): (usize, &Affine3A)| joint(index).map(|joint| joint * *pose);
        let matrices = self.inverse_bindposes.iter().enumerate();
        let matrices: Vec<Option<Affine3A>> = matrices.map(matrix).collect();
        let place = |((position, joints), weights): ((&[f32; 3], &[u16; 4]), &[f32; 4])| {
            let position = Vec3A::from(*position);
            let joints = joints.iter().zip(weights);
            let moved =
                joints
                    .filter(|(_, weight)| **weight > 0.0)
                    .filter_map(|(joint, weight)| {
                        let matrix = matrices.get(usize::from(*joint))?.as_ref()?;
                        Some(matrix.transform_point3a(position) * *weight)
                    });
            Vec3::from(moved.sum::<Vec3A>()).to_array()
        };
        posed.clear();
        let vertices = self.positions.iter().zip(&self.joints).zip(&self.weights);
        posed.extend(vertices.map(place));
    }
}
