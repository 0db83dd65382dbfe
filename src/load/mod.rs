//! How bytes become assets: what all loaders share, their errors, warnings and overrides; the search for the files that a
//! model names (`find`), and reloads of files that change (`watch`).

// For maintainers: entities do not belong here, nor the bytes of one format.

pub(crate) mod alternatives;
pub(crate) mod concurrent;
pub(crate) mod defaults;
pub(crate) mod error;
pub(crate) mod find;
pub(crate) mod labels;
pub(crate) mod loading;
pub(crate) mod names;
pub(crate) mod reloads;
pub(crate) mod warnings;
pub(crate) mod watch;
pub(crate) mod weak_cache;

#[doc(hidden)]
pub use crate::geometry::axes::{z_up_forward_minus_y, z_up_forward_x};
#[doc(hidden)]
pub use alternatives::{did_you_mean, listed_names};
pub use error::ModelLoadError;
#[doc(hidden)]
pub use find::paths::as_texture;
pub use names::Names;
