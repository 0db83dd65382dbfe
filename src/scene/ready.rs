//! What all formats do when a scene is ready or removed.

use crate::scene::instance::{ModelFormat, ModelInstance, SharedModel};
use crate::scene::reload::{OwnScenes, SceneModel};
use bevy::ecs::bundle::Bundle;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::Remove;
use bevy::ecs::observer::On;
use bevy::ecs::query::With;
use bevy::ecs::system::{Commands, Query, SystemParam};
use bevy::ecs::world::World;
use bevy::world_serialization::{WorldAssetRoot, WorldInstanceReady};
use std::sync::Arc;

impl ModelInstance {
    /// Entities are given by the indices that [`SharedModel::named`] returns.
    pub(crate) fn new(
        format: ModelFormat,
        model: Arc<dyn SharedModel>,
        entities: impl IntoIterator<Item = (usize, Entity)>,
    ) -> Self {
        let mut all = Vec::new();
        for (index, entity) in entities {
            if all.len() <= index {
                all.resize(index + 1, None);
            }
            all[index] = Some(entity);
        }
        Self {
            format,
            entities: all,
            is_of_proxy: false,
            model,
        }
    }
}

/// A component of a scene's own world by which a format knows its scenes.
pub(crate) trait SceneFormat: SceneModel + Clone {
    /// The format.
    const FORMAT: ModelFormat;

    /// The components that a root has, beside [`ModelInstance`], as long as it is a model of this format.
    type OnRoot: Bundle;
}

/// The scenes of one format that are ready.
#[derive(SystemParam)]
pub(crate) struct ReadyScenes<'w, 's, S: SceneFormat> {
    own: OwnScenes<'w, 's, S>,
    scenes: Query<'w, 's, &'static S>,
    instances: Query<'w, 's, (), With<<S as SceneModel>::Instance>>,
}

impl<S: SceneFormat> ReadyScenes<'_, '_, S> {
    /// The scene of a root, if it is of this format: the entity that has the component, the component, and all entities.
    /// A root whose scene is of another one is no longer a model of this format.
    pub(crate) fn get(
        &self,
        ready: &WorldInstanceReady,
        commands: &mut Commands,
    ) -> Option<(Entity, S, Vec<Entity>)> {
        let entities = self.own.entities(ready)?;
        let scene = |entity: &Entity| Some((*entity, self.scenes.get(*entity).ok()?.clone()));
        let found = entities.iter().find_map(scene);
        let Some((entity, scene)) = found else {
            if self.instances.contains(ready.entity) {
                remove_model::<S>(commands, ready.entity);
            }
            return None;
        };
        Some((entity, scene, entities))
    }
}

/// Without a scene a root is no model.
pub(crate) fn on_root_removed<S: SceneFormat>(
    removed: On<Remove, WorldAssetRoot>,
    mut commands: Commands,
) {
    remove_model::<S>(&mut commands, removed.entity);
}

/// Removes a model of one format from a root, but not that of another format, which may have taken its place.
fn remove_model<S: SceneFormat>(commands: &mut Commands, root: Entity) {
    commands.queue(move |world: &mut World| {
        let instance = world.get::<ModelInstance>(root);
        if instance.is_some_and(|instance| instance.format == S::FORMAT)
            && let Ok(mut root) = world.get_entity_mut(root)
        {
            root.remove::<ModelInstance>();
        }
        // An observer of that component may have despawned the root.
        if let Ok(mut root) = world.get_entity_mut(root) {
            root.remove::<S::OnRoot>();
        }
    });
}
