//! Shows and hides the parts of spawned models, and applies team colors.
//!
//! The file's flags, the level of detail, the damage stage and the user's `PartVisibility` are combined for each part.
//! Bones have separate `Visibility` components, which their parts inherit.

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
    /// Selects the part for the default level of detail and damage stage. Returns its initial visibility.
    pub(super) fn choose_initial(&mut self, model: &AloModel) -> Visibility {
        let filter = PartFilter {
            lod: model.lod(0),
            stage: 0,
            night: false,
            visibility: None,
        };
        let hides = filter.hides(self);
        self.selected = self.is_selected(&filter, hides);
        self.selected_at_finest = self.selected;
        self.visibility(hides)
    }

    /// `hides` is the result of [`PartFilter::hides`] for this part. That compares names, so call it only once.
    fn is_selected(&self, filter: &PartFilter<'_>, hides: Option<bool>) -> bool {
        hides != Some(true)
            && (self.lod.is_none() || self.lod == filter.lod)
            && self.damage_stage.is_none_or(|stage| stage == filter.stage)
            && (filter.night || !self.night_only)
    }

    fn visibility(&self, hides: Option<bool>) -> Visibility {
        if self.selected && !hides.unwrap_or(self.hidden) {
            Visibility::Inherited
        } else {
            Visibility::Hidden
        }
    }
}

/// The criteria by which parts are selected.
#[derive(Clone, Copy)]
pub(super) struct PartFilter<'a> {
    pub(super) lod: Option<u32>,
    pub(super) stage: u32,
    pub(super) night: bool,
    pub(super) visibility: Option<&'a PartVisibility>,
}

impl PartFilter<'_> {
    /// Whether a part is shown.
    #[cfg(feature = "crowd")]
    pub(super) fn shows(&self, part: &AloPart) -> bool {
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
    fn change_stage(&mut self, stage: u32, parts: &Query<(&mut AloPart, &mut Visibility)>) {
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
pub(super) struct RemovedSelectors<'w, 's> {
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
pub(super) fn show_parts(
    mut roots: ShownRoots,
    mut removed: RemovedSelectors,
    mut parts: Query<(&mut AloPart, &mut Visibility)>,
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
            if let Ok((mut part, mut shown)) = parts.get_mut(*part) {
                let kept_hidden = instance.kept_hidden.contains(&(part.kind, part.index));
                let hides = filter.hides(&part);
                let selected = part.is_selected(&filter, hides) && !kept_hidden;
                let selected_at_finest = part.is_selected(&finest, hides) && !kept_hidden;
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

/// Writes the team color of models to their team-colored sub-meshes.
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
