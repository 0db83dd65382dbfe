//! Replaces skins that could not be loaded by placeholders.

use crate::formats::lithtech::asset::Abc;
use crate::texture::placeholder::Placeholder;
use bevy::asset::{AssetLoadFailedEvent, LoadState};
use bevy::prelude::*;

/// Inserts a placeholder image for each skin whose load failed: without an image, Bevy draws nothing. A later
/// successful load replaces the placeholder.
///
/// This crate's texture loader makes placeholders itself. This system handles files that Bevy's loaders read and files
/// that cannot be read.
pub(crate) fn replace_failed_skins(
    mut failed: MessageReader<AssetLoadFailedEvent<Image>>,
    mut loaded: MessageReader<AssetEvent<Abc>>,
    server: Res<AssetServer>,
    models: Res<Assets<Abc>>,
    mut images: ResMut<Assets<Image>>,
) {
    // An image may fail before its model is loaded.
    if failed.read().count() + loaded.read().count() == 0 {
        return;
    }
    let mut replace = |image: &Handle<Image>, placeholder: Placeholder| {
        let has_failed = matches!(server.load_state(image), LoadState::Failed(_));
        if has_failed && !images.contains(image) {
            // Fails only if the image was dropped.
            let _ = images.insert(image, placeholder.image());
        }
    };
    for skin in models.iter().flat_map(|(_, model)| &model.skins) {
        replace(&skin.image, Placeholder::Checkers);
        if let Some(glow) = &skin.glow {
            replace(glow, Placeholder::Black);
        }
    }
}
