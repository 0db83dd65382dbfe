//! Cross-fades, events and layers of animation clips: `cargo run --example animation`.
//!
//! You should see two models. On the left a guard plays its clips one after another, and each fades into the next. The
//! lines at the bottom list the events of these clips: strings that the file has at keyframes, such as `FOOTSTEP_KEY`,
//! and the end of each clip. On the right a machine walks and fires its guns at the same time. It has an animation graph
//! with two layers: one clip moves the legs, another one everything above them.
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
use bevy_classic_models::alamo::{AloInstance, AloModel, bone_target};
use bevy_classic_models::lithtech::{AbcAnimator, AbcKeyframeEvent};
use bevy_classic_models::prelude::*;
use classic_models_support::controls::{next, pressed_digit};
use classic_models_support::example::ExamplePlugins;
use classic_models_support::studio::{Caption, StudioPlugin};

const CLIPS: [&str; 4] = ["walk", "attack", "idle", "die"];

/// Seconds of a cross-fade.
const FADE: f32 = 0.4;

/// Mask groups of bones.
const LEGS: u32 = 0;
const UPPER_BODY: u32 = 1;

/// The last events, in lines.
#[derive(Resource, Default)]
struct EventLog(Vec<String>);

/// The nodes of the machine's animation graph.
#[derive(Component)]
struct Layers {
    legs: AnimationNodeIndex,
    upper_body: AnimationNodeIndex,
}

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
        .add_observer(log_keyframe_event)
        .add_systems(Startup, setup)
        .add_systems(
            Update,
            (play_next_clip, choose_clip, add_layers, switch_layer),
        )
        .add_systems(Last, show_state)
        .run()
}

fn setup(mut commands: Commands, assets: Res<AssetServer>) {
    commands.spawn((
        ClassicModel(assets.load("models/warden.abc")),
        BevySpace::default(),
        Transform::from_xyz(1.6, 0.0, -1.5),
        PlayClip::once(CLIPS[0]),
    ));
    // Without `PlayClip`: this model plays the animation graph below.
    commands.spawn((
        ClassicModel(assets.load("models/walker.alo")),
        BevySpace::default(),
        Transform::from_xyz(-2.0, 0.0, 0.5).with_rotation(Quat::from_rotation_y(0.6)),
    ));
}

/// A new `PlayClip` with a fade is a cross-fade. It can interrupt another one.
fn choose_clip(keys: Res<ButtonInput<KeyCode>>, mut guard: Single<&mut PlayClip>) {
    if let Some(digit) = pressed_digit(&keys) {
        **guard = PlayClip::once(CLIPS[digit]).with_fade(FADE);
    }
}

fn play_next_clip(
    mut finished: MessageReader<ClipFinished>,
    mut models: Query<&mut PlayClip>,
    mut log: ResMut<EventLog>,
) {
    for end in finished.read() {
        log.0.push(format!("the clip {} has ended", end.clip));
        let next = next(&CLIPS, |clip| end.clip == *clip);
        if let (Some(clip), Ok(mut play)) = (next, models.get_mut(end.entity)) {
            *play = PlayClip::once(*clip).with_fade(FADE);
        }
    }
}

/// A game would play a sound here, or spawn a projectile.
fn log_keyframe_event(event: On<AbcKeyframeEvent>, mut log: ResMut<EventLog>) {
    let line = format!("{}, {:.2} s: {}", event.name, event.seconds, event.string);
    log.0.push(line);
}

/// Gives the machine an animation graph with two clips, once it is spawned. Each moves its own group of bones.
fn add_layers(
    mut commands: Commands,
    mut graphs: ResMut<Assets<AnimationGraph>>,
    mut spawned: Query<(Entity, &AloInstance, &mut AnimationPlayer), Added<AloInstance>>,
) {
    for (entity, instance, mut player) in &mut spawned {
        let model = instance.model();
        let clip = |name| model.animation(name).map(|animation| &animation.clip);
        let (Some(walk), Some(attack)) = (clip("MOVE_00"), clip("ATTACK_00")) else {
            continue;
        };
        let mut graph = AnimationGraph::new();
        for bone in 0..model.bones.len() {
            let group = match is_below(model, bone, "Turret") {
                true => UPPER_BODY,
                false => LEGS,
            };
            graph.add_target_to_mask_group(bone_target(bone), group);
        }
        // The mask of a node has the groups that its clip does not move.
        let root = graph.root;
        let legs = graph.add_clip_with_mask(walk.clone(), 1 << UPPER_BODY, 1.0, root);
        let upper_body = graph.add_clip_with_mask(attack.clone(), 1 << LEGS, 1.0, root);
        player.play(legs).repeat();
        player.play(upper_body).repeat();
        let graph = AnimationGraphHandle(graphs.add(graph));
        commands
            .entity(entity)
            .insert((graph, Layers { legs, upper_body }));
    }
}

/// Whether a bone is the one of this name, or below it.
fn is_below(model: &AloModel, bone: usize, name: &str) -> bool {
    let parent = |bone: &usize| model.bones[*bone].parent;
    let mut chain = std::iter::successors(Some(bone), parent);
    chain.any(|bone| &*model.bones[bone].name == name)
}

/// Without its upper layer, the machine walks with all of its bones.
fn switch_layer(
    keys: Res<ButtonInput<KeyCode>>,
    mut graphs: ResMut<Assets<AnimationGraph>>,
    machine: Single<(&Layers, &AnimationGraphHandle)>,
) {
    let (layers, handle) = *machine;
    if !keys.just_pressed(KeyCode::KeyM) {
        return;
    }
    let Some(mut graph) = graphs.get_mut(&handle.0) else {
        return;
    };
    if let Some(upper_body) = graph.get_mut(layers.upper_body) {
        upper_body.weight = 1.0 - upper_body.weight;
    }
    if let Some(legs) = graph.get_mut(layers.legs) {
        legs.mask ^= 1 << UPPER_BODY;
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
