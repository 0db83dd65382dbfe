//! Registers images as assets in apps without a renderer.

use bevy::app::App;
use bevy::asset::{AssetApp, Assets};
use bevy::image::Image;

/// Registers images as assets in apps without Bevy's `ImagePlugin`, such as servers. Models contain images, and Bevy
/// panics on assets of an unregistered type.
///
/// Call it in `Plugin::finish`: until then, the app may still add the plugin.
pub(super) fn ensure_images(app: &mut App) {
    if !app.world().contains_resource::<Assets<Image>>() {
        app.init_asset::<Image>();
    }
}
