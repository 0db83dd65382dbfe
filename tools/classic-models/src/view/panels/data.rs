//! What the panels show, as plain values. It must not read entities or draw.

use crate::log_buffer::LogLine;
use crate::view::actions::action::Action;
use crate::view::draw::lighting::Lighting;
use crate::view::draw::overlays::Overlays;
use crate::view::open::args::Trees;
use bevy::prelude::*;
use bevy_classic_models::root::{ModelLod, ModelSkin, PartVisibility, PlayerColors};
use bevy_egui::egui::TextureId;
use std::path::PathBuf;

/// All that the panels show.
pub struct Shown<'a> {
    pub data: &'a PanelData,
    /// The files that were opened last.
    pub recent: &'a [PathBuf],
    pub log: &'a [LogLine],
}

/// The state of the viewer that the panels show.
#[derive(Clone, Debug, Default)]
pub struct PanelData {
    pub models: Vec<ModelRow>,
    /// The index of the selected model.
    pub selected: usize,
    pub clips: Vec<ClipRow>,
    /// Whether the rest pose is shown. `None` if the model has no clips to stop.
    pub is_at_rest: Option<bool>,
    pub playback: Option<Playing>,
    pub details: Details,
    pub overlays: Overlays,
    pub night: bool,
    pub lighting: Lighting,
    /// The parts under the mouse, the nearest first.
    pub pointed: Vec<String>,
    /// The latest events of clips with their opacity, the latest first.
    pub events: Vec<(String, f32)>,
    /// Warnings and errors of the models.
    pub problems: Vec<Problem>,
}

/// A warning or an error of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub model: String,
    pub text: String,
    /// Whether something does not work. Otherwise it is a warning.
    pub is_error: bool,
}

/// A model that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRow {
    pub name: String,
    /// Whether the model or its newest version did not load.
    pub is_broken: bool,
}

/// A clip of the selected model.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipRow {
    pub name: String,
    /// Its length, as text.
    pub length: String,
    /// Whether a manifest defines the clip.
    pub from_manifest: bool,
    pub plays: bool,
    /// The action that plays it. `None` if it is broken.
    pub action: Option<Action>,
    /// Its properties, or why it is broken.
    pub facts: String,
}

/// The clip or the particle system that plays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Playing {
    pub is_paused: bool,
    pub loops: bool,
    /// Negative: backward.
    pub speed: f32,
    /// Whether it can play backward.
    pub can_reverse: bool,
    /// Seconds since the start.
    pub time: f32,
    /// Its length in seconds; of a particle system, about how long it changes.
    pub length: f32,
    /// The frame or the count of particles, as text.
    pub status: String,
    /// The times of its events, with their names.
    pub events: Vec<(f32, String)>,
    /// Whether there are particle systems, which can restart.
    pub has_particles: bool,
}

/// The selected model in detail.
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// Counts and other properties.
    pub facts: Vec<String>,
    pub lods: Option<Lods>,
    pub damage: Option<Damage>,
    /// The team color, of a format that has one.
    pub team: Option<Option<Color>>,
    /// The color that multiplies those of particles, of a model with particle systems.
    pub tint: Option<Color>,
    /// The player colors, of a format that has them.
    pub player: Option<Option<PlayerColors>>,
    /// Whether poses are interpolated, of a format in which this can be chosen.
    pub interpolates: Option<bool>,
    pub skins: Vec<SkinRow>,
    /// Files that may be the skin of a model without one.
    pub skin_candidates: Vec<PathBuf>,
    pub parts: Vec<PartRow>,
    pub bones: Vec<PlaceRow>,
    pub proxies: Vec<PlaceRow>,
    pub materials: Vec<MaterialRow>,
    pub textures: Vec<TextureRow>,
    pub trees: Option<TreeLevels>,
    /// The particle systems and their emitters, with counts of living particles.
    pub particles: Vec<String>,
    /// The emitters of a particle system that was opened as a file.
    pub emitters: Vec<MaterialRow>,
    /// Whether the model has lights, collision boxes of clips, or bones that can be drawn.
    pub overlays: OverlayChoices,
}

/// The overlays that have an effect on the selected model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverlayChoices {
    pub bones: bool,
    pub proxies: bool,
    pub lights: bool,
    pub dims: bool,
}

/// The levels of detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lods {
    /// A label for each level, the finest first.
    pub labels: Vec<String>,
    pub shown: u32,
}

impl Lods {
    /// `None` without levels.
    pub fn new(labels: impl Iterator<Item = String>, chosen: Option<&ModelLod>) -> Option<Self> {
        let labels: Vec<String> = labels.collect();
        let last = labels.len().checked_sub(1)? as u32;
        let shown = chosen.map_or(0, |lod| lod.0).min(last);
        Some(Self { labels, shown })
    }
}

/// The damage stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    pub shown: u32,
    pub last: u32,
}

/// A skin to choose.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinRow {
    pub label: String,
    pub skin: ModelSkin,
    pub is_active: bool,
}

/// All parts of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartRow {
    pub name: String,
    /// The kind of part.
    pub kind: &'static str,
    /// Counts and other properties.
    pub detail: String,
    /// Whether it is chosen to be drawn.
    pub shows: bool,
    /// Whether the file shows it.
    pub shows_in_file: bool,
    /// Whether it is never drawn, such as collision meshes.
    pub is_data: bool,
    /// The first entity of it.
    pub entity: Option<Entity>,
}

impl PartRow {
    /// A part that is drawn unless it, or the file, hides it.
    pub fn new(
        name: String,
        (kind, detail): (&'static str, String),
        is_hidden: bool,
        parts: Option<&PartVisibility>,
        entity: Option<Entity>,
    ) -> Self {
        let chosen = parts.and_then(|parts| parts.get(&name));
        Self {
            shows: !chosen.unwrap_or(is_hidden),
            name,
            kind,
            detail,
            shows_in_file: !is_hidden,
            is_data: false,
            entity,
        }
    }
}

/// A bone, a node, or a place where a model has an effect or another model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceRow {
    pub name: String,
    /// The count of bones above it.
    pub depth: usize,
    /// The model or the particle system that a proxy names.
    pub target: String,
    pub is_hidden: bool,
    pub entity: Option<Entity>,
}

/// A material or an emitter, with its properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialRow {
    pub name: String,
    pub lines: Vec<String>,
}

/// A texture.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureRow {
    pub name: String,
    /// Size and format, or why there is no preview.
    pub detail: String,
    /// The image, if it can be drawn.
    pub preview: Option<Preview>,
    pub is_missing: bool,
}

/// An image that can be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// One image, or the faces of a cube map: +X, −X, +Y, −Y, +Z, −Z.
    pub faces: Vec<TextureId>,
    /// The size of each image in pixels.
    pub size: [u32; 2],
}

/// The levels of the deepest collision tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeLevels {
    pub count: usize,
    pub shown: Trees,
}
