//! Images of this crate with fixed handles, which are inserted at startup.

use crate::scene::image_assets::ensure_images;
use bevy::app::App;
use bevy::asset::{Assets, Handle};
use bevy::image::Image;
use bevy::log::error;

/// Inserts an image with a fixed handle. Call it in `Plugin::finish`.
pub(crate) fn insert_image(app: &mut App, handle: &Handle<Image>, image: Image) {
    ensure_images(app);
    let mut images = app.world_mut().resource_mut::<Assets<Image>>();
    if let Err(error) = images.insert(handle, image) {
        error!("built-in image {handle:?} could not be inserted: {error}");
    }
}
