//! How nodes move, as Bevy's curves over the keyframes of one animation.

use crate::lithtech::abc::Animation;
use crate::lithtech::handedness::Handedness;
use crate::scene::{STILL, slerp};
use bevy::math::curve::{Curve, Interval};
use bevy::math::{Quat, Vec3};
use bevy::reflect::Reflect;
use core::fmt;
use std::sync::Arc;

/// The keyframes of all nodes of an animation.
struct Keys {
    /// Seconds, never descending.
    times: Box<[f32]>,
    /// All of the first node, then all of the next.
    translations: Box<[[f32; 3]]>,
    /// Likewise, of length 1.
    rotations: Box<[[f32; 4]]>,
    duration: f32,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keys").field(&self.times.len()).finish()
    }
}

impl Keys {
    fn domain(&self) -> Interval {
        Interval::new(0.0, self.duration).unwrap_or(Interval::UNIT)
    }

    #[inline]
    fn moment(&self, seconds: f32) -> (usize, f32) {
        moment(&self.times, seconds)
    }
}

/// The keyframe at a time, and the way to the next from 0 up to but not including 1.
#[inline]
pub(super) fn moment(times: &[f32], seconds: f32) -> (usize, f32) {
    let begun = times.partition_point(|time| *time <= seconds);
    // Before the first, and where a time is not a number, it is the first.
    let Some(key) = begun.checked_sub(1) else {
        return (0, 0.0);
    };
    match (times.get(key), times.get(begun)) {
        // The next is later than the time and this one is not, so they are not the same.
        (Some(from), Some(to)) => (key, (seconds - from) / (to - from)),
        _ => (key, 0.0),
    }
}

/// When the keyframes of an animation are, in seconds.
pub(super) fn times(animation: &Animation<'_>) -> Box<[f32]> {
    let seconds = |time: u32| (f64::from(time) / 1000.0) as f32;
    let keyframes = animation.keyframes.iter();
    keyframes.map(|keyframe| seconds(keyframe.time)).collect()
}

/// The curves of an animation, which share its keyframes.
#[derive(Clone, Debug)]
pub(super) struct AbcCurves {
    keys: Arc<Keys>,
}

impl AbcCurves {
    /// Copies the keyframes out of a file.
    pub(super) fn new(animation: &Animation<'_>, space: Handedness) -> Self {
        let times = times(animation);
        let count = animation.tracks.iter().map(|track| track.keys.len()).sum();
        let mut translations = Vec::with_capacity(count);
        let mut rotations = Vec::with_capacity(count);
        for key in animation.tracks.iter().flat_map(|track| track.keys) {
            let translation = key.translation.map(|value| value.get());
            translations.push(space.vector(translation).to_array());
            rotations.push(space.stored_rotation(key.unit_rotation()).to_array());
        }
        let last = times.last().copied().unwrap_or(0.0);
        let length = animation.seconds().max(last);
        Self {
            keys: Arc::new(Keys {
                times,
                translations: translations.into(),
                rotations: rotations.into(),
                duration: if length > 0.0 { length } else { STILL },
            }),
        }
    }

    /// How long the animation takes, in seconds; greater than 0.
    pub(super) fn duration(&self) -> f32 {
        self.keys.duration
    }

    /// How many nodes it moves: all of the model, or none if it has no keyframes.
    pub(super) fn nodes(&self) -> usize {
        let keys = self.keys.times.len();
        self.keys.translations.len().checked_div(keys).unwrap_or(0)
    }

    /// How a node moves and turns.
    pub(super) fn node(&self, node: usize) -> (NodeTranslations, NodeRotations) {
        let first = node.saturating_mul(self.keys.times.len());
        let keys = &self.keys;
        let translations = NodeTranslations {
            keys: keys.clone(),
            first,
        };
        let rotations = NodeRotations {
            keys: keys.clone(),
            first,
        };
        (translations, rotations)
    }
}

/// Where a node is in its parent: on straight lines from one keyframe to the next.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, Debug)]
pub(super) struct NodeTranslations {
    keys: Arc<Keys>,
    /// Which key is the node's first.
    first: usize,
}

impl NodeTranslations {
    #[inline]
    fn key(&self, key: usize) -> Vec3 {
        let key = self.keys.translations.get(self.first + key);
        Vec3::from_array(key.copied().unwrap_or_default())
    }
}

impl Curve<Vec3> for NodeTranslations {
    fn domain(&self) -> Interval {
        self.keys.domain()
    }

    #[inline]
    fn sample_clamped(&self, t: f32) -> Vec3 {
        let (key, way) = self.keys.moment(t);
        if way > 0.0 {
            // Weighted, as the difference of two numbers may be beyond all numbers.
            self.key(key) * (1.0 - way) + self.key(key + 1) * way
        } else {
            self.key(key)
        }
    }

    fn sample_unchecked(&self, t: f32) -> Vec3 {
        self.sample_clamped(t)
    }
}

/// How a node is turned in its parent: on the shorter arc from one keyframe to the next.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, Debug)]
pub(super) struct NodeRotations {
    keys: Arc<Keys>,
    /// Which key is the node's first.
    first: usize,
}

impl NodeRotations {
    #[inline]
    fn key(&self, key: usize) -> Quat {
        let key = self.keys.rotations.get(self.first + key);
        key.map_or(Quat::IDENTITY, |key| Quat::from_array(*key))
    }
}

impl Curve<Quat> for NodeRotations {
    fn domain(&self) -> Interval {
        self.keys.domain()
    }

    #[inline]
    fn sample_clamped(&self, t: f32) -> Quat {
        let (key, way) = self.keys.moment(t);
        if way > 0.0 {
            slerp(self.key(key), self.key(key + 1), way)
        } else {
            self.key(key)
        }
    }

    fn sample_unchecked(&self, t: f32) -> Quat {
        self.sample_clamped(t)
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::lithtech::abc::write::write;
    use crate::lithtech::abc::{TransformInfo, parse};
    use classic_models_fixtures::abc_full::sample_model;

    #[test]
    fn nodes_move_as_the_plain_functions_say() {
        for bits in 0..4 {
            let [mirrors, flip_animation] = [1, 2].map(|bit| bits & bit != 0);
            let transform = TransformInfo {
                flip_geometry: false,
                flip_animation,
            };
            let mut model = sample_model();
            model.transform_info = Some(transform);
            let bytes = write(&model).unwrap();
            let file = parse(&bytes).unwrap();
            let space = Handedness::new(transform, mirrors);
            for (index, animation) in file.animations.iter().enumerate() {
                let curves = AbcCurves::new(animation, space);
                assert_eq!(curves.nodes(), file.nodes.len());
                for step in -2_i16..40 {
                    let seconds = f32::from(step) / 100.0;
                    for (node, pose) in file.node_poses(Some(index), seconds).iter().enumerate() {
                        let (translations, rotations) = curves.node(node);
                        let found = translations.sample_clamped(seconds);
                        assert!(found.abs_diff_eq(space.vector(pose.translation), 1e-4));
                        let found = rotations.sample_clamped(seconds);
                        let expected = space.rotation(pose.rotation);
                        // A quaternion and its opposite are the same rotation.
                        assert!(found.dot(expected).abs() > 1.0 - 1e-5);
                    }
                }
            }
        }
    }

    #[test]
    fn clips_take_some_time() {
        let mut model = sample_model();
        model.animations[0].length = 100;
        let bytes = write(&model).unwrap();
        let file = parse(&bytes).unwrap();
        let space = Handedness::new(file.transform(), true);
        let duration = |index: usize| AbcCurves::new(&file.animations[index], space).duration();
        assert_eq!(duration(0), 0.3, "to the last keyframe");
        assert_eq!(duration(1), STILL);
    }

    #[test]
    fn any_time_is_some_moment() {
        let bytes = write(&sample_model()).unwrap();
        let file = parse(&bytes).unwrap();
        let space = Handedness::new(file.transform(), true);
        let curves = AbcCurves::new(&file.animations[0], space);
        let (translations, rotations) = curves.node(1);
        for seconds in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -0.0] {
            assert!(translations.sample_clamped(seconds).is_finite());
            assert!(rotations.sample_clamped(seconds).is_normalized());
        }
    }
}
