//! Applies [`BevySpace`] and the size and the axes of manifests: rotates and scales the scenes below model roots.

use crate::geometry::axes::SceneScale;
use crate::manifest::apply::state::{ManifestTransform, ModelState};
use crate::root::spawning::{BevySpace, SceneTransform};
use crate::spawn::attach::{ancestors, outer_scale};
use crate::spawn::instance::ModelInstance;
use crate::spawn::roots::ModelRoots;
use bevy::ecs::entity::EntityHashSet;
use bevy::ecs::system::SystemParam;
use bevy::math::Quat;
use bevy::prelude::*;

/// The component or the parent changed, or the scene was spawned or respawned.
type SpaceChanged = Or<(Changed<BevySpace>, Changed<ChildOf>, Changed<ModelInstance>)>;

/// The roots whose scene transforms must be updated.
#[derive(SystemParam)]
pub(crate) struct SpaceChanges<'w, 's> {
    changed: Query<'w, 's, Entity, (With<BevySpace>, SpaceChanged)>,
    removed: RemovedComponents<'w, 's, BevySpace>,
    detached: RemovedComponents<'w, 's, ChildOf>,
    spaces: Query<'w, 's, (), With<BevySpace>>,
}

impl SpaceChanges<'_, '_> {
    /// Roots that got, changed or lost a [`BevySpace`], or were attached, detached or spawned, since the last call.
    fn take(&mut self) -> EntityHashSet {
        let spaces = &self.spaces;
        let detached = self.detached.read().filter(|root| spaces.contains(*root));
        let changed = self.changed.iter();
        changed.chain(self.removed.read()).chain(detached).collect()
    }
}

/// Updates the scene transforms of roots that got, changed or lost a [`BevySpace`], or were attached, detached or
/// spawned. Also updates those of the models with a [`BevySpace`] below these roots.
pub(crate) fn update_scenes(
    mut commands: Commands,
    mut changes: SpaceChanges,
    children: Query<&Children>,
    models: ModelRoots,
) {
    let mut due = changes.take();
    if due.is_empty() {
        return;
    }
    // The scene scale of an attached model depends on the scenes of its ancestors.
    let descendants = due.iter().flat_map(|root| children.iter_descendants(*root));
    let inner: Vec<Entity> = descendants
        .filter(|root| changes.spaces.contains(*root))
        .collect();
    due.extend(inner);
    let mut due: Vec<Entity> = due.into_iter().collect();
    due.retain(|root| models.format(*root).is_some());
    commands.queue(move |world: &mut World| {
        // Models before those that are attached to them.
        due.sort_by_cached_key(|root| ancestors(world, *root).count());
        for root in due {
            let state = world.get::<ModelState>(root);
            let manifest = state.map(|state| state.transform);
            update_scene(world, root, manifest.unwrap_or_default());
        }
    });
}

/// Updates the transform of the scene below a root, and the root's [`SceneScale`].
pub(crate) fn update_scene(world: &mut World, root: Entity, manifest: ManifestTransform) {
    let Some(scene) = world.get::<ModelInstance>(root).map(ModelInstance::scene) else {
        return;
    };
    let Some(loaded) = world.get::<SceneTransform>(scene).copied() else {
        return;
    };
    let SceneTransform { original, mirror } = loaded;
    let (factor, rotation) = (manifest.scale, manifest.rotation(loaded));
    let format = world.get::<ModelInstance>(root).map(ModelInstance::format);
    let transform = match world.get::<BevySpace>(root).zip(format) {
        Some((space, format)) => {
            let rotation = rotation.unwrap_or(format.facing(original.rotation, mirror));
            let meters = space.meters_per_unit;
            let meters = meters.filter(|meters| meters.is_finite() && *meters > 0.0);
            let of_height = || Some(manifest.height? / height(world, root, rotation)?);
            let meters = meters
                .or(manifest.meters)
                .or_else(of_height)
                .filter(|meters| meters.is_finite())
                .unwrap_or(format.meters_per_unit());
            Transform {
                translation: original.translation,
                rotation,
                scale: Vec3::splat(factor * meters / outer_scale(world, root)),
            }
        }
        None => Transform {
            translation: original.translation,
            rotation: rotation.unwrap_or(original.rotation),
            scale: original.scale * factor,
        },
    };
    // Distances in the file, such as those of its levels of detail, scale with the scene.
    let scale = SceneScale(transform.scale.x / original.scale.x);
    if let Ok(mut root) = world.get_entity_mut(root) {
        if scale.0 == 1.0 || !scale.0.is_finite() {
            root.remove::<SceneScale>();
        } else if root.get::<SceneScale>() != Some(&scale) {
            root.insert(scale);
        }
    }
    if let Ok(mut scene) = world.get_entity_mut(scene) {
        scene.insert(transform);
    }
}

/// The height of a model at rest after a rotation of its scene, in units of the file. `None` if it is 0 or not known.
fn height(world: &World, root: Entity, rotation: Quat) -> Option<f32> {
    let instance = world.get::<ModelInstance>(root)?;
    let bounds = instance.model().bounds?;
    let size = Vec3::from(bounds.max - bounds.min);
    // The extent of a rotated box along Y.
    let height = (rotation.inverse() * Vec3::Y).abs().dot(size);
    (height > 0.0).then_some(height)
}

/// Sets the transform of a scene that was spawned or respawned.
pub(crate) fn on_instance_inserted(
    inserted: On<Insert, ModelInstance>,
    mut commands: Commands,
    states: Query<&ModelState>,
) {
    let root = inserted.entity;
    if let Ok(state) = states.get(root) {
        let manifest = state.transform;
        commands.queue(move |world: &mut World| update_scene(world, root, manifest));
    }
}
