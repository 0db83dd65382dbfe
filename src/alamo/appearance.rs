//! Shows and hides the parts of spawned models, and applies team colors.
//!
//! The file's flags, levels of detail, damage stages and the user's choices all decide about a part, and none overrules
//! another. Bones have their own visibility, which their parts inherit.

use crate::alamo::asset::AloModel;
use crate::alamo::components::{AloInstance, AloPart};
use crate::alamo::team_color::team_color_tag;
use crate::scene::{DamageStage, DistanceLod, ModelLod, NightTime, PartVisibility, TeamColor};
use bevy::camera::visibility::Visibility;
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut};
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or, With};
use bevy::ecs::system::{Commands, ParamSet, Query, Res, SystemParam};
use bevy::mesh::MeshTag;

impl AloPart {
    /// As it is before anybody chose anything.
    pub(super) fn choose_initial(&mut self, model: &AloModel) -> Visibility {
        let choice = Choice {
            lod: model.lod(0),
            alt: 0,
            night: false,
            hidden: None,
        };
        let hides = choice.hides(self);
        self.selected = self.is_selected(&choice, hides);
        self.selected_at_finest = self.selected;
        self.visibility(hides)
    }

    /// `hides` is [`Choice::hides`] of this part, which compares names.
    fn is_selected(&self, choice: &Choice<'_>, hides: Option<bool>) -> bool {
        hides != Some(true)
            && (self.lod.is_none() || self.lod == choice.lod)
            && self.alt.is_none_or(|alt| alt == choice.alt)
            && (choice.night || !self.night_only)
    }

    fn visibility(&self, hides: Option<bool>) -> Visibility {
        if self.selected && !hides.unwrap_or(self.hidden) {
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
    hidden: Option<&'a PartVisibility>,
}

impl Choice<'_> {
    /// Whether the user hides a part, if the user says anything of it.
    fn hides(&self, part: &AloPart) -> Option<bool> {
        self.hidden.and_then(|parts| parts.get(&part.name))
    }
}

impl AloInstance {
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

/// The root components that decide which parts show.
type Choices<'w> = (
    &'w mut AloInstance,
    Option<&'w DistanceLod>,
    Option<&'w ModelLod>,
    Option<&'w DamageStage>,
    Option<&'w PartVisibility>,
);

/// Roots of which one of those changed.
type ChoicesChanged = (
    With<AloInstance>,
    Or<(
        Changed<AloInstance>,
        Changed<DistanceLod>,
        Changed<ModelLod>,
        Changed<DamageStage>,
        Changed<PartVisibility>,
    )>,
);

/// Components that make a difference by going.
#[derive(SystemParam)]
pub(super) struct Removed<'w, 's> {
    lods: RemovedComponents<'w, 's, ModelLod>,
    alts: RemovedComponents<'w, 's, DamageStage>,
    hidden: RemovedComponents<'w, 's, PartVisibility>,
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
                let hides = choice.hides(&part);
                let selected = part.is_selected(&choice, hides) && !held;
                let selected_at_finest = part.is_selected(&finest, hides) && !held;
                if (part.selected, part.selected_at_finest) != (selected, selected_at_finest) {
                    part.selected = selected;
                    part.selected_at_finest = selected_at_finest;
                }
                shown.set_if_neq(part.visibility(hides));
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
