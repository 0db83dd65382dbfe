//! Any spawned model: its format, its bones.

use crate::scene::{ModelFormat, ModelInstance};
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::system::{Query, SystemParam};

/// All spawned models, whatever their formats.
#[derive(SystemParam)]
pub struct ModelQuery<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    instances: Query<'w, 's, &'static ModelInstance>,
}

impl ModelQuery<'_, '_> {
    /// What a root's model is, once its scene is there.
    pub fn format(&self, root: Entity) -> Option<ModelFormat> {
        self.instances.get(root).ok().map(ModelInstance::format)
    }

    /// The root entity of the model that an entity belongs to: the entity itself if it is a root, otherwise its nearest
    /// ancestor that is one. Of a model within another, such as one that is attached to a bone, it is the inner one's.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_classic_models::model::ModelQuery;
    /// fn on_click(click: On<Pointer<Click>>, models: ModelQuery, mut commands: Commands) {
    ///     if let Some(root) = models.root(click.entity) {
    ///         commands.entity(root).despawn();
    ///     }
    /// }
    /// # World::new().add_observer(on_click);
    /// ```
    pub fn root(&self, part: Entity) -> Option<Entity> {
        let above = self.parents.iter_ancestors(part);
        core::iter::once(part)
            .chain(above)
            .find(|entity| self.instances.contains(*entity))
    }

    /// The entity that a name means, in any case: a bone of an ALO model, else one of its proxies, meshes,
    /// lights or dazzles, tags included; a node of an ABC model; a mesh of an LGW model. Of several it is the
    /// first in the file. `None` if there is none, or the scene is not there yet. The one entity of an MDL
    /// model has no name.
    pub fn bone(&self, root: Entity, name: &str) -> Option<Entity> {
        self.instances.get(root).ok()?.bone(name)
    }

    /// Whether a root is one that a proxy of another model loaded.
    pub(super) fn is_of_proxy(&self, root: Entity) -> bool {
        let instance = self.instances.get(root);
        instance.is_ok_and(|instance| instance.is_of_proxy)
    }

    /// What to say of a part of a root's model by its name in lower case, if `PartVisibility` cannot hide it.
    pub(super) fn missing_part(&self, root: Entity, name: &str) -> Option<String> {
        let instance = self.instances.get(root).ok()?;
        match instance.is_of_proxy {
            true => None,
            false => instance.model().missing_part(name),
        }
    }
}
