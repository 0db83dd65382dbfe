//! What the components of a root select: level of detail, damage stage, skin and parts, which formats and crowds apply; levels
//! by distance; and the own visibility of bones.

use crate::appearance::skins::ActiveSkin;
use crate::geometry::axes::SceneScale;
use crate::root::environment::NightTime;
use crate::root::parts::{DamageStage, DistanceLod, LodDistances, ModelLod, PartVisibility};
use crate::spawn::format::Format;
use bevy::ecs::entity::EntityHashSet;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// The values that the components of a root select. The model limits them.
#[derive(Clone, Copy, Default)]
pub struct Selected<'a> {
    /// The level of detail, from 0, the finest.
    pub(crate) level: u32,
    pub(crate) stage: u32,
    pub(crate) night: bool,
    pub(crate) visibility: Option<&'a PartVisibility>,
    pub(crate) skin: Option<&'a ActiveSkin>,
}

impl Selected<'_> {
    /// Whether the user hides the parts of a name; `None` if the file decides.
    pub(crate) fn hides(&self, name: &str) -> Option<bool> {
        self.visibility.and_then(|parts| parts.get(name))
    }
}

/// A model, or a component that selects something of it, changed.
type SelectionChanged<I> = (
    With<I>,
    Or<(
        Changed<I>,
        Changed<DistanceLod>,
        Changed<ModelLod>,
        Changed<DamageStage>,
        Changed<PartVisibility>,
        Changed<ActiveSkin>,
    )>,
);

/// The components of a root that select something.
type Selectors = (
    Option<&'static DistanceLod>,
    Option<&'static ModelLod>,
    Option<&'static DamageStage>,
    Option<&'static PartVisibility>,
    Option<&'static ActiveSkin>,
);

/// The selections on the roots of a format. `I` is the component of its spawned models.
#[derive(SystemParam)]
pub(crate) struct Selections<'w, 's, I: Component> {
    changed: Query<'w, 's, Entity, SelectionChanged<I>>,
    all: Query<'w, 's, Entity, With<I>>,
    selectors: Query<'w, 's, Selectors>,
    lods: RemovedComponents<'w, 's, ModelLod>,
    stages: RemovedComponents<'w, 's, DamageStage>,
    visibilities: RemovedComponents<'w, 's, PartVisibility>,
    skins: RemovedComponents<'w, 's, ActiveSkin>,
    night: Res<'w, NightTime>,
}

impl<I: Component> Selections<'_, '_, I> {
    /// The roots on which something else may be selected than when it was called last.
    pub(crate) fn changed(&mut self) -> EntityHashSet {
        let removed = self.lods.read().chain(self.stages.read());
        let removed = removed.chain(self.visibilities.read());
        let removed = removed.chain(self.skins.read());
        let mut changed: EntityHashSet = self.changed.iter().chain(removed).collect();
        if self.night.is_changed() {
            changed.extend(&self.all);
        }
        changed
    }

    /// The selection on a root.
    pub(crate) fn get(&self, root: Entity) -> Selected<'_> {
        let Ok((distance, lod, stage, visibility, skin)) = self.selectors.get(root) else {
            return Selected::default();
        };
        let by_distance = distance.map_or(0, |distance| distance.0);
        Selected {
            level: lod.map_or(by_distance, |lod| lod.0),
            stage: stage.map_or(0, |stage| stage.0),
            night: self.night.0,
            visibility,
            skin,
        }
    }
}

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

/// On the entity of a bone of an ALO model: the bone's own visibility.
///
/// While it is false, what is connected to the bone is hidden: parts, and entities with an
/// [`AttachedToBone`](crate::spawn::AttachedToBone). What is connected to the bones below it is not. If no clip shows or
/// hides the bone, it is [`AloBone::visible`](crate::alamo::AloBone::visible). A clip of a file shows a bone that the
/// model hides and that the file has without a visibility track.
///
/// The `Visibility` of the bone's entity is yours: `Hidden` hides everything below the bone, whatever a clip does. Only
/// with the loader setting `hidden_bones_hide_children` this crate writes it.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct BoneVisibility {
    pub(crate) is_visible: bool,
    /// [`AloBone::visible`](crate::alamo::AloBone::visible).
    pub(crate) default: bool,
    /// What animations decided. `None` if none animates the bone.
    pub(crate) animated: Option<bool>,
    pub(crate) hides_children: bool,
}

impl BoneVisibility {
    /// Whether what is connected to the bone is shown.
    pub fn is_visible(&self) -> bool {
        self.is_visible
    }
}

/// The visibility of an entity that is connected to a bone. `is_shown` is whether nothing else hides it. If a hidden bone
/// also hides its children, its entity does that.
pub(crate) fn connected_visibility(bone: Option<&BoneVisibility>, is_shown: bool) -> Visibility {
    let is_bone_shown = bone.is_none_or(|bone| bone.is_visible || bone.hides_children);
    visibility(is_shown && is_bone_shown)
}

/// On a child of a bone: the parent of the entities that are attached to the bone. It is hidden while the bone is.
#[derive(Component, Default)]
pub(crate) struct BoneAttachments;

pub(crate) fn visibility(is_visible: bool) -> Visibility {
    if is_visible {
        Visibility::Inherited
    } else {
        Visibility::Hidden
    }
}
