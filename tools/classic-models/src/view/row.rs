//! The row in which models are shown. Does not position them.

use crate::view::args::View;
use crate::view::orbit::Orbit;
use bevy::prelude::*;

/// All models from left to right.
#[derive(Resource)]
pub struct Row {
    pub models: Vec<Entity>,
    /// The index of the model that the panel shows.
    pub selected: usize,
    /// The rotation of a camera that sees no model hidden by another.
    pub view: Quat,
    /// The width of the picture that the models are to fill, divided by its height.
    pub aspect: f32,
    /// Whether the bounds of a Quake model contain only its current clip, not all its poses.
    pub by_clip: bool,
}

impl Row {
    pub fn new(view: View, aspect: f32, by_clip: bool) -> Self {
        Self {
            models: Vec::new(),
            selected: 0,
            view: Orbit::new(view).rotation(),
            aspect,
            by_clip,
        }
    }

    pub fn selected(&self) -> Option<Entity> {
        self.models.get(self.selected).copied()
    }
}

/// The systems that position the models in a row.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowLayout;
