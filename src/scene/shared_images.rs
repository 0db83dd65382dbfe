//! Images of this crate that are in memory from the start.

use bevy::app::App;
use bevy::asset::{AssetApp, Assets, Handle};
use bevy::image::Image;
use bevy::log::error;

/// Registers images as assets in apps that lack Bevy's `ImagePlugin`, such as servers: models of all formats have some,
/// and Bevy panics at assets whose type is not registered.
///
/// To be called when plugins finish. Before that, the plugin may still be added.
pub(crate) fn ensure_images(app: &mut App) {
    if !app.world().contains_resource::<Assets<Image>>() {
        app.init_asset::<Image>();
    }
}

/// Inserts an image under a handle. To be called when plugins finish.
pub(crate) fn insert_image(app: &mut App, handle: &Handle<Image>, image: Image) {
    ensure_images(app);
    let mut images = app.world_mut().resource_mut::<Assets<Image>>();
    if let Err(error) = images.insert(handle, image) {
        error!("an image of the crate could not be inserted: {error}");
    }
}
