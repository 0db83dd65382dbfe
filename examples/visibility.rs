//! Animations that show and hide parts of a model: `cargo run --example visibility`.
//!
//! You should see a walker that fires its guns by turns. The muzzle flashes are part of the model, on the bones
//! `Flash_L` and `Flash_R`, and the animation has a visibility track for each of these bones. Below the walker is a
//! timeline with a row for each track: `#` is a frame that shows the bone, `.` one that hides it. The arrow is at the
//! current frame. At the end of a row is whether the bone is shown now. Bones without a track are shown in all frames.
//!
//! ```text
//! C              cross-fades to the next animation: DIE_00 switches lamps off, MOVE_00 hides the flashes
//! comma, period  one frame back or forward, and pauses
//! Space          pauses and resumes
//! left, right    turn the camera
//! ```
//!
//! `--clip NAME` begins with another animation. `--capture FILE --time SECONDS` saves an image of that moment without
//! a window.

use bevy::prelude::*;
use bevy_classic_models::alamo::{Ala, AloInstance, BoneVisibility, bone_target};
use bevy_classic_models::prelude::*;
use classic_models_support::controls::next;
use classic_models_support::example::ExamplePlugins;
use classic_models_support::studio::{Caption, StudioPlugin};

/// The animation to begin with.
#[derive(Resource)]
struct FirstClip(String);

fn main() -> AppExit {
    let (plugins, options) = ExamplePlugins::with_options(&["clip"]);
    let clip = options.get("clip").unwrap_or("ATTACK_00".to_owned());
    App::new()
        .add_plugins((
            plugins,
            ClassicModelsPlugins,
            StudioPlugin {
                // It looks below the middle of the walker, so that there is room for the timeline.
                eye: Vec3::new(0.0, 3.0, -11.5),
                target: Vec3::Y * 1.2,
                keys: "C: next animation   Comma, Period: one frame back or forward",
                ..default()
            },
        ))
        .insert_resource(FirstClip(clip))
        .add_systems(Startup, setup)
        .add_systems(Update, (change_clip, step_frames))
        // Animations have set the visibility of bones by then.
        .add_systems(Last, show_timeline)
        .run()
}

fn setup(mut commands: Commands, clip: Res<FirstClip>) {
    commands.spawn((
        ClassicModel::new("models/walker.alo"),
        BevySpace::default(),
        Transform::from_rotation(Quat::from_rotation_y(0.5)),
        PlayClip::looping(clip.0.clone()),
    ));
}

fn change_clip(keys: Res<ButtonInput<KeyCode>>, walker: Single<(&AloInstance, &mut PlayClip)>) {
    let (instance, mut play) = walker.into_inner();
    let animations = &instance.model().animations;
    if keys.just_pressed(KeyCode::KeyC)
        && let Some(next) = next(animations, |animation| play.clip == *animation.name)
    {
        *play = PlayClip::looping(&*next.name).with_fade(0.5);
    }
}

fn step_frames(
    keys: Res<ButtonInput<KeyCode>>,
    alas: Res<Assets<Ala>>,
    mut time: ResMut<Time<Virtual>>,
    walker: Single<(&AloInstance, &PlayClip, &mut Playback)>,
) {
    let (instance, play, mut playback) = walker.into_inner();
    let forward = keys.just_pressed(KeyCode::Period);
    let back = keys.just_pressed(KeyCode::Comma);
    let Some((_, ala)) = current_animation(instance, play, &alas) else {
        return;
    };
    if forward || back {
        let frame = (playback.time * ala.fps).round() + if forward { 1.0 } else { -1.0 };
        playback.time = (frame / ala.fps).rem_euclid(ala.seconds());
        time.pause();
    }
}

/// The animation that was chosen and its name, once it is loaded.
fn current_animation<'a>(
    instance: &'a AloInstance,
    play: &PlayClip,
    alas: &'a Assets<Ala>,
) -> Option<(&'a str, &'a Ala)> {
    let mut animations = instance.model().animations.iter();
    let animation = animations.find(|animation| play.clip == *animation.name)?;
    Some((&animation.name, alas.get(&animation.ala)?))
}

fn show_timeline(
    walker: Single<(&AloInstance, &PlayClip, &Playback)>,
    alas: Res<Assets<Ala>>,
    clips: Res<Assets<AnimationClip>>,
    bones: Query<&BoneVisibility>,
    mut caption: Single<&mut Text, With<Caption>>,
) {
    let (instance, play, playback) = *walker;
    let Some((name, ala)) = current_animation(instance, play, &alas) else {
        return;
    };
    let Some(clip) = clips.get(&ala.clip) else {
        return;
    };
    let now = (playback.time * ala.fps) as usize;
    let mut lines = format!("{name}, frame {now} of {}\n", ala.frames);
    for bone in ala.bones.iter().filter(|bone| bone.visibility) {
        let frames = (0..ala.frames).map(|frame| frame as f32 / ala.fps);
        let row: String = frames
            .map(|time| {
                if is_shown(clip, bone.index, time) {
                    '#'
                } else {
                    '.'
                }
            })
            .collect();
        let shown_now = bones.get(instance.bones()[bone.index]);
        let state = match shown_now.is_ok_and(BoneVisibility::is_visible) {
            true => "shown",
            false => "hidden",
        };
        lines += &format!("{:<13}{row} {state}\n", bone.name);
    }
    lines += &format!("{:>width$}", '^', width = 14 + now);
    caption.set_if_neq(Text(lines));
}

/// Whether a clip shows a bone. Of a bone's curves only that of its visibility has values of the type `bool`.
fn is_shown(clip: &AnimationClip, bone: usize, seconds: f32) -> bool {
    let curves = clip.curves_for_target(bone_target(bone));
    let mut values = curves
        .into_iter()
        .flatten()
        .map(|curve| curve.0.sample_clamped(seconds));
    let shown = values.find_map(|value| value.downcast_ref::<bool>().copied());
    shown.unwrap_or(true)
}
