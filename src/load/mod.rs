//! How bytes become assets: what all loaders share, their errors, warnings and overrides; the search for the files that a
//! model names (`find`), and reloads of files that change (`watch`).

// For maintainers: entities do not belong here, nor the bytes of one format.

pub(crate) mod checks;
pub(crate) mod concurrent;
pub(crate) mod error;
pub(crate) mod extensions;
pub(crate) mod find;
pub(crate) mod images;
pub(crate) mod labels;
pub(crate) mod limits;
pub(crate) mod loading;
pub(crate) mod names;
pub(crate) mod overrides;
pub(crate) mod pattern;
pub(crate) mod reloads;
pub(crate) mod remove_unused;
pub(crate) mod tracker;
pub(crate) mod unlabeled;
pub(crate) mod warnings;
pub(crate) mod watch;
pub(crate) mod weak_cache;

#[doc(hidden)]
pub use crate::geometry::axes::{z_up_forward_minus_y, z_up_forward_x};
pub use error::ModelLoadError;
#[doc(hidden)]
pub use find::{FileFinder, FileSearch, NotFound, candidates::as_texture};
pub use names::Names;
