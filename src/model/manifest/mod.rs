//! Manifests, `*.model.ron`: what a game says about its models, as files in the place of code; and
//! [`ClassicModel`], which spawns a manifest or a bare model and all that belongs to it.
//!
//! ```no_run
//! # use bevy::prelude::*;
//! # use bevy_classic_models::prelude::*;
//! # fn spawn(mut commands: Commands, assets: Res<AssetServer>) {
//! commands.spawn(ClassicModel(assets.load("units/soldier.model.ron")));
//! # }
//! ```
//!
//! The text becomes a [`ModelManifest`] ([`parse`]), the loader finds the files that it names, and systems give
//! the entity a `WorldAssetRoot` and the components that the manifest states. What the user has put there, or
//! changed since, stays.

mod applied;
mod attachments;
mod check;
mod classic_model;
mod clip_check;
mod files;
#[cfg(feature = "manifest")]
mod find_files;
#[cfg(feature = "manifest")]
mod glob;
mod load_overrides;
mod loader;
mod manifest;
mod placement;
mod plan;
mod plugin;
mod preload;
mod problem;
#[cfg(feature = "manifest")]
mod read;
mod resolve;
#[cfg(feature = "manifest")]
mod ron_error;
#[cfg(feature = "manifest")]
mod spans;
mod spawn;
mod state;
mod transform;
mod values;

pub use classic_model::ClassicModel;
pub use files::ManifestFiles;
pub use loader::{ManifestLoader, ManifestLoaderError};
pub use manifest::{
    FileAxis, ManifestAttachment, ManifestAxes, ManifestClip, ManifestColors, ManifestRepeat,
    ModelManifest,
};
pub(in crate::model) use placement::manifest_transform;
pub(crate) use plugin::ManifestPlugin;
#[cfg(feature = "manifest")]
pub use read::{ManifestError, parse};
pub use values::NameOrIndex;
