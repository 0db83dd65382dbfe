//! What can be done with the keyboard or the panel, and doing it to Quake models and to the view.

use crate::view::alo_trees::Trees;
use crate::view::args::View;
use crate::view::camera::{Framing, Orbit, row_direction};
use crate::view::models::Row;
use crate::view::named_panel::{self, worn};
use crate::view::overlay::Overlays;
use crate::view::playback::{change, start};
use bevy::input::keyboard::{Key, KeyboardInput};
use bevy::prelude::*;
use bevy_classic_models::alamo::AloCollider;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::mdl::Timing;
use bevy_classic_models::quake::{MdlAnimator, MdlModel, Sequence};
use bevy_classic_models::scene::{NamedClip, NightTime};

/// One of them.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Select(usize),
    NextModel,
    Clip(usize),
    NextClip,
    PreviousClip,
    /// No clip at all.
    Rest,
    TogglePlay,
    StepForward,
    StepBack,
    /// A part of the clip, from 0 to 1.
    Seek(f32),
    Faster,
    Slower,
    UsualSpeed,
    ToggleRepeat,
    ToggleInterpolation,
    Skin(usize),
    NextSkin,
    /// A skin that the manifest names, by the names' order.
    NamedSkin(usize),
    /// A clip that the manifest names, of a Quake model.
    NamedClip(usize),
    ToggleColors,
    /// Rows of the palette to go on by.
    Shirt(u8),
    Pants(u8),
    ToggleWireframe,
    ToggleBounds,
    ToggleNormals,
    ToggleGrid,
    ToggleBones,
    ToggleProxies,
    ToggleLights,
    ToggleDims,
    ToggleNight,
    Trees(Trees),
    NextTreeLevel,
    /// Steps coarser than the finest.
    Lod(u32),
    /// From 0, the finest, to 1.
    LodPart(f32),
    FinerLod,
    CoarserLod,
    Alt(u32),
    NextAlt,
    /// One of the colours that the panel has; none without a number.
    Team(Option<usize>),
    NextTeam,
    /// One of the model's parts, in the panel's order.
    TogglePart(usize),
    ResetParts,
    Frame(Framing),
    /// Writes a manifest of the selected model.
    SaveManifest,
    Look(View),
}

/// Rows of the palette.
const ROWS: u8 = 16;

/// The step that goes one row back.
pub const ROW_BACK: u8 = ROWS - 1;

/// Turns keys into actions.
pub fn read_keys(mut keys: MessageReader<KeyboardInput>, mut actions: MessageWriter<Action>) {
    for key in keys.read().filter(|key| key.state.is_pressed()) {
        if let Some(action) = action_of(&key.logical_key) {
            actions.write(action);
        }
    }
}

fn action_of(key: &Key) -> Option<Action> {
    Some(match key {
        Key::Space => Action::TogglePlay,
        Key::Tab => Action::NextModel,
        Key::ArrowDown => Action::NextClip,
        Key::ArrowUp => Action::PreviousClip,
        Key::Character(text) => match text.to_lowercase().as_str() {
            " " => Action::TogglePlay,
            "." => Action::StepForward,
            "," => Action::StepBack,
            "+" | "=" => Action::Faster,
            "-" => Action::Slower,
            "r" => Action::Rest,
            "l" => Action::ToggleRepeat,
            "i" => Action::ToggleInterpolation,
            "c" => Action::ToggleColors,
            "w" => Action::ToggleWireframe,
            "b" => Action::ToggleBounds,
            "n" => Action::ToggleNormals,
            "g" => Action::ToggleGrid,
            "o" => Action::ToggleBones,
            "p" => Action::ToggleProxies,
            "h" => Action::ToggleLights,
            "e" => Action::ToggleDims,
            "k" => Action::SaveManifest,
            "s" => Action::NextSkin,
            "m" => Action::ToggleNight,
            "x" => Action::NextTreeLevel,
            "[" => Action::FinerLod,
            "]" => Action::CoarserLod,
            "d" => Action::NextAlt,
            "t" => Action::NextTeam,
            "f" => Action::Frame(Framing::Selected),
            "a" => Action::Frame(Framing::All),
            "1" => Action::Look(View::Front),
            "2" => Action::Look(View::Side),
            "3" => Action::Look(View::Top),
            "4" => Action::Look(View::Iso),
            _ => return None,
        },
        _ => return None,
    })
}

/// Does what concerns all models.
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
            Action::NextModel => row.selected = (row.selected + 1) % row.models.len().max(1),
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
            Action::Frame(what) => *framing = what,
            Action::Look(view) => {
                orbit.look_from(view);
                row.right = row_direction(view);
                *framing = Framing::All;
            }
            _ => {}
        }
    }
}

/// What is chosen about a Quake model.
type Chosen = (
    &'static MdlAnimator,
    &'static mut PlayClip,
    &'static mut Playback,
    Option<&'static ModelSkin>,
    Option<&'static PlayerColors>,
    Option<&'static ModelClips>,
);

/// Does what concerns the selected Quake model. All of it is in components of the model's root, which stay
/// when the file changes and the model is spawned anew.
pub fn act_on_model(
    mut actions: MessageReader<Action>,
    row: Res<Row>,
    mut models: Query<Chosen>,
    mut commands: Commands,
    mut last_colors: Local<Option<PlayerColors>>,
) {
    for action in actions.read() {
        let Some(entity) = row.selected() else {
            continue;
        };
        let Ok((animator, mut play, mut playback, skin, colors, clips)) = models.get_mut(entity)
        else {
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
            Action::Skin(skin) => {
                commands.entity(entity).insert(ModelSkin::Index(skin));
            }
            Action::NextSkin => {
                let next = worn(skin).map_or(0, |worn| worn + 1) % model.skins.len().max(1);
                commands.entity(entity).insert(ModelSkin::Index(next));
            }
            Action::ToggleColors if colors.is_some() => {
                *last_colors = colors.copied();
                commands.entity(entity).remove::<PlayerColors>();
            }
            Action::ToggleColors => {
                // Red and blue, which is easier to see than the rows that the skin has already.
                let red_and_blue = PlayerColors {
                    shirt: 4,
                    pants: 13,
                };
                commands
                    .entity(entity)
                    .insert(last_colors.unwrap_or(red_and_blue));
            }
            Action::Shirt(by) | Action::Pants(by) => {
                let mut colors = colors.copied().unwrap_or_default();
                let part = match action {
                    Action::Shirt(_) => &mut colors.shirt,
                    _ => &mut colors.pants,
                };
                *part = (*part + by) % ROWS;
                commands.entity(entity).insert(colors);
            }
            action => {
                let seconds = animator.clip_seconds();
                let ends = named_panel::ends(clips, &play);
                change(action, &mut play, &mut playback, seconds, ends);
            }
        }
    }
}

/// A clip by its name, which outlives changes of the file, unless another clip took the name.
fn clip_ref(model: &MdlModel, clip: usize) -> ClipRef {
    match model.clips.get(clip) {
        Some(named) if model.named_clips.get(&named.name) == Some(&clip) => {
            ClipRef::Name(named.name.to_string())
        }
        _ => ClipRef::Index(clip),
    }
}

/// The place in the model's list of the clip that plays.
pub fn playing(model: &MdlModel, play: &PlayClip) -> Option<usize> {
    match &play.clip {
        ClipRef::Name(name) => model.named_clips.get(name.as_str()).copied(),
        ClipRef::Index(index) => Some(*index),
        _ => None,
    }
}

/// When the next pose begins, or the one before.
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
    // Rounding must not leave it at the end of the pose before.
    begin * (1.0 + 1e-6) + 1e-6
}
