//! What the keys do, to all walkers at once.

use crate::walkers::{FADE, Program, Walker};
use bevy::prelude::*;
use bevy_classic_models::prelude::*;

/// Listens to the keyboard.
pub struct ControlsPlugin;

impl Plugin for ControlsPlugin {
    fn build(&self, app: &mut App) {
        // Without a window there is no keyboard to listen to, but its state.
        app.init_resource::<ButtonInput<KeyCode>>()
            .add_systems(Update, act.run_if(resource_exists::<Program>));
    }
}

/// What a walker plays.
pub type Playing = (
    &'static Walker,
    &'static mut PlayClip,
    &'static mut Playback,
);

fn act(keys: Res<ButtonInput<KeyCode>>, mut program: ResMut<Program>, mut walkers: Query<Playing>) {
    if keys.just_pressed(KeyCode::KeyC) {
        let next = (program.current + 1) % program.shows.len().max(1);
        fade_to(next, &mut program, &mut walkers);
    }
    if keys.just_pressed(KeyCode::Space) {
        for (_, mut play, _) in &mut walkers {
            play.paused ^= true;
        }
    }
    for (key, by) in [(KeyCode::ArrowRight, 1.0), (KeyCode::ArrowLeft, -1.0)] {
        if keys.just_pressed(key) {
            step(by, &program, &mut walkers);
        }
    }
}

/// Lets all walkers fade into another clip.
pub fn fade_to(next: usize, program: &mut Program, walkers: &mut Query<Playing>) {
    program.before = Some(program.current).filter(|current| *current != next);
    program.current = next;
    for (walker, mut play, _) in walkers {
        play.clip = program.clip(*walker);
        play.fade = FADE;
        play.start = None;
        play.paused = false;
    }
}

/// Goes to the next frame or the one before, and stands there.
fn step(by: f32, program: &Program, walkers: &mut Query<Playing>) {
    /// Parts of a frame that are as good as none.
    const NEAR: f32 = 0.01;
    let Some(show) = program.show() else {
        return;
    };
    for (_, mut play, mut playback) in walkers {
        let at = playback.time * show.fps;
        let frame = match by > 0.0 {
            true => (at + NEAR).floor() + 1.0,
            false => (at - NEAR).ceil() - 1.0,
        };
        play.paused = true;
        playback.time = frame.rem_euclid(show.last() as f32) / show.fps;
    }
}
