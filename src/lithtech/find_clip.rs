//! Looks up the clips of a model for code that works with any format.

use crate::lithtech::asset::AbcModel;
use crate::scene::{ClipRef, CountFrames, FoundClip, found_clip};

/// Looks up a clip by name or index. It must not be a part of another clip. `None` for a handle.
pub(super) fn find_clip<'a>(model: &'a AbcModel, clip: &ClipRef) -> Option<FoundClip<'a>> {
    let animation = match clip {
        ClipRef::Handle(_) => return None,
        ClipRef::Name(name) => model.animation(name),
        ClipRef::Index(index) => model.animations.get(*index),
        _ => None,
    };
    let count = animation.map(|animation| -> Box<CountFrames> {
        let count = u32::try_from(animation.keyframes.len()).ok();
        Box::new(move |_, _| count)
    });
    let names = model.animations.iter().map(|animation| &*animation.name);
    Some(found_clip(count, names))
}
