//! The tracks of an animation, for poses without Bevy's animation.

use crate::alamo::animation::packed::{FixedRotation, FixedVector, PackedRotations, PackedVectors};
use bevy::math::Vec3;
use bevy::math::curve::Curve;
use bevy::transform::components::Transform;

/// The tracks of one bone. They share their data with the curves of the clip.
#[derive(Clone, Debug)]
pub(super) struct BoneTracks {
    /// Index of the bone in the model.
    pub(super) bone: usize,
    pub(super) translation: Track<PackedVectors, FixedVector>,
    /// `None` keeps the rotation of the rest pose.
    pub(super) rotation: Option<Track<PackedRotations, FixedRotation>>,
    pub(super) scale: Track<PackedVectors, FixedVector>,
}

#[derive(Clone, Debug)]
pub(super) enum Track<P, F> {
    Packed(P),
    Fixed(F),
}

impl<P, F> Track<P, F> {
    fn sample<T>(&self, seconds: f32) -> T
    where
        P: Curve<T>,
        F: Curve<T>,
    {
        match self {
            Self::Packed(curve) => curve.sample_clamped(seconds),
            Self::Fixed(curve) => curve.sample_clamped(seconds),
        }
    }
}

/// The tracks of all bones of an animation. They share their data with the curves of its clip.
#[derive(Clone, Debug, Default)]
pub struct AlaTracks(Vec<BoneTracks>);

impl AlaTracks {
    pub(super) fn new(bones: Vec<BoneTracks>) -> Self {
        Self(bones)
    }

    /// Poses the bones of a model at a time in seconds. `local` are the transforms of the bones at rest, each relative to its
    /// parent, in the file's space. Tracks of bones beyond its end are ignored.
    pub fn pose(&self, seconds: f32, local: &mut [Transform]) {
        // If two entries have the same bone, the first is used.
        for tracks in self.0.iter().rev() {
            if let Some(local) = local.get_mut(tracks.bone) {
                let rotation = tracks.rotation.as_ref();
                *local = Transform {
                    translation: tracks.translation.sample::<Vec3>(seconds),
                    rotation: rotation.map_or(local.rotation, |track| track.sample(seconds)),
                    scale: tracks.scale.sample::<Vec3>(seconds),
                };
            }
        }
    }
}
