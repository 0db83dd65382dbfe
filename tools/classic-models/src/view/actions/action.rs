//! The actions of the keyboard and the panels as plain values, and the keys that are actions. Other modules apply them.

use crate::paths::game::GameKind;
use crate::view::camera::framing::Framing;
use crate::view::draw::lighting::LightSet;
use crate::view::open::args::{Trees, View};
use crate::view::panels::input::PanelInput;
use bevy::input::keyboard::{Key, KeyboardInput};
use bevy::prelude::*;
use bevy_classic_models::prelude::{ModelSkin, PlayerColors};
use std::path::PathBuf;

/// An action of the keyboard or the panels.
#[derive(Message, Clone, Debug, PartialEq)]
pub enum Action {
    Select(usize),
    /// Selects the next model, or opens the next one in the list of files.
    NextModel,
    PreviousModel,
    /// Removes a model, by its index in the row.
    Close(usize),
    /// Shows a file instead of all others. A folder, an archive or a game is listed.
    Open(PathBuf),
    /// Shows a file beside the others.
    Add(PathBuf),
    /// Lists the folder above.
    BrowseUp,
    /// Lists the models of a game in a folder.
    OpenGame(GameKind, PathBuf),
    Clip(usize),
    NextClip,
    PreviousClip,
    /// Removes the clip: shows the rest pose.
    Rest,
    TogglePlay,
    /// Plays in the other direction.
    Reverse,
    StepForward,
    StepBack,
    /// Removes all particles and begins the particle systems of the model again.
    RestartParticles,
    /// Ends the births of particles.
    FinishParticles,
    /// To a time of the clip or the particle system, in seconds.
    Seek(f32),
    Faster,
    Slower,
    Speed(f32),
    ToggleRepeat,
    ToggleInterpolation,
    Skin(ModelSkin),
    NextSkin,
    /// An image file as the skin.
    SkinFile(PathBuf),
    ToggleColors,
    Colors(PlayerColors),
    /// Draws an overlay, or no longer.
    Overlay(Overlay),
    ToggleNight,
    Light(LightSet),
    NextLight,
    /// The exposure in stops.
    Exposure(f32),
    Brighter,
    Darker,
    Trees(Trees),
    NextTreeLevel,
    /// A level of detail; 0 is the finest.
    Lod(u32),
    FinerLod,
    CoarserLod,
    DamageStage(u32),
    NextDamageStage,
    /// A team color; `None` removes it.
    Team(Option<Color>),
    NextTeam,
    /// A color that multiplies those of all particles.
    Tint(Color),
    /// Hides or shows all parts with a name; `None` as in the file.
    Part(String, Option<bool>),
    ResetParts,
    Frame(Framing),
    /// Writes a manifest of the selected model.
    SaveManifest,
    /// Writes an image of the window.
    SaveImage,
    SetView(View),
    /// Moves the keyboard to a search field.
    Search(SearchField),
    Toggle(Panel),
}

/// What can be drawn on models, and the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    Wireframe,
    Bounds,
    Normals,
    Grid,
    Bones,
    Proxies,
    Lights,
    Dims,
    Floor,
}

/// A search field of the panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchField {
    Files,
    Clips,
    Details,
}

/// A part of the window that can be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Panel {
    Left,
    Right,
    Log,
    Keys,
}

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
        "j" => Action::Reverse,
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
        "y" => Action::NextLight,
        "8" => Action::Darker,
        "9" => Action::Brighter,
        "z" => Action::Overlay(Overlay::Floor),
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
