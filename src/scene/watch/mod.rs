//! Reloads models after file changes that Bevy's watcher ignores.
//!
//! With the feature `file_watcher`, loaders record the file queries of each model in the [`MissingFileIndex`]. A second
//! watcher of the folder that Bevy watches reloads the affected models. Without the feature, nothing is recorded.

#[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
mod files;
#[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
mod folder_files;
#[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
mod missing_files;
#[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
pub(super) use {
    files::register,
    missing_files::{FileQueries, MissingFileIndex},
};

#[cfg(all(
    feature = "archives",
    feature = "file_watcher",
    not(target_arch = "wasm32")
))]
pub(crate) use folder_files::files_below;

#[cfg(not(all(feature = "file_watcher", not(target_arch = "wasm32"))))]
mod unwatched;
#[cfg(not(all(feature = "file_watcher", not(target_arch = "wasm32"))))]
pub(super) use unwatched::{FileQueries, MissingFileIndex, register};

use bevy::app::App;
use bevy::asset::io::{AssetSourceBuilders, AssetSourceId};

/// The text by which the builder of an archive source is recognized. Bevy shows it if the source is not watched.
pub(crate) const ARCHIVE_WATCH_WARNING: &str =
    "Enable the feature `file_watcher` of `bevy_classic_models` to reload files of archives.";

/// Whether a source is one of archives.
pub(super) fn is_archive_source(app: &mut App, id: AssetSourceId<'static>) -> bool {
    let builders = app.world_mut().get_resource_mut::<AssetSourceBuilders>();
    let mut builders = builders;
    let builder = builders.as_mut().and_then(|builders| builders.get_mut(id));
    builder.is_some_and(|builder| builder.watch_warning == Some(ARCHIVE_WATCH_WARNING))
}
