//! The result of a clip lookup in a model, for code that works on any format.

use bevy::asset::UntypedHandle;
use bevy::ecs::world::World;

/// A function that counts the frames of the clip. If the model does not have the clip: the names of its clips.
pub(crate) type FoundClip<'a> = Result<Box<CountFrames>, Vec<&'a str>>;

/// Counts the frames of a clip; `None` if the count is unknown. Adds handles of the files that the result depends on.
pub(crate) type CountFrames = dyn Fn(&World, &mut Vec<UntypedHandle>) -> Option<u32>;

/// The result of a lookup, from the function that counts the frames of the clip, and from the names of all clips.
#[cfg(feature = "_clips")]
pub(crate) fn found_clip<'a>(
    count: Option<Box<CountFrames>>,
    names: impl Iterator<Item = &'a str>,
) -> FoundClip<'a> {
    count.ok_or_else(|| names.collect())
}
