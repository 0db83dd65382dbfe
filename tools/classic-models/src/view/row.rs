//! The row in which models are shown. Does not position them.

use bevy::prelude::*;

/// All models from left to right.
#[derive(Resource)]
pub struct Row {
    pub models: Vec<Entity>,
    /// The index of the model that the panel shows.
    pub selected: usize,
    /// The direction of the row, a unit vector.
    pub right: Vec3,
    /// Whether the bounds of a Quake model contain only its current clip, not all its poses.
    pub by_clip: bool,
}

impl Row {
    pub fn new(right: Vec3, by_clip: bool) -> Self {
        Self {
            models: Vec::new(),
            selected: 0,
            right,
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
