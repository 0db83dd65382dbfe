//! Applies the actions that change the view or a Quake model.

use crate::view::action::Action;
use crate::view::framing::Framing;
use crate::view::orbit::Orbit;
use crate::view::overlay::Overlays;
use crate::view::playback::{change, start};
use crate::view::row::Row;
use crate::view::skins::ends;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloCollider;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::mdl::Timing;
use bevy_classic_models::quake::{MdlInstance, MdlModel, Sequence};
use bevy_classic_models::root::{NightTime, Repeat};

/// Applies the actions that concern the view or all models.
pub fn act_on_view(
    mut actions: MessageReader<Action>,
    mut row: ResMut<Row>,
    mut overlays: ResMut<Overlays>,
    mut night: ResMut<NightTime>,
    mut framing: ResMut<Framing>,
    mut orbit: Single<&mut Orbit>,
    colliders: Query<&AloCollider>,
) {
    for action in actions.read() {
        match *action {
            Action::Select(model) => row.selected = model,
            Action::ToggleWireframe => overlays.wireframe ^= true,
            Action::ToggleBounds => overlays.bounds ^= true,
            Action::ToggleNormals => overlays.normals ^= true,
            Action::ToggleGrid => overlays.grid ^= true,
            Action::ToggleBones => overlays.bones ^= true,
            Action::ToggleProxies => overlays.proxies ^= true,
            Action::ToggleLights => overlays.lights ^= true,
            Action::ToggleDims => overlays.dims ^= true,
            Action::ToggleNight => night.0 ^= true,
            Action::Trees(trees) => overlays.trees = trees,
            Action::NextTreeLevel => {
                let levels = colliders.iter().map(|collider| collider.tree().levels());
                overlays.trees = overlays.trees.next(levels.max().unwrap_or(0));
            }
            Action::Frame(target) => *framing = target,
            Action::SetView(view) => {
                orbit.set_view(view);
                row.view = orbit.rotation();
                *framing = Framing::All;
            }
            _ => {}
        }
    }
}

/// The components of a Quake model's root that actions change.
type MdlState = (
    &'static MdlInstance,
    &'static mut PlayClip,
    &'static mut Playback,
    Option<&'static ModelClips>,
);

/// Applies actions to the clip of the selected Quake model. They change components of its root entity, which stay when the model is
/// reloaded.
pub fn act_on_model(
    mut actions: MessageReader<Action>,
    row: Res<Row>,
    mut models: Query<MdlState>,
) {
    for action in actions.read() {
        let Some(entity) = row.selected() else {
            continue;
        };
        let Ok((animator, mut play, mut playback, clips)) = models.get_mut(entity) else {
            continue;
        };
        let model = animator.model();
        match *action {
            Action::Clip(clip) => start(clip_ref(model, clip), &mut play, &mut playback),
            Action::NextClip | Action::PreviousClip => {
                let clip = playing(model, &play).unwrap_or(0);
                let count = model.clips.len();
                let step = match action {
                    Action::NextClip => 1,
                    _ => count - 1,
                };
                let clip = clip_ref(model, (clip + step) % count);
                start(clip, &mut play, &mut playback);
            }
            Action::StepForward | Action::StepBack => {
                play.paused = true;
                let forward = *action == Action::StepForward;
                playback.time = step(animator.sequence(), playback.time, forward);
                playback.finished = false;
            }
            Action::ToggleInterpolation => play.interpolate ^= true,
            Action::NamedClip(ref name) if clips.is_some_and(|clips| clips.get(name).is_some()) => {
                play.repeat = Repeat::FromManifest;
                start(ClipRef::Name(name.clone()), &mut play, &mut playback);
            }
            _ => {
                let seconds = animator.clip_seconds();
                let ends = ends(clips, &play);
                change(action, &mut play, &mut playback, seconds, ends);
            }
        }
    }
}

/// A clip by its name, which stays valid if the file changes. By its index if an earlier clip has the same name.
fn clip_ref(model: &MdlModel, clip: usize) -> ClipRef {
    match model.clips.get(clip) {
        Some(named) if model.named_clips.get(&named.name) == Some(&clip) => {
            ClipRef::Name(named.name.to_string())
        }
        _ => ClipRef::Index(clip),
    }
}

/// The index of the clip that plays in the model's list.
pub fn playing(model: &MdlModel, play: &PlayClip) -> Option<usize> {
    match &play.clip {
        ClipRef::Name(name) => model.named_clips.get(name.as_str()).copied(),
        ClipRef::Index(index) => Some(*index),
        _ => None,
    }
}

/// The time in seconds at which the next or the previous pose begins.
fn step(sequence: &Sequence, time: f32, forward: bool) -> f32 {
    let count = sequence.pose_count;
    let (pose, towards_next) = sequence.timing.locate(time, count);
    let pose = match forward {
        true => (pose + 1) % count,
        false if towards_next > 0.01 => pose,
        false => (pose + count - 1) % count,
    };
    let begin = match &sequence.timing {
        Timing::Rate(rate) => pose as f32 / rate,
        Timing::Ends(ends) => {
            let end_of_previous = pose.checked_sub(1).and_then(|i| ends.get(i as usize));
            end_of_previous.copied().unwrap_or_default()
        }
    };
    // Rounding must not yield a time in the previous pose.
    begin * (1.0 + 1e-6) + 1e-6
}
