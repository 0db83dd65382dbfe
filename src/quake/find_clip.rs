//! Looks up the clips of a model for code that works with any format.

use crate::quake::asset::MdlModel;
use crate::scene::{ClipRef, CountFrames, FoundClip, found_clip};

/// Looks up a clip by name, index or frames. It must not be a part of another clip. Models have no clips
/// by handle.
pub(super) fn find_clip<'a>(model: &'a MdlModel, clip: &ClipRef) -> Option<FoundClip<'a>> {
    let count = model.sequence(clip).map(|sequence| -> Box<CountFrames> {
        let count = sequence.pose_count;
        Box::new(move |_, _| Some(count))
    });
    let names = model.clips.iter().map(|clip| &*clip.name);
    Some(found_clip(count, names))
}
