//! The collider component, its skinning, and its tree in the world.

use crate::formats::alamo::collision::cast::TreeHit;
use crate::formats::alamo::collision::tree::CollisionTree;
use crate::formats::alamo::collision::tree_ray::Winding;
use crate::geometry::ray_settings::Backfaces;
use bevy::math::Affine3A;
use bevy::prelude::*;
use std::sync::Arc;

/// A collision tree that rays can hit. On the entity of every sub-mesh that has one, drawn or not.
///
/// For [`ModelRayCast`](crate::query::ModelRayCast) and picking, it is at its entity's `GlobalTransform`, or posed by
/// its bones if it is skinned. To exclude an entity from ray casts, remove the component.
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(opaque, Component, Clone, Debug)]
pub struct AloCollider {
    tree: Arc<CollisionTree>,
    skin: Option<Arc<ColliderSkin>>,
    bone: usize,
}

impl AloCollider {
    pub(crate) fn new(
        tree: Arc<CollisionTree>,
        skin: Option<Arc<ColliderSkin>>,
        bone: usize,
    ) -> Self {
        Self { tree, skin, bone }
    }

    /// The triangles, for queries. In the space of the bone; for a skinned collider, in the space of the
    /// model in its rest pose.
    pub fn tree(&self) -> &Arc<CollisionTree> {
        &self.tree
    }

    /// Index of the bone that the mesh is attached to.
    pub fn bone(&self) -> usize {
        self.bone
    }

    /// Whether its vertices are skinned to bones.
    pub fn is_skinned(&self) -> bool {
        self.skin.is_some()
    }

    pub(crate) fn skin(&self) -> Option<&ColliderSkin> {
        self.skin.as_deref()
    }
}

/// A tree with its transform in the world.
pub(crate) struct PlacedTree<'a> {
    tree: &'a CollisionTree,
    /// From the tree's space to the world.
    affine: Affine3A,
    /// The inverse of the matrix of `affine`, without its translation.
    inverse: Mat3A,
    /// The winding of front faces in the tree's space: clockwise if `affine` mirrors.
    winding: Winding,
}

impl<'a> PlacedTree<'a> {
    /// `None` if the transform is not invertible or not finite.
    pub(crate) fn new(tree: &'a CollisionTree, affine: Affine3A) -> Option<Self> {
        let inverse = affine.matrix3.inverse();
        let winding = if affine.matrix3.determinant() < 0.0 {
            Winding::Clockwise
        } else {
            Winding::CounterClockwise
        };
        (affine.is_finite() && inverse.is_finite()).then_some(Self {
            tree,
            affine,
            inverse,
            winding,
        })
    }

    /// The tree, and the transform from its space to the world.
    pub(crate) fn parts(&self) -> (&CollisionTree, &Affine3A) {
        (self.tree, &self.affine)
    }

    /// The ray in the space of the tree, and the factor from distances in the world to distances there.
    fn local(&self, ray: Ray3d) -> Option<(Ray3d, f32)> {
        let direction = self.inverse * Vec3A::from(*ray.direction);
        let (direction, stretch) = Dir3::new_and_length(direction.into()).ok()?;
        // The translation first: far from the world's origin, the difference of two close points is
        // exact, and the points' rotations are not.
        let origin = self.inverse * (Vec3A::from(ray.origin) - self.affine.translation);
        let origin = origin.into();
        Some((Ray3d { origin, direction }, stretch))
    }

    /// The nearest hit, in the world.
    pub(crate) fn cast(&self, ray: Ray3d, max: f32, backfaces: Backfaces) -> Option<TreeHit> {
        let (local, stretch) = self.local(ray)?;
        let max = max * stretch;
        let hit = self
            .tree
            .cast_ray_with_winding(local, max, backfaces, self.winding)?;
        // Normals are transformed by the inverse transpose.
        let normal = self.inverse.transpose() * hit.normal;
        Some(TreeHit {
            distance: hit.distance / stretch,
            point: self.affine.transform_point3(hit.point),
            normal: normal.normalize_or(-*ray.direction),
            ..hit
        })
    }

    /// Whether a ray hits any triangle.
    pub(crate) fn any_hit(&self, ray: Ray3d, max: f32, backfaces: Backfaces) -> bool {
        let Some((local, stretch)) = self.local(ray) else {
            return false;
        };
        let max = max * stretch;
        self.tree
            .any_hit_with_winding(local, max, backfaces, self.winding)
    }
}

/// The data to pose the vertices of a skinned sub-mesh.
#[derive(Clone, Debug)]
pub(crate) struct ColliderSkin {
    /// Vertex positions of the rest pose, in the model's space.
    positions: Box<[[f32; 3]]>,
    /// Four joints per vertex: indices in `inverse_bindposes`.
    joints: Box<[[u16; 4]]>,
    /// Weights of the joints; their sum per vertex is 1.
    weights: Box<[[f32; 4]]>,
    /// From the model's space to the space of each joint, in the rest pose.
    inverse_bindposes: Box<[Affine3A]>,
}

impl ColliderSkin {
    pub(crate) fn new(
        positions: &[[f32; 3]],
        joints: &[[u16; 4]],
        weights: &[[f32; 4]],
        inverse_bindposes: &[Mat4],
    ) -> Self {
        let inverse_bindposes = inverse_bindposes
            .iter()
            .map(|pose| Affine3A::from_mat4(*pose));
        Self {
            positions: positions.into(),
            joints: joints.into(),
            weights: weights.into(),
            inverse_bindposes: inverse_bindposes.collect(),
        }
    }

    /// The joint with the greatest weight at a point of a triangle. `barycentrics` are the weights of its corners.
    pub(crate) fn joint_at(&self, vertices: [u32; 3], barycentrics: Vec3) -> Option<usize> {
        let mut heaviest: Option<(usize, f32)> = None;
        let corner_joints = |vertex: u32| self.joints.get(vertex as usize);
        let corner_weights = |vertex: u32| self.weights.get(vertex as usize);
        let weight_of = |joint: u16| {
            let at = |vertex: u32| {
                let pairs = corner_joints(vertex)?.iter().zip(corner_weights(vertex)?);
                let own = pairs.filter(|(other, _)| **other == joint);
                Some(own.map(|(_, weight)| *weight).sum::<f32>())
            };
            let weights = vertices.map(|vertex| at(vertex).unwrap_or(0.0));
            Vec3::from_array(weights).dot(barycentrics)
        };
        for joint in vertices.into_iter().filter_map(corner_joints).flatten() {
            let weight = weight_of(*joint);
            if heaviest.is_none_or(|(_, greatest)| weight > greatest) {
                heaviest = Some((usize::from(*joint), weight));
            }
        }
        heaviest.map(|(joint, _)| joint)
    }

    /// Writes the posed vertex positions to `posed`, in the target space of the `joint` transforms.
    pub(crate) fn pose(
        &self,
        joint: impl Fn(usize) -> Option<Affine3A>,
        posed: &mut Vec<[f32; 3]>,
    ) {
        let matrix = |(index, pose): (usize, &Affine3A)| joint(index).map(|joint| joint * *pose);
        let matrices = self.inverse_bindposes.iter().enumerate();
        let matrices: Vec<Option<Affine3A>> = matrices.map(matrix).collect();
        let vertices = skinned(&self.positions, &self.joints, &self.weights, &matrices);
        posed.clear();
        posed.extend(vertices.map(|vertex| vertex.to_array()));
    }
}

/// The positions of skinned vertices. `matrices` transform the mesh's space at rest by the joints; those of joints that do
/// not exist are `None`, and have no influence.
pub(crate) fn skinned(
    positions: &[[f32; 3]],
    joints: &[[u16; 4]],
    weights: &[[f32; 4]],
    matrices: &[Option<Affine3A>],
) -> impl Iterator<Item = Vec3> {
    let vertices = positions.iter().zip(joints).zip(weights);
    vertices.map(|((position, joints), weights)| {
        let position = Vec3A::from(*position);
        let influences = joints.iter().zip(weights);
        let moved =
            influences
                .filter(|(_, weight)| **weight > 0.0)
                .filter_map(|(joint, weight)| {
                    let matrix = matrices.get(usize::from(*joint))?.as_ref()?;
                    Some(matrix.transform_point3a(position) * *weight)
                });
        Vec3::from(moved.sum::<Vec3A>())
    })
}
