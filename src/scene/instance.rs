//! Spawned models of any format: [`ModelInstance`] on their roots, and what all formats do when a scene is ready or
//! removed.
//!
//! Formats fill the component. Code above the formats reads it, so that it needs no code of its own for each format.

use crate::scene::clip_ref::ClipRef;
use crate::scene::reload::{OwnScenes, SceneModel};
use bevy::asset::UntypedHandle;
use bevy::ecs::bundle::Bundle;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::Remove;
use bevy::ecs::observer::On;
use bevy::ecs::query::With;
use bevy::ecs::system::{Commands, Query, SystemParam};
use bevy::ecs::world::World;
use bevy::reflect::Reflect;
use bevy::world_serialization::{WorldAssetRoot, WorldInstanceReady};
use core::any::Any;
use core::fmt;
use std::sync::Arc;

/// The format of a model.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Clone, Debug, PartialEq, Hash)]
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

/// A spawned model of any format: its format, and the entities of its named bones and parts.
///
/// It is on the root entity from the time when the model's scene is ready, and inserted again after each reload. What
/// only one format has is in a component of that format, such as `AloInstance`.
// Without `ReflectComponent`, so that saved worlds do not contain entities of scenes. Clones of a root get their own.
#[derive(Component, Reflect)]
#[reflect(from_reflect = false)]
#[component(clone_behavior = Ignore)]
pub struct ModelInstance {
    format: ModelFormat,
    /// In the order of the model's names; `None` for those that were not spawned.
    entities: Vec<Option<Entity>>,
    /// Whether a proxy of another model loaded it.
    is_of_proxy: bool,
    #[reflect(ignore)]
    model: Arc<dyn SharedModel>,
}

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

    /// Sets whether a proxy of another model loaded it.
    pub(crate) fn of_proxy(self, is_of_proxy: bool) -> Self {
        Self {
            is_of_proxy,
            ..self
        }
    }

    /// The format.
    pub fn format(&self) -> ModelFormat {
        self.format
    }

    /// The first bone or part of a name, in any case: see [`Models::bone`](crate::model::Models::bone).
    pub fn bone(&self, name: &str) -> Option<Entity> {
        let mut named = self.model.named(name);
        named.find_map(|index| self.entities.get(index).copied().flatten())
    }

    /// The entities of all bones and parts that can have a name.
    pub fn entities(&self) -> impl Iterator<Item = Entity> {
        self.entities.iter().flatten().copied()
    }

    /// Whether a proxy of another model loaded it.
    pub(crate) fn is_of_proxy(&self) -> bool {
        self.is_of_proxy
    }

    /// What all instances of the model share.
    pub(crate) fn model(&self) -> &Arc<dyn SharedModel> {
        &self.model
    }
}

impl fmt::Debug for ModelInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelInstance")
            .field("format", &self.format)
            .field("entities", &self.entities)
            .finish_non_exhaustive()
    }
}

/// What the instances of a model share, for code that works on models of any format.
pub(crate) trait SharedModel: Any + Send + Sync {
    /// The indices of the entities of a name, in any case. The first one that was spawned counts.
    fn named<'a>(&'a self, name: &'a str) -> Box<dyn Iterator<Item = usize> + 'a>;

    /// Whether [`HiddenParts`](super::HiddenParts) can hide a part of a name in lower case.
    fn named_part(&self, name: &str) -> NamedPart;

    /// A clip of the model, which is no part of another clip; `None` if the format has no such clips.
    fn find_clip(&self, clip: &ClipRef) -> Option<FoundClip<'_>>;
}

/// Whether a name is that of a part which can be hidden by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedPart {
    /// It is, or may be, or it is not known yet.
    Known,
    /// No part has it.
    Unknown,
    /// The model has no parts, because all of it is one mesh.
    OfOneMesh,
}

impl NamedPart {
    /// For a model with parts, one of which may have the name.
    pub(crate) fn of(is_known: bool) -> Self {
        match is_known {
            true => Self::Known,
            false => Self::Unknown,
        }
    }
}

/// What a model has of a clip.
pub(crate) enum FoundClip<'a> {
    /// Nothing. These are the names of the clips that it has.
    Missing(Vec<&'a str>),
    /// This number of frames, if it is known.
    Frames(Option<u32>),
    /// As many frames as the clip's own file has.
    File(Box<CountFrames>),
}

/// Counts the frames of a clip in a file of its own, if it is loaded. Adds the files that the answer depends on.
pub(crate) type CountFrames = dyn Fn(&World, &mut Vec<UntypedHandle>) -> Option<u32>;

/// A component of a scene's own world by which a format knows its scenes.
pub(crate) trait SceneFormat: SceneModel + Clone {
    /// The format.
    const FORMAT: ModelFormat;

    /// The components that a root has, beside [`ModelInstance`], as long as it is a model of this format.
    type OnRoot: Bundle;
}

/// A scene of one format that is ready below its root.
pub(crate) struct ReadyScene<S> {
    /// The entity that has the component.
    pub(crate) entity: Entity,
    pub(crate) scene: S,
    pub(crate) entities: Vec<Entity>,
}

/// The scenes of one format that are ready.
#[derive(SystemParam)]
pub(crate) struct ReadyScenes<'w, 's, S: SceneFormat> {
    own: OwnScenes<'w, 's, S>,
    scenes: Query<'w, 's, &'static S>,
    instances: Query<'w, 's, (), With<<S as SceneModel>::Instance>>,
}

impl<S: SceneFormat> ReadyScenes<'_, '_, S> {
    /// The scene of a root, if it is of this format. A root whose scene is of another one is no longer a model of this
    /// format.
    pub(crate) fn get(
        &self,
        ready: &WorldInstanceReady,
        commands: &mut Commands,
    ) -> Option<ReadyScene<S>> {
        let entities = self.own.entities(ready)?;
        let scene = |entity: &Entity| Some((*entity, self.scenes.get(*entity).ok()?.clone()));
        let found = entities.iter().find_map(scene);
        let Some((entity, scene)) = found else {
            if self.instances.contains(ready.entity) {
                remove_model::<S>(commands, ready.entity);
            }
            return None;
        };
        Some(ReadyScene {
            entity,
            scene,
            entities,
        })
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
