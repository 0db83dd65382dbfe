//! The active clips of a model and their weights.

use bevy::animation::graph::AnimationNodeIndex;
use bevy::animation::{ActiveAnimation, AnimationClip, AnimationPlayer};
use bevy::asset::Handle;
use core::ops::Range;

/// The source of a clip: the asset and, optionally, the frames that are selected from it.
pub(crate) trait ClipSource: Clone {
    /// The clip as loaded, not yet adapted to a model.
    fn clip(&self) -> &Handle<AnimationClip>;

    /// The selected frames; `None` for the whole clip.
    fn frames(&self) -> Option<&Range<u32>>;
}

/// The graph node of the active clip at an index.
pub(crate) fn node(index: usize) -> AnimationNodeIndex {
    // The first node is the root.
    AnimationNodeIndex::new(index + 1)
}

/// The clips that play on a model: the last one is the selected clip, those before it fade out.
#[derive(Debug)]
pub(crate) struct ActiveClips<S> {
    clips: Vec<ActiveClip<S>>,
    fade: Option<Fade>,
}

/// A clip that plays.
#[derive(Clone, Debug)]
pub(crate) struct ActiveClip<S> {
    pub(crate) source: S,
    /// The clip as adapted to the model.
    pub(crate) clip: Handle<AnimationClip>,
    /// The weight when the last fade began.
    weight: f32,
    /// The state in the player before the last change of the active clips.
    state: ActiveAnimation,
}

/// A cross-fade. Times are in seconds.
#[derive(Clone, Copy, Debug)]
struct Fade {
    duration: f32,
    remaining: f32,
}

impl<S> Default for ActiveClips<S> {
    fn default() -> Self {
        Self {
            clips: Vec::new(),
            fade: None,
        }
    }
}

impl<S: ClipSource> ActiveClips<S> {
    pub(crate) fn is_empty(&self) -> bool {
        self.clips.is_empty()
    }

    /// The selected clip and its index.
    pub(crate) fn selected(&self) -> Option<(usize, &ActiveClip<S>)> {
        self.clips.iter().enumerate().next_back()
    }

    /// The selected clip, if no other clip fades out.
    #[inline]
    pub(crate) fn only(&self) -> Option<&ActiveClip<S>> {
        match &self.clips[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The handles of the clips, in the order of the graph.
    pub(crate) fn handles(&self) -> Vec<Handle<AnimationClip>> {
        self.clips
            .iter()
            .map(|active| active.clip.clone())
            .collect()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &ActiveClip<S>> {
        self.clips.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut ActiveClip<S>> {
        self.clips.iter_mut()
    }

    /// The fraction of the current fade that remains, from 1 to 0; 0 without a fade.
    pub(crate) fn fade_remaining(&self) -> f32 {
        self.fade.map_or(0.0, |fade| fade.remaining / fade.duration)
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
    pub(crate) fn start(&mut self, source: S, fade: f32) {
        let fades = fade > 0.0 && fade.is_finite();
        if fades {
            let weights: Vec<_> = self.weights().collect();
            for (active, weight) in self.clips.iter_mut().zip(weights) {
                active.weight = weight;
            }
            self.drop_lightest();
        } else {
            self.clips.clear();
        }
        self.fade = (fades && !self.clips.is_empty()).then_some(Fade {
            duration: fade,
            remaining: fade,
        });
        self.clips.push(ActiveClip {
            clip: source.clip().clone(),
            source,
            weight: 1.0,
            state: ActiveAnimation::default(),
        });
    }

    /// Replaces the source of the selected clip, and keeps its time.
    pub(crate) fn replace(&mut self, source: S) {
        if let Some(selected) = self.clips.last_mut() {
            selected.source = source;
        }
    }

    /// Advances the fade. Returns true once it is over; then call [`end_fade`](Self::end_fade).
    pub(crate) fn advance_fade(&mut self, seconds: f32) -> bool {
        self.fade.as_mut().is_some_and(|fade| {
            fade.remaining -= seconds;
            fade.remaining <= 0.0
        })
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

    /// Saves the player's states of the clips, before their nodes change.
    pub(crate) fn save_states(&mut self, player: &AnimationPlayer) {
        for (index, active) in self.clips.iter_mut().enumerate() {
            active.state = player.animation(node(index)).copied().unwrap_or_default();
        }
    }

    /// Restarts a player with these clips, in their saved states.
    pub(crate) fn restore_states(&self, player: &mut AnimationPlayer) {
        player.stop_all();
        for (index, active) in self.clips.iter().enumerate() {
            *player.play(node(index)) = active.state;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl ClipSource for Handle<AnimationClip> {
        fn clip(&self) -> &Handle<AnimationClip> {
            self
        }

        fn frames(&self) -> Option<&Range<u32>> {
            None
        }
    }

    fn source() -> Handle<AnimationClip> {
        Handle::default()
    }

    fn weights(clips: &ActiveClips<Handle<AnimationClip>>) -> Vec<f32> {
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
