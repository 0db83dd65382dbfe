//! Handling of ready and removed scenes, shared by all formats.

use crate::spawn::instance::{ModelFormat, ModelInstance};
use crate::spawn::reload::{OwnScenes, SceneModel};
use bevy::ecs::bundle::Bundle;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::Remove;
use bevy::ecs::observer::On;
use bevy::ecs::query::With;
use bevy::ecs::system::{Commands, Query, SystemParam};
use bevy::ecs::world::World;
use bevy::world_serialization::{WorldAssetRoot, WorldInstanceReady};

/// A component in a scene's own world that identifies the scenes of a format.
pub(crate) trait SceneFormat: SceneModel + Clone {
    /// The format.
    const FORMAT: ModelFormat;

    /// The components that a root has while it is a model of this format, in addition to [`ModelInstance`].
    type OnRoot: Bundle;
}

/// Access to the ready scenes of one format.
#[derive(SystemParam)]
pub(crate) struct ReadyScenes<'w, 's, S: SceneFormat> {
    own: OwnScenes<'w, 's, S>,
    scenes: Query<'w, 's, &'static S>,
    instances: Query<'w, 's, (), With<<S as SceneModel>::Instance>>,
}

impl<S: SceneFormat> ReadyScenes<'_, '_, S> {
    /// The scene of a root, if it is of this format: the entity that has the component, the component, and all
    /// entities.
    ///
    /// If the scene is of another format, removes this format's components from the root.
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

/// Removes a format's components from a root that loses its scene.
pub(crate) fn on_root_removed<S: SceneFormat>(
    removed: On<Remove, WorldAssetRoot>,
    mut commands: Commands,
) {
    remove_model::<S>(&mut commands, removed.entity);
}

/// Removes the components of one format from a root. Keeps a [`ModelInstance`] of another format, which may have
/// replaced it.
fn remove_model<S: SceneFormat>(commands: &mut Commands, root: Entity) {
    commands.queue(move |world: &mut World| {
        let instance = world.get::<ModelInstance>(root);
        if instance.is_some_and(|instance| instance.format() == S::FORMAT)
            && let Ok(mut root) = world.get_entity_mut(root)
        {
            root.remove::<ModelInstance>();
        }
        // An observer of the removal may have despawned the root.
        if let Ok(mut root) = world.get_entity_mut(root) {
            root.remove::<S::OnRoot>();
        }
    });
}
