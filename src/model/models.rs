//! [`ModelQuery`]: roots, formats and bones of spawned models of any format.

use crate::scene::{ModelFormat, ModelInstance};
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::system::{Query, SystemParam};

/// Finds roots, formats and bones of spawned models of any format.
#[derive(SystemParam)]
pub struct ModelQuery<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    instances: Query<'w, 's, &'static ModelInstance>,
}

impl ModelQuery<'_, '_> {
    /// The format of a root's model. `None` until its scene is spawned.
    pub fn format(&self, root: Entity) -> Option<ModelFormat> {
        self.instances.get(root).ok().map(ModelInstance::format)
    }

    /// The root entity of the model that an entity belongs to: the entity itself if it is a root, otherwise its nearest
    /// ancestor that is a root. For an entity of a model that is attached to another, this is the root of the attached
    /// model.
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
        let ancestors = self.parents.iter_ancestors(part);
        core::iter::once(part)
            .chain(ancestors)
            .find(|entity| self.instances.contains(*entity))
    }

    /// The entity with a name, in any case:
    ///
    /// - ALO: a bone, otherwise a proxy, mesh, light or dazzle. Tags are part of the name.
    /// - ABC: a node.
    /// - LGW: a mesh.
    /// - MDL: always `None`, because its entity has no name.
    ///
    /// If several have the name, this is the first in the file. `None` if none has it, or the scene is not spawned yet.
    pub fn bone(&self, root: Entity, name: &str) -> Option<Entity> {
        self.instances.get(root).ok()?.bone(name)
    }

    /// Whether a root's model was spawned for a proxy of another model.
    pub(super) fn is_of_proxy(&self, root: Entity) -> bool {
        let instance = self.instances.get(root);
        instance.is_ok_and(ModelInstance::is_of_proxy)
    }

    /// The warning about a part name, in lower case, that `PartVisibility` cannot hide in a root's model. `None` if it
    /// can.
    pub(super) fn missing_part(&self, root: Entity, name: &str) -> Option<String> {
        let instance = self.instances.get(root).ok()?;
        match instance.is_of_proxy() {
            true => None,
            false => instance.model().missing_part(name),
        }
    }
}
