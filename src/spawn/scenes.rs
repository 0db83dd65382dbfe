//! Handling of ready and removed scenes, shared by all formats.

use crate::spawn::format::Format;
use crate::spawn::instance::ModelInstance;
use crate::spawn::reload::OwnScenes;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::world_serialization::WorldInstanceReady;

/// Access to the ready scenes of one format.
#[derive(SystemParam)]
pub(crate) struct ReadyScenes<'w, 's, F: Format> {
    own: OwnScenes<'w, 's, F>,
    scenes: Query<'w, 's, &'static <F as Format>::Scene>,
    instances: Query<'w, 's, (), With<<F as Format>::Instance>>,
}

impl<F: Format> ReadyScenes<'_, '_, F> {
    /// The scene of a root, if it is of this format: the entity that has the component, the component, and all
    /// entities.
    ///
    /// If the scene is of another format, removes this format's components from the root.
    pub(crate) fn get(
        &self,
        ready: &WorldInstanceReady,
        commands: &mut Commands,
    ) -> Option<(Entity, F::Scene, Vec<Entity>)> {
        let entities = self.own.entities(ready)?;
        let scene = |entity: &Entity| Some((*entity, self.scenes.get(*entity).ok()?.clone()));
        let found = entities.iter().find_map(scene);
        let Some((entity, scene)) = found else {
            if self.instances.contains(ready.entity) {
                remove_model::<F>(commands, ready.entity);
            }
            return None;
        };
        Some((entity, scene, entities))
    }
}

/// Removes a format's components from a root that loses its scene.
pub(crate) fn on_root_removed<F: Format>(
    removed: On<Remove, WorldAssetRoot>,
    mut commands: Commands,
) {
    remove_model::<F>(&mut commands, removed.entity);
}

/// Removes the components of one format from a root. Keeps a [`ModelInstance`] of another format, which may have
/// replaced it.
fn remove_model<F: Format>(commands: &mut Commands, root: Entity) {
    commands.queue(move |world: &mut World| {
        let instance = world.get::<ModelInstance>(root);
        if instance.is_some_and(|instance| instance.format() == F::FORMAT)
            && let Ok(mut root) = world.get_entity_mut(root)
        {
            root.remove::<ModelInstance>();
        }
        // An observer of the removal may have despawned the root.
        if let Ok(mut root) = world.get_entity_mut(root) {
            root.remove::<F::OnRoot>();
        }
    });
}
