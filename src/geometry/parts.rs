//! What a format provides for rays: the surfaces of the parts of its models.

use crate::geometry::posed::PosedVertices;
use crate::geometry::ray_settings::{ModelRayCastSettings, ModelRayCastVisibility};
use crate::geometry::surface::{Surface, SurfaceHit};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// A part of a spawned model that rays can hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HitPart {
    /// The root of its model.
    pub(crate) root: Entity,
    /// Its entity, which has its `Aabb`.
    pub(crate) entity: Entity,
}

/// The parts of all spawned models of a format.
pub(crate) trait Surfaces {
    /// The entity of a part in settings and hits.
    fn target(&self, part: HitPart) -> Entity {
        part.entity
    }

    /// Adds the parts of a root's model, without collision boxes.
    fn parts(&self, root: Entity, parts: &mut Vec<HitPart>);

    /// The surface of a part as it is now. `None` if the settings exclude the part, apart from their filter.
    fn surface<'a>(
        &'a self,
        part: HitPart,
        settings: &ModelRayCastSettings<'_>,
        posed: &'a mut PosedVertices,
    ) -> Option<Surface<'a>>;

    /// The bone that moves the hit point. `None` for formats without bones.
    fn bone(
        &self,
        _part: HitPart,
        _settings: &ModelRayCastSettings<'_>,
        _hit: &SurfaceHit,
    ) -> Option<Entity> {
        None
    }
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
