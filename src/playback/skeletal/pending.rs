//! A clip that is requested and not yet loaded.

use crate::playback::frames::Frames;
use crate::playback::skeletal::clip_provider::{ClipProvider, ClipSource};
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
    pub(crate) fn poll<B: ClipProvider>(
        &mut self,
        requested: Option<&ResolvedPlay>,
        model: &B::Model,
        provider: &B,
        warnings: &mut Vec<String>,
    ) -> PendingState {
        if !provider.is_ready(&self.source) {
            // The asset server has logged the error. The clip starts if the file is fixed later.
            return if provider.has_failed(&self.source) {
                PendingState::Unplayable
            } else {
                PendingState::Loading
            };
        }
        let (is_empty, count) = check_part(&self.source, model, provider);
        if !is_empty {
            return PendingState::Ready;
        }
        if let Some(requested) = requested.filter(|_| !self.has_warned) {
            warnings.push(requested.empty_part_warning(count));
        }
        self.has_warned = true;
        PendingState::Unplayable
    }
}

/// Whether the selected part of a clip has no frames, and the count of the clip's frames if it is loaded.
fn check_part<B: ClipProvider>(
    source: &ClipSource,
    model: &B::Model,
    provider: &B,
) -> (bool, Option<u32>) {
    let frames = provider.frames(source, model);
    let has_part = |part| {
        frames
            .as_ref()
            .and_then(|frames| frames.span(part))
            .is_some()
    };
    let is_empty = source.frames.as_ref().is_some_and(|part| !has_part(part));
    (is_empty, frames.as_ref().map(Frames::count))
}
