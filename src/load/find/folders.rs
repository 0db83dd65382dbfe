//! Lists a folder of an asset source.

use crate::load::find::names::Names;
use bevy::asset::io::ErasedAssetReader;
use futures_lite::StreamExt;
use std::path::Path;

/// The names in a folder; `None` if it is empty or if the source cannot list it. A web server cannot list folders.
pub(crate) async fn list(reader: &dyn ErasedAssetReader, folder: &Path) -> Option<Names> {
    let mut entries = reader.read_directory(folder).await.ok()?;
    let mut names = Vec::new();
    while let Some(entry) = entries.next().await {
        if let Some(name) = entry.file_name() {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    (!names.is_empty()).then(|| Names::new(names))
}
