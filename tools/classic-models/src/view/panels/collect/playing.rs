//! The clips of a model, and the one that plays.

use crate::view::action::Action;
use crate::view::actions::playing as playing_mdl;
use crate::view::clips::{ClipList, ClipState, ListedClip};
use crate::view::panels::collect::shown_model::ShownModelItem;
use crate::view::panels::data::{ClipRow, Playing};
use crate::view::skins::ends;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlInstance;
use bevy_classic_models::root::Repeat;

/// The clips of a model.
pub fn clips(shown: &ShownModelItem<'_, '_>) -> Vec<ClipRow> {
    let play = shown.play.map(|(play, _)| play);
    if let Some(animator) = shown.mdl {
        return mdl_clips(animator, shown.named_clips, play);
    }
    let Some(list) = shown.list else {
        return Vec::new();
    };
    let plays = play.and_then(|play| list.playing(play));
    let clips = list.0.iter().enumerate();
    clips
        .map(|(index, clip)| row(index, clip, plays == Some(index)))
        .collect()
}

fn row(index: usize, clip: &ListedClip, plays: bool) -> ClipRow {
    let (length, action, facts) = match &clip.state {
        ClipState::Ready(ready) => {
            let length = format!("{:.2} s", ready.seconds);
            (length, Some(Action::Clip(index)), ready.facts.clone())
        }
        ClipState::Loading => ("loading".to_owned(), None, "loading".to_owned()),
        ClipState::Broken(why) => ("broken".to_owned(), None, why.clone()),
    };
    ClipRow {
        name: clip.name.clone(),
        length,
        from_manifest: clip.from_manifest,
        plays,
        action,
        facts,
    }
}

/// The clips that the manifest names, and those of the file.
fn mdl_clips(
    animator: &MdlInstance,
    named: Option<&ModelClips>,
    play: Option<&PlayClip>,
) -> Vec<ClipRow> {
    let named = named.into_iter().flat_map(|clips| {
        clips.0.iter().map(move |clip| {
            let name = play.and_then(|play| match &play.clip {
                ClipRef::Name(name) => clips.get(name),
                _ => None,
            });
            ClipRow {
                name: clip.name.clone(),
                length: String::new(),
                from_manifest: true,
                plays: name == Some(clip),
                action: Some(Action::NamedClip(clip.name.clone())),
                facts: String::new(),
            }
        })
    });
    let model = animator.model();
    let plays = play.and_then(|play| playing_mdl(model, play));
    let own = model.clips.iter().enumerate().map(|(index, clip)| {
        let count = clip.sequence.pose_count;
        ClipRow {
            name: clip.name.to_string(),
            length: match count {
                1 => "1 pose".to_owned(),
                _ => format!("{count} poses"),
            },
            from_manifest: false,
            plays: plays == Some(index),
            action: Some(Action::Clip(index)),
            facts: String::new(),
        }
    });
    named.chain(own).collect()
}

/// The clip that plays.
pub fn playing(shown: &ShownModelItem<'_, '_>) -> Option<Playing> {
    let (play, playback) = shown.play?;
    let playing = Playing {
        is_paused: play.paused || playback.finished,
        speed: play.speed,
        time: playback.time,
        ..Playing::default()
    };
    if let Some(animator) = shown.mdl {
        return Some(Playing {
            loops: loops(play, ends(shown.named_clips, play)),
            length: animator.clip_seconds(),
            status: mdl_status(animator),
            ..playing
        });
    }
    let list = shown.list?;
    let clip = list.ready(play)?;
    let fades = match shown.animators.weight() {
        weight if weight < 1.0 => format!(", fading in {:.0} %", weight * 100.0),
        _ => String::new(),
    };
    let frame = clip.frames.at(playback.time);
    Some(Playing {
        loops: loops(play, clip.ends),
        length: clip.seconds,
        status: format!("frame {frame:.1} of {}{fades}", clip.frames.last()),
        events: events(shown, list, play),
        ..playing
    })
}

/// Whether a clip loops. `ends` is whether the manifest plays it once.
fn loops(play: &PlayClip, ends: bool) -> bool {
    match play.repeat {
        Repeat::Loop => true,
        Repeat::FromManifest => !ends,
        _ => false,
    }
}

fn mdl_status(animator: &MdlInstance) -> String {
    let pair = animator.shown().to;
    let name = animator.model().pose_names.get(pair.a as usize);
    format!(
        "pose {} to {}, {:.0} %  {}",
        pair.a,
        pair.b,
        pair.towards_b * 100.0,
        name.map_or("", |name| name),
    )
}

/// The keyframe events of the clip that plays, of a LithTech model.
fn events(shown: &ShownModelItem<'_, '_>, list: &ClipList, play: &PlayClip) -> Vec<(f32, String)> {
    let animations = shown.abc.map(|(abc, _)| &abc.model().animations);
    let animation = list.playing(play).and_then(|index| animations?.get(index));
    let events = animation.map_or(&[][..], |animation| &animation.events);
    let events = events.iter();
    events
        .map(|event| (event.seconds, event.string.to_string()))
        .collect()
}
