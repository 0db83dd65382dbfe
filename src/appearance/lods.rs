//! Selection of levels of detail by distance, for all formats that have levels.

use crate::geometry::axes::SceneScale;
use crate::root::parts::{DistanceLod, LodDistances, ModelLod};
use crate::spawn::format::Format;
use bevy::prelude::*;

/// Hysteresis: a model leaves a level when its distance is below this fraction of the level's distance. It prevents
/// flicker near the threshold.
const LEAVE_FACTOR: f32 = 0.95;

/// The components that determine the level of a model.
type LodQuery<'w, F> = (
    Entity,
    &'w <F as Format>::Instance,
    Ref<'w, GlobalTransform>,
    Option<&'w LodDistances>,
    Option<&'w SceneScale>,
    &'w mut DistanceLod,
);

/// Selects the level of each model by its distance to the nearest camera.
///
/// Uses the transforms of the previous frame, except for entities that were spawned in this frame.
pub(crate) fn choose_levels<F: Format>(
    cameras: Query<(Entity, &Camera, Ref<GlobalTransform>), With<Camera3d>>,
    mut models: Query<LodQuery<'static, F>, Without<ModelLod>>,
    transforms: TransformHelper,
) {
    if models.is_empty() {
        return;
    }
    let current = |entity: Entity, transform: Ref<GlobalTransform>| match transform.is_added() {
        // Not propagated yet.
        true => transforms
            .compute_global_transform(entity)
            .unwrap_or(*transform),
        false => *transform,
    };
    let active = cameras.iter().filter(|(_, camera, _)| camera.is_active);
    let cameras = active.map(|(entity, _, transform)| current(entity, transform).translation());
    let cameras: Vec<Vec3> = cameras.collect();
    if cameras.is_empty() {
        return;
    }
    for (entity, model, transform, explicit, scene, mut shown) in &mut models {
        let own = F::lod_distances(model);
        let (distances, own_scale) = match explicit {
            Some(LodDistances(explicit)) => (&**explicit, 1.0),
            // A proxy model without distances follows the level of its outer model.
            None if own.is_empty() => continue,
            None => (own, scene.map_or(1.0, |scene| scene.0)),
        };
        let transform = current(entity, transform);
        let position = transform.translation();
        let squares = cameras
            .iter()
            .map(|camera| camera.distance_squared(position));
        let distance = squares.fold(f32::INFINITY, f32::min).sqrt();
        let scale = transform.scale().abs().max_element() * own_scale;
        let level = level(distances, distance / scale, shown.0);
        shown.set_if_neq(DistanceLod(level));
    }
}

/// The coarsest level that begins at or below `distance`. Keeps the `shown` level while the distance is within the
/// hysteresis.
fn level(distances: &[f32], distance: f32, shown: u32) -> u32 {
    let level_at = |distance: f32| {
        let last = distances.iter().rposition(|begin| distance >= *begin);
        last.map_or(0, |index| index as u32 + 1)
    };
    level_at(distance).max(shown.min(level_at(distance / LEAVE_FACTOR)))
}

/// Resets a model without distances to its finest level, if a model with distances was on the root before.
///
/// Levels of proxy models are set afterwards.
pub(crate) fn reset_level<F: Format>(
    inserted: On<Insert, F::Instance>,
    mut models: Query<(&F::Instance, &mut DistanceLod), Without<LodDistances>>,
) {
    if let Ok((model, mut shown)) = models.get_mut(inserted.entity)
        && F::lod_distances(model).is_empty()
    {
        shown.set_if_neq(DistanceLod(0));
    }
}
