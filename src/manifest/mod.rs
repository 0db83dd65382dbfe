//! Manifests, `*.model.ron`, which describe in a file how to load and spawn a model; and [`ClassicModel`], which spawns
//! a manifest, or a model without one.
//!
//! ```no_run
//! # use bevy::prelude::*;
//! # use bevy_classic_models::prelude::*;
//! # fn spawn(mut commands: Commands) {
//! commands.spawn(ClassicModel::new("units/soldier.model.ron"));
//! # }
//! ```
//!
//! [`ManifestLoader`] parses the text into a [`ModelManifest`] and finds the files that it names. Systems then spawn the
//! model below the entity, and insert the components for the manifest's fields on it. Components that the user has set or
//! changed are not replaced.

pub(crate) mod apply;
pub(crate) mod check;
pub(crate) mod classic_model;
pub(crate) mod model_manifest;
pub(crate) mod plugin;
pub(crate) mod read;
pub(crate) mod ready;
pub(crate) mod values;

pub use check::model::{ManifestCheck, ManifestProblem};
pub use classic_model::{ClassicModel, ModelSource};
pub use model_manifest::{
    FileAxis, ManifestAttachment, ManifestAxes, ManifestClip, ManifestColors, ManifestEvent,
    ManifestRepeat, ManifestView, ModelManifest,
};
pub use read::error::{ManifestError, ManifestLoaderError};
pub use read::loader::ManifestLoader;
pub use read::loader::ManifestLoaderSettings;
pub use read::parse::parse;
pub use read::paths::ManifestFiles;
pub use ready::ModelReady;
pub use values::NameOrIndex;
