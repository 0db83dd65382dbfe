//! Placeholders where skins cannot be loaded.

use crate::lithtech::asset::Abc;
use crate::texture::Placeholder;
use bevy::asset::{AssetEvent, AssetLoadFailedEvent, AssetServer, Assets, Handle, LoadState};
use bevy::ecs::message::MessageReader;
use bevy::ecs::system::{Res, ResMut};
use bevy::image::Image;

/// Puts a placeholder where a skin should be that could not be loaded the first time: without an image Bevy would draw
/// nothing. Should it be loaded after all, because somebody mended the file, that takes its place.
///
/// The loader of games' pictures puts one there itself, but not where Bevy's loaders read the file, or where nobody
/// can read it.
pub(super) fn replace_failed_skins(
    mut failed: MessageReader<AssetLoadFailedEvent<Image>>,
    mut loaded: MessageReader<AssetEvent<Abc>>,
    server: Res<AssetServer>,
    models: Res<Assets<Abc>>,
    mut images: ResMut<Assets<Image>>,
) {
    // A picture may fail before the model that wears it is there.
    if failed.read().count() + loaded.read().count() == 0 {
        return;
    }
    let mut replace = |image: &Handle<Image>, by: Placeholder| {
        let has_failed = matches!(server.load_state(image), LoadState::Failed(_));
        if has_failed && !images.contains(image) {
            // Fails only for an image that nobody needs any more.
            let _ = images.insert(image, by.image());
        }
    };
    for skin in models.iter().flat_map(|(_, model)| &model.skins) {
        replace(&skin.image, Placeholder::Checkers);
        if let Some(glow) = &skin.glow {
            replace(glow, Placeholder::Black);
        }
    }
}
