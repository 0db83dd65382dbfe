//! Files that change while models are in use, where Bevy looks away.
//!
//! With the feature `file_watcher` loaders note what models looked for and how it went ([`MissingFileIndex`]); where Bevy watches
//! a folder of files, a second watcher of the same folder has models loaded anew by these notes. Without it nothing is
//! noted.

#[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
mod files;
#[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
mod missing_files;
#[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
pub(super) use {
    files::register,
    missing_files::{FileQueries, MissingFileIndex},
};

#[cfg(not(all(feature = "file_watcher", not(target_arch = "wasm32"))))]
mod unwatched;
#[cfg(not(all(feature = "file_watcher", not(target_arch = "wasm32"))))]
pub(super) use unwatched::{FileQueries, MissingFileIndex, register};
