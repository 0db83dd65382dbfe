//! What a ray can meet: one per sub-mesh that has a collision tree.

use super::skin::ColliderSkin;
use crate::alamo::collision::{Backfaces, CollisionTree, TreeHit, Winding};
use bevy::ecs::component::Component;
use bevy::ecs::reflect::ReflectComponent;
use bevy::math::{Affine3A, Dir3, Mat3A, Ray3d, Vec3A};
use bevy::reflect::Reflect;
use std::sync::Arc;

/// On the entity of every sub-mesh that has a collision tree, drawn or not.
///
/// [`AloRayCast`](super::AloRayCast) and picking meet it where its entity's `GlobalTransform` is; if
/// it is skinned, where its bones have its vertices. Remove it from what nothing is to meet.
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(opaque, Component, Clone, Debug)]
pub struct AloCollider {
    tree: Arc<CollisionTree>,
    skin: Option<Arc<ColliderSkin>>,
    bone: usize,
}

impl AloCollider {
    pub(in crate::alamo) fn new(
        tree: Arc<CollisionTree>,
        skin: Option<Arc<ColliderSkin>>,
        bone: usize,
    ) -> Self {
        Self { tree, skin, bone }
    }

    /// The triangles, for queries: in the space of the bone, or of the model at rest if skinned.
    pub fn tree(&self) -> &Arc<CollisionTree> {
        &self.tree
    }

    /// Index of the bone that the mesh hangs on.
    pub fn bone(&self) -> usize {
        self.bone
    }

    /// Whether bones move its vertices one by one.
    pub fn is_skinned(&self) -> bool {
        self.skin.is_some()
    }

    pub(super) fn skin(&self) -> Option<&ColliderSkin> {
        self.skin.as_deref()
    }
}

/// A tree somewhere in the world.
pub(super) struct Placed<'a> {
    tree: &'a CollisionTree,
    /// From its space to the world.
    affine: Affine3A,
    /// Undoes all of that but the move.
    inverse: Mat3A,
    /// A mirror turns the sense in which corners go, and so what is drawn.
    winding: Winding,
}

impl<'a> Placed<'a> {
    /// `None` if the tree is flattened, or nowhere.
    pub(super) fn new(tree: &'a CollisionTree, affine: Affine3A) -> Option<Self> {
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

    /// The tree, and the way from its space to the world.
    #[cfg(feature = "gizmos")]
    pub(super) fn parts(&self) -> (&CollisionTree, &Affine3A) {
        (self.tree, &self.affine)
    }

    /// The ray in the space of the tree, and how much longer its lengths are there.
    fn local(&self, ray: Ray3d) -> Option<(Ray3d, f32)> {
        let direction = self.inverse * Vec3A::from(*ray.direction);
        let (direction, stretch) = Dir3::new_and_length(direction.into()).ok()?;
        // The move first: far from the world's origin the way between neighbours is exact, and what
        // either is turned to is not.
        let origin = self.inverse * (Vec3A::from(ray.origin) - self.affine.translation);
        let origin = origin.into();
        Some((Ray3d { origin, direction }, stretch))
    }

    /// The nearest hit, in the world.
    pub(super) fn cast(&self, ray: Ray3d, max: f32, backfaces: Backfaces) -> Option<TreeHit> {
        let (local, stretch) = self.local(ray)?;
        let max = max * stretch;
        let hit = self
            .tree
            .cast_ray_wound(local, max, backfaces, self.winding)?;
        // Normals stand upright on what is stretched if they are stretched the other way.
        let normal = self.inverse.transpose() * hit.normal;
        Some(TreeHit {
            distance: hit.distance / stretch,
            point: self.affine.transform_point3(hit.point),
            normal: normal.normalize_or(-*ray.direction),
            ..hit
        })
    }

    /// Whether anything is hit.
    pub(super) fn meets(&self, ray: Ray3d, max: f32, backfaces: Backfaces) -> bool {
        let Some((local, stretch)) = self.local(ray) else {
            return false;
        };
        let max = max * stretch;
        self.tree.any_hit_wound(local, max, backfaces, self.winding)
    }
}
