//! Text to [`ModelManifest`](crate::manifest::ModelManifest): RON, its errors and their positions, the manifests that a
//! manifest extends, and the files that it names.

// For maintainers: entities do not belong here. The search in folders is `load::find`.

pub(crate) mod error;
pub(crate) mod extends;
pub(crate) mod glob;
pub(crate) mod loader;
pub(crate) mod parse;
pub(crate) mod paths;
pub(crate) mod preload;
pub(crate) mod resolve;
