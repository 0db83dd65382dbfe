//! Turns the keys of the window into actions, and describes them for the help.

use crate::view::action::{Action, Overlay, Panel, SearchField};
use crate::view::args::View;
use crate::view::framing::Framing;
use crate::view::panel_input::PanelInput;
use bevy::input::keyboard::{Key, KeyboardInput};
use bevy::prelude::*;

/// Turns keys into actions, unless a widget uses them.
pub fn read_keys(
    mut keys: MessageReader<KeyboardInput>,
    input: Res<PanelInput>,
    held: Res<ButtonInput<KeyCode>>,
    mut actions: MessageWriter<Action>,
) {
    let modifiers = [
        KeyCode::ControlLeft,
        KeyCode::ControlRight,
        KeyCode::AltLeft,
        KeyCode::SuperLeft,
        KeyCode::SuperRight,
    ];
    let is_command = held.any_pressed(modifiers);
    for key in keys.read().filter(|key| key.state.is_pressed()) {
        if is_command || input.uses_key(&key.logical_key) {
            continue;
        }
        if let Some(action) = action_of(&key.logical_key) {
            actions.write(action);
        }
    }
}

/// The action of a key.
pub fn action_of(key: &Key) -> Option<Action> {
    Some(match key {
        Key::Space => Action::TogglePlay,
        Key::ArrowDown | Key::PageDown => Action::NextModel,
        Key::ArrowUp | Key::PageUp => Action::PreviousModel,
        Key::ArrowRight => Action::NextClip,
        Key::ArrowLeft => Action::PreviousClip,
        Key::Home => Action::RestartParticles,
        Key::End => Action::FinishParticles,
        Key::F1 => Action::Toggle(Panel::Keys),
        Key::F2 => Action::Toggle(Panel::Left),
        Key::F3 => Action::Toggle(Panel::Right),
        Key::F4 => Action::Toggle(Panel::Log),
        Key::F12 => Action::SaveImage,
        Key::Character(text) => return action_of_text(&text.to_lowercase()),
        _ => return None,
    })
}

fn action_of_text(text: &str) -> Option<Action> {
    Some(match text {
        " " => Action::TogglePlay,
        "?" => Action::Toggle(Panel::Keys),
        "/" => Action::Search(SearchField::Files),
        ";" => Action::Search(SearchField::Clips),
        "'" => Action::Search(SearchField::Details),
        "." => Action::StepForward,
        "," => Action::StepBack,
        "+" | "=" => Action::Faster,
        "-" => Action::Slower,
        "r" => Action::Rest,
        "l" => Action::ToggleRepeat,
        "i" => Action::ToggleInterpolation,
        "c" => Action::ToggleColors,
        "w" => Action::ToggleOverlay(Overlay::Wireframe),
        "b" => Action::ToggleOverlay(Overlay::Bounds),
        "n" => Action::ToggleOverlay(Overlay::Normals),
        "g" => Action::ToggleOverlay(Overlay::Grid),
        "o" => Action::ToggleOverlay(Overlay::Bones),
        "p" => Action::ToggleOverlay(Overlay::Proxies),
        "h" => Action::ToggleOverlay(Overlay::Lights),
        "e" => Action::ToggleOverlay(Overlay::Dims),
        "k" => Action::SaveManifest,
        "s" => Action::NextSkin,
        "m" => Action::ToggleNight,
        "x" => Action::NextTreeLevel,
        "[" => Action::FinerLod,
        "]" => Action::CoarserLod,
        "d" => Action::NextDamageStage,
        "t" => Action::NextTeam,
        "f" => Action::Frame(Framing::Selected),
        "a" => Action::Frame(Framing::All),
        "1" => Action::SetView(View::Front),
        "2" => Action::SetView(View::Side),
        "3" => Action::SetView(View::Top),
        "4" => Action::SetView(View::Iso),
        _ => return None,
    })
}

/// A heading, and keys with their effects.
type KeyGroup = (&'static str, &'static [(&'static str, &'static str)]);

/// All keys, for the help.
pub const GROUPS: [KeyGroup; 6] = [
    (
        "Files and panels",
        &[
            ("Up, Down, PgUp, PgDn", "previous, next model or file"),
            ("/", "searches the files"),
            (";", "searches the clips"),
            ("'", "searches parts, bones, materials and textures"),
            ("Enter, Esc", "opens the first match; ends typing"),
            ("Tab, Shift+Tab", "next, previous widget"),
            ("F1 or ?", "shows or hides the keys"),
            (
                "F2, F3, F4",
                "shows or hides the lists, the details, the log",
            ),
        ],
    ),
    (
        "View",
        &[
            ("left drag", "orbits the models"),
            ("right or middle drag", "pans"),
            ("wheel", "zooms"),
            ("click", "frames the part under the mouse"),
            ("F, A", "frames the model, all models"),
            ("1 2 3 4", "front, side, top, iso"),
        ],
    ),
    (
        "Output",
        &[
            ("K", "writes a manifest of the model"),
            ("F12", "writes an image of the window"),
        ],
    ),
    (
        "Playback",
        &[
            ("Space", "plays or pauses"),
            ("Left, Right", "previous, next clip"),
            (", .", "one frame back, on"),
            ("- +", "slower, faster"),
            ("L", "loops or plays once"),
            ("R", "rest pose, no clip"),
            ("I", "interpolation on or off (.mdl)"),
            ("Home", "restarts particle systems"),
            ("End", "ends the births of particles"),
        ],
    ),
    (
        "Appearance",
        &[
            ("S", "next skin"),
            ("C", "player colors"),
            ("T", "team color"),
            ("[ ]", "finer, coarser level of detail"),
            ("D", "damage stage"),
            ("M", "night"),
        ],
    ),
    (
        "Overlays",
        &[
            ("W B N G", "wireframe, bounds, normals, grid"),
            ("O P H", "bones, proxies, lights"),
            ("E", "collision box (.abc)"),
            ("X", "collision trees: off, each level, all levels"),
        ],
    ),
];

/// The description of all keys for `--help`.
pub fn help() -> String {
    let mut text = "Keys and mouse:\n".to_owned();
    for (heading, keys) in GROUPS {
        text += &format!("  {heading}\n");
        for (keys, effect) in keys {
            text += &format!("    {keys:<22}{effect}\n");
        }
    }
    text
}
