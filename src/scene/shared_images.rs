//! Images of this crate that are in memory from the start.

use crate::scene::image_assets::ensure_images;
use bevy::app::App;
use bevy::asset::{Assets, Handle};
use bevy::image::Image;
use bevy::log::error;

/// Inserts an image under a handle. To be called when plugins finish.
pub(crate) fn insert_image(app: &mut App, handle: &Handle<Image>, image: Image) {
    ensure_images(app);
    let mut images = app.world_mut().resource_mut::<Assets<Image>>();
    if let Err(error) = images.insert(handle, image) {
        error!("an image of the crate could not be inserted: {error}");
    }
}
