//! Loads animation files for code that works on any format.

use crate::formats::alamo::animation::asset::AlaAssetLabel;
use crate::root::play::ClipRef;
use crate::spawn::formats::ClipFiles;
use bevy::asset::AssetPath;
use bevy::prelude::*;

/// The functions that load the clip of an animation file.
pub(crate) fn clip_files() -> ClipFiles {
    ClipFiles {
        load: |server, file| ClipRef::Handle(server.load(clip_path(file))),
        load_within: |load_context, file| {
            let builder = load_context.load_builder();
            builder.load::<AnimationClip>(clip_path(file)).untyped()
        },
    }
}

fn clip_path(file: &AssetPath<'static>) -> AssetPath<'static> {
    AlaAssetLabel::Clip.from_asset(file.clone())
}
