//! Registers images as assets in apps without a renderer.

use bevy::prelude::*;

/// Registers images as assets in apps without Bevy's `ImagePlugin`, such as servers. Models contain images, and Bevy
/// panics on assets of an unregistered type.
///
/// Call it in `Plugin::finish`: until then, the app may still add the plugin.
pub(crate) fn ensure_images(app: &mut App) {
    if !app.world().contains_resource::<Assets<Image>>() {
        app.init_asset::<Image>();
    }
}

/// Inserts an image with a fixed handle. Call it in `Plugin::finish`.
pub(crate) fn insert_image(app: &mut App, handle: &Handle<Image>, image: Image) {
    ensure_images(app);
    let mut images = app.world_mut().resource_mut::<Assets<Image>>();
    if let Err(error) = images.insert(handle, image) {
        error!("built-in image {handle:?} could not be inserted: {error}");
    }
}
