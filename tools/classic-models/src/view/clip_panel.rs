//! What the panel says about a list of clips.

use crate::view::actions::Action;
use crate::view::clips::{ClipList, ClipState};
use crate::view::contents::{Item, Tone, button, controls};
use bevy_classic_models::prelude::*;

/// What stands above clips that a manifest names.
pub const STATED_CLIPS: &str = "Clips of the manifest";

/// The clips of a model, and what there is to do with that which plays.
pub fn clip_items(list: &ClipList, play: Option<(&PlayClip, &Playback)>) -> Vec<Item> {
    let mut items = Vec::new();
    if list.0.is_empty() {
        return items;
    }
    let current = play.and_then(|(play, _)| list.playing(play));
    if let Some((play, playback)) = play {
        let ready = list.ready(play);
        let ends = ready.is_some_and(|clip| clip.ends);
        items.extend(controls(play, playback.finished, ends));
        let facts = ready.map(|clip| Item::Text(clip.facts.clone(), Tone::Remark));
        let remark = ready.and_then(|clip| clip.remark.clone());
        let remark = remark.map(|remark| Item::Text(remark, Tone::Warning));
        items.extend(facts.into_iter().chain(remark));
    }
    let mut buttons = vec![button("at rest", Action::Rest, play.is_none())];
    let (mut stated, mut problems) = (Vec::new(), Vec::new());
    for (place, clip) in list.0.iter().enumerate() {
        match &clip.state {
            ClipState::Ready(_) => {
                let lit = current == Some(place);
                let group = if clip.is_stated {
                    &mut stated
                } else {
                    &mut buttons
                };
                group.push(button(&clip.name, Action::Clip(place), lit));
            }
            ClipState::Broken(why) => {
                let problem = format!("{}: {why}", clip.name);
                problems.push(Item::Text(problem, Tone::Error));
            }
            ClipState::Loading => {}
        }
    }
    if !stated.is_empty() {
        items.push(Item::Heading(STATED_CLIPS));
        items.push(Item::Buttons(stated));
    }
    items.push(Item::Heading("Clips"));
    items.push(Item::Buttons(buttons));
    items.extend(problems);
    items
}
