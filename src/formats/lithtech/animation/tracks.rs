//! Bevy curves for the translation and rotation of each node over the keyframes of one animation, and the clips of them.

use crate::formats::lithtech::convert::handedness::Handedness;
use crate::playback::frames::slerp;
use crate::playback::frames::{SINGLE_FRAME_SECONDS, keyframe_at};
use crate::playback::properties::{Rotation, Translation};
use bevy::animation::AnimationTargetId;
use bevy::prelude::*;
use classic_model_formats::abc::Animation;
use core::fmt;
use std::sync::{Arc, LazyLock};

/// The keyframes of all nodes of an animation.
struct Keyframes {
    /// Seconds, in ascending order; equal times are possible.
    times: Box<[f32]>,
    /// All keyframes of the first node, then all of the next.
    translations: Box<[[f32; 3]]>,
    /// Unit quaternions, in the same order.
    rotations: Box<[[f32; 4]]>,
    duration: f32,
}

impl fmt::Debug for Keyframes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keyframes").field(&self.times.len()).finish()
    }
}

impl Keyframes {
    fn domain(&self) -> Interval {
        Interval::new(0.0, self.duration).unwrap_or(Interval::UNIT)
    }

    #[inline]
    fn keyframe_at(&self, seconds: f32) -> (usize, f32) {
        keyframe_at(&self.times, seconds)
    }
}

/// The times of an animation's keyframes, in seconds.
pub(crate) fn keyframe_times(animation: &Animation<'_>) -> Box<[f32]> {
    let seconds = |time: u32| (f64::from(time) / 1000.0) as f32;
    let keyframes = animation.keyframes.iter();
    keyframes.map(|keyframe| seconds(keyframe.time)).collect()
}

/// The curves of an animation, which share its keyframes.
#[derive(Clone, Debug)]
pub struct AbcCurves {
    keys: Arc<Keyframes>,
}

impl AbcCurves {
    /// Copies the keyframes out of a file.
    pub(crate) fn new(animation: &Animation<'_>, handedness: Handedness) -> Self {
        let times = keyframe_times(animation);
        let count = animation.tracks.iter().map(|track| track.keys.len()).sum();
        let mut translations = Vec::with_capacity(count);
        let mut rotations = Vec::with_capacity(count);
        for key in animation.tracks.iter().flat_map(|track| track.keys) {
            let translation = key.translation.map(|value| value.get());
            translations.push(handedness.vector(translation).to_array());
            rotations.push(handedness.keyframe_rotation(key.unit_rotation()).to_array());
        }
        let last = times.last().copied().unwrap_or(0.0);
        let length = animation.seconds().max(last);
        Self {
            keys: Arc::new(Keyframes {
                times,
                translations: translations.into(),
                rotations: rotations.into(),
                duration: if length > 0.0 {
                    length
                } else {
                    SINGLE_FRAME_SECONDS
                },
            }),
        }
    }

    /// Duration of the animation in seconds, greater than 0.
    pub(crate) fn duration(&self) -> f32 {
        self.keys.duration
    }

    /// Count of the nodes that it moves: all nodes of the model, or 0 without keyframes.
    pub(crate) fn nodes(&self) -> usize {
        let keys = self.keys.times.len();
        self.keys.translations.len().checked_div(keys).unwrap_or(0)
    }

    /// Count of its keyframes.
    pub(crate) fn keyframes(&self) -> usize {
        self.keys.times.len()
    }

    /// The transform of a node to its parent's space on the way from a keyframe to the next. The node and the keyframes
    /// must exist.
    pub(crate) fn transform(&self, node: usize, key: usize, fraction: f32) -> Transform {
        let (translations, rotations) = self.node(node);
        Transform {
            translation: translations.between(key, fraction),
            rotation: rotations.between(key, fraction),
            scale: Vec3::ONE,
        }
    }

    /// The curves of a node, in its parent's space.
    pub(crate) fn node(&self, node: usize) -> (NodeTranslations, NodeRotations) {
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

/// A node's translation in its parent's space, interpolated linearly between keyframes.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, Debug)]
pub(crate) struct NodeTranslations {
    keys: Arc<Keyframes>,
    /// Index of the node's first key.
    first: usize,
}

impl NodeTranslations {
    #[inline]
    fn key(&self, key: usize) -> Vec3 {
        let key = self.keys.translations.get(self.first + key);
        Vec3::from_array(key.copied().unwrap_or_default())
    }

    #[inline]
    fn between(&self, key: usize, fraction: f32) -> Vec3 {
        if fraction > 0.0 {
            // Not `lerp`: the difference of two finite values may be infinite.
            self.key(key) * (1.0 - fraction) + self.key(key + 1) * fraction
        } else {
            self.key(key)
        }
    }
}

impl Curve<Vec3> for NodeTranslations {
    fn domain(&self) -> Interval {
        self.keys.domain()
    }

    #[inline]
    fn sample_clamped(&self, t: f32) -> Vec3 {
        let (key, fraction) = self.keys.keyframe_at(t);
        self.between(key, fraction)
    }

    fn sample_unchecked(&self, t: f32) -> Vec3 {
        self.sample_clamped(t)
    }
}

/// A node's rotation in its parent's space, interpolated along the shorter arc between keyframes.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, Debug)]
pub(crate) struct NodeRotations {
    keys: Arc<Keyframes>,
    /// Index of the node's first key.
    first: usize,
}

impl NodeRotations {
    #[inline]
    fn key(&self, key: usize) -> Quat {
        let key = self.keys.rotations.get(self.first + key);
        key.map_or(Quat::IDENTITY, |key| Quat::from_array(*key))
    }

    #[inline]
    fn between(&self, key: usize, fraction: f32) -> Quat {
        if fraction > 0.0 {
            slerp(self.key(key), self.key(key + 1), fraction)
        } else {
            self.key(key)
        }
    }
}

impl Curve<Quat> for NodeRotations {
    fn domain(&self) -> Interval {
        self.keys.domain()
    }

    #[inline]
    fn sample_clamped(&self, t: f32) -> Quat {
        let (key, fraction) = self.keys.keyframe_at(t);
        self.between(key, fraction)
    }

    fn sample_unchecked(&self, t: f32) -> Quat {
        self.sample_clamped(t)
    }
}

/// Count of nodes whose targets are cached: hashing takes longer than the rest of making a curve.
const CACHED_TARGETS: usize = 128;

static TARGETS: LazyLock<Vec<AnimationTargetId>> =
    LazyLock::new(|| (0..CACHED_TARGETS).map(hash_target).collect());

/// The animation target of a node: a hash of `["lithtech", index]`.
pub fn node_target(index: usize) -> AnimationTargetId {
    let cached = TARGETS.get(index).copied();
    cached.unwrap_or_else(|| hash_target(index))
}

fn hash_target(index: usize) -> AnimationTargetId {
    AnimationTargetId::from_iter(["lithtech", &index.to_string()])
}

/// The clip of an animation, which moves all nodes of its model.
pub(crate) fn clip(tracks: &AbcCurves) -> AnimationClip {
    let mut clip = AnimationClip::default();
    clip.set_duration(tracks.duration());
    let curves = clip.curves_mut();
    curves.reserve(tracks.nodes());
    for node in 0..tracks.nodes() {
        let (translations, rotations) = tracks.node(node);
        let node_curves = vec![
            VariableCurve::new(AnimatableCurve::new(Translation, translations)),
            VariableCurve::new(AnimatableCurve::new(Rotation, rotations)),
        ];
        curves.insert(node_target(node), node_curves);
    }
    clip
}

#[cfg(test)]
mod tests {
    use super::*;
    use classic_model_formats::abc::write::write;
    use classic_model_formats::abc::{TransformInfo, parse};
    use classic_models_fixtures::abc_full::sample_model;

    #[test]
    fn curves_agree_with_node_poses() {
        for bits in 0..4 {
            let [mirrors_z, flip_animation] = [1, 2].map(|bit| bits & bit != 0);
            let transform = TransformInfo {
                flip_geometry: false,
                flip_animation,
            };
            let mut model = sample_model();
            model.transform_info = Some(transform);
            let bytes = write(&model).unwrap();
            let file = parse(&bytes).unwrap();
            let handedness = Handedness::new(transform, mirrors_z);
            for (index, animation) in file.animations.iter().enumerate() {
                let curves = AbcCurves::new(animation, handedness);
                assert_eq!(curves.nodes(), file.nodes.len());
                for step in -2_i16..40 {
                    let seconds = f32::from(step) / 100.0;
                    for (node, pose) in file.node_poses(Some(index), seconds).iter().enumerate() {
                        let (translations, rotations) = curves.node(node);
                        let found = translations.sample_clamped(seconds);
                        assert!(found.abs_diff_eq(handedness.vector(pose.translation), 1e-4));
                        let found = rotations.sample_clamped(seconds);
                        let expected = handedness.rotation(pose.rotation);
                        // A quaternion and its opposite are the same rotation.
                        assert!(found.dot(expected).abs() > 1.0 - 1e-5);
                    }
                }
            }
        }
    }

    #[test]
    fn durations_are_positive_and_include_the_last_keyframe() {
        let mut model = sample_model();
        model.animations[0].length = 100;
        let bytes = write(&model).unwrap();
        let file = parse(&bytes).unwrap();
        let handedness = Handedness::new(file.transform(), true);
        let duration =
            |index: usize| AbcCurves::new(&file.animations[index], handedness).duration();
        assert_eq!(
            duration(0),
            0.3,
            "the last keyframe is later than the length of the animation"
        );
        assert_eq!(duration(1), SINGLE_FRAME_SECONDS);
    }

    #[test]
    fn sampling_at_extreme_times_is_finite() {
        let bytes = write(&sample_model()).unwrap();
        let file = parse(&bytes).unwrap();
        let handedness = Handedness::new(file.transform(), true);
        let curves = AbcCurves::new(&file.animations[0], handedness);
        let (translations, rotations) = curves.node(1);
        for seconds in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -0.0] {
            assert!(translations.sample_clamped(seconds).is_finite());
            assert!(rotations.sample_clamped(seconds).is_normalized());
        }
    }
}
