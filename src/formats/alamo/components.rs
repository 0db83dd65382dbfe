//! Components of spawned models.

use crate::formats::alamo::asset::AloModel;
use crate::formats::alamo::materials::tags::AloTags;
use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::parts::dazzle::DazzleMaterial;
use crate::formats::alamo::settings::AloLoaderSettings;
use crate::load::names::index_names;
use crate::spawn::instance::SharedModel;
use bevy::camera::primitives::Aabb;
use bevy::prelude::*;
use std::sync::{Arc, Mutex};

/// The maximum length in bytes of a name that messages list.
const MAX_LISTED_NAME: usize = 128;

/// On the entity of each part of a spawned model: a mesh, a light, a proxy or a group of dazzles.
///
/// The entity is a child of its bone's entity. This crate writes its `Visibility`; to change it, use
/// [`PartVisibility`](crate::root::PartVisibility). Sub-meshes are children of their mesh's entity.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AloPart {
    /// The kind of the part.
    pub kind: AloPartKind,
    /// Its index among the parts of its kind, in file order. For dazzles, the index of the group.
    pub index: usize,
    /// Its name, including tags.
    pub name: String,
    /// Whether the file hides it.
    pub hidden: bool,
    /// The number of its level of detail: a higher number is finer. `None` belongs to every level.
    pub lod: Option<u32>,
    /// Its damage stage: 0 is undamaged. `None` belongs to every stage.
    pub damage_stage: Option<u32>,
    /// Whether it stays hidden when the damage stage decreases to its own.
    pub alt_decrease_stay_hidden: bool,
    /// Whether it is shown only at night.
    pub night_only: bool,
    /// Whether level of detail, damage stage, night and [`PartVisibility`](crate::root::PartVisibility) all select it.
    ///
    /// A selected part is shown unless the file hides it. Collision queries include it even if the file hides it.
    pub selected: bool,
    /// The value of [`selected`](Self::selected) if the finest level of detail were drawn. By default, ray casts
    /// include these parts, so that a hit does not depend on the camera.
    pub selected_at_finest: bool,
    /// Whether it is shown unless its bone is hidden.
    pub shown: bool,
}

/// The kind of an [`AloPart`].
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AloPartKind {
    /// A mesh.
    Mesh,
    /// A light.
    Light,
    /// A proxy.
    Proxy,
    /// A group of dazzles with the same bone, texture and name.
    Dazzles,
}

impl AloPart {
    /// Creates a part that the file does not hide.
    pub(crate) fn new(kind: AloPartKind, index: usize, name: &str, tags: &AloTags) -> Self {
        Self {
            kind,
            index,
            name: name.to_owned(),
            hidden: false,
            lod: tags.lod,
            damage_stage: tags.alt,
            alt_decrease_stay_hidden: false,
            night_only: false,
            selected: true,
            selected_at_finest: true,
            shown: true,
        }
    }
}

/// On the entity of a sub-mesh or group of dazzles that shows the team's color.
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(Component, Default, Clone, Debug)]
pub struct TeamColored;

/// On the entity of each bone of a spawned model.
///
/// The component is immutable, so that no system has to detect changes. To show or hide what is connected to a bone of
/// one instance, insert a copy with another [`visible`](Self::visible):
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
#[component(immutable)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct AloBone {
    /// Its index in the file, which animations and palettes refer to.
    pub index: usize,
    /// The number of its billboard mode; 0 is none.
    pub billboard: u32,
    /// Whether what is connected to it is shown when no clip shows or hides it. Initially the file's value. See
    /// [`BoneVisibility`](crate::appearance::BoneVisibility).
    pub visible: bool,
}

/// A spawned Alamo model. It is on the root entity once the scene is spawned.
#[derive(Component, Debug)]
pub struct AloInstance {
    pub(crate) model: Arc<AloModel>,
    pub(crate) bones: Vec<Entity>,
    pub(crate) parts: Vec<Entity>,
    /// The entities with a [`TeamColored`].
    pub(crate) colored: Vec<Entity>,
}

impl AloInstance {
    /// The model's data, such as its skeleton, names and proxies.
    pub fn model(&self) -> &Arc<AloModel> {
        &self.model
    }

    /// The entities of the bones, in file order. Empty for a member of a crowd.
    pub fn bones(&self) -> &[Entity] {
        &self.bones
    }

    /// The entity of the first bone of a name (case-insensitive).
    pub fn bone(&self, name: &str) -> Option<Entity> {
        let index = self.model.bones_named(name).first()?;
        self.bones.get(*index).copied()
    }

    /// The entities that have an [`AloPart`]. Empty for a member of a crowd.
    pub fn parts(&self) -> &[Entity] {
        &self.parts
    }
}

/// The data that the instances of a model share.
#[derive(Debug)]
pub(crate) struct AloShared {
    pub(crate) model: Arc<AloModel>,
    /// The settings of the model. The models that its proxies name are loaded with the same settings.
    pub(crate) settings: Arc<AloLoaderSettings>,
    /// The order is bones, proxies, meshes, lights, groups of dazzles.
    pub(crate) any: Arc<SharedModel>,
    pub(crate) dazzles: Vec<DazzleGroup>,
    /// The particle system, if the file is one.
    pub(crate) particles: Option<Handle<AloParticles>>,
}

/// Dazzles that are drawn as one mesh.
#[derive(Debug)]
pub(crate) struct DazzleGroup {
    pub(crate) bone: usize,
    pub(crate) name: String,
    pub(crate) hidden: bool,
    pub(crate) night_only: bool,
    pub(crate) bounds: Aabb,
    pub(crate) mesh: Handle<Mesh>,
    pub(crate) material: Handle<DazzleMaterial>,
}

impl AloShared {
    pub(crate) fn new(
        model: &Arc<AloModel>,
        settings: &AloLoaderSettings,
        dazzles: Vec<DazzleGroup>,
        particles: Option<Handle<AloParticles>>,
    ) -> Self {
        let (bones, proxies) = (&model.bones, model.proxies.iter());
        let (meshes, lights) = (model.meshes.iter(), model.lights.iter());
        let proxy_names = proxies.clone().map(|proxy| &*proxy.proxy.name);
        let dazzle_names = dazzles.iter().map(|group| &*group.name);
        let other_names = lights.clone().map(|light| &*light.name).chain(dazzle_names);
        let first_mesh = bones.len() + proxies.len();
        let other_names: Vec<&str> = other_names.collect();
        let others = index_names(other_names.iter().copied());
        let spelled = bones
            .iter()
            .map(|bone| &*bone.name)
            .chain(proxy_names.clone());
        let spelled = spelled.chain(meshes.clone().map(|mesh| &*mesh.name));
        // Those of a damaged file can be as long as the file.
        let short = |name: &str| Box::from(&name[..name.floor_char_boundary(MAX_LISTED_NAME)]);
        let spelled = spelled.chain(other_names).map(short).collect();
        let names = vec![
            (0, model.named_bones.clone()),
            (bones.len(), index_names(proxy_names)),
            (first_mesh, model.named_meshes.clone()),
            (first_mesh + meshes.len(), others.clone()),
        ];
        let count = first_mesh + meshes.len() + others.values().map(Vec::len).sum::<usize>();
        // A crowd has no dazzles.
        let bone_of = (0..bones.len()).chain(proxies.clone().map(|it| it.proxy.bone as usize));
        let bone_of = bone_of.chain(meshes.map(|mesh| mesh.bone));
        let bone_of = bone_of.chain(lights.map(|light| light.bone.unwrap_or(0) as usize));
        let any = SharedModel {
            bones: bone_of.collect(),
            can_hide: (0..count).map(|index| index >= bones.len()).collect(),
            names,
            // The models of proxies have parts of their own.
            accepts_any_name: proxies.clone().any(|proxy| proxy.model.is_some()),
            bounds: model.bounds(),
            fixed_parts: None,
            levels: model.lods.len(),
            spelled,
            strides: Mutex::default(),
        };
        Self {
            model: model.clone(),
            settings: Arc::new(settings.clone()),
            any: Arc::new(any),
            dazzles,
            particles,
        }
    }

    /// The index of a part among all bones and parts. The order is bones, proxies, meshes, lights, groups of dazzles.
    pub(crate) fn part_index(&self, part: &AloPart) -> usize {
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

/// On the entity of a sub-mesh that is drawn or has a collision tree. The entity is a child of its mesh's entity.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct AloSubmeshIndex {
    /// Index of the mesh in the file.
    pub mesh: usize,
    /// Index of the sub-mesh within the mesh.
    pub submesh: usize,
}

/// On the entity of a proxy: an attachment point for the effect or model that it names.
///
/// Its `Visibility` depends on damage stage, level of detail and [`PartVisibility`](crate::root::PartVisibility), and
/// its children inherit it. An emitter's mesh is the first mesh on the parent of the proxy's bone.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AloProxy {
    /// Its name without tags, which is the stem of a file name.
    pub name: String,
    /// Its index in the file.
    pub index: usize,
    /// The path of the model that it names, if [`AloLoaderSettings::load_proxies`] is set and the file was found. That
    /// model is spawned as its child.
    pub model: Option<String>,
    /// The path of the particle system that it names, if [`AloLoaderSettings::load_particles`] is set and the file was
    /// found. When the proxy is shown for the first time, a child with that system is spawned.
    pub particles: Option<String>,
}
