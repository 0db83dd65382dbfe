//! Text to [`ModelManifest`](crate::manifest::ModelManifest): RON, its errors and their positions, and the manifests that a
//! manifest extends.

// For maintainers: files that a manifest names are found by `manifest::files`.

pub(crate) mod bases;
pub(crate) mod error;
pub(crate) mod loader;
pub(crate) mod merge;
#[cfg(not(feature = "manifest"))]
pub(crate) mod no_ron;
pub(crate) mod parse;
pub(crate) mod problem;
#[cfg(feature = "manifest")]
pub(crate) mod ron_error;
#[cfg(feature = "manifest")]
pub(crate) mod ron_text;
pub(crate) mod sources;
#[cfg(feature = "manifest")]
pub(crate) mod spans;
