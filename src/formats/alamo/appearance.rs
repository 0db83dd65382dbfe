//! Shows and hides the parts of spawned models, and applies team colors.
//!
//! The file's flags, the level of detail, the damage stage, the user's `PartVisibility` and the part's bone are combined
//! for each part. A bone decides about what is connected to it, and not about the bones below it.

use crate::appearance::parts::{
    BoneAttachments, BoneVisibility, Selected, Selections, connected_visibility, visibility,
};
use crate::formats::alamo::asset::AloModel;
use crate::formats::alamo::components::{AloBone, AloInstance, AloPart, AloPartKind};
use crate::formats::alamo::materials::material::team_color_tag;
use crate::root::skins::TeamColor;
use bevy::animation::AnimatedBy;
use bevy::ecs::system::SystemParam;
use bevy::mesh::MeshTag;
use bevy::prelude::*;

impl AloPart {
    /// Selects the part for the default level of detail and damage stage.
    pub(crate) fn choose_initial(&mut self, model: &AloModel) {
        let selected = Selected::default();
        self.selected = self.is_selected(model, &selected, None);
        self.selected_at_finest = self.selected;
        self.shown = self.is_shown(model, &selected);
    }

    /// Whether the part is shown unless its bone is hidden.
    pub(crate) fn is_shown(&self, model: &AloModel, selected: &Selected<'_>) -> bool {
        let hides = selected.hides(&self.name);
        self.is_selected(model, selected, hides) && !hides.unwrap_or(self.hidden)
    }

    /// `hides` is the result of [`Selected::hides`] for this part. That compares names, so call it only once.
    fn is_selected(&self, model: &AloModel, selected: &Selected<'_>, hides: Option<bool>) -> bool {
        let stage = selected.stage.min(model.max_damage_stage);
        hides != Some(true)
            && (self.lod.is_none() || self.lod == model.lod(selected.level))
            && self.damage_stage.is_none_or(|own| own == stage)
            && (selected.night || !self.night_only)
    }
}

/// On the root: the damage stage that is shown, which a reload keeps.
#[derive(Component, Debug, Default)]
pub struct ShownStage {
    stage: u32,
    /// Kinds and indices of the parts that stay hidden because the stage decreased to theirs.
    kept_hidden: Vec<(AloPartKind, usize)>,
}

impl ShownStage {
    /// Records a change of the stage, which decides which parts stay hidden.
    fn change(&mut self, to: u32, instance: &AloInstance, parts: &Query<ShownPart>) {
        let from = self.stage.min(instance.model.max_damage_stage);
        if to > from {
            self.kept_hidden.clear();
        } else if to < from {
            let kept_hidden = |entity: &Entity| {
                let part = parts.get(*entity).ok()?.0;
                let stays_hidden = part.alt_decrease_stay_hidden && part.damage_stage == Some(to);
                stays_hidden.then_some((part.kind, part.index))
            };
            self.kept_hidden = instance.parts.iter().filter_map(kept_hidden).collect();
        }
        self.stage = to;
    }
}

/// A part, its bone and its visibility.
type ShownPart = (
    &'static mut AloPart,
    &'static ChildOf,
    &'static mut Visibility,
);

/// Shows and hides the parts of models if a component that decides about them changed.
pub(crate) fn show_parts(
    mut selections: Selections<AloInstance>,
    mut roots: Query<(&AloInstance, &mut ShownStage)>,
    mut parts: Query<ShownPart>,
    bones: Query<&BoneVisibility>,
) {
    for root in selections.changed() {
        let Ok((instance, mut shown_stage)) = roots.get_mut(root) else {
            continue;
        };
        let model = &*instance.model;
        let selected = selections.get(root);
        let finest = Selected {
            level: 0,
            ..selected
        };
        let stage = selected.stage.min(model.max_damage_stage);
        shown_stage.change(stage, instance, &parts);
        for part in &instance.parts {
            if let Ok((mut part, bone, mut visible)) = parts.get_mut(*part) {
                let kept_hidden = (shown_stage.kept_hidden).contains(&(part.kind, part.index));
                let hides = selected.hides(&part.name);
                let is_selected = part.is_selected(model, &selected, hides) && !kept_hidden;
                let at_finest = part.is_selected(model, &finest, hides) && !kept_hidden;
                let shown = is_selected && !hides.unwrap_or(part.hidden);
                let before = (part.selected, part.selected_at_finest, part.shown);
                if before != (is_selected, at_finest, shown) {
                    part.selected = is_selected;
                    part.selected_at_finest = at_finest;
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
    fn update(
        &mut self,
        (entity, mut state): (Entity, Mut<'_, BoneVisibility>),
        animated: Option<bool>,
    ) {
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

/// Shows and hides the parts and attachments of bones, after clips or a user's animation graph have decided.
pub(crate) fn show_bones(
    mut in_graphs: Query<VisibleBone, With<AnimatedBy>>,
    mut changed: Query<VisibleBone, (Changed<BoneVisibility>, Without<AnimatedBy>)>,
    mut connected: ConnectedEntities,
) {
    for (entity, mut state) in &mut in_graphs {
        // A graph decides again in each frame.
        let animated = state.bypass_change_detection().animated.take();
        connected.update((entity, state), animated);
    }
    for (entity, state) in &mut changed {
        let animated = state.animated;
        connected.update((entity, state), animated);
    }
}

/// Shows a bone that no animation graph decides about any more as its file does.
pub(crate) fn on_bone_unlinked(
    unlinked: On<Remove, AnimatedBy>,
    mut bones: Query<&mut BoneVisibility>,
) {
    if let Ok(mut bone) = bones.get_mut(unlinked.entity) {
        bone.set_changed();
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
            let animated = state.animated;
            connected.update((entity, state), animated);
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
