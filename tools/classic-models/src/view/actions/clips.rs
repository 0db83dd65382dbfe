//! Applies the actions of the keyboard and the panels to clips.

use crate::view::actions::action::Action;
use crate::view::models::clip_list::{ClipList, ReadyClip};
use crate::view::models::clips::FADE;
use crate::view::row::Row;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlInstance;
use bevy_classic_models::root::Repeat;

// The speeds to choose from.
pub const SLOWEST: f32 = 0.125;
pub const FASTEST: f32 = 8.0;

/// A model, its clip, and whether it is a Quake model, which always shows a clip.
type Playing = (
    &'static ClipList,
    Option<(&'static mut PlayClip, &'static mut Playback)>,
    Has<MdlInstance>,
);

/// Applies actions to the clip of the selected model.
pub fn act_on_clip(
    mut actions: MessageReader<Action>,
    row: Res<Row>,
    mut models: Query<Playing>,
    mut commands: Commands,
) {
    for action in actions.read() {
        let Some(entity) = row.selected() else {
            continue;
        };
        let Ok((list, mut playing, is_mdl)) = models.get_mut(entity) else {
            continue;
        };
        let current = playing.as_ref().and_then(|(play, _)| list.playing(play));
        if *action == Action::Rest {
            if !is_mdl {
                commands.entity(entity).remove::<PlayClip>();
            }
        } else if let Some(clip) = chosen(action, list, current) {
            match &mut playing {
                Some((play, playback)) => start(clip.play.clone(), play, playback),
                None => {
                    let play = PlayClip::from_manifest(clip.play.clone()).with_fade(FADE);
                    commands.entity(entity).insert((play, Playback::default()));
                }
            }
        } else if let Some((play, playback)) = &mut playing {
            let clip = list.ready(play);
            let (seconds, ends) = clip.map_or((0.0, false), |clip| (clip.seconds, clip.ends));
            change(action, play, playback, seconds, ends);
            if let Action::StepForward | Action::StepBack = action
                && let Some(clip) = list.ready(play)
            {
                play.paused = true;
                playback.time = step(clip, play.repeat, playback.time, action);
                playback.finished = false;
            }
        }
    }
}

/// The clip that an action selects. Skips broken clips.
fn chosen<'a>(
    action: &Action,
    list: &'a ClipList,
    current: Option<usize>,
) -> Option<&'a ReadyClip> {
    let count = list.0.len();
    let from = |first: usize, step: usize| {
        let mut indices = (0..count).map(|number| (first + number * step) % count);
        indices.find_map(|index| list.0.get(index)?.ready())
    };
    match action {
        Action::Clip(index) => list.0.get(*index)?.ready(),
        Action::NextClip => from(current.map_or(0, |index| index + 1), 1),
        Action::PreviousClip if count > 0 => from(current.unwrap_or(0) + count - 1, count - 1),
        _ => None,
    }
}

/// Starts a clip from its beginning, even if it plays already.
fn start(clip: ClipRef, play: &mut PlayClip, playback: &mut Playback) {
    play.clip = clip;
    play.start = None;
    play.fade = FADE;
    play.paused = false;
    playback.time = 0.0;
    playback.finished = false;
}

/// Applies an action to the clip that plays. `seconds` is the length of the clip, and `ends` is
/// whether the manifest plays it once.
fn change(
    action: &Action,
    play: &mut Mut<PlayClip>,
    playback: &mut Mut<Playback>,
    seconds: f32,
    ends: bool,
) {
    match action {
        Action::TogglePlay if playback.finished => {
            playback.time = if play.speed < 0.0 { seconds } else { 0.0 };
            playback.finished = false;
            play.paused = false;
        }
        Action::TogglePlay => play.paused ^= true,
        Action::ToggleInterpolation => play.interpolate ^= true,
        Action::Seek(time) => {
            /// The end of a loop is its beginning.
            const LAST: f32 = 0.99999;
            play.paused = true;
            playback.time = time.clamp(0.0, LAST * seconds.max(0.0));
            playback.finished = false;
        }
        Action::Reverse => {
            play.speed = -play.speed;
            playback.finished = false;
        }
        Action::Speed(speed) => play.speed = limited(*speed, play.speed),
        Action::Faster => play.speed = limited(play.speed.abs() * 2.0, play.speed),
        Action::Slower => play.speed = limited(play.speed.abs() / 2.0, play.speed),
        Action::ToggleRepeat => {
            play.repeat = match play.repeat {
                Repeat::FromManifest if ends => Repeat::Loop,
                Repeat::Loop | Repeat::FromManifest => Repeat::Once,
                _ => Repeat::Loop,
            }
        }
        _ => {}
    }
}

/// A speed within the limits, in the direction of the speed before.
fn limited(speed: f32, before: f32) -> f32 {
    speed.clamp(SLOWEST, FASTEST).copysign(before)
}

/// The time in seconds of the next or the previous frame. The last frame of a loop is its first.
fn step(clip: &ReadyClip, repeat: Repeat, time: f32, action: &Action) -> f32 {
    /// Tolerance for rounding, as a fraction of a frame.
    const NEAR: f32 = 0.01;
    let last = clip.frames.last().max(1) as f32;
    let at = clip.frames.at(time);
    let frame = match action {
        Action::StepForward => (at + NEAR).floor() + 1.0,
        _ => (at - NEAR).ceil() - 1.0,
    };
    let frame = match repeat {
        Repeat::Loop => frame.rem_euclid(last),
        Repeat::FromManifest if !clip.ends => frame.rem_euclid(last),
        _ => frame.clamp(0.0, last),
    };
    clip.frames.seconds(frame as u32)
}

#[cfg(test)]
mod tests {
    use super::{Action, act_on_clip};
    use crate::view::models::clip_list::{ClipList, ClipState, Frames, ListedClip, ReadyClip};
    use crate::view::open::args::View;
    use crate::view::row::Row;
    use bevy::ecs::system::RunSystemOnce;
    use bevy::prelude::*;
    use bevy_classic_models::prelude::*;

    /// A model that plays a clip of one second.
    fn world() -> (World, Entity) {
        let mut world = World::new();
        world.init_resource::<Messages<Action>>();
        let clip = ClipState::Ready(ReadyClip {
            play: ClipRef::Index(0),
            frames: Frames::Even {
                count: 11,
                fps: 10.0,
            },
            seconds: 1.0,
            poses: None,
            ends: false,
            facts: String::new(),
            remark: None,
        });
        let list = ClipList(vec![ListedClip::of_file("a".to_owned(), clip)]);
        let play = PlayClip::looping(ClipRef::Index(0));
        let model = world.spawn((list, play, Playback::default())).id();
        let mut row = Row::new(View::Iso, 1.0, false);
        row.models.push(model);
        world.insert_resource(row);
        (world, model)
    }

    fn act(world: &mut World, action: Action) {
        world.resource_mut::<Messages<Action>>().clear();
        world.write_message(action);
        world.run_system_once(act_on_clip).unwrap();
    }

    #[test]
    fn speed_changes_keep_the_direction() {
        let (mut world, model) = world();
        for (action, speed) in [
            (Action::Reverse, -1.0),
            (Action::Faster, -2.0),
            (Action::Slower, -1.0),
            (Action::Speed(0.5), -0.5),
            (Action::Reverse, 0.5),
            (Action::Slower, 0.25),
        ] {
            let text = format!("{action:?}");
            act(&mut world, action);
            assert_eq!(world.get::<PlayClip>(model).unwrap().speed, speed, "{text}");
        }
    }

    #[test]
    fn finished_clips_play_backward_from_the_end() {
        let (mut world, model) = world();
        world.get_mut::<PlayClip>(model).unwrap().speed = -1.0;
        world.get_mut::<Playback>(model).unwrap().finished = true;
        act(&mut world, Action::TogglePlay);
        let playback = world.get::<Playback>(model).unwrap();
        assert_eq!((playback.time, playback.finished), (1.0, false));
    }
}
