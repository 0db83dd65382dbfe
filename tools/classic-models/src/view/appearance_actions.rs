//! Applies the actions that change the levels of detail, the damage, the colors, the skins and the parts of models.

use crate::view::action::Action;
use crate::view::alo_parts::{TEAMS, team_index};
use crate::view::files::Folders;
use crate::view::row::Row;
use crate::view::skins::active_skin;
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlInstance;

/// The components of a model that the actions depend on.
#[derive(QueryData)]
pub struct Appearance {
    alo: Option<&'static AloInstance>,
    abc: Option<&'static AbcInstance>,
    mdl: Option<&'static MdlInstance>,
    lod: Option<&'static ModelLod>,
    stage: Option<&'static DamageStage>,
    team: Option<&'static TeamColor>,
    skin: Option<&'static ModelSkin>,
    colors: Option<&'static PlayerColors>,
}

impl AppearanceItem<'_, '_> {
    /// The level that is shown, and the coarsest one. `None` for formats without levels of detail.
    fn lods(&self) -> Option<(u32, u32)> {
        let alo = self.alo.map(|alo| alo.model().lods.len());
        let levels = alo.or_else(|| Some(self.abc?.model().levels.len()))?;
        let coarsest = (levels as u32).saturating_sub(1);
        Some((self.lod.map_or(0, |lod| lod.0), coarsest))
    }

    /// The count of the model's own skins. `None` for formats without.
    fn skins(&self) -> Option<usize> {
        let abc = self.abc.map(|abc| abc.model().skins.len());
        abc.or_else(|| Some(self.mdl?.model().skins.len()))
    }
}

/// Applies actions to the selected model. They change components of its root entity, which stay when the model is reloaded.
pub fn act_on_appearance(
    mut actions: MessageReader<Action>,
    (row, folders): (Res<Row>, Res<Folders>),
    models: Query<Appearance>,
    mut parts: Query<&mut PartVisibility>,
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
        match (action, model.lods(), model.skins()) {
            (Action::Lod(level), Some(_), _) => _ = root.insert(ModelLod(*level)),
            (Action::FinerLod, Some((lod, coarsest)), _) => {
                root.insert(ModelLod(lod.min(coarsest).saturating_sub(1)));
            }
            (Action::CoarserLod, Some((lod, coarsest)), _) => {
                root.insert(ModelLod((lod + 1).min(coarsest)));
            }
            (Action::NextSkin, _, Some(skins)) => {
                let next = active_skin(model.skin).map_or(0, |skin| skin + 1) % skins.max(1);
                root.insert(ModelSkin::Index(next));
            }
            (Action::Skin(skin), ..) => _ = root.insert(skin.clone()),
            (Action::SkinFile(file), ..) => {
                root.insert(ModelSkin::Path(folders.asset_path(file)));
            }
            (Action::Part(name, choice), ..) => {
                let change = |parts: &mut PartVisibility| {
                    match choice {
                        Some(true) => parts.show(name),
                        Some(false) => parts.hide(name),
                        None => parts.reset(name),
                    };
                };
                // Several actions of a frame add up.
                if let Ok(mut parts) = parts.get_mut(entity) {
                    change(&mut parts);
                } else {
                    let mut parts = PartVisibility::default();
                    change(&mut parts);
                    root.insert(parts);
                }
            }
            (Action::ResetParts, ..) => _ = root.insert(PartVisibility::default()),
            _ if model.mdl.is_some() => {
                act_on_colors(action, &mut root, model.colors, &mut last_colors);
            }
            _ => {
                if let Some(alo) = model.alo {
                    let stage = model.stage.map_or(0, |stage| stage.0);
                    act_on_damage(action, &mut root, stage, alo.model().max_damage_stage);
                    act_on_team(action, &mut root, model.team);
                }
            }
        }
    }
}

/// Applies the actions of player colors.
fn act_on_colors(
    action: &Action,
    root: &mut EntityCommands<'_>,
    colors: Option<&PlayerColors>,
    last: &mut Option<PlayerColors>,
) {
    // Red and blue differ visibly from the default colors.
    let red_and_blue = PlayerColors {
        shirt: 4,
        pants: 13,
    };
    match action {
        Action::ToggleColors if colors.is_some() => {
            *last = colors.copied();
            root.remove::<PlayerColors>();
        }
        Action::ToggleColors => _ = root.insert(last.unwrap_or(red_and_blue)),
        Action::Colors(colors) => _ = root.insert(*colors),
        _ => {}
    }
}

fn act_on_damage(action: &Action, root: &mut EntityCommands<'_>, stage: u32, last: u32) {
    match action {
        Action::DamageStage(stage) => _ = root.insert(DamageStage(*stage)),
        Action::NextDamageStage => {
            root.insert(DamageStage(if stage >= last { 0 } else { stage + 1 }));
        }
        _ => {}
    }
}

fn act_on_team(action: &Action, root: &mut EntityCommands<'_>, team: Option<&TeamColor>) {
    let chosen = match action {
        Action::Team(color) => *color,
        Action::NextTeam => {
            let next = team_index(team).map_or(0, |index| index + 1);
            TEAMS.get(next).map(|(_, color)| *color)
        }
        _ => return,
    };
    match chosen {
        Some(color) => root.insert(TeamColor(color)),
        None => root.remove::<TeamColor>(),
    };
}
