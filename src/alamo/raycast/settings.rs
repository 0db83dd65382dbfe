//! What a caller chooses, and what it is told.

use crate::alamo::collision::Backfaces;
use bevy::ecs::entity::Entity;
use bevy::math::Vec3;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;

/// Which colliders a ray can meet.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Clone, Debug, Default, PartialEq, Hash)]
pub enum AloRayCastVisibility {
    /// All of them: every level of detail and every damage stage at once.
    Any,
    /// What shows if the finest level of detail is drawn, and the collision hulls that files hide.
    ///
    /// The level that is drawn makes no difference, so that a shot does not depend on the camera. Models that proxies
    /// bring along count as long as their proxy shows.
    ///
    /// Damage stage, night and [`PartVisibility`](crate::scene::PartVisibility) count, and
    /// so do the bones, whose animations show and hide; that a file hides a mesh does not, since most
    /// hulls are hidden meshes. A part that `PartVisibility` hides by name is not met: that is how a
    /// game turns off a shield. A `Visibility` that a user sets on the part's own entity does not.
    #[default]
    Solid,
    /// As [`Solid`](Self::Solid), but at the level of detail that is drawn.
    SolidAtCurrentLod,
    /// What is visible in the hierarchy, whether or not anything draws it.
    Visible,
    /// What a camera or a light sees: never a hull that nothing draws.
    VisibleInView,
}

/// How [`AloRayCast`](super::AloRayCast) casts a ray.
///
/// By default it stops at the nearest part that it meets, goes through back faces, and meets what
/// [`AloRayCastVisibility::Solid`] says.
#[derive(Clone, Copy)]
pub struct AloRayCastSettings<'a> {
    /// Which colliders count.
    pub visibility: AloRayCastVisibility,
    /// What the ray does with triangles whose back it sees. The front of a mirrored model is the side
    /// that is drawn.
    pub backfaces: Backfaces,
    /// How far the ray goes, in units of the world.
    pub max_distance: f32,
    /// Whether the collider of an entity is asked at all.
    pub filter: &'a dyn Fn(Entity) -> bool,
    /// Whether a part that was met hides those behind it. If not, the ray goes on.
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
    /// With other colliders than the solid ones.
    pub fn with_visibility(mut self, visibility: AloRayCastVisibility) -> Self {
        self.visibility = visibility;
        self
    }

    /// With back faces met, or not.
    pub fn with_backfaces(mut self, backfaces: Backfaces) -> Self {
        self.backfaces = backfaces;
        self
    }

    /// With an end to the ray.
    pub fn with_max_distance(mut self, max_distance: f32) -> Self {
        self.max_distance = max_distance;
        self
    }

    /// With only those entities that a predicate lets pass.
    pub fn with_filter(mut self, filter: &'a impl Fn(Entity) -> bool) -> Self {
        self.filter = filter;
        self
    }

    /// With only those parts hiding others that a predicate lets.
    pub fn with_early_exit_test(mut self, early_exit_test: &'a impl Fn(Entity) -> bool) -> Self {
        self.early_exit_test = early_exit_test;
        self
    }

    /// Every part along the ray is told.
    pub fn never_early_exit(self) -> Self {
        self.with_early_exit_test(&|_| false)
    }
}

/// Where a ray meets a part of a spawned model. All in the space and units of the world.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct AloRayHit {
    /// Distance from the ray's origin.
    pub distance: f32,
    /// The point.
    pub point: Vec3,
    /// Normal of the triangle where it is drawn, of length 1: of its front, unless
    /// [`Backfaces::Flip`] turned it.
    pub normal: Vec3,
    /// Weights of the triangle's corners, whose sum is 1.
    pub barycentrics: Vec3,
    /// Number of the triangle in the sub-mesh.
    pub triangle: u32,
    /// The root entity of the model that the part belongs to. Of a model within another, such as one that a proxy
    /// brings along, it is the inner one's. The part's own entity if it is not below a model.
    pub root: Entity,
    /// Index of the mesh in the file.
    pub mesh: usize,
    /// Index of the sub-mesh within the mesh.
    pub submesh: usize,
    /// Index of the bone that the mesh hangs on, also if other bones move its vertices.
    pub bone: usize,
}
