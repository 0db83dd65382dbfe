//! Clip lookup: separates a clip from its frame range, and builds warnings for clips that a model does not have.

use crate::root::clip_ref::{ClipRef, part_within};
use crate::root::clips::ModelClips;
use crate::root::play::ResolvedPlay;
use core::ops::Range;

impl ClipRef {
    /// The whole clip, and the range of its frames if this is a part. Nested parts are combined.
    pub(crate) fn split_frames(&self) -> (&Self, Option<Range<u32>>) {
        let (mut clip, mut frames) = (self, None);
        while let Self::Part {
            clip: of,
            frames: which,
        } = clip
        {
            frames = Some(part_within(which, frames));
            clip = of;
        }
        (clip, frames)
    }
}

impl ResolvedPlay {
    /// The warning for a model that does not have the clip. Lists the clips that it has.
    pub(crate) fn missing_clip_warning(&self, table: Option<&ModelClips>, own: &[&str]) -> String {
        let mut names = match own {
            [] => "none".to_owned(),
            own => own.join(", "),
        };
        if let Some(ModelClips(table)) = table.filter(|table| !table.0.is_empty()) {
            let aliases: Vec<&str> = table.iter().map(|clip| &*clip.name).collect();
            names += &format!("; names in `ModelClips`: {}", aliases.join(", "));
        }
        format!(
            "has no clip {}; available clips: {names}",
            self.description()
        )
    }

    /// The warning for a part of a clip that has none of the requested frames. `count` is the clip's frame count, if it
    /// is known.
    pub(crate) fn empty_part_warning(&self, count: Option<u32>) -> String {
        let why = match count {
            Some(1) => "its only frame is 0".to_owned(),
            Some(count) => format!("its frames are 0 to {}", count.saturating_sub(1)),
            None => "its frame count is unknown".to_owned(),
        };
        format!("has no valid frame in clip {}; {why}", self.description())
    }

    /// The clip, and its alias if it was requested by one.
    fn description(&self) -> String {
        let clip = &self.play.clip;
        if *clip == self.requested {
            clip.to_string()
        } else {
            format!("{clip} (alias {})", self.requested)
        }
    }
}
