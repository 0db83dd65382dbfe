//! Which parts of a spawned model show: what the file hides, levels of detail, damage stages and
//! what the user hides, as inputs that none of them overrules. Bones have their own visibility,
//! which their parts inherit.

use crate::alamo::animation::{AloAnimator, BoneVisibility, apply_flag};
use crate::alamo::model::AloModel;
use crate::alamo::proxies::ProxyFollower;
use crate::alamo::settings::AloLoaderSettings;
use crate::alamo::spawn::AloProxy;
use crate::alamo::tags::Tags;
use crate::scene::{
    DistanceLod, HiddenParts, Leveled, ModelAlt, ModelLod, NightTime, OwnScenes, SceneModel,
    Skeleton, TeamColor, team_color_tag,
};
use bevy::animation::AnimationPlayer;
use bevy::camera::visibility::Visibility;
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut};
use bevy::ecs::component::Component;
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::lifecycle::{Remove, RemovedComponents};
use bevy::ecs::observer::On;
use bevy::ecs::query::{Changed, Has, Or, With};
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::system::{Commands, ParamSet, Query, Res, SystemParam};
use bevy::mesh::MeshTag;
use bevy::reflect::Reflect;
use bevy::transform::components::Transform;
use bevy::world_serialization::{WorldAssetRoot, WorldInstanceReady};
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
    /// [`HiddenParts`](crate::scene::HiddenParts) leave it in: it shows if the file does not hide it
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

    /// As it is before anybody chose anything.
    pub(super) fn choose_initial(&mut self, model: &AloModel) -> Visibility {
        let choice = Choice {
            lod: model.lod(0),
            alt: 0,
            night: false,
            hidden: None,
        };
        self.selected = self.is_selected(&choice);
        self.selected_at_finest = self.selected;
        self.visibility(&choice)
    }

    fn is_selected(&self, choice: &Choice<'_>) -> bool {
        choice.hides(self) != Some(true)
            && (self.lod.is_none() || self.lod == choice.lod)
            && self.alt.is_none_or(|alt| alt == choice.alt)
            && (choice.night || !self.night_only)
    }

    fn visibility(&self, choice: &Choice<'_>) -> Visibility {
        if self.selected && !choice.hides(self).unwrap_or(self.hidden) {
            Visibility::Inherited
        } else {
            Visibility::Hidden
        }
    }
}

/// What parts are held against.
#[derive(Clone, Copy)]
struct Choice<'a> {
    lod: Option<u32>,
    alt: u32,
    night: bool,
    hidden: Option<&'a HiddenParts>,
}

impl Choice<'_> {
    /// Whether the user hides a part, if the user says anything of it.
    fn hides(&self, part: &AloPart) -> Option<bool> {
        self.hidden.and_then(|parts| parts.get(&part.name))
    }
}

/// On the root entity of a scene's own world: the model that it is of.
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(opaque, Component, Clone, Debug)]
pub(super) struct AloScene {
    pub(super) model: Arc<AloModel>,
    /// What the model was loaded with, for those that its proxies name.
    pub(super) settings: Arc<AloLoaderSettings>,
}

/// On the entity of a sub-mesh that wears the team's colour.
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(Component, Clone, Debug)]
pub struct WearsTeamColor;

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
    model: Arc<AloModel>,
    bones: Vec<Entity>,
    parts: Vec<Entity>,
    colored: Vec<Entity>,
    /// The damage stage that shows.
    alt: u32,
    /// Kinds and indices of the parts that stay off because the stage went down to theirs.
    held: Vec<(AloPartKind, usize)>,
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

    /// Takes down a change of the damage stage, which decides what stays off.
    fn change_alt(&mut self, alt: u32, parts: &Query<(&mut AloPart, &mut Visibility)>) {
        if alt > self.alt {
            self.held.clear();
        } else if alt < self.alt {
            let stays = |entity: &Entity| {
                let part = parts.get(*entity).ok()?.0;
                let stays = part.alt_decrease_stay_hidden && part.alt == Some(alt);
                stays.then_some((part.kind, part.index))
            };
            self.held = self.parts.iter().filter_map(stays).collect();
        }
        self.alt = alt;
    }
}

/// What a root has as long as it is a model.
type Instance = (AloInstance, AloAnimator);

/// What tells the entities of a spawned scene apart.
type SpawnedData = (
    Option<&'static AloScene>,
    Option<&'static AloBone>,
    Option<&'static AloProxy>,
    Has<AloPart>,
    Has<WearsTeamColor>,
);

/// Takes charge of a scene that was spawned, or spawned anew because its file changed.
pub(super) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: OwnScenes<'_, '_, AloScene>,
    spawned: Query<SpawnedData>,
    instances: Query<&AloInstance>,
    mut follower: ProxyFollower,
) {
    let Some(entities) = scenes.entities(&ready) else {
        return;
    };
    let root = ready.entity;
    let mut scene = None;
    let (mut bones, mut parts, mut colored) = (Vec::new(), Vec::new(), Vec::new());
    let mut followed = Vec::new();
    for entity in entities {
        let Ok((of, bone, proxy, is_part, wears_team_color)) = spawned.get(entity) else {
            continue;
        };
        scene = of.map(|of| (entity, of)).or(scene);
        bones.extend(bone.map(|bone| (bone.index, entity)));
        let model = proxy.and_then(|proxy| proxy.model.as_ref());
        followed.extend(model.map(|model| (entity, model)));
        parts.extend(is_part.then_some(entity));
        colored.extend(wears_team_color.then_some(entity));
    }
    let old = instances.get(root).ok();
    let Some((scene_root, AloScene { model, settings })) = scene else {
        if old.is_some() {
            commands.entity(root).try_remove::<Instance>();
        }
        return;
    };
    bones.sort_unstable();
    // The user may have put a player there, and what it plays outlives a change of the file.
    let player = (AnimationPlayer::default(), AloAnimator::default());
    commands.entity(root).try_insert_if_new(player);
    // What the old instance was told stays true for the new one.
    commands.entity(root).try_insert(AloInstance {
        bones: bones.into_iter().map(|(_, entity)| entity).collect(),
        parts,
        colored,
        alt: old.map_or(0, |old| old.alt.min(model.max_alt)),
        held: old.map(|old| old.held.clone()).unwrap_or_default(),
        model: model.clone(),
    });
    if follower.is_proxy(root) {
        // A model that a proxy brings along is in the space of the proxy's bone already.
        commands.entity(scene_root).try_insert(Transform::IDENTITY);
    }
    for (entity, path) in followed {
        follower.follow(&mut commands, root, entity, path, settings);
    }
}

/// Without a scene there is no instance.
pub(super) fn on_root_removed(removed: On<Remove, WorldAssetRoot>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<Instance>();
}

impl SceneModel for AloScene {
    type Instance = AloInstance;

    fn is_of(&self, instance: &AloInstance) -> bool {
        Arc::ptr_eq(&self.model, &instance.model)
    }
}

impl Skeleton for AloInstance {
    fn bones(&self) -> &[Entity] {
        &self.bones
    }
}

impl Leveled for AloInstance {
    /// Files tell of levels, and not from where they are drawn.
    fn own_distances(&self) -> &[f32] {
        &[]
    }
}

/// The root components that decide which parts show.
type Choices<'w> = (
    &'w mut AloInstance,
    Option<&'w DistanceLod>,
    Option<&'w ModelLod>,
    Option<&'w ModelAlt>,
    Option<&'w HiddenParts>,
);

/// Roots of which one of those changed.
type ChoicesChanged = (
    With<AloInstance>,
    Or<(
        Changed<AloInstance>,
        Changed<DistanceLod>,
        Changed<ModelLod>,
        Changed<ModelAlt>,
        Changed<HiddenParts>,
    )>,
);

/// Components that make a difference by going.
#[derive(SystemParam)]
pub(super) struct Removed<'w, 's> {
    lods: RemovedComponents<'w, 's, ModelLod>,
    alts: RemovedComponents<'w, 's, ModelAlt>,
    hidden: RemovedComponents<'w, 's, HiddenParts>,
}

impl Removed<'_, '_> {
    fn read(&mut self) -> impl Iterator<Item = Entity> {
        let of_levels = self.lods.read();
        of_levels.chain(self.alts.read()).chain(self.hidden.read())
    }
}

/// The roots whose parts may have to be shown or hidden.
type ShownRoots<'w, 's> = ParamSet<
    'w,
    's,
    (
        Query<'static, 'static, Entity, ChoicesChanged>,
        Query<'static, 'static, Entity, With<AloInstance>>,
        Query<'static, 'static, Choices<'static>>,
    ),
>;

/// Shows and hides the parts of models for which a deciding component changed.
pub(super) fn show_parts(
    mut roots: ShownRoots,
    mut removed: Removed,
    mut parts: Query<(&mut AloPart, &mut Visibility)>,
    night: Res<NightTime>,
) {
    let removed = removed.read();
    let due: EntityHashSet = match night.is_changed() {
        true => roots.p1().iter().collect(),
        false => roots.p0().iter().chain(removed).collect(),
    };
    let mut roots = roots.p2();
    for root in due {
        let Ok((mut instance, distance, lod, alt, hidden)) = roots.get_mut(root) else {
            continue;
        };
        let instance = instance.bypass_change_detection();
        let alt = alt.map_or(0, |alt| alt.0).min(instance.model.max_alt);
        instance.change_alt(alt, &parts);
        let by_distance = distance.map_or(0, |distance| distance.0);
        let choice = Choice {
            lod: instance.model.lod(lod.map_or(by_distance, |lod| lod.0)),
            alt,
            night: night.0,
            hidden,
        };
        let finest = Choice {
            lod: instance.model.lod(0),
            ..choice
        };
        for part in &instance.parts {
            if let Ok((mut part, mut shown)) = parts.get_mut(*part) {
                let held = instance.held.contains(&(part.kind, part.index));
                let selected = part.is_selected(&choice) && !held;
                let selected_at_finest = part.is_selected(&finest) && !held;
                if (part.selected, part.selected_at_finest) != (selected, selected_at_finest) {
                    part.selected = selected;
                    part.selected_at_finest = selected_at_finest;
                }
                shown.set_if_neq(part.visibility(&choice));
            }
        }
    }
}

type ColorChanged = Or<(Changed<AloInstance>, Changed<TeamColor>)>;

/// Gives sub-meshes that wear it the colour of their team.
pub(super) fn color_teams(
    mut commands: Commands,
    changed: Query<(&AloInstance, Option<&TeamColor>), ColorChanged>,
    mut removed: RemovedComponents<TeamColor>,
    instances: Query<&AloInstance>,
) {
    let mut color = |instance: &AloInstance, team: Option<&TeamColor>| {
        let tag = team.map_or(0, |team| team_color_tag(team.0));
        for entity in &instance.colored {
            commands.entity(*entity).try_insert(MeshTag(tag));
        }
    };
    for root in removed.read() {
        if let Ok(instance) = instances.get(root) {
            color(instance, None);
        }
    }
    for (instance, team) in &changed {
        color(instance, team);
    }
}
