//! The files that a manifest names: patterns, search, and loading ahead.

// For maintainers: the search in folders is `load::find`.

pub(crate) mod find;
pub(crate) mod glob;
pub(crate) mod paths;
pub(crate) mod preload;
pub(crate) mod resolve;
