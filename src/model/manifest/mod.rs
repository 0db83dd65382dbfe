//! Manifests, `*.model.ron`, which describe in a file how to load and spawn a model; and [`ClassicModel`], which spawns
//! a manifest, or a model without one.
//!
//! ```no_run
//! # use bevy::prelude::*;
//! # use bevy_classic_models::prelude::*;
//! # fn spawn(mut commands: Commands, assets: Res<AssetServer>) {
//! commands.spawn(ClassicModel(assets.load("units/soldier.model.ron")));
//! # }
//! ```
//!
//! [`ManifestLoader`] parses the text into a [`ModelManifest`] and finds the files that it names. Systems then insert a
//! `WorldAssetRoot` and the components for the manifest's fields on the entity. Components that the user has set or
//! changed are not replaced.

mod applied;
mod attachment_check;
mod attachments;
mod bases;
mod check;
mod classic_model;
mod clip_check;
mod effect_check;
mod files;
mod find_files;
mod glob;
mod load_overrides;
mod loader;
mod loader_settings;
mod loading;
mod manifest_check;
mod manifest_error;
mod merge;
mod model_manifest;
#[cfg(not(feature = "manifest"))]
mod no_ron;
mod placement;
mod plan;
mod plugin;
mod preload;
mod problem;
mod read;
mod resolve;
#[cfg(feature = "manifest")]
mod ron_error;
#[cfg(feature = "manifest")]
mod ron_options;
#[cfg(feature = "manifest")]
mod ron_text;
mod sources;
#[cfg(feature = "manifest")]
mod spans;
mod spawn;
mod state;
mod transform;
mod values;

pub use classic_model::ClassicModel;
pub use files::ManifestFiles;
pub use loader::ManifestLoader;
pub use loader_settings::ManifestLoaderSettings;
pub(in crate::model) use loading::{is_model_loading, manifest_attachments};
pub use manifest_check::{ManifestCheck, ManifestProblem};
pub use manifest_error::{ManifestError, ManifestLoaderError};
pub use model_manifest::{
    FileAxis, ManifestAttachment, ManifestAxes, ManifestClip, ManifestColors, ManifestEvent,
    ManifestRepeat, ModelManifest,
};
pub(in crate::model) use placement::manifest_transform;
pub(crate) use plugin::ManifestPlugin;
pub use read::parse;
pub use values::NameOrIndex;
