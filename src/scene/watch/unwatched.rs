//! Where no files are watched, nobody asks what models looked for.

use bevy::app::App;
use bevy::asset::{AssetPath, AssetServer};
use bevy::ecs::resource::Resource;
use std::path::Path;

/// Registers nothing.
pub(in crate::scene) fn register(_: &mut App) {}

/// What a load looked for: not recorded.
#[derive(Debug, Default)]
pub(in crate::scene) struct FileQueries;

impl FileQueries {
    pub(in crate::scene) fn miss(&mut self, _: &Path) {}

    #[cfg(feature = "quake")]
    pub(in crate::scene) fn read(&mut self, _: &Path) {}

    #[cfg(any(feature = "alamo", feature = "lithtech"))]
    pub(in crate::scene) fn start(&mut self, _: &Path, _: usize, _: Option<Vec<u8>>) {}

    pub(in crate::scene) fn list(&mut self, _: &Path, _: &str, _: &[&str]) {}

    pub(in crate::scene) fn fit(&mut self, _: &Path, _: &[&str]) {}
}

/// The resource that no app has.
#[derive(Resource, Clone, Debug)]
pub(crate) enum MissingFileIndex {}

impl MissingFileIndex {
    pub(in crate::scene) fn renew(&self, _: &AssetPath<'static>, _: FileQueries, _: &AssetServer) {
        match *self {}
    }
}
