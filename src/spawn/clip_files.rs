//! Loading of clips that have their own files, for code that works on any format.

use crate::root::clip_ref::ClipRef;
use bevy::asset::{AssetPath, LoadContext};
use bevy::prelude::*;

/// Functions that load clips from their own files. The plugin of a format with such files inserts this resource.
#[derive(Resource, Clone, Copy)]
pub(crate) struct ClipFiles {
    /// Starts loading the clip of a file.
    pub(crate) load: fn(&AssetServer, &AssetPath<'static>) -> ClipRef,
    /// Starts loading the clip of a file as a dependency of the asset that is being loaded.
    pub(crate) load_within: fn(&mut LoadContext<'_>, &AssetPath<'static>) -> UntypedHandle,
}

/// A function that counts the frames of the clip. If the model does not have the clip: the names of its clips.
pub(crate) type FoundClip<'a> = Result<Box<CountFrames>, Vec<&'a str>>;

/// Counts the frames of a clip; `None` if the count is unknown. Adds handles of the files that the result depends on.
pub(crate) type CountFrames = dyn Fn(&World, &mut Vec<UntypedHandle>) -> Option<u32>;

/// The result of a lookup, from the function that counts the frames of the clip, and from the names of all clips.
pub(crate) fn found_clip<'a>(
    count: Option<Box<CountFrames>>,
    names: impl Iterator<Item = &'a str>,
) -> FoundClip<'a> {
    count.ok_or_else(|| names.collect())
}
