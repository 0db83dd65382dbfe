//! [`ManifestLoaderSettings`]: the settings of the loader of manifests. Contains no loading.

use serde::{Deserialize, Serialize};

/// The settings of [`ManifestLoader`](super::ManifestLoader).
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct ManifestLoaderSettings {
    /// Loads a manifest that has no model, not even through a manifest that it extends. Otherwise that is an error. Nothing is
    /// spawned for it, so this is only useful for tools that check manifests which others extend. `false` by default.
    pub allow_missing_model: bool,
}
