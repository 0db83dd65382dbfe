//! The panel's buttons for the skins and clips that a manifest names, and their actions.

use crate::view::action::Action;
use crate::view::clip_panel::MANIFEST_CLIPS;
use crate::view::clips::ClipList;
use crate::view::panel_item::{Item, button};
use crate::view::playback::start;
use crate::view::row::Row;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::Repeat;

/// The index of the active skin, if it is a skin of the model itself.
pub fn active_skin(skin: Option<&ModelSkin>) -> Option<usize> {
    match skin {
        None => Some(0),
        Some(ModelSkin::Index(index)) => Some(*index),
        Some(_) => None,
    }
}

/// The names of skins, sorted.
fn names(skins: &ModelSkins) -> Vec<&str> {
    let mut names: Vec<&str> = skins.names().collect();
    names.sort_unstable();
    names
}

/// A button for each skin that a manifest names.
pub fn skin_items(skins: &ModelSkins, skin: Option<&ModelSkin>) -> Vec<Item> {
    let names = names(skins).into_iter().enumerate();
    let buttons = names.map(|(index, name)| {
        let is_active =
            matches!(skin, Some(ModelSkin::Name(active)) if active.to_lowercase() == name);
        button(name, Action::NamedSkin(index), is_active)
    });
    vec![
        Item::Heading("Skins of the manifest"),
        Item::Buttons(buttons.collect()),
    ]
}

/// Whether the manifest plays the current clip once.
pub fn ends(clips: Option<&ModelClips>, play: &PlayClip) -> bool {
    let ClipRef::Name(name) = &play.clip else {
        return false;
    };
    let named = clips.and_then(|clips| clips.get(name));
    named.is_some_and(|clip| clip.repeat == Repeat::Once)
}

/// A button for each clip that a manifest names. Only for models without a [`ClipList`], which lists these clips too.
pub fn clip_items(clips: &ModelClips, play: &PlayClip) -> Vec<Item> {
    let buttons = clips.0.iter().enumerate().map(|(index, clip)| {
        let plays = matches!(&play.clip, ClipRef::Name(name) if clips.get(name) == Some(clip));
        button(&clip.name, Action::NamedClip(index), plays)
    });
    vec![
        Item::Heading(MANIFEST_CLIPS),
        Item::Buttons(buttons.collect()),
    ]
}

/// Applies skins and plays clips that the selected model's manifest names.
pub fn act_on_named(
    mut actions: MessageReader<Action>,
    row: Res<Row>,
    skins: Query<&ModelSkins>,
    mut clips: Query<(&ModelClips, &mut PlayClip, &mut Playback), Without<ClipList>>,
    mut commands: Commands,
) {
    for action in actions.read() {
        let Some(entity) = row.selected() else {
            continue;
        };
        match *action {
            Action::NamedSkin(index) => {
                let names = skins.get(entity).map(names).unwrap_or_default();
                if let Some(name) = names.get(index) {
                    let skin = ModelSkin::Name((*name).to_owned());
                    commands.entity(entity).insert(skin);
                }
            }
            Action::NamedClip(index) => {
                if let Ok((clips, mut play, mut playback)) = clips.get_mut(entity)
                    && let Some(clip) = clips.0.get(index)
                {
                    play.repeat = Repeat::FromManifest;
                    start((*clip.name).into(), &mut play, &mut playback);
                }
            }
            _ => {}
        }
    }
}
