//! What a format provides for rays: the parts of its models, and their surfaces.

use crate::geometry::box_index::Index;
use crate::geometry::posed::PosedVertices;
use crate::geometry::ray_settings::{ModelRayCastSettings, ModelRayCastVisibility};
use crate::geometry::surface::{Surface, SurfaceHit};
use bevy::ecs::change_detection::Tick;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// A part of a spawned model that rays can hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HitPart {
    /// The root of its model.
    pub(crate) root: Entity,
    /// The entity of its mesh; the root for a collision box.
    pub(crate) entity: Entity,
    /// Whether it is the collision box of the model.
    pub(crate) is_box: bool,
}

impl HitPart {
    /// The mesh of a model.
    pub(crate) fn mesh(root: Entity, entity: Entity) -> Self {
        Self {
            root,
            entity,
            is_box: false,
        }
    }
}

/// The parts of all spawned models of a format.
pub(crate) trait Surfaces {
    /// Updates the boxes of all parts in the index. `changed` returns whether a change is newer than the last update.
    fn update_index(&self, index: &mut Index<HitPart>, changed: &dyn Fn(Tick) -> bool);

    /// Adds the parts of a root's model, without collision boxes.
    fn parts(&self, root: Entity, parts: &mut Vec<HitPart>);

    /// The surface of a part as it is now. `None` if the settings exclude the part, apart from their filter.
    fn surface<'a>(
        &'a self,
        part: HitPart,
        settings: &ModelRayCastSettings<'_>,
        posed: &'a mut PosedVertices,
    ) -> Option<Surface<'a>>;

    /// The bone that moves the hit point.
    fn bone(
        &self,
        part: HitPart,
        settings: &ModelRayCastSettings<'_>,
        hit: &SurfaceHit,
    ) -> Option<Entity>;
}

/// The visibility of parts.
#[derive(SystemParam)]
pub(crate) struct PartViews<'w, 's> {
    parts: Query<'w, 's, (&'static InheritedVisibility, &'static ViewVisibility)>,
}

impl PartViews<'_, '_> {
    /// Whether a ray with this setting can hit a part that only its `Visibility` and those of its ancestors hide.
    pub(crate) fn includes(&self, part: Entity, visibility: ModelRayCastVisibility) -> bool {
        let Ok((inherited, in_view)) = self.parts.get(part) else {
            return false;
        };
        match visibility {
            ModelRayCastVisibility::Any => true,
            ModelRayCastVisibility::Solid
            | ModelRayCastVisibility::SolidAtCurrentLod
            | ModelRayCastVisibility::Visible => inherited.get(),
            ModelRayCastVisibility::VisibleInView => in_view.get(),
        }
    }

    /// Whether an entity is visible by its `InheritedVisibility`.
    pub(crate) fn is_visible(&self, entity: Entity) -> bool {
        let visibility = self.parts.get(entity);
        visibility.is_ok_and(|(inherited, _)| inherited.get())
    }
}
