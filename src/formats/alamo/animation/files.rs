//! Loads animation files, and counts their frames, for code that works on any format.

use crate::formats::alamo::animation::asset::{Ala, AlaAssetLabel};
use crate::formats::alamo::asset::Alo;
use crate::playback::skeletal::rig::{Rig, SharedClips};
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

/// The count of an animation's frames, if it is loaded. Adds the file that the result depends on to `files`.
pub(crate) fn frames_of_animation(
    world: &World,
    ala: &Handle<Ala>,
    files: &mut Vec<UntypedHandle>,
) -> Option<u32> {
    let loaded = world.get_resource::<Assets<Ala>>()?.get(ala);
    files.push(ala.clone().untyped());
    loaded.map(|loaded| loaded.frames)
}

/// The count of a clip's frames, if its animation is loaded. Adds the files that the result depends on to `files`.
pub(crate) fn frames_of_clip(
    world: &World,
    clip: &Handle<AnimationClip>,
    files: &mut Vec<UntypedHandle>,
) -> Option<u32> {
    let ala = animation_of(world, clip);
    files.push(clip.clone().untyped());
    frames_of_animation(world, &ala?, files)
}

/// The animation of a clip, once the clip is loaded. Before that, an invalid file would be read and logged twice.
fn animation_of(world: &World, clip: &Handle<AnimationClip>) -> Option<Handle<Ala>> {
    let server = world.get_resource::<AssetServer>()?;
    let shared = world.get_resource::<SharedClips<Alo>>()?;
    let is_loaded = server.is_loaded(clip);
    is_loaded.then(|| Alo::file_of(clip, server, &shared.extensions))?
}
