//! The clips that play on a model, and how much each of them weighs.

use bevy::animation::graph::AnimationNodeIndex;
use bevy::animation::{ActiveAnimation, AnimationClip, AnimationPlayer};
use bevy::asset::{AssetId, Handle};
use core::ops::Range;

/// Where a format has a clip from.
pub(crate) trait ClipSource: Clone {
    /// The clip, as it is for any model.
    fn clip(&self) -> &Handle<AnimationClip>;

    /// Which of its frames are meant; `None` for the whole clip.
    fn frames(&self) -> Option<&Range<u32>>;
}

/// Where in a graph a clip is.
pub(crate) fn node(place: usize) -> AnimationNodeIndex {
    // The first node is the root.
    AnimationNodeIndex::new(place + 1)
}

/// What plays: the last was chosen, those before fade out.
#[derive(Debug)]
pub(crate) struct ActiveClips<S> {
    lanes: Vec<ActiveClip<S>>,
    fade: Option<Fade>,
}

/// A clip that plays.
#[derive(Clone, Debug)]
pub(crate) struct ActiveClip<S> {
    pub(crate) source: S,
    /// The clip as it is for the model.
    pub(crate) clip: Handle<AnimationClip>,
    /// Its weight when the last fade began.
    weight: f32,
    /// What the player knew of it before the last change of lanes.
    state: ActiveAnimation,
}

#[derive(Clone, Copy, Debug)]
struct Fade {
    seconds: f32,
    left: f32,
}

impl<S> Default for ActiveClips<S> {
    fn default() -> Self {
        Self {
            lanes: Vec::new(),
            fade: None,
        }
    }
}

impl<S: ClipSource> ActiveClips<S> {
    pub(crate) fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// What was chosen, and its place.
    pub(crate) fn main(&self) -> Option<(usize, &ActiveClip<S>)> {
        self.lanes.iter().enumerate().next_back()
    }

    /// Their clips, in the order of the graph.
    pub(crate) fn clips(&self) -> Vec<Handle<AnimationClip>> {
        self.lanes.iter().map(|lane| lane.clip.clone()).collect()
    }

    /// Whether a part of any of these clips is among them.
    pub(crate) fn have_part_of(&self, clips: &[AssetId<AnimationClip>]) -> bool {
        let is_part = |source: &S| source.frames().is_some() && clips.contains(&source.clip().id());
        !clips.is_empty() && self.lanes.iter().any(|lane| is_part(&lane.source))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &ActiveClip<S>> {
        self.lanes.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut ActiveClip<S>> {
        self.lanes.iter_mut()
    }

    /// How much of what is faded from is still there, from 1 to 0.
    pub(super) fn rest(&self) -> f32 {
        self.fade.map_or(0.0, |fade| fade.left / fade.seconds)
    }

    /// The weights of all now. They add up to 1.
    pub(crate) fn weights(&self) -> impl Iterator<Item = f32> {
        let (rest, main) = (self.rest(), self.lanes.len().wrapping_sub(1));
        let lanes = self.lanes.iter().enumerate();
        lanes.map(move |(place, lane)| match place == main {
            true => 1.0 - rest,
            false => lane.weight * rest,
        })
    }

    /// Begins a clip. The others fade out over some seconds, or end at once.
    pub(super) fn begin(&mut self, source: S, fade: f32) {
        let fades = fade > 0.0 && fade.is_finite();
        if fades {
            let weights: Vec<_> = self.weights().collect();
            for (lane, weight) in self.lanes.iter_mut().zip(weights) {
                lane.weight = weight;
            }
            self.forget_the_lightest();
        } else {
            self.lanes.clear();
        }
        self.fade = (fades && !self.lanes.is_empty()).then_some(Fade {
            seconds: fade,
            left: fade,
        });
        self.lanes.push(ActiveClip {
            clip: source.clip().clone(),
            source,
            weight: 1.0,
            state: ActiveAnimation::default(),
        });
    }

    /// Puts another clip in the place of what was chosen, at its time.
    pub(super) fn replace(&mut self, source: S) {
        if let Some(main) = self.lanes.last_mut() {
            main.source = source;
        }
    }

    /// Lets a fade go on. True if it is over, and [`end_fade`](Self::end_fade) is due.
    pub(super) fn advance_fade(&mut self, seconds: f32) -> bool {
        self.fade.as_mut().is_some_and(|fade| {
            fade.left -= seconds;
            fade.left <= 0.0
        })
    }

    /// Ends all but what was chosen.
    pub(super) fn end_fade(&mut self) {
        self.fade = None;
        let faded = self.lanes.len().saturating_sub(1);
        self.lanes.drain(..faded);
    }

    /// Ends what hardly shows. Else clips would pile up where each choice comes before the fade of the
    /// last has ended.
    fn forget_the_lightest(&mut self) {
        /// No one sees that less is missing.
        const LEAST: f32 = 1e-3;
        /// So many fade out at most.
        const MOST: usize = 8;
        self.lanes.retain(|lane| lane.weight >= LEAST);
        while self.lanes.len() > MOST {
            let lanes = self.lanes.iter().enumerate();
            let lightest = lanes.min_by(|(_, a), (_, b)| a.weight.total_cmp(&b.weight));
            if let Some((place, _)) = lightest {
                self.lanes.remove(place);
            }
        }
        let sum: f32 = self.lanes.iter().map(|lane| lane.weight).sum();
        for lane in &mut self.lanes {
            lane.weight /= sum;
        }
    }

    /// Ends everything.
    pub(super) fn stop(&mut self) {
        self.fade = None;
        self.lanes.clear();
    }

    /// Takes down what the player knows, before its nodes are other ones.
    pub(super) fn remember(&mut self, player: &AnimationPlayer) {
        for (place, lane) in self.lanes.iter_mut().enumerate() {
            lane.state = player.animation(node(place)).copied().unwrap_or_default();
        }
    }

    /// Tells a player what plays.
    pub(super) fn tell(&self, player: &mut AnimationPlayer) {
        player.stop_all();
        for (place, lane) in self.lanes.iter().enumerate() {
            *player.play(node(place)) = lane.state;
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

    fn weights(lanes: &ActiveClips<Handle<AnimationClip>>) -> Vec<f32> {
        lanes.weights().collect()
    }

    #[test]
    fn a_fade_within_a_fade_begins_with_what_shows() {
        let mut lanes = ActiveClips::default();
        lanes.begin(source(), 1.0);
        assert_eq!(weights(&lanes), [1.0], "there is nothing to fade from");
        lanes.begin(source(), 1.0);
        assert!(!lanes.advance_fade(0.25));
        assert_eq!(weights(&lanes), [0.75, 0.25]);
        lanes.begin(source(), 0.5);
        assert_eq!(weights(&lanes), [0.75, 0.25, 0.0]);
        assert!(!lanes.advance_fade(0.25));
        assert_eq!(weights(&lanes), [0.375, 0.125, 0.5]);
        assert!(lanes.advance_fade(0.25));
        lanes.end_fade();
        assert_eq!(weights(&lanes), [1.0]);
    }

    #[test]
    fn lanes_do_not_pile_up() {
        let mut lanes = ActiveClips::default();
        for number in 0..1000 {
            lanes.begin(source(), 1.0);
            lanes.advance_fade(0.001 * (number % 7) as f32);
            assert!(lanes.clips().len() <= 9);
            let sum: f32 = lanes.weights().sum();
            assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        }
        lanes.begin(source(), 0.0);
        assert_eq!(weights(&lanes), [1.0]);
    }
}
