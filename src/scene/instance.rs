//! Spawned models of any format: [`ModelInstance`] on their roots.
//!
//! Formats fill the component. Code above the formats reads it, so that it needs no code of its own for each format.

use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::reflect::Reflect;
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
    pub(super) format: ModelFormat,
    /// In the order of the model's names; `None` for those that were not spawned.
    pub(super) entities: Vec<Option<Entity>>,
    /// Whether a proxy of another model loaded it.
    pub(crate) is_of_proxy: bool,
    #[reflect(ignore)]
    pub(super) model: Arc<dyn SharedModel>,
}

impl ModelInstance {
    /// The format.
    pub fn format(&self) -> ModelFormat {
        self.format
    }

    /// The first bone or part of a name, in any case: see [`ModelQuery::bone`](crate::model::ModelQuery::bone).
    pub fn bone(&self, name: &str) -> Option<Entity> {
        let mut named = self.model.named(name);
        named.find_map(|index| self.entities.get(index).copied().flatten())
    }

    /// The entities of all bones and parts that can have a name.
    pub fn entities(&self) -> impl Iterator<Item = Entity> {
        self.entities.iter().flatten().copied()
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

    /// What to say of a part of a name in lower case, if [`PartVisibility`](super::PartVisibility) cannot hide it.
    fn missing_part(&self, name: &str) -> Option<String>;

    /// A clip of the model, which is no part of another clip; `None` if the format has no such clips.
    fn find_clip(&self, _: &crate::scene::ClipRef) -> Option<crate::scene::FoundClip<'_>> {
        None
    }
}
