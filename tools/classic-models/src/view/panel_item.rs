//! One item of the panel as a plain value.

use crate::view::action::Action;
use crate::view::bars::Bar;
use bevy::prelude::*;

/// A row of the panel. Rows are one below the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Heading(&'static str),
    Text(String, Tone),
    Live(Live),
    /// A bar that seeks.
    Bar(Bar),
    /// Buttons side by side.
    Buttons(Vec<Button>),
}

/// A text that changes in nearly every frame.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// The time and frame of the clip.
    Status,
    /// Which bones are hidden.
    Bones,
    /// The times and the particles of particle systems.
    Particles,
}

/// The kind of a text; it selects the color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Remark,
    Warning,
    Error,
}

/// The label of a button, its action, and whether it is highlighted.
pub type Button = (String, Action, bool);

/// A button with a label.
pub fn button(label: &str, action: Action, highlighted: bool) -> Button {
    (label.to_owned(), action, highlighted)
}
