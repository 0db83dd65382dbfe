//! The collider component, and its tree in the world.

use crate::formats::alamo::collision::cast::TreeHit;
use crate::formats::alamo::collision::tree::CollisionTree;
use crate::formats::alamo::collision::winding::Winding;
use crate::formats::alamo::raycast::skin::ColliderSkin;
use crate::geometry::ray_settings::Backfaces;
use bevy::math::Affine3A;
use bevy::prelude::*;
use std::sync::Arc;

/// A collision tree that rays can hit. On the entity of every sub-mesh that has one, drawn or not.
///
/// For [`AloRayCast`](crate::alamo::AloRayCast) and picking, it is at its entity's `GlobalTransform`, or posed by
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
