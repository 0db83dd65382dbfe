//! For what looks up clips of models: the clip that a part is of, and what to say of clips that a model lacks.

use crate::scene::clip_ref::{ClipRef, part_within};
use crate::scene::clips::ModelClips;
use crate::scene::play::ResolvedPlay;
use core::ops::Range;

impl ClipRef {
    /// What is not a part, and which of its frames if this is one.
    pub(crate) fn flat(&self) -> (&Self, Option<Range<u32>>) {
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
    /// What to say of a model that has no such clip, and which it has.
    pub(crate) fn missing(&self, table: Option<&ModelClips>, own: &[&str]) -> String {
        let mut names = match own {
            [] => "there are none".to_owned(),
            own => format!("there are {}", own.join(", ")),
        };
        if let Some(ModelClips(table)) = table.filter(|table| !table.0.is_empty()) {
            let stated: Vec<&str> = table.iter().map(|clip| &*clip.name).collect();
            names += &format!(
                " in its file, and by names of their own {}",
                stated.join(", ")
            );
        }
        format!("has no clip {}; {names}", self.meant())
    }

    /// What to say where nothing is left of a part of a clip, which has so many frames if that is known.
    pub(crate) fn empty(&self, count: Option<u32>) -> String {
        let why = match count {
            Some(1) => "its only frame is number 0".to_owned(),
            Some(count) => format!("its frames are 0 to {}", count.saturating_sub(1)),
            None => "which frames it has is not known".to_owned(),
        };
        format!("has nothing left of the clip {}; {why}", self.meant())
    }

    /// The clip, and what it is called if that is something else.
    fn meant(&self) -> String {
        let clip = &self.play.clip;
        match *clip == self.asked {
            true => clip.to_string(),
            false => format!("{clip}, which {} stands for", self.asked),
        }
    }
}
