//! Playing the clips of Alamo models as the keyboard or the panel asks for it.

use crate::actions::{Action, FADE, change_playback};
use crate::alo_clips::{ClipList, ReadyClip};
use crate::models::Row;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;

/// Does what concerns the clip of the selected Alamo model.
pub fn act_on_alo_clip(
    mut actions: MessageReader<Action>,
    row: Res<Row>,
    mut models: Query<(&ClipList, Option<(&mut PlayClip, &mut Playback)>)>,
    mut commands: Commands,
) {
    for action in actions.read() {
        let Some(entity) = row.selected() else {
            continue;
        };
        let Ok((list, mut playing)) = models.get_mut(entity) else {
            continue;
        };
        let current = playing.as_ref().and_then(|(play, _)| list.playing(play));
        if *action == Action::Rest {
            commands.entity(entity).remove::<PlayClip>();
        } else if let Some(clip) = chosen(*action, list, current) {
            match &mut playing {
                Some((play, playback)) => start(clip, play, playback),
                None => {
                    let play = PlayClip::looping(clip.play.clone()).with_fade(FADE);
                    commands.entity(entity).insert((play, Playback::default()));
                }
            }
        } else if let Some((play, playback)) = &mut playing {
            let seconds = list.ready(play).map_or(0.0, |clip| clip.seconds);
            change_playback(*action, play, playback, seconds);
            if let Action::StepForward | Action::StepBack = action
                && let Some(clip) = list.ready(play)
            {
                play.paused = true;
                playback.time = step(clip, play.repeat, playback.time, *action);
                playback.finished = false;
            }
        }
    }
}

/// The clip that an action asks for. Broken ones are passed over.
fn chosen(action: Action, list: &ClipList, current: Option<usize>) -> Option<&ReadyClip> {
    let count = list.0.len();
    let from = |first: usize, step: usize| {
        let mut places = (0..count).map(|number| (first + number * step) % count);
        places.find_map(|place| list.0.get(place)?.ready())
    };
    match action {
        Action::Clip(place) => list.0.get(place)?.ready(),
        Action::NextClip => from(current.map_or(0, |place| place + 1), 1),
        Action::PreviousClip if count > 0 => from(current.unwrap_or(0) + count - 1, count - 1),
        _ => None,
    }
}

/// Begins a clip, even if it plays already.
fn start(clip: &ReadyClip, play: &mut PlayClip, playback: &mut Playback) {
    play.clip = clip.play.clone();
    play.start = None;
    play.fade = FADE;
    play.paused = false;
    playback.time = 0.0;
    playback.finished = false;
}

/// The time of the next frame, or of the one before. The last frame of a loop is its first.
fn step(clip: &ReadyClip, repeat: Repeat, time: f32, action: Action) -> f32 {
    /// Parts of a frame that are as good as none.
    const NEAR: f32 = 0.01;
    let last = clip.frames.saturating_sub(1).max(1) as f32;
    let at = time * clip.fps;
    let frame = match action {
        Action::StepForward => (at + NEAR).floor() + 1.0,
        _ => (at - NEAR).ceil() - 1.0,
    };
    let frame = match repeat {
        Repeat::Loop => frame.rem_euclid(last),
        Repeat::Once => frame.clamp(0.0, last),
    };
    frame / clip.fps
}
