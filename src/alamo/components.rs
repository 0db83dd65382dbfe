//! Components of spawned models.

use crate::alamo::asset::AloModel;
use crate::alamo::settings::AloLoaderSettings;
use crate::alamo::tags::Tags;
use crate::scene::{HasLods, SceneModel, Skeleton, folded, is_folded};
use bevy::camera::visibility::Visibility;
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::world::DeferredWorld;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;
use std::sync::Arc;

/// On the entity of each part of a spawned model: of a mesh, a light, a proxy or a group of dazzles.
///
/// The entity is a child of its bone's, and its `Visibility` is this crate's to set. Sub-meshes are
/// children of their mesh's entity.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct AloPart {
    /// What it is.
    pub kind: AloPartKind,
    /// Its index among those of its kind, in file order. Dazzles are counted by groups.
    pub index: usize,
    /// Its name, tags included.
    pub name: String,
    /// Whether the file hides it.
    pub hidden: bool,
    /// Number of its level of detail: a higher one is finer. `None` is of every level.
    pub lod: Option<u32>,
    /// Its damage stage: 0 is whole. `None` is of every stage.
    pub alt: Option<u32>,
    /// Whether it stays off when the damage stage goes down to its own.
    pub alt_decrease_stay_hidden: bool,
    /// Whether it shows at night alone.
    pub night_only: bool,
    /// Whether level of detail, damage stage, night and
    /// [`PartVisibility`](crate::scene::PartVisibility) leave it in: it shows if the file does not hide it
    /// either, and as a collision hull it counts all the same.
    pub selected: bool,
    /// What [`selected`](Self::selected) would be if the finest level of detail were drawn. Rays meet these parts by
    /// default, so that a hit does not depend on the camera.
    pub selected_at_finest: bool,
}

/// What an [`AloPart`] is.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AloPartKind {
    /// A mesh.
    Mesh,
    /// A light.
    Light,
    /// A proxy.
    Proxy,
    /// Dazzles of one bone, one texture and one name.
    Dazzles,
}

impl AloPart {
    /// A part that nothing hides but its tags.
    pub(super) fn new(kind: AloPartKind, index: usize, name: &str, tags: &Tags) -> Self {
        Self {
            kind,
            index,
            name: name.to_owned(),
            hidden: false,
            lod: tags.lod,
            alt: tags.alt,
            alt_decrease_stay_hidden: false,
            night_only: false,
            selected: true,
            selected_at_finest: true,
        }
    }
}

/// On the entity of a sub-mesh that wears the team's colour.
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(Component, Clone, Debug)]
pub struct TeamColored;

/// On an entity of a bone of a spawned model.
///
/// The component is immutable, so that nothing has to look for changes. To show or hide a bone of one instance, insert
/// a copy with another [`visible`](Self::visible):
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_classic_models::alamo::AloBone;
/// fn hide_all(mut commands: Commands, bones: Query<(Entity, &AloBone)>) {
///     for (entity, bone) in &bones {
///         commands.entity(entity).insert(AloBone {
///             visible: false,
///             ..*bone
///         });
///     }
/// }
/// # bevy::ecs::system::assert_is_system(hide_all);
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[component(immutable, on_insert = apply_flag)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(BoneVisibility)]
pub struct AloBone {
    /// Its index in the file, by which animations and palettes know it.
    pub index: usize,
    /// The number of its billboard mode; 0 is none.
    pub billboard: u32,
    /// Whether the parts on it and on its children are shown while no animation decides. At first the value of the
    /// file.
    pub visible: bool,
}

/// A spawned Alamo model. On the root entity, once its scene is there.
#[derive(Component, Debug)]
pub struct AloInstance {
    pub(super) model: Arc<AloModel>,
    pub(super) bones: Vec<Entity>,
    pub(super) parts: Vec<Entity>,
    pub(super) colored: Vec<Entity>,
    /// The damage stage that shows.
    pub(super) alt: u32,
    /// Kinds and indices of the parts that stay off because the stage went down to theirs.
    pub(super) held: Vec<(AloPartKind, usize)>,
}

impl AloInstance {
    /// The model, for its skeleton, names, proxies and all else.
    pub fn model(&self) -> &Arc<AloModel> {
        &self.model
    }

    /// The entities of the bones, in file order.
    pub fn bones(&self) -> &[Entity] {
        &self.bones
    }

    /// The entity of the first bone of a name, in any case.
    pub fn bone(&self, name: &str) -> Option<Entity> {
        let index = self.model.bones_named(name).first()?;
        self.bones.get(*index).copied()
    }

    /// The entities that have an [`AloPart`].
    pub fn parts(&self) -> &[Entity] {
        &self.parts
    }
}

/// What the instances of a model share.
#[derive(Debug)]
pub(super) struct AloShared {
    pub(super) model: Arc<AloModel>,
    /// What the model was loaded with, for those that its proxies name.
    pub(super) settings: Arc<AloLoaderSettings>,
    /// The names of the groups of dazzles.
    dazzles: Box<[Box<str>]>,
}

impl AloShared {
    pub(super) fn new<'a>(
        model: &Arc<AloModel>,
        settings: &AloLoaderSettings,
        dazzles: impl Iterator<Item = &'a str>,
    ) -> Self {
        Self {
            model: model.clone(),
            settings: Arc::new(settings.clone()),
            dazzles: dazzles.map(Into::into).collect(),
        }
    }

    /// The indices of the bones and parts of a name, in any case: see [`bone_index`](Self::bone_index).
    pub(super) fn indices_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let model = &self.model;
        let proxies = model.proxies.iter().map(|proxy| &*proxy.proxy.name);
        let lights = model.lights.iter().map(|light| &*light.name);
        let dazzles = self.dazzles.iter().map(|name| &**name);
        let bones = model.bones_named(name).iter().copied();
        let meshes = model.meshes_named(name).iter().copied();
        bones
            .chain(self.parts(AloPartKind::Proxy, positions(proxies, name)))
            .chain(self.parts(AloPartKind::Mesh, meshes))
            .chain(self.parts(AloPartKind::Light, positions(lights, name)))
            .chain(self.parts(AloPartKind::Dazzles, positions(dazzles, name)))
    }

    /// The indices among everything that has a name of parts of one kind.
    fn parts(
        &self,
        kind: AloPartKind,
        indices: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = usize> {
        let first = self.first_part(kind);
        indices.map(move |index| first + index)
    }

    /// The index of a bone among everything that has a name. Bones come first.
    pub(super) fn bone_index(&self, bone: &AloBone) -> usize {
        bone.index
    }

    /// The index of a part likewise: after the bones come proxies, meshes, lights and groups of dazzles.
    pub(super) fn part_index(&self, part: &AloPart) -> usize {
        self.first_part(part.kind) + part.index
    }

    fn first_part(&self, kind: AloPartKind) -> usize {
        let model = &self.model;
        let proxies = model.bones.len();
        let meshes = proxies + model.proxies.len();
        let lights = meshes + model.meshes.len();
        let dazzles = lights + model.lights.len();
        match kind {
            AloPartKind::Proxy => proxies,
            AloPartKind::Mesh => meshes,
            AloPartKind::Light => lights,
            AloPartKind::Dazzles => dazzles,
        }
    }
}

/// The positions of a name among others, in any case.
fn positions<'a>(
    names: impl Iterator<Item = &'a str> + 'a,
    name: &'a str,
) -> impl Iterator<Item = usize> + 'a {
    let name = folded(name);
    names
        .enumerate()
        .filter(move |(_, other)| is_folded(other, &name))
        .map(|(index, _)| index)
}

/// On the root entity of a scene's own world: the model that it is of.
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(opaque, Component, Clone, Debug)]
pub(super) struct AloScene(pub(super) Arc<AloShared>);

impl SceneModel for AloScene {
    type Instance = AloInstance;

    fn is_of(&self, instance: &AloInstance) -> bool {
        Arc::ptr_eq(&self.0.model, &instance.model)
    }
}

impl Skeleton for AloInstance {
    fn bones(&self) -> &[Entity] {
        &self.bones
    }
}

impl HasLods for AloInstance {
    /// Files tell of levels, and not from where they are drawn.
    fn own_distances(&self) -> &[f32] {
        &[]
    }
}

/// On the entity of a sub-mesh that is drawn, or has a collision tree, or both; a child of its mesh's
/// entity.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct AloSubmeshIndex {
    /// Index of the mesh in the file.
    pub mesh: usize,
    /// Index of the sub-mesh within the mesh.
    pub submesh: usize,
}

/// On the entity of a proxy, where a game attaches the effect or model that it names.
///
/// Its `Visibility` follows damage stage, level of detail and [`PartVisibility`](crate::scene::PartVisibility);
/// what is spawned as its child follows too. An emitter's mesh is the first on the parent bone of
/// the proxy's.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct AloProxy {
    /// What it names, tags taken off: the stem of a file.
    pub name: String,
    /// Its index in the file.
    pub index: usize,
    /// Path of the model that it names, if the loader was told to follow proxies and found one.
    /// That model is spawned below it.
    pub model: Option<String>,
}

pub(super) fn visibility(visible: bool) -> Visibility {
    if visible {
        Visibility::Inherited
    } else {
        Visibility::Hidden
    }
}

/// Whether animations decide about a bone's `Visibility`. Required by [`AloBone`].
///
/// If none does, [`AloBone::visible`] decides when it is inserted, and when the last animation lets go.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct BoneVisibility {
    /// In this frame.
    pub(super) is_animated: bool,
    /// In the frame before.
    pub(super) was_animated: bool,
}

impl BoneVisibility {
    /// Whether an animation decides: whether it did in the last frame.
    pub fn was_animated(&self) -> bool {
        self.was_animated
    }

    /// Begins the next frame. Returns whether the model's flag decides from now on.
    pub(super) fn advance(&mut self) -> bool {
        let is_released = self.was_animated && !self.is_animated;
        *self = Self {
            is_animated: false,
            was_animated: self.is_animated,
        };
        is_released
    }
}

/// Shows or hides a bone whose [`AloBone`] was inserted, unless an animation decides. A component hook.
pub(in crate::alamo) fn apply_flag(mut world: DeferredWorld<'_>, context: HookContext) {
    let bone = context.entity;
    let is_animated = world.get::<BoneVisibility>(bone);
    if is_animated.is_some_and(BoneVisibility::was_animated) {
        return;
    }
    let flag = world.get::<AloBone>(bone).map(|bone| bone.visible);
    if let (Some(flag), Some(mut shown)) = (flag, world.get_mut::<Visibility>(bone)) {
        shown.set_if_neq(visibility(flag));
    }
}
