//! Settings of a ray cast, and its hits.

use crate::alamo::collision::Backfaces;
use bevy::ecs::entity::Entity;
use bevy::math::Vec3;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;

/// Which colliders a ray can hit.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Clone, Debug, Default, PartialEq, Hash)]
#[non_exhaustive]
pub enum AloRayCastVisibility {
    /// All colliders: every level of detail and every damage stage at once.
    Any,
    /// Parts of the finest level of detail that are visible, and the collision hulls that files hide.
    ///
    /// The drawn level makes no difference, so that a shot does not depend on the camera. Proxy models are
    /// included while their proxy is visible.
    ///
    /// Parts are excluded by the damage stage, by night, by a bone that an animation hides, and by
    /// [`PartVisibility`](crate::scene::PartVisibility): hide a shield by name to turn off its collision.
    /// The default visibility of meshes in the file is ignored, because most hulls are hidden meshes. So
    /// is a `Visibility` that a user sets on the part's own entity.
    #[default]
    Solid,
    /// Like [`Solid`](Self::Solid), but with the level of detail that is drawn.
    SolidAtCurrentLod,
    /// Parts whose `InheritedVisibility` is true, drawn or not.
    Visible,
    /// Drawn parts that are in view of a camera or a light. Never a hull that is not drawn.
    VisibleInView,
}

/// How [`AloRayCast`](super::AloRayCast) casts a ray.
///
/// By default the ray stops at the nearest part, passes through back faces, and hits the colliders of
/// [`AloRayCastVisibility::Solid`].
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct AloRayCastSettings<'a> {
    /// Which colliders the ray can hit.
    pub visibility: AloRayCastVisibility,
    /// How the ray treats back faces. The front of a mirrored model is the side that is drawn.
    pub backfaces: Backfaces,
    /// Length of the ray, in world units.
    pub max_distance: f32,
    /// Whether the ray can hit the collider of an entity.
    pub filter: &'a dyn Fn(Entity) -> bool,
    /// Whether the ray stops at the part of an entity. If false, it continues behind the part.
    pub early_exit_test: &'a dyn Fn(Entity) -> bool,
}

impl Default for AloRayCastSettings<'_> {
    fn default() -> Self {
        Self {
            visibility: AloRayCastVisibility::default(),
            backfaces: Backfaces::default(),
            max_distance: f32::INFINITY,
            filter: &|_| true,
            early_exit_test: &|_| true,
        }
    }
}

impl<'a> AloRayCastSettings<'a> {
    /// Sets [`visibility`](Self::visibility).
    #[must_use]
    pub fn with_visibility(mut self, visibility: AloRayCastVisibility) -> Self {
        self.visibility = visibility;
        self
    }

    /// Sets [`backfaces`](Self::backfaces).
    #[must_use]
    pub fn with_backfaces(mut self, backfaces: Backfaces) -> Self {
        self.backfaces = backfaces;
        self
    }

    /// Sets [`max_distance`](Self::max_distance).
    #[must_use]
    pub fn with_max_distance(mut self, max_distance: f32) -> Self {
        self.max_distance = max_distance;
        self
    }

    /// Sets [`filter`](Self::filter).
    #[must_use]
    pub fn with_filter(mut self, filter: &'a impl Fn(Entity) -> bool) -> Self {
        self.filter = filter;
        self
    }

    /// Sets [`early_exit_test`](Self::early_exit_test).
    #[must_use]
    pub fn with_early_exit_test(mut self, early_exit_test: &'a impl Fn(Entity) -> bool) -> Self {
        self.early_exit_test = early_exit_test;
        self
    }

    /// Lets the ray continue behind every part, so that all parts along it are hit.
    #[must_use]
    pub fn never_early_exit(self) -> Self {
        self.with_early_exit_test(&|_| false)
    }
}

/// A hit of a ray on a part of a spawned model, in world space.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AloRayHit {
    /// Distance from the ray's origin.
    pub distance: f32,
    /// The hit point.
    pub point: Vec3,
    /// Normal of the triangle's front, of length 1, unless [`Backfaces::Flip`] flipped it.
    pub normal: Vec3,
    /// Barycentric coordinates: weights of the triangle's corners, whose sum is 1.
    pub barycentrics: Vec3,
    /// Index of the triangle in the sub-mesh.
    pub triangle: u32,
    /// The root entity of the model that the part belongs to. For a model inside another, such as a proxy
    /// model, the root of the inner one. The part's own entity if it is not below a model.
    pub root: Entity,
    /// Index of the mesh in the file.
    pub mesh: usize,
    /// Index of the sub-mesh within the mesh.
    pub submesh: usize,
    /// Index of the bone that the mesh is attached to, even if its vertices are skinned to other bones.
    pub bone: usize,
}
