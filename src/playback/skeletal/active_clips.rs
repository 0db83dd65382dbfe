//! The active clips of a model and their weights.

use crate::playback::fade::Fade;
use crate::playback::skeletal::playing_clip::PlayingClip;
use crate::playback::skeletal::rig::ClipSource;
use bevy::prelude::*;

/// The graph node of the active clip at an index.
pub(crate) fn node(index: usize) -> AnimationNodeIndex {
    // The first node is the root.
    AnimationNodeIndex::new(index + 1)
}

/// The clips that play on a model: the last one is the selected clip, those before it fade out.
#[derive(Debug, Default)]
pub(crate) struct ActiveClips {
    clips: Vec<ActiveClip>,
    fade: Option<Fade>,
}

/// A clip that plays beside others.
#[derive(Debug)]
pub(crate) struct ActiveClip {
    pub(crate) playing: PlayingClip,
    /// The weight when the last fade began.
    weight: f32,
}

impl ActiveClips {
    pub(crate) fn is_empty(&self) -> bool {
        self.clips.is_empty()
    }

    /// The selected clip.
    pub(crate) fn selected(&self) -> Option<&PlayingClip> {
        self.clips.last().map(|active| &active.playing)
    }

    /// The selected clip, if no other clip fades out.
    #[inline]
    pub(crate) fn only(&self) -> Option<&PlayingClip> {
        match &self.clips[..] {
            [only] => Some(&only.playing),
            _ => None,
        }
    }

    /// The handles of the clips, in the order of the graph.
    pub(crate) fn handles(&self) -> Vec<Handle<AnimationClip>> {
        self.iter().map(|playing| playing.clip.clone()).collect()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &PlayingClip> {
        self.clips.iter().map(|active| &active.playing)
    }

    /// The last one is the selected clip.
    pub(crate) fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut PlayingClip> {
        self.clips.iter_mut().map(|active| &mut active.playing)
    }

    /// The fraction of the current fade that remains, from 1 to 0; 0 without a fade.
    pub(crate) fn fade_remaining(&self) -> f32 {
        self.fade.map_or(0.0, |fade| fade.fraction())
    }

    /// The current weights of all clips. They add up to 1.
    pub(crate) fn weights(&self) -> impl Iterator<Item = f32> {
        let remaining = self.fade_remaining();
        let selected = self.clips.len().wrapping_sub(1);
        let clips = self.clips.iter().enumerate();
        clips.map(move |(index, active)| {
            if index == selected {
                1.0 - remaining
            } else {
                active.weight * remaining
            }
        })
    }

    /// Starts a clip. The others fade out over `fade` seconds, or stop at once if that is not a positive number.
    pub(crate) fn start(&mut self, source: ClipSource, fade: f32) {
        let fade = Fade::new(fade);
        if fade.is_some() {
            let weights: Vec<_> = self.weights().collect();
            for (active, weight) in self.clips.iter_mut().zip(weights) {
                active.weight = weight;
            }
            self.drop_lightest();
        } else {
            self.clips.clear();
        }
        self.fade = fade.filter(|_| !self.clips.is_empty());
        self.clips.push(ActiveClip {
            playing: PlayingClip::new(source),
            weight: 1.0,
        });
    }

    /// Replaces the source of the selected clip, and keeps its time.
    pub(crate) fn replace(&mut self, source: ClipSource) {
        if let Some(selected) = self.clips.last_mut() {
            selected.playing.source = source;
        }
    }

    /// Advances the fade. Returns true once it is over; then call [`end_fade`](Self::end_fade).
    pub(crate) fn advance_fade(&mut self, seconds: f32) -> bool {
        let fade = self.fade.as_mut();
        fade.is_some_and(|fade| !fade.advance(seconds))
    }

    /// Removes all clips but the selected one.
    pub(crate) fn end_fade(&mut self) {
        self.fade = None;
        let faded = self.clips.len().saturating_sub(1);
        self.clips.drain(..faded);
    }

    /// Removes the clips with the lowest weights. Otherwise clips would accumulate if each selection came before the
    /// end of the previous fade.
    fn drop_lightest(&mut self) {
        /// Removing a clip of a lower weight is not visible.
        const MIN_WEIGHT: f32 = 1e-3;
        /// The most clips that fade out at the same time.
        const MAX_FADING: usize = 8;
        self.clips.retain(|active| active.weight >= MIN_WEIGHT);
        while self.clips.len() > MAX_FADING {
            let clips = self.clips.iter().enumerate();
            let lightest = clips.min_by(|(_, a), (_, b)| a.weight.total_cmp(&b.weight));
            if let Some((index, _)) = lightest {
                self.clips.remove(index);
            }
        }
        let sum: f32 = self.clips.iter().map(|active| active.weight).sum();
        for active in &mut self.clips {
            active.weight /= sum;
        }
    }

    /// Removes all clips.
    pub(crate) fn stop(&mut self) {
        self.fade = None;
        self.clips.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> ClipSource {
        ClipSource {
            clip: Handle::default(),
            frames: None,
            file: None,
        }
    }

    fn weights(clips: &ActiveClips) -> Vec<f32> {
        clips.weights().collect()
    }

    #[test]
    fn fade_during_fade_starts_from_current_weights() {
        let mut clips = ActiveClips::default();
        clips.start(source(), 1.0);
        assert_eq!(weights(&clips), [1.0], "there is no clip to fade from");
        clips.start(source(), 1.0);
        assert!(!clips.advance_fade(0.25));
        assert_eq!(weights(&clips), [0.75, 0.25]);
        clips.start(source(), 0.5);
        assert_eq!(weights(&clips), [0.75, 0.25, 0.0]);
        assert!(!clips.advance_fade(0.25));
        assert_eq!(weights(&clips), [0.375, 0.125, 0.5]);
        assert!(clips.advance_fade(0.25));
        clips.end_fade();
        assert_eq!(weights(&clips), [1.0]);
    }

    #[test]
    fn fading_clips_do_not_accumulate() {
        let mut clips = ActiveClips::default();
        for number in 0..1000 {
            clips.start(source(), 1.0);
            clips.advance_fade(0.001 * (number % 7) as f32);
            assert!(clips.handles().len() <= 9);
            let sum: f32 = clips.weights().sum();
            assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        }
        clips.start(source(), 0.0);
        assert_eq!(weights(&clips), [1.0]);
    }
}
