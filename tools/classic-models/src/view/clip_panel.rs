//! The panel's items for a list of clips and for playback.

use crate::view::action::Action;
use crate::view::bars::Bar;
use crate::view::clips::{ClipList, ClipState};
use crate::view::panel_item::{Item, Live, Tone, button};
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::Repeat;

/// The heading above clips that a manifest names.
pub const MANIFEST_CLIPS: &str = "Clips of the manifest";

/// A button for each clip of a model, and the controls of the clip that plays.
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
    let mut buttons = vec![button("rest pose", Action::Rest, play.is_none())];
    let (mut of_manifest, mut problems) = (Vec::new(), Vec::new());
    for (index, clip) in list.0.iter().enumerate() {
        match &clip.state {
            ClipState::Ready(_) => {
                let plays = current == Some(index);
                let group = if clip.from_manifest {
                    &mut of_manifest
                } else {
                    &mut buttons
                };
                group.push(button(&clip.name, Action::Clip(index), plays));
            }
            ClipState::Broken(why) => {
                let problem = format!("{}: {why}", clip.name);
                problems.push(Item::Text(problem, Tone::Error));
            }
            ClipState::Loading => {}
        }
    }
    if !of_manifest.is_empty() {
        items.push(Item::Heading(MANIFEST_CLIPS));
        items.push(Item::Buttons(of_manifest));
    }
    items.push(Item::Heading("Clips"));
    items.push(Item::Buttons(buttons));
    items.extend(problems);
    items
}

/// The playback controls of a clip. `ends` is whether the manifest plays the clip once.
pub fn controls(play: &PlayClip, finished: bool, ends: bool) -> Vec<Item> {
    let stopped = play.paused || finished;
    let play_or_pause = if stopped { "play" } else { "pause" };
    let loops = match play.repeat {
        Repeat::Loop => true,
        Repeat::FromManifest => !ends,
        _ => false,
    };
    let speed = format!("x{}", play.speed);
    vec![
        Item::Heading("Playback"),
        Item::Live(Live::Status),
        Item::Bar(Bar::Time),
        Item::Buttons(vec![
            button("<", Action::StepBack, false),
            button(play_or_pause, Action::TogglePlay, !stopped),
            button(">", Action::StepForward, false),
            button("-", Action::Slower, false),
            button(&speed, Action::ResetSpeed, play.speed == 1.0),
            button("+", Action::Faster, false),
            button("loop", Action::ToggleRepeat, loops),
        ]),
    ]
}
