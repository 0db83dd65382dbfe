//! The actions of the keyboard and the panels as plain values. Other modules apply them.

use crate::paths::game::GameKind;
use crate::view::camera::framing::Framing;
use crate::view::open::args::{Trees, View};
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
