//! Reloads models after file changes that Bevy's watcher ignores.
//!
//! With the feature `file_watcher`, loaders record the file queries of each model in the [`MissingFileIndex`]. A second
//! watcher of the folder that Bevy watches reloads the affected models. Without the feature, nothing is recorded.

#[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
pub(crate) mod files;
pub(crate) mod missing_files;
