//! Images as assets, also in apps that draw nothing.

use bevy::app::App;
use bevy::asset::{AssetApp, Assets};
use bevy::image::Image;

/// Registers images as assets in apps that lack Bevy's `ImagePlugin`, such as servers: models of all formats have some,
/// and Bevy panics at assets whose type is not registered.
///
/// To be called when plugins finish. Before that, the plugin may still be added.
pub(super) fn ensure_images(app: &mut App) {
    if !app.world().contains_resource::<Assets<Image>>() {
        app.init_asset::<Image>();
    }
}
