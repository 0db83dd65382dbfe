//! Cross-fades, events and layers of animation clips: `cargo run --example animation`.
//!
//! You should see two models. On the left a guard plays its clips one after another, and each fades into the next. The
//! lines at the bottom list the events of these clips: strings that the file has at keyframes, such as `FOOTSTEP_KEY`,
//! and the end of each clip. On the right a machine walks and fires its guns at the same time: a layer
//! of `ClipLayers` plays another clip on everything above the legs.
//!
//! ```text
//! 1 to 4         cross-fade to a clip of the guard
//! M              turns the upper layer of the machine off and on
//! Space          pauses
//! left, right    turn the camera
//! ```
//!
//! `--capture FILE --time SECONDS` saves an image of that moment without a window.

use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcAnimator;
use bevy_classic_models::prelude::*;
use bevy_classic_models::root::BoneMask;
use classic_models_support::controls::{next, pressed_digit};
use classic_models_support::example::ExamplePlugins;
use classic_models_support::studio::{Caption, StudioPlugin};

const CLIPS: [&str; 4] = ["walk", "attack", "idle", "die"];

/// Seconds of a cross-fade.
const FADE: f32 = 0.4;

/// The last events, in lines.
#[derive(Resource, Default)]
struct EventLog(Vec<String>);

#[derive(Component)]
struct Guard;

fn main() -> AppExit {
    App::new()
        .add_plugins((
            ExamplePlugins::from_env(),
            ClassicModelsPlugins,
            StudioPlugin {
                // It looks below the models, so that there is room for the events.
                eye: Vec3::new(0.0, 3.0, -10.5),
                target: Vec3::Y * 1.7,
                keys: "1: walk   2: attack   3: idle   4: die   M: upper layer on or off",
                ..default()
            },
        ))
        .init_resource::<EventLog>()
        .add_observer(log_model_event)
        .add_observer(play_next_clip)
        .add_systems(Startup, setup)
        .add_systems(Update, (choose_clip, switch_layer))
        .add_systems(Last, show_state)
        .run()
}

fn setup(mut commands: Commands) {
    commands.spawn((
        Guard,
        ClassicModel::new("models/warden.abc"),
        BevySpace::default(),
        Transform::from_xyz(1.6, 0.0, -1.5),
        PlayClip::once(CLIPS[0]),
    ));
    let upper_body = BoneMask::subtrees(["Turret"]);
    let attack = ClipLayer::looping("ATTACK_00").with_mask(upper_body);
    commands.spawn((
        ClassicModel::new("models/walker.alo"),
        BevySpace::default(),
        Transform::from_xyz(-2.0, 0.0, 0.5).with_rotation(Quat::from_rotation_y(0.6)),
        PlayClip::looping("MOVE_00"),
        ClipLayers::new([attack.with_fades(FADE, FADE)]),
    ));
}

/// A new `PlayClip` with a fade is a cross-fade. It can interrupt another one.
fn choose_clip(keys: Res<ButtonInput<KeyCode>>, mut guard: Single<&mut PlayClip, With<Guard>>) {
    if let Some(digit) = pressed_digit(&keys) {
        **guard = PlayClip::once(CLIPS[digit]).with_fade(FADE);
    }
}

fn play_next_clip(
    end: On<ClipFinished>,
    mut models: Query<&mut PlayClip>,
    mut log: ResMut<EventLog>,
) {
    log.0.push(format!("the clip {} has ended", end.clip));
    let next = next(&CLIPS, |clip| end.clip == *clip);
    if let (Some(clip), Ok(mut play)) = (next, models.get_mut(end.entity)) {
        *play = PlayClip::once(*clip).with_fade(FADE);
    }
}

/// A game would play a sound here, or spawn a projectile.
fn log_model_event(event: On<ModelEvent>, mut log: ResMut<EventLog>) {
    let line = format!("clip {}, frame {}: {}", event.clip, event.frame, event.name);
    log.0.push(line);
}

/// Without its upper layer, the machine walks with all of its bones.
fn switch_layer(keys: Res<ButtonInput<KeyCode>>, mut machine: Single<&mut ClipLayers>) {
    if keys.just_pressed(KeyCode::KeyM) {
        for (_, layer) in machine.iter_mut() {
            layer.weight = 1.0 - layer.weight;
        }
    }
}

fn show_state(
    guard: Single<(&PlayClip, &AbcAnimator)>,
    mut log: ResMut<EventLog>,
    mut caption: Single<&mut Text, With<Caption>>,
) {
    let (play, animator) = *guard;
    let ClipRef::Name(clip) = &play.clip else {
        return;
    };
    let oldest = log.0.len().saturating_sub(6);
    log.0.drain(..oldest);
    let percent = 100.0 * animator.weight();
    let text = format!(
        "{}\n\nplaying {clip}, {percent:.0}% faded in",
        log.0.join("\n")
    );
    caption.set_if_neq(Text(text));
}
