//! What stands above the formats: one way to ask any spawned model for its bones, things that hang on
//! them, and what is said once about components that mean nothing on a format.
//!
//! The rooms of the formats know nothing of this one. What may not enter: bytes of files, and how any one
//! format does what it does.

mod attach;
#[cfg(feature = "manifest")]
pub mod manifest;
mod models;

pub use attach::Attached;
#[cfg(feature = "manifest")]
pub use manifest::{ClassicModel, ModelManifest};
#[cfg(feature = "manifest")]
pub(crate) use manifest::{FormatsByExtension, ManifestPlugin};
pub use models::{ModelFormat, Models};

use bevy::app::{App, Plugin};

/// Registers what is above the formats.
pub(crate) struct ModelPlugin;

impl Plugin for ModelPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<Attached>();
    }
}
