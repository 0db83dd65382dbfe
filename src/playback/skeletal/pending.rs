//! A clip that is requested and not yet loaded.

use crate::playback::skeletal::clips::Clips;
use crate::playback::skeletal::rig::{ClipSource, Rig};
use crate::root::play::ResolvedPlay;

/// A clip that is requested and not yet loaded.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) source: ClipSource,
    /// Whether it replaces the clip that plays at its time, because only the file has changed.
    pub(crate) continues: bool,
    /// Whether there was a warning that its part has no frames.
    has_warned: bool,
}

/// The state of a pending clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PendingState {
    /// It is not loaded yet.
    Loading,
    /// It can play.
    Ready,
    /// It cannot play: loading has failed, or its part has no frames. It may play after a reload.
    Unplayable,
}

impl Pending {
    pub(crate) fn new(source: ClipSource, continues: bool) -> Self {
        Self {
            source,
            continues,
            has_warned: false,
        }
    }

    /// Checks whether the clip can play. Adds a warning if its part has no frames. `requested` describes the clip in the
    /// warning.
    pub(crate) fn poll<F: Rig>(
        &mut self,
        requested: Option<&ResolvedPlay>,
        model: &F::Model,
        clips: &Clips<'_, '_, F>,
        warnings: &mut Vec<String>,
    ) -> PendingState {
        if !clips.is_ready(&self.source) {
            // The asset server has logged the error. The clip starts if the file is fixed later.
            return if clips.has_failed(&self.source) {
                PendingState::Unplayable
            } else {
                PendingState::Loading
            };
        }
        let frames = clips.info(&self.source, model).map(|info| info.frames);
        let part = self.source.frames.as_ref();
        if part.is_none_or(|part| frames.is_some_and(|frames| frames.span(part).is_some())) {
            return PendingState::Ready;
        }
        if let Some(requested) = requested.filter(|_| !self.has_warned) {
            let count = frames.map(|frames| frames.count());
            warnings.push(requested.empty_part_warning(count));
        }
        self.has_warned = true;
        PendingState::Unplayable
    }
}
