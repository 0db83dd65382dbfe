//! Rays: their settings (which parts they hit, how they treat back faces), and their hits.

use bevy::prelude::*;

/// How a ray treats back faces.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Clone, Debug, Default, PartialEq, Hash)]
pub enum Backfaces {
    /// The ray passes through them.
    #[default]
    Cull,
    /// The ray hits them. The hit's normal is that of the front, which points away from the ray's origin.
    Keep,
    /// The ray hits them. The hit's normal is that of the back, which points towards the ray's origin.
    Flip,
}

/// Which parts a ray can hit.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Clone, Debug, Default, PartialEq, Hash)]
#[non_exhaustive]
pub enum ModelRayCastVisibility {
    /// All parts, hidden ones too. Of ALO models every level of detail and every damage stage at once; of ABC models the
    /// finest level.
    Any,
    /// Parts of the finest level of detail that are visible, and the collision hulls that files hide.
    ///
    /// The drawn level makes no difference, so that a shot does not depend on the camera. Proxy models are
    /// included while their proxy is visible.
    ///
    /// Parts are excluded by the damage stage, by night, by a bone that an animation hides, and by
    /// [`PartVisibility`](crate::root::PartVisibility): hide a shield by name to turn off its collision.
    /// The default visibility of meshes in an ALO file is ignored, because most hulls are hidden meshes. So
    /// is a `Visibility` that a user sets on the entity of an ALO part.
    #[default]
    Solid,
    /// Like [`Solid`](Self::Solid), but with the level of detail that is drawn.
    SolidAtCurrentLod,
    /// Parts whose `InheritedVisibility` is true, drawn or not, at the level of detail that is drawn.
    Visible,
    /// Drawn parts that are in view of a camera or a light. Never a hull that is not drawn.
    VisibleInView,
}

/// How [`ModelRayCast`](crate::query::ModelRayCast) casts a ray.
///
/// By default the ray stops at the nearest part, passes through back faces, and hits the parts of
/// [`ModelRayCastVisibility::Solid`].
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ModelRayCastSettings<'a> {
    /// Which parts the ray can hit.
    pub visibility: ModelRayCastVisibility,
    /// How the ray treats back faces. The front of a mirrored model is the side that is drawn.
    pub backfaces: Backfaces,
    /// Length of the ray, in world units.
    pub max_distance: f32,
    /// Whether a LithTech model is hit at the collision box of its animation instead of its triangles. Off by default.
    ///
    /// The box is `AbcAnimation::dims` around the model's origin, along the model's axes. (The boxes of the games do not
    /// rotate.) It is that of the clip that plays, otherwise of the first animation. Animations without a box, and other
    /// formats, are hit at their triangles.
    pub collision_boxes: bool,
    /// Whether the ray can hit the part with this entity. A collision box has the entity of its model's root.
    pub filter: &'a dyn Fn(Entity) -> bool,
    /// Whether the ray stops at the part of an entity. If false, it continues behind the part.
    pub early_exit_test: &'a dyn Fn(Entity) -> bool,
}

impl Default for ModelRayCastSettings<'_> {
    fn default() -> Self {
        Self {
            visibility: ModelRayCastVisibility::default(),
            backfaces: Backfaces::default(),
            max_distance: f32::INFINITY,
            collision_boxes: false,
            filter: &|_| true,
            early_exit_test: &|_| true,
        }
    }
}

impl<'a> ModelRayCastSettings<'a> {
    /// Sets [`visibility`](Self::visibility).
    #[must_use]
    pub fn with_visibility(mut self, visibility: ModelRayCastVisibility) -> Self {
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

    /// Sets [`collision_boxes`](Self::collision_boxes).
    #[must_use]
    pub fn with_collision_boxes(mut self) -> Self {
        self.collision_boxes = true;
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

/// Which triangles of a model a [`ColliderMesh`](crate::query::ColliderMesh) has.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Clone, Debug, Default, PartialEq, Hash)]
pub enum ColliderParts {
    /// What rays hit with [`ModelRayCastVisibility::Solid`]: the collision trees of an ALO model, with its hulls, and the
    /// visible meshes of the other formats at the finest level of detail.
    #[default]
    Solid,
    /// The collision trees of ALO parts that are not drawn or that the file hides. Nothing for other formats.
    Hulls,
    /// The visible meshes, at the level of detail that is drawn. Of ALO models also those without a collision tree.
    Drawn,
}

impl ColliderParts {
    /// The settings of rays that hit these parts.
    pub(crate) fn settings(self) -> ModelRayCastSettings<'static> {
        ModelRayCastSettings::default().with_visibility(match self {
            Self::Solid | Self::Hulls => ModelRayCastVisibility::Solid,
            Self::Drawn => ModelRayCastVisibility::Visible,
        })
    }
}

/// A hit of a ray on a part of a spawned model, in world space.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelRayHit {
    /// The root entity of the model that the part belongs to. For a model inside another, such as a proxy
    /// model, the root of the inner one. The part's own entity if it is not below a model.
    pub root: Entity,
    /// The entity of the part: an ALO sub-mesh, or the mesh of another format. The root for a collision box of a LithTech
    /// model.
    pub part: Entity,
    /// The entity of the bone that moves the hit point. Of a skinned part, the bone with the greatest weight there. `None`
    /// for Quake models, models of UFO: Aftermath, and collision boxes.
    pub bone: Option<Entity>,
    /// Index of the triangle in the part: its first vertex index is at three times that. ABC: in the level of detail that
    /// the ray met.
    pub triangle: u32,
    /// Barycentric coordinates: weights of the triangle's corners, whose sum is 1.
    pub barycentrics: Vec3,
    /// Distance from the ray's origin.
    pub distance: f32,
    /// The hit point.
    pub point: Vec3,
    /// Normal of the triangle's front, of length 1, unless
    /// [`Backfaces::Flip`](crate::query::Backfaces::Flip) flipped it.
    pub normal: Vec3,
    /// The texture coordinate of the hit point. `None` for a collision box, and for an ALO part whose mesh the setting
    /// `asset_usage` keeps out of the main world.
    pub uv: Option<Vec2>,
}
