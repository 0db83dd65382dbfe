//! Text to [`ModelManifest`](crate::manifest::ModelManifest): RON, its errors and their positions, and the manifests that a
//! manifest extends.

// For maintainers: files that a manifest names are found by `manifest::files`.

pub(crate) mod bases;
pub(crate) mod error;
pub(crate) mod loader;
pub(crate) mod merge;
pub(crate) mod parse;
pub(crate) mod problem;
pub(crate) mod ron_error;
pub(crate) mod ron_text;
pub(crate) mod sources;
pub(crate) mod spans;
