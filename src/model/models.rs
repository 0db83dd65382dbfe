//! Any spawned model: its format, its bones.

#[cfg(feature = "alamo")]
use crate::alamo::{AloInstance, AloPart, AloPartKind, AloProxy};
#[cfg(feature = "lgw")]
use crate::lgw::LgwInstance;
#[cfg(feature = "lithtech")]
use crate::lithtech::AbcInstance;
#[cfg(feature = "quake")]
use crate::quake::MdlAnimator;
use crate::scene::folded;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::system::{Query, SystemParam};
use core::fmt;

/// Whose models they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelFormat {
    /// Petroglyph Alamo, `.alo`.
    Alamo,
    /// LithTech, `.abc`.
    LithTech,
    /// Quake, `.mdl`.
    Quake,
    /// UFO: Aftermath, `.lgw`.
    UfoAftermath,
}

impl fmt::Display for ModelFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Alamo => "Alamo's format",
            Self::LithTech => "LithTech's format",
            Self::Quake => "Quake's format",
            Self::UfoAftermath => "the format of UFO: Aftermath",
        })
    }
}

/// Whether a name is that of a part which can be hidden by itself.
pub(super) enum NamedPart {
    /// It is, or may be, or it is not known yet.
    Known,
    /// No part has it.
    Unknown,
    /// The model has no parts, because all of it is one mesh.
    OfOneMesh,
}

/// All spawned models, whatever their formats.
#[derive(SystemParam)]
pub struct Models<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    #[cfg(feature = "alamo")]
    alamo: Query<'w, 's, &'static AloInstance>,
    #[cfg(feature = "alamo")]
    parts: Query<'w, 's, &'static AloPart>,
    #[cfg(feature = "alamo")]
    proxies: Query<'w, 's, &'static AloProxy>,
    #[cfg(feature = "lithtech")]
    lithtech: Query<'w, 's, &'static AbcInstance>,
    #[cfg(feature = "quake")]
    quake: Query<'w, 's, &'static MdlAnimator>,
    #[cfg(feature = "lgw")]
    lgw: Query<'w, 's, &'static LgwInstance>,
}

impl Models<'_, '_> {
    /// What a root's model is, once its scene is there.
    pub fn format(&self, root: Entity) -> Option<ModelFormat> {
        #[cfg(feature = "alamo")]
        if self.alamo.contains(root) {
            return Some(ModelFormat::Alamo);
        }
        #[cfg(feature = "lithtech")]
        if self.lithtech.contains(root) {
            return Some(ModelFormat::LithTech);
        }
        #[cfg(feature = "quake")]
        if self.quake.contains(root) {
            return Some(ModelFormat::Quake);
        }
        #[cfg(feature = "lgw")]
        if self.lgw.contains(root) {
            return Some(ModelFormat::UfoAftermath);
        }
        let _ = root;
        None
    }

    /// The root entity of the model that an entity belongs to: the entity itself if it is a root, otherwise its nearest
    /// ancestor that is one. Of a model within another, such as one that is attached to a bone, it is the inner one's.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_classic_models::model::Models;
    /// fn on_click(click: On<Pointer<Click>>, models: Models, mut commands: Commands) {
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
            .find(|entity| self.format(*entity).is_some())
    }

    /// The entity that a name means, in any case: a bone of an ALO model, else one of its proxies, meshes,
    /// lights or dazzles, tags included; a node of an ABC model; a mesh of an LGW model. Of several it is the
    /// first in the file. `None` if there is none, or the scene is not there yet. The one entity of an MDL
    /// model has no name.
    pub fn bone(&self, root: Entity, name: &str) -> Option<Entity> {
        #[cfg(feature = "alamo")]
        if let Ok(instance) = self.alamo.get(root) {
            return instance.bone(name).or_else(|| self.part(instance, name));
        }
        #[cfg(feature = "lithtech")]
        if let Ok(instance) = self.lithtech.get(root) {
            return instance.node(name);
        }
        #[cfg(feature = "lgw")]
        if let Ok(instance) = self.lgw.get(root) {
            return instance.mesh(name);
        }
        let _ = (root, name);
        None
    }

    /// The first part of a name, in any case.
    #[cfg(feature = "alamo")]
    fn part(&self, instance: &AloInstance, name: &str) -> Option<Entity> {
        let name = folded(name);
        let parts = instance.parts().iter();
        let named = parts.filter_map(|entity| {
            let part = self.parts.get(*entity).ok()?;
            let kind = match part.kind {
                AloPartKind::Proxy => 0,
                AloPartKind::Mesh => 1,
                AloPartKind::Light => 2,
                AloPartKind::Dazzles => 3,
            };
            (folded(&part.name) == name).then_some(((kind, part.index), *entity))
        });
        named.min().map(|(_, entity)| entity)
    }

    /// Whether a root is one that another model brought along.
    pub(super) fn is_brought_along(&self, root: Entity) -> bool {
        #[cfg(feature = "alamo")]
        return self.proxies.contains(root);
        #[cfg(not(feature = "alamo"))]
        {
            let _ = root;
            false
        }
    }

    /// Whether a name in lower case is that of a part of a root's model.
    pub(super) fn named_part(&self, root: Entity, name: &str) -> NamedPart {
        let known = |is_known: bool| match is_known {
            true => NamedPart::Known,
            false => NamedPart::Unknown,
        };
        #[cfg(feature = "alamo")]
        if let Ok(instance) = self.alamo.get(root) {
            return known(self.is_brought_along(root) || has_part(instance.model(), name));
        }
        #[cfg(feature = "lgw")]
        if let Ok(instance) = self.lgw.get(root) {
            return known(!instance.model().meshes_named(name).is_empty());
        }
        #[cfg(feature = "lithtech")]
        if let Ok(instance) = self.lithtech.get(root) {
            let model = instance.model();
            let mut of_nodes = model.levels.iter().flat_map(|level| &level.meshes);
            if of_nodes.clone().all(|mesh| mesh.node.is_none()) {
                return NamedPart::OfOneMesh;
            }
            let named = model.nodes_named(name);
            return known(of_nodes.any(|mesh| mesh.node.is_some_and(|node| named.contains(&node))));
        }
        let _ = (root, name, known);
        NamedPart::Known
    }
}

/// Whether a model has a part of a name in lower case, or brings models along that may have it.
#[cfg(feature = "alamo")]
fn has_part(model: &crate::alamo::AloModel, name: &str) -> bool {
    let is_named = |of: &str| folded(of) == name;
    !model.meshes_named(name).is_empty()
        || model.lights.iter().any(|light| is_named(&light.name))
        || model.dazzles.iter().any(|dazzle| is_named(&dazzle.name))
        || model
            .proxies
            .iter()
            .any(|proxy| proxy.model.is_some() || is_named(&proxy.proxy.name))
}
