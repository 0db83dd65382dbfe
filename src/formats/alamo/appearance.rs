//! Shows and hides the parts of spawned models, and applies team colors.
//!
//! The file's flags, the level of detail, the damage stage, the user's `PartVisibility` and the part's bone are combined
//! for each part. A bone decides about what is connected to it, and not about the bones below it.

use crate::appearance::bone_visibility::{
    BoneAttachments, BoneVisibility, connected_visibility, visibility,
};
use crate::formats::alamo::asset::AloModel;
use crate::formats::alamo::components::{AloBone, AloInstance, AloPart};
use crate::formats::alamo::materials::team_color::team_color_tag;
use crate::root::environment::NightTime;
use crate::root::parts::{DamageStage, DistanceLod, ModelLod, PartVisibility};
use crate::root::skins::TeamColor;
use bevy::animation::AnimatedBy;
use bevy::camera::visibility::Visibility;
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut, Mut};
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::hierarchy::{ChildOf, Children};
use bevy::ecs::lifecycle::{Insert, RemovedComponents};
use bevy::ecs::observer::On;
use bevy::ecs::query::{Changed, Has, Or, With, Without};
use bevy::ecs::system::{Commands, ParamSet, Query, Res, SystemParam};
use bevy::mesh::MeshTag;

impl AloPart {
    /// Selects the part for the default level of detail and damage stage.
    pub(crate) fn choose_initial(&mut self, model: &AloModel) {
        let filter = PartFilter {
            lod: model.lod(0),
            stage: 0,
            night: false,
            visibility: None,
        };
        let hides = filter.hides(self);
        self.selected = self.is_selected(&filter, hides);
        self.selected_at_finest = self.selected;
        self.shown = filter.shows(self);
    }

    /// `hides` is the result of [`PartFilter::hides`] for this part. That compares names, so call it only once.
    fn is_selected(&self, filter: &PartFilter<'_>, hides: Option<bool>) -> bool {
        hides != Some(true)
            && (self.lod.is_none() || self.lod == filter.lod)
            && self.damage_stage.is_none_or(|stage| stage == filter.stage)
            && (filter.night || !self.night_only)
    }
}

/// The criteria by which parts are selected.
#[derive(Clone, Copy)]
pub(crate) struct PartFilter<'a> {
    pub(crate) lod: Option<u32>,
    pub(crate) stage: u32,
    pub(crate) night: bool,
    pub(crate) visibility: Option<&'a PartVisibility>,
}

impl PartFilter<'_> {
    /// Whether a part is shown unless its bone is hidden.
    pub(crate) fn shows(&self, part: &AloPart) -> bool {
        let hides = self.hides(part);
        part.is_selected(self, hides) && !hides.unwrap_or(part.hidden)
    }

    /// Whether the user hides a part; `None` if the user has not set its visibility.
    fn hides(&self, part: &AloPart) -> Option<bool> {
        self.visibility.and_then(|parts| parts.get(&part.name))
    }
}

impl AloInstance {
    /// Records a change of the damage stage, which decides which parts stay hidden.
    fn change_stage(&mut self, stage: u32, parts: &Query<ShownPart>) {
        if stage > self.damage_stage {
            self.kept_hidden.clear();
        } else if stage < self.damage_stage {
            let kept_hidden = |entity: &Entity| {
                let part = parts.get(*entity).ok()?.0;
                let stays_hidden =
                    part.alt_decrease_stay_hidden && part.damage_stage == Some(stage);
                stays_hidden.then_some((part.kind, part.index))
            };
            self.kept_hidden = self.parts.iter().filter_map(kept_hidden).collect();
        }
        self.damage_stage = stage;
    }
}

/// A part, its bone and its visibility.
type ShownPart = (
    &'static mut AloPart,
    &'static ChildOf,
    &'static mut Visibility,
);

/// The root components that decide which parts are shown.
type Selectors<'w> = (
    &'w mut AloInstance,
    Option<&'w DistanceLod>,
    Option<&'w ModelLod>,
    Option<&'w DamageStage>,
    Option<&'w PartVisibility>,
);

/// Matches roots if any of these components changed.
type SelectorsChanged = (
    With<AloInstance>,
    Or<(
        Changed<AloInstance>,
        Changed<DistanceLod>,
        Changed<ModelLod>,
        Changed<DamageStage>,
        Changed<PartVisibility>,
    )>,
);

/// Roots that lost a component that decides which parts are shown.
#[derive(SystemParam)]
pub(crate) struct RemovedSelectors<'w, 's> {
    lods: RemovedComponents<'w, 's, ModelLod>,
    stages: RemovedComponents<'w, 's, DamageStage>,
    visibilities: RemovedComponents<'w, 's, PartVisibility>,
}

impl RemovedSelectors<'_, '_> {
    fn read(&mut self) -> impl Iterator<Item = Entity> {
        self.lods
            .read()
            .chain(self.stages.read())
            .chain(self.visibilities.read())
    }
}

/// The roots whose parts may have to be shown or hidden: those that changed, all of them, and their components.
type ShownRoots<'w, 's> = ParamSet<
    'w,
    's,
    (
        Query<'static, 'static, Entity, SelectorsChanged>,
        Query<'static, 'static, Entity, With<AloInstance>>,
        Query<'static, 'static, Selectors<'static>>,
    ),
>;

/// Shows and hides the parts of models if a component that decides about them changed.
pub(crate) fn show_parts(
    mut roots: ShownRoots,
    mut removed: RemovedSelectors,
    mut parts: Query<ShownPart>,
    bones: Query<&BoneVisibility>,
    night: Res<NightTime>,
) {
    let removed = removed.read();
    let changed: EntityHashSet = match night.is_changed() {
        true => roots.p1().iter().collect(),
        false => roots.p0().iter().chain(removed).collect(),
    };
    let mut roots = roots.p2();
    for root in changed {
        let Ok((mut instance, distance, lod, stage, visibility)) = roots.get_mut(root) else {
            continue;
        };
        let instance = instance.bypass_change_detection();
        let stage = stage.map_or(0, |stage| stage.0);
        let stage = stage.min(instance.model.max_damage_stage);
        instance.change_stage(stage, &parts);
        let by_distance = distance.map_or(0, |distance| distance.0);
        let filter = PartFilter {
            lod: instance.model.lod(lod.map_or(by_distance, |lod| lod.0)),
            stage,
            night: night.0,
            visibility,
        };
        let finest = PartFilter {
            lod: instance.model.lod(0),
            ..filter
        };
        for part in &instance.parts {
            if let Ok((mut part, bone, mut visible)) = parts.get_mut(*part) {
                let kept_hidden = instance.kept_hidden.contains(&(part.kind, part.index));
                let hides = filter.hides(&part);
                let selected = part.is_selected(&filter, hides) && !kept_hidden;
                let selected_at_finest = part.is_selected(&finest, hides) && !kept_hidden;
                let shown = selected && !hides.unwrap_or(part.hidden);
                let before = (part.selected, part.selected_at_finest, part.shown);
                if before != (selected, selected_at_finest, shown) {
                    part.selected = selected;
                    part.selected_at_finest = selected_at_finest;
                    part.shown = shown;
                }
                let bone = bones.get(bone.parent()).ok();
                visible.set_if_neq(connected_visibility(bone, shown));
            }
        }
    }
}

/// The visibility of bones and of what is connected to them.
#[derive(SystemParam)]
pub(crate) struct ConnectedEntities<'w, 's> {
    children: Query<'w, 's, &'static Children>,
    entities: Query<
        'w,
        's,
        (
            Option<&'static AloPart>,
            Has<BoneAttachments>,
            &'static mut Visibility,
        ),
    >,
}

impl ConnectedEntities<'_, '_> {
    /// Applies what animations, otherwise the bone's flag, decided about a bone.
    fn update(&mut self, (entity, mut state): (Entity, Mut<'_, BoneVisibility>)) {
        let animated = state.bypass_change_detection().animated.take();
        let is_visible = animated.unwrap_or(state.default);
        if state.is_visible == is_visible {
            return;
        }
        state.is_visible = is_visible;
        if state.hides_children {
            if let Ok((.., mut visible)) = self.entities.get_mut(entity) {
                visible.set_if_neq(visibility(is_visible));
            }
            return;
        }
        for child in self.children.get(entity).into_iter().flatten() {
            let Ok((part, has_attachments, mut visible)) = self.entities.get_mut(*child) else {
                continue;
            };
            if part.is_some() || has_attachments {
                let shown = part.is_none_or(|part| part.shown);
                visible.set_if_neq(connected_visibility(Some(&state), shown));
            }
        }
    }
}

/// A bone and its visibility.
type VisibleBone = (Entity, &'static mut BoneVisibility);

/// Shows and hides what is connected to bones. Visits only the bones with a player, and those that just lost it.
pub(crate) fn show_bones(
    mut unlinked: RemovedComponents<AnimatedBy>,
    mut playing: Query<VisibleBone, With<AnimatedBy>>,
    mut idle: Query<VisibleBone, Without<AnimatedBy>>,
    mut connected: ConnectedEntities,
) {
    for bone in &mut playing {
        connected.update(bone);
    }
    for bone in unlinked.read() {
        if let Ok(bone) = idle.get_mut(bone) {
            connected.update(bone);
        }
    }
}

/// Sets the flag of a bone, and applies it if no player animates the bone.
pub(crate) fn on_bone_inserted(
    inserted: On<Insert, AloBone>,
    mut bones: Query<(Entity, &AloBone, &mut BoneVisibility, Has<AnimatedBy>)>,
    mut connected: ConnectedEntities,
) {
    if let Ok((entity, bone, mut state, is_playing)) = bones.get_mut(inserted.entity) {
        state.bypass_change_detection().default = bone.visible;
        if !is_playing {
            connected.update((entity, state));
        }
    }
}

type ColorChanged = Or<(Changed<AloInstance>, Changed<TeamColor>)>;

/// Writes the team color of models to their team-colored sub-meshes.
pub(crate) fn color_teams(
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
