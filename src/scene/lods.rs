//! Levels of detail by distance, the same for all formats that have levels.

use crate::scene::axes::SceneScale;
use crate::scene::parts::{DistanceLod, LodDistances, ModelLod};
use bevy::camera::{Camera, Camera3d};
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut, Ref};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::Insert;
use bevy::ecs::observer::On;
use bevy::ecs::query::{With, Without};
use bevy::ecs::system::Query;
use bevy::math::Vec3;
use bevy::transform::components::GlobalTransform;
use bevy::transform::helper::TransformHelper;

/// How much nearer than where a level begins a model must come to leave it, so that one that stands
/// there does not flicker.
const NEARER: f32 = 0.95;

/// A spawned model that has levels of detail.
pub(crate) trait HasLods: Component {
    /// From how far away each level after the finest is drawn where the root does not say.
    fn own_distances(&self) -> &[f32];
}

/// What decides the level of a model.
type Distant<'w, L> = (
    Entity,
    &'w L,
    Ref<'w, GlobalTransform>,
    Option<&'w LodDistances>,
    Option<&'w SceneScale>,
    &'w mut DistanceLod,
);

/// Chooses the levels of models for the camera that each is nearest to, by where both were in the frame
/// before; of those that were spawned in this frame by where they are.
pub(crate) fn choose_levels<L: HasLods>(
    cameras: Query<(Entity, &Camera, Ref<GlobalTransform>), With<Camera3d>>,
    mut models: Query<Distant<'static, L>, Without<ModelLod>>,
    transforms: TransformHelper,
) {
    if models.is_empty() {
        return;
    }
    let current = |entity: Entity, place: Ref<GlobalTransform>| match place.is_added() {
        // Nothing has been propagated to it.
        true => transforms
            .compute_global_transform(entity)
            .unwrap_or(*place),
        false => *place,
    };
    let active = cameras.iter().filter(|(_, camera, _)| camera.is_active);
    let eyes = active.map(|(entity, _, place)| current(entity, place).translation());
    let eyes: Vec<Vec3> = eyes.collect();
    if eyes.is_empty() {
        return;
    }
    for (entity, model, place, stated, scene, mut shown) in &mut models {
        let own = model.own_distances();
        let (distances, own_scale) = match stated {
            Some(LodDistances(stated)) => (&**stated, 1.0),
            // What has no distances of its own may still be told its level by another model.
            None if own.is_empty() => continue,
            None => (own, scene.map_or(1.0, |scene| scene.0)),
        };
        let place = current(entity, place);
        let at = place.translation();
        let squares = eyes.iter().map(|eye| eye.distance_squared(at));
        let distance = squares.fold(f32::INFINITY, f32::min).sqrt();
        let scale = place.scale().abs().max_element() * own_scale;
        let level = level(distances, distance / scale, shown.0);
        shown.set_if_neq(DistanceLod(level));
    }
}

/// The coarsest level that begins no farther away than this, or the one that is shown as long as it is
/// hardly left.
fn level(distances: &[f32], distance: f32, shown: u32) -> u32 {
    let begun = |distance: f32| {
        let begun = distances.iter().rposition(|begin| distance >= *begin);
        begun.map_or(0, |index| index as u32 + 1)
    };
    begun(distance).max(shown.min(begun(distance / NEARER)))
}

/// A model without distances is drawn at its finest level, also where another one with distances was before it. Models
/// that proxies bring along are told theirs after that.
pub(crate) fn reset_level<L: HasLods>(
    inserted: On<Insert, L>,
    mut models: Query<(&L, &mut DistanceLod), Without<LodDistances>>,
) {
    if let Ok((model, mut shown)) = models.get_mut(inserted.entity)
        && model.own_distances().is_empty()
    {
        shown.set_if_neq(DistanceLod(0));
    }
}
