//! What a manifest names of its own: the panel's buttons for it, and what they do.

use crate::view::actions::Action;
use crate::view::clip_panel::STATED_CLIPS;
use crate::view::clips::ClipList;
use crate::view::contents::{Item, button};
use crate::view::models::Row;
use crate::view::playback::start;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::Repeat;

/// Which of the model's own skins is worn, unless it is one from elsewhere.
pub fn worn(skin: Option<&ModelSkin>) -> Option<usize> {
    match skin {
        None => Some(0),
        Some(ModelSkin::Index(index)) => Some(*index),
        Some(_) => None,
    }
}

/// The names of skins, in order.
fn names(skins: &ModelSkins) -> Vec<&str> {
    let mut names: Vec<&str> = skins.names().collect();
    names.sort_unstable();
    names
}

/// A button for each skin that a manifest names.
pub fn skin_items(skins: &ModelSkins, worn: Option<&ModelSkin>) -> Vec<Item> {
    let names = names(skins).into_iter().enumerate();
    let buttons = names.map(|(place, name)| {
        let is_worn = matches!(worn, Some(ModelSkin::Name(worn)) if worn.to_lowercase() == name);
        button(name, Action::NamedSkin(place), is_worn)
    });
    vec![
        Item::Heading("Skins of the manifest"),
        Item::Buttons(buttons.collect()),
    ]
}

/// Whether the clip that plays is stated to stay in its last pose.
pub fn ends(clips: Option<&ModelClips>, play: &PlayClip) -> bool {
    let ClipRef::Name(name) = &play.clip else {
        return false;
    };
    let stated = clips.and_then(|clips| clips.get(name));
    stated.is_some_and(|clip| clip.repeat == Repeat::Once)
}

/// A button for each clip that a manifest names, of models that have no list of clips.
pub fn clip_items(clips: &ModelClips, play: &PlayClip) -> Vec<Item> {
    let buttons = clips.0.iter().enumerate().map(|(place, clip)| {
        let plays = matches!(&play.clip, ClipRef::Name(name) if clips.get(name) == Some(clip));
        button(&clip.name, Action::NamedClip(place), plays)
    });
    vec![
        Item::Heading(STATED_CLIPS),
        Item::Buttons(buttons.collect()),
    ]
}

/// Wears and plays on the selected model what its manifest names.
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
            Action::NamedSkin(place) => {
                let names = skins.get(entity).map(names).unwrap_or_default();
                if let Some(name) = names.get(place) {
                    let skin = ModelSkin::Name((*name).to_owned());
                    commands.entity(entity).insert(skin);
                }
            }
            Action::NamedClip(place) => {
                if let Ok((clips, mut play, mut playback)) = clips.get_mut(entity)
                    && let Some(clip) = clips.0.get(place)
                {
                    play.repeat = Repeat::FromManifest;
                    start((*clip.name).into(), &mut play, &mut playback);
                }
            }
            _ => {}
        }
    }
}
