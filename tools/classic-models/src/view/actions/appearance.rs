//! Applies the actions that change the view, and the levels of detail, the damage, the colors, the skins and the parts of models.

use crate::view::actions::action::Action;
use crate::view::camera::framing::Framing;
use crate::view::camera::orbit::Orbit;
use crate::view::draw::lighting::{EXPOSURES, LightSet, Lighting};
use crate::view::draw::overlays::Overlays;
use crate::view::models::file_data::{TEAMS, team_index};
use crate::view::models::shown_model::{ShownModel, ShownModelItem};
use crate::view::open::files::{Folders, active_skin};
use crate::view::row::Row;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloCollider;
use bevy_classic_models::prelude::*;
use bevy_classic_models::root::ModelLod;
use bevy_classic_models::root::NightTime;

/// Player colors that differ visibly from the default ones.
const RED_AND_BLUE: PlayerColors = PlayerColors {
    shirt: 4,
    pants: 13,
};

impl ShownModelItem<'_, '_> {
    /// The level that is shown, and the coarsest one. `None` for formats without levels of detail.
    fn lods(&self) -> Option<(u32, u32)> {
        let alo = self.alo.map(|alo| alo.model().lods.len());
        let levels = alo.or_else(|| Some(self.abc?.0.model().levels.len()))?;
        let coarsest = (levels as u32).saturating_sub(1);
        Some((self.lod.map_or(0, |lod| lod.0), coarsest))
    }

    /// The last damage stage. `None` for formats without.
    fn last_stage(&self) -> Option<u32> {
        Some(self.alo?.model().max_damage_stage)
    }

    /// The count of the model's own skins. `None` for formats without.
    fn skins(&self) -> Option<usize> {
        let abc = self.abc.map(|(abc, _)| abc.model().skins.len());
        abc.or_else(|| Some(self.mdl?.model().skins.len()))
    }
}

/// Applies actions to the selected model. They change components of its root entity, which stay when the model is reloaded.
pub fn act_on_appearance(
    mut actions: MessageReader<Action>,
    (row, folders): (Res<Row>, Res<Folders>),
    models: Query<ShownModel>,
    mut commands: Commands,
    mut last_colors: Local<Option<PlayerColors>>,
) {
    for action in actions.read() {
        let Some(entity) = row.selected() else {
            continue;
        };
        let Ok(model) = models.get(entity) else {
            continue;
        };
        let mut root = commands.entity(entity);
        let (lods, last_stage) = (model.lods(), model.last_stage());
        match action {
            Action::Lod(level) if lods.is_some() => _ = root.insert(ModelLod(*level)),
            Action::FinerLod | Action::CoarserLod => {
                if let Some((lod, coarsest)) = lods {
                    root.insert(ModelLod(match action {
                        Action::FinerLod => lod.min(coarsest).saturating_sub(1),
                        _ => (lod + 1).min(coarsest),
                    }));
                }
            }
            Action::NextSkin => {
                if let Some(skins) = model.skins() {
                    let next = active_skin(model.skin).map_or(0, |skin| skin + 1) % skins.max(1);
                    root.insert(ModelSkin::Index(next));
                }
            }
            Action::Skin(skin) => _ = root.insert(skin.clone()),
            Action::SkinFile(file) => {
                root.insert(ModelSkin::Path(folders.asset_path(file)));
            }
            Action::Part(name, choice) => {
                let (name, choice) = (name.clone(), *choice);
                // Several actions of a frame add up.
                root.entry::<PartVisibility>()
                    .or_default()
                    .and_modify(move |mut parts| {
                        match choice {
                            Some(true) => parts.show(&name),
                            Some(false) => parts.hide(&name),
                            None => parts.reset(&name),
                        };
                    });
            }
            Action::ResetParts => _ = root.insert(PartVisibility::default()),
            Action::ToggleColors if model.mdl.is_some() => match model.colors {
                Some(colors) => {
                    *last_colors = Some(*colors);
                    root.remove::<PlayerColors>();
                }
                None => _ = root.insert(last_colors.unwrap_or(RED_AND_BLUE)),
            },
            Action::Colors(colors) if model.mdl.is_some() => _ = root.insert(*colors),
            Action::DamageStage(stage) if last_stage.is_some() => {
                root.insert(DamageStage(*stage));
            }
            Action::NextDamageStage => {
                if let Some(last) = last_stage {
                    let stage = model.stage.map_or(0, |stage| stage.0);
                    root.insert(DamageStage(if stage >= last { 0 } else { stage + 1 }));
                }
            }
            Action::Team(color) if model.alo.is_some() => set_team(&mut root, *color),
            Action::NextTeam if model.alo.is_some() => {
                let next = team_index(model.team).map_or(0, |index| index + 1);
                set_team(&mut root, TEAMS.get(next).map(|(_, color)| *color));
            }
            _ => {}
        }
    }
}

fn set_team(root: &mut EntityCommands<'_>, color: Option<Color>) {
    match color {
        Some(color) => root.insert(TeamColor(color)),
        None => root.remove::<TeamColor>(),
    };
}

/// Applies the actions that concern the view or all models.
pub fn act_on_view(
    mut actions: MessageReader<Action>,
    mut row: ResMut<Row>,
    mut overlays: ResMut<Overlays>,
    (mut night, mut lighting): (ResMut<NightTime>, ResMut<Lighting>),
    mut framing: ResMut<Framing>,
    mut orbit: Single<&mut Orbit>,
    colliders: Query<&AloCollider>,
) {
    /// A step of the exposure.
    const STOP: f32 = 0.5;
    let [darkest, brightest] = EXPOSURES;
    for action in actions.read() {
        match *action {
            Action::Select(model) => row.selected = model,
            Action::Overlay(overlay) => overlays.toggle(overlay),
            Action::ToggleNight => night.0 ^= true,
            Action::Light(set) => lighting.set = set,
            Action::NextLight => {
                lighting.set = match lighting.set {
                    LightSet::Studio => LightSet::Game,
                    LightSet::Game => LightSet::Studio,
                }
            }
            Action::Exposure(exposure) => lighting.exposure = exposure.clamp(darkest, brightest),
            Action::Brighter => lighting.exposure = (lighting.exposure + STOP).min(brightest),
            Action::Darker => lighting.exposure = (lighting.exposure - STOP).max(darkest),
            Action::Trees(trees) => overlays.trees = trees,
            Action::NextTreeLevel => {
                let levels = colliders.iter().map(|collider| collider.tree().levels());
                overlays.trees = overlays.trees.next(levels.max().unwrap_or(0));
            }
            Action::Frame(target) => *framing = target,
            Action::SetView(view) => {
                orbit.set_view(view);
                row.view = orbit.rotation();
                *framing = Framing::All;
            }
            _ => {}
        }
    }
}
