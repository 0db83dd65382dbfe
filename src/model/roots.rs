//! Roots, formats and named entities of spawned models, for the systems of this crate.
//!
//! Unlike [`ModelQuery`](super::ModelQuery), it reads no component that users write.

use crate::scene::{ModelFormat, ModelInstance};
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::system::{Query, SystemParam};

/// Finds roots, formats and bones of spawned models of any format.
#[derive(SystemParam)]
pub(super) struct ModelRoots<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    instances: Query<'w, 's, &'static ModelInstance>,
}

impl ModelRoots<'_, '_> {
    /// The format of a root's model. `None` until its scene is spawned.
    pub(super) fn format(&self, root: Entity) -> Option<ModelFormat> {
        self.instances.get(root).ok().map(ModelInstance::format)
    }

    /// See [`ModelQuery::root`](super::ModelQuery::root).
    pub(super) fn root(&self, part: Entity) -> Option<Entity> {
        let ancestors = self.parents.iter_ancestors(part);
        core::iter::once(part)
            .chain(ancestors)
            .find(|entity| self.instances.contains(*entity))
    }

    /// See [`ModelQuery::bone`](super::ModelQuery::bone).
    pub(super) fn bone(&self, root: Entity, name: &str) -> Option<Entity> {
        self.instances.get(root).ok()?.bone(name)
    }

    /// Whether a root's model was spawned for a proxy of another model.
    pub(super) fn is_of_proxy(&self, root: Entity) -> bool {
        let instance = self.instances.get(root);
        instance.is_ok_and(|instance| instance.is_of_proxy())
    }

    /// The warning about a part name, in lower case, that `PartVisibility` cannot hide in a root's model. `None` if it can.
    pub(super) fn missing_part(&self, root: Entity, name: &str) -> Option<String> {
        let instance = self.instances.get(root).ok()?;
        match instance.is_of_proxy() {
            true => None,
            false => instance.model().missing_part(name),
        }
    }
}
