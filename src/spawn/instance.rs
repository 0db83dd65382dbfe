//! Spawned models of any format: [`ModelInstance`] on their roots.
//!
//! Each format fills the component. Code that works on any format reads it instead of the components of each format.

use crate::geometry::axes::{Mirror, z_up_forward_minus_y, z_up_forward_x};
use crate::load::alternatives::alternatives;
use crate::load::names::{Names, folded, named_folded};
use crate::root::play::ClipRef;
use bevy::camera::primitives::Aabb;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::math::bounding::Aabb3d;
use bevy::platform::hash::FixedHasher;
use bevy::prelude::*;
use core::f32::consts::PI;
use core::fmt;
use core::hash::{BuildHasher, Hash};
use std::sync::{Arc, Mutex};

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

/// On the entity of each part that rays can hit, beside an `Aabb` around all that they can hit of it, or [`RayBounds`].
#[derive(Component, Clone, Copy, Debug)]
#[component(clone_behavior = Ignore)]
pub(crate) struct RayPart {
    pub(crate) format: ModelFormat,
    /// The root of the part's model.
    pub(crate) root: Entity,
}

/// The box of a part that is not drawn, so that it has no `Aabb`. If it is not finite, all rays test the part.
#[derive(Component, Clone, Copy, Debug)]
#[component(clone_behavior = Ignore)]
pub(crate) struct RayBounds(pub(crate) Aabb);

/// A spawned model of any format: its format, and the entities of its named bones and parts.
///
/// It is inserted on the root entity when the model's scene is ready, and again after each reload. Data of a single
/// format is in a component of that format, such as `AloInstance`.
// Without `ReflectComponent`, so that saved worlds do not contain entities of scenes. It is not cloned with a root: the
// clone spawns its own scene.
#[derive(Component, Reflect)]
#[reflect(from_reflect = false)]
#[component(clone_behavior = Ignore)]
#[require(RandomSeed)]
pub struct ModelInstance {
    format: ModelFormat,
    /// Indexed as in [`SharedModel`]; `None` for bones and parts that were not spawned.
    entities: Vec<Option<Entity>>,
    /// Whether a proxy of another model loaded it.
    is_of_proxy: bool,
    /// The root entity of its scene.
    scene: Entity,
    is_in_crowd: bool,
    #[reflect(ignore)]
    model: Arc<SharedModel>,
}

impl ModelInstance {
    /// `entities` pairs the indices in [`SharedModel`] with entities.
    pub(crate) fn new(
        format: ModelFormat,
        model: Arc<SharedModel>,
        scene: Entity,
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
            scene,
            is_in_crowd: false,
            model,
        }
    }

    /// Sets whether a proxy of another model loaded it.
    pub(crate) fn of_proxy(mut self, is_of_proxy: bool) -> Self {
        self.is_of_proxy = is_of_proxy;
        self
    }

    /// Sets whether it is a member of a crowd.
    pub(crate) fn in_crowd(mut self, is_in_crowd: bool) -> Self {
        self.is_in_crowd = is_in_crowd;
        self
    }

    /// The root entity of its scene.
    pub(crate) fn scene(&self) -> Entity {
        self.scene
    }

    /// Whether it is a member of a crowd, so that its bones have no entities unless something is attached to them.
    pub fn is_in_crowd(&self) -> bool {
        self.is_in_crowd
    }

    /// The root entity of its scene if it is a member of a crowd, and the index of the bone with this name, or of the
    /// bone of the part with this name.
    pub(crate) fn crowd_bone(&self, name: &str) -> Option<(Entity, usize)> {
        let name = folded(name);
        let index = self.model.named(&name).next()?;
        let bone = *self.model.bones.get(index)?;
        self.is_in_crowd.then_some((self.scene, bone))
    }

    /// The format.
    pub fn format(&self) -> ModelFormat {
        self.format
    }

    /// The first bone or part with this name (case-insensitive): see
    /// [`ModelQuery::bone`](crate::query::ModelQuery::bone).
    pub fn bone(&self, name: &str) -> Option<Entity> {
        let name = folded(name);
        let mut named = self.model.named(&name);
        named.find_map(|index| self.entities.get(index).copied().flatten())
    }

    /// The entities of all bones and parts that can have a name. Empty for a member of a crowd.
    pub fn entities(&self) -> impl Iterator<Item = Entity> {
        self.entities.iter().flatten().copied()
    }

    /// Whether a proxy of another model loaded it.
    pub(crate) fn is_of_proxy(&self) -> bool {
        self.is_of_proxy
    }

    /// The data that all instances of the model share.
    pub(crate) fn model(&self) -> &Arc<SharedModel> {
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

/// The strides of clips that were measured, in the units of the scene. `None` if the model does not walk.
pub(crate) type Strides = Vec<(ClipRef, Option<f32>)>;

/// What the instances of a model share, for code that works on any format.
///
/// Indices are those among all bones and parts that can have a name.
#[derive(Debug, Default)]
pub(crate) struct SharedModel {
    /// The bones and parts by name: tables, each with the index of its first bone or part. Lookups use the first that was
    /// spawned.
    pub(crate) names: Vec<(usize, Names)>,
    /// The bone of each bone or part. Empty if the format has no crowds.
    pub(crate) bones: Vec<usize>,
    /// Whether [`PartVisibility`](crate::root::PartVisibility) can hide each bone or part.
    pub(crate) can_hide: Vec<bool>,
    /// Why it cannot hide the others.
    pub(crate) fixed_parts: Option<&'static str>,
    /// The name of each bone or part, as in the file. Empty if a format has none, or without a use for them.
    pub(crate) spelled: Vec<Box<str>>,
    /// The count of levels of detail. 0 if the format has none.
    pub(crate) levels: usize,
    /// Whether other names are accepted, such as those of parts of other models that are spawned below the root.
    pub(crate) accepts_any_name: bool,
    /// The box around the drawn parts at rest (of a Quake model, in its first pose), in the space of the scene and in units
    /// of the file. `None` if there are none.
    pub(crate) bounds: Option<Aabb3d>,
    /// The strides that were measured.
    pub(crate) strides: Mutex<Strides>,
}

impl SharedModel {
    /// The indices of the bones and parts with a [`folded`] name.
    fn named<'a>(&'a self, folded_name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let tables = self.names.iter();
        tables.flat_map(move |(first, names)| {
            let indices = named_folded(names, folded_name).iter();
            indices.map(move |index| first + index)
        })
    }

    /// The warning for a name if no part has it that [`PartVisibility`](crate::root::PartVisibility) can hide.
    pub(crate) fn missing_part(&self, name: &str) -> Option<String> {
        if self.accepts_any_name {
            return None;
        }
        let can_hide = |index: &usize| self.can_hide.get(*index) == Some(&true);
        let name_key = folded(name);
        let indices: Vec<usize> = self.named(&name_key).collect();
        if indices.iter().any(can_hide) {
            return None;
        }
        if let Some(reason) = self.fixed_parts
            && (!indices.is_empty() || !self.can_hide.contains(&true))
        {
            return Some(reason.to_owned());
        }
        let parts = self.spelled.iter().enumerate();
        let parts = parts
            .filter(|(index, _)| can_hide(index))
            .map(|(_, name)| &**name);
        let alternatives = alternatives(name, "parts", parts);
        Some(format!(
            "has no part \"{name}\" that `PartVisibility` can hide or show{alternatives}"
        ))
    }

    /// The warning for attachments to a bone that the model lacks. It follows the path of the model.
    pub(crate) fn missing_bone(&self, name: &str) -> String {
        let names = self.spelled.iter().map(|name| &**name);
        let alternatives = alternatives(name, "bones", names);
        format!("has no bone \"{name}\": its attachments are attached to the root{alternatives}")
    }
}

impl ModelFormat {
    /// Meters per unit of a typical file. The formats do not define units, so this is an estimate from the heights of
    /// characters: see the table in the manual.
    pub fn meters_per_unit(self) -> f32 {
        match self {
            Self::Alamo => 0.4,
            Self::LithTech => 1.0 / 40.0,
            Self::Quake => 1.0 / 32.0,
            Self::UfoAftermath => 0.01,
        }
    }

    /// The direction of up in a scene, before the rotation of its root.
    pub(crate) fn up(self) -> Vec3A {
        match self {
            Self::Alamo | Self::Quake => Vec3A::Z,
            Self::LithTech | Self::UfoAftermath => Vec3A::Y,
        }
    }

    /// The rotation that turns a scene's front to −Z and its up axis to Y. `original` is the rotation that the loader
    /// gave the scene.
    pub(crate) fn facing(self, original: Quat, Mirror(mirror): Mirror) -> Quat {
        let half_turn = Quat::from_rotation_y(PI);
        match self {
            Self::Alamo => half_turn * z_up_forward_minus_y().rotation,
            Self::Quake => z_up_forward_x().rotation,
            // The front is +Z in the file, and −Z if the loader mirrored Z.
            Self::LithTech if mirror.z < 0.0 => Quat::IDENTITY,
            Self::LithTech => half_turn,
            // The format has no forward axis.
            Self::UfoAftermath => original,
        }
    }
}

/// On a root: what its random numbers depend on instead of its id, which is different if other entities are spawned first,
/// and in other versions of Bevy. Unless it is part of another root, it depends on how many roots there were before.
#[derive(Component, Default, Clone, Copy, Debug, PartialEq, Eq)]
#[component(on_add = count_root, clone_behavior = Ignore)]
pub(crate) struct RandomSeed(Option<u64>);

/// How many roots were spawned.
#[derive(Resource, Default)]
pub(crate) struct RootCount(u64);

fn count_root(mut world: DeferredWorld<'_>, context: HookContext) {
    if world.get::<RandomSeed>(context.entity) != Some(&RandomSeed(None)) {
        return;
    }
    let Some(mut count) = world.get_resource_mut::<RootCount>() else {
        return;
    };
    count.0 += 1;
    let value = FixedHasher.hash_one(count.0);
    if let Some(mut seed) = world.get_mut::<RandomSeed>(context.entity) {
        seed.0 = Some(value);
    }
}

impl RandomSeed {
    /// The seed of something that belongs to a root. `part` distinguishes it from others.
    pub(crate) fn of_part(root: u64, part: impl Hash) -> Self {
        Self(Some(FixedHasher.hash_one((root, part))))
    }

    /// The seed of a root: that of its component, or else a hash of `index`.
    pub(crate) fn of_root(seed: Option<&Self>, index: u64) -> u64 {
        let seed = seed.and_then(|seed| seed.0);
        seed.unwrap_or_else(|| FixedHasher.hash_one(index))
    }
}
