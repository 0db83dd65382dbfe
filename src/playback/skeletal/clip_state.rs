//! Writes a requested clip to Bevy's state of an animation, and reads its time back.

use crate::playback::playing::wrap;
use crate::root::clip_ref::Repeat;
use crate::root::play::{PlayClip, Playback};
use bevy::animation::{ActiveAnimation, RepeatAnimation};

/// Writes speed, repetition and time. `time` is [`Playback::time`] as last written: if it differs from `playback`, the
/// user has set it. `duration` is the clip's, and `seconds` the length of the frame.
pub(crate) fn write_clip(
    animation: &mut ActiveAnimation,
    play: &PlayClip,
    playback: &mut Playback,
    time: &mut f32,
    restarts: bool,
    (seconds, duration): (f32, f32),
) {
    let speed = set_speed_and_repeat(animation, play);
    if restarts {
        playback.time = play.start.unwrap_or(first_time(play, speed, duration));
        playback.finished = false;
    }
    let jumps = restarts || playback.time.to_bits() != time.to_bits();
    if jumps || continues_from_end(animation, speed, duration) {
        let to = if jumps {
            playback.time
        } else {
            animation.seek_time()
        };
        let to = valid_time(to, duration, play.repeat);
        animation.replay();
        animation.set_seek_time(to);
        playback.time = to;
        *time = to;
    }
    // A clip shows its start time for one frame before it advances.
    if restarts || play.paused || must_pause(speed, seconds) {
        animation.pause()
    } else {
        animation.resume()
    };
}

/// Reads the time of an animation into `playback` and `time`. Returns whether the clip has just ended.
///
/// `is_other_clip` means that the requested clip does not play yet, so that the end of this one does not count.
pub(crate) fn read_clip(
    animation: &mut ActiveAnimation,
    playback: &mut Playback,
    time: &mut f32,
    duration: f32,
    is_other_clip: bool,
) -> bool {
    let seek_time = animation.seek_time();
    if animation.repeat_mode() == RepeatAnimation::Forever && !(0.0..=duration).contains(&seek_time)
    {
        // One step went backwards by more than the clip's duration, or the time is not finite.
        let wrapped = if seek_time.is_finite() {
            wrap(seek_time, duration)
        } else {
            0.0
        };
        animation.set_seek_time(wrapped);
    }
    let is_finished = animation.is_finished() && !is_other_clip;
    let has_just_ended = is_finished && !playback.finished;
    playback.time = animation.seek_time().clamp(0.0, duration);
    playback.finished = is_finished;
    *time = playback.time;
    has_just_ended
}

/// Sets the speed and the repetition of an animation. Returns the speed.
fn set_speed_and_repeat(animation: &mut ActiveAnimation, play: &PlayClip) -> f32 {
    let speed = if play.speed.is_finite() {
        play.speed
    } else {
        0.0
    };
    animation.set_speed(speed);
    animation.set_repeat(match play.repeat {
        Repeat::Loop | Repeat::FromManifest => RepeatAnimation::Forever,
        Repeat::Once => RepeatAnimation::Never,
    });
    speed
}

/// The start time of a clip without an explicit start, in seconds.
fn first_time(play: &PlayClip, speed: f32, duration: f32) -> f32 {
    if play.repeat == Repeat::Once && speed < 0.0 {
        duration
    } else {
        0.0
    }
}

/// Wraps or clamps any number to a valid time of a clip, in seconds.
fn valid_time(time: f32, duration: f32, repeat: Repeat) -> f32 {
    match repeat {
        _ if !time.is_finite() => 0.0,
        Repeat::Loop | Repeat::FromManifest => wrap(time, duration),
        Repeat::Once => time.clamp(0.0, duration),
    }
}

/// Whether a finished animation must play on, because its speed or its duration has changed.
fn continues_from_end(animation: &ActiveAnimation, speed: f32, duration: f32) -> bool {
    let time = animation.seek_time();
    animation.is_finished() && (speed > 0.0 && time < duration || speed < 0.0 && time > 0.0)
}

/// Whether an animation must be paused in a frame of `seconds`.
///
/// Bevy takes the end of a clip for its beginning if the speed is 0, or negative with a time step of 0.
pub(crate) fn must_pause(speed: f32, seconds: f32) -> bool {
    speed == 0.0 || (speed < 0.0 && seconds == 0.0)
}
