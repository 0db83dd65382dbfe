//! Turns the keys of the window into actions. `key_table.rs` describes them.

use crate::view::actions::action::{Action, Overlay, Panel, SearchField};
use crate::view::camera::framing::Framing;
use crate::view::open::args::View;
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
        "w" => Action::Overlay(Overlay::Wireframe),
        "b" => Action::Overlay(Overlay::Bounds),
        "n" => Action::Overlay(Overlay::Normals),
        "g" => Action::Overlay(Overlay::Grid),
        "o" => Action::Overlay(Overlay::Bones),
        "p" => Action::Overlay(Overlay::Proxies),
        "h" => Action::Overlay(Overlay::Lights),
        "e" => Action::Overlay(Overlay::Dims),
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
