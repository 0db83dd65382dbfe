//! Finds the clips of a model, for code that works on any format.

use crate::alamo::animation::{frames_of_animation, frames_of_clip};
use crate::alamo::asset::AloModel;
use crate::scene::{ClipRef, FoundClip};

/// Finds a whole clip of a model. If the model has no such clip, the error has the names of its clips.
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
    let names = || model.animations.iter().map(|animation| &*animation.name);
    let Some(animation) = animation else {
        return Some(Err(names().collect()));
    };
    let ala = animation.ala.clone();
    let count = move |world: &_, files: &mut _| frames_of_animation(world, &ala, files);
    Some(Ok(Box::new(count)))
}
