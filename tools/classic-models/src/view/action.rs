//! The actions of the keyboard and the panel as plain values. Other modules apply them.

use crate::view::args::View;
use crate::view::camera::Framing;
use crate::view::trees::Trees;
use bevy::prelude::*;

/// An action of the keyboard or the panel.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Select(usize),
    NextModel,
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
    /// To a fraction of the clip, from 0 to 1.
    Seek(f32),
    Faster,
    Slower,
    ResetSpeed,
    ToggleRepeat,
    ToggleInterpolation,
    Skin(usize),
    NextSkin,
    /// A skin that the manifest names, by its index in the sorted names.
    NamedSkin(usize),
    /// A clip that the manifest names, of a Quake model.
    NamedClip(usize),
    ToggleColors,
    /// Advances the shirt color by this many palette rows.
    Shirt(u8),
    /// Advances the pants color by this many palette rows.
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
    /// A level of detail; 0 is the finest.
    Lod(u32),
    /// A level of detail as a fraction, from 0 (the finest) to 1.
    LodFraction(f32),
    FinerLod,
    CoarserLod,
    Alt(u32),
    NextAlt,
    /// A team color by its index in the panel; `None` removes it.
    Team(Option<usize>),
    NextTeam,
    /// A part of the model, by its index in the panel.
    TogglePart(usize),
    ResetParts,
    Frame(Framing),
    /// Starts or ends typing in the search field of a game's models.
    ToggleSearch,
    NextPage,
    PreviousPage,
    /// A model of the game, by its index in the list.
    OpenModel(usize),
    /// Writes a manifest of the selected model.
    SaveManifest,
    SetView(View),
}

/// Rows of the palette.
pub const ROWS: u8 = 16;

/// The step of [`Action::Shirt`] and [`Action::Pants`] to the previous row.
pub const ROW_BACK: u8 = ROWS - 1;
