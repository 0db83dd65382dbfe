//! The clips of a model, for code that works on any format.

use crate::quake::asset::MdlModel;
use crate::scene::{ClipRef, FoundClip};

/// A clip of a model, which is no part of another clip.
pub(super) fn find_clip<'a>(model: &'a MdlModel, clip: &ClipRef) -> Option<FoundClip<'a>> {
    #[cfg(any(feature = "alamo", feature = "lithtech"))]
    if matches!(clip, ClipRef::Handle(_)) {
        return None;
    }
    let names = || model.clips.iter().map(|clip| &*clip.name);
    Some(match model.sequence(clip) {
        Some(sequence) => {
            let count = sequence.pose_count;
            Ok(Box::new(move |_, _| Some(count)))
        }
        None => Err(names().collect()),
    })
}
