//! Looks up the clips of a model for code that works with any format.

use crate::alamo::animation::{frames_of_animation, frames_of_clip};
use crate::alamo::asset::AloModel;
use crate::scene::{ClipRef, CountFrames, FoundClip, found_clip};

/// Looks up a clip by name, index or handle. It must not be a part of another clip.
pub(super) fn find_clip<'a>(model: &'a AloModel, clip: &ClipRef) -> Option<FoundClip<'a>> {
    let animation = match clip {
        ClipRef::Handle(clip) => {
            let clip = clip.clone();
            let count = move |world: &_, files: &mut _| frames_of_clip(world, &clip, files);
            return Some(Ok(Box::new(count)));
        }
        ClipRef::Name(name) => model.animation(name),
        ClipRef::Index(index) => model.animations.get(*index),
        _ => None,
    };
    let count = animation.map(|animation| -> Box<CountFrames> {
        let ala = animation.ala.clone();
        Box::new(move |world, files| frames_of_animation(world, &ala, files))
    });
    let names = model.animations.iter().map(|animation| &*animation.name);
    Some(found_clip(count, names))
}
