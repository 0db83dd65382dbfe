//! Recognizes asset sources of archives.

use bevy::app::App;
use bevy::asset::io::{AssetSourceBuilders, AssetSourceId};

/// The text by which the builder of an archive source is recognized. Bevy shows it if the source is not watched.
pub(crate) const ARCHIVE_WATCH_WARNING: &str =
    "Enable the feature `file_watcher` of `bevy_classic_models` to reload files of archives.";

/// Whether a source is one of archives.
pub(crate) fn is_archive_source(app: &mut App, id: AssetSourceId<'static>) -> bool {
    let builders = app.world_mut().get_resource_mut::<AssetSourceBuilders>();
    let mut builders = builders;
    let builder = builders.as_mut().and_then(|builders| builders.get_mut(id));
    builder.is_some_and(|builder| builder.watch_warning == Some(ARCHIVE_WATCH_WARNING))
}
