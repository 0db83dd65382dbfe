//! Empty implementations for builds without file watching: queries are not recorded.

use bevy::app::App;
use bevy::asset::{AssetPath, AssetServer};
use bevy::ecs::resource::Resource;
use std::path::Path;

/// Registers nothing.
pub(in crate::scene) fn register(_: &mut App) {}

/// The file queries of a load, which are not recorded.
#[derive(Debug, Default)]
pub(in crate::scene) struct FileQueries;

impl FileQueries {
    pub(in crate::scene) fn add_missing(&mut self, _: &Path) {}

    pub(in crate::scene) fn add_read(&mut self, _: &Path) {}

    #[cfg(any(feature = "alamo", feature = "lithtech"))]
    pub(in crate::scene) fn add_start(&mut self, _: &Path, _: usize, _: Option<Vec<u8>>) {}

    pub(in crate::scene) fn add_listing(&mut self, _: &Path, _: &str, _: &[&str]) {}

    pub(in crate::scene) fn add_patterns(&mut self, _: &Path, _: &[&str]) {}
}

/// A resource that no app contains.
#[derive(Resource, Clone, Debug)]
pub(crate) enum MissingFileIndex {}

impl MissingFileIndex {
    pub(in crate::scene) fn replace(
        &self,
        _: &AssetPath<'static>,
        _: FileQueries,
        _: &AssetServer,
    ) {
        match *self {}
    }
}
