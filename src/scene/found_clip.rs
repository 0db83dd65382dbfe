//! What a model has of a clip, for code that works on any format.

use bevy::asset::UntypedHandle;
use bevy::ecs::world::World;

/// What counts the frames of a clip, or the names of the clips that the model has if it lacks this one.
pub(crate) type FoundClip<'a> = Result<Box<CountFrames>, Vec<&'a str>>;

/// Counts the frames of a clip, if their number is known. Adds the files that the answer depends on.
pub(crate) type CountFrames = dyn Fn(&World, &mut Vec<UntypedHandle>) -> Option<u32>;
