//! The tracks of an animation, for poses without Bevy's animation.

use crate::formats::alamo::animation::packed::{
    FixedRotation, FixedVector, PackedRotations, PackedVectors,
};
use crate::formats::alamo::animation::visibility::VisibilityCurve;
use bevy::prelude::*;
use std::sync::Arc;

/// The tracks of one bone. They share their data with the curves of the clip.
#[derive(Clone, Debug)]
pub(crate) struct BoneTracks {
    /// Index of the bone in the model.
    pub(crate) bone: usize,
    pub(crate) translation: Track<PackedVectors, FixedVector>,
    /// `None` keeps the rotation of the rest pose.
    pub(crate) rotation: Option<Track<PackedRotations, FixedRotation>>,
    pub(crate) scale: Track<PackedVectors, FixedVector>,
    pub(crate) visibility: VisibilityCurve,
}

#[derive(Clone, Debug)]
pub(crate) enum Track<P, F> {
    Packed(P),
    Fixed(F),
}

impl<P, F> Track<P, F> {
    #[inline]
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
pub struct AlaTracks(Arc<[BoneTracks]>);

impl BoneTracks {
    #[inline]
    fn transform(&self, seconds: f32, rest: &Transform) -> Transform {
        let rotation = self.rotation.as_ref();
        Transform {
            translation: self.translation.sample::<Vec3>(seconds),
            rotation: rotation.map_or(rest.rotation, |track| track.sample(seconds)),
            scale: self.scale.sample::<Vec3>(seconds),
        }
    }
}

impl AlaTracks {
    pub(crate) fn new(bones: Vec<BoneTracks>) -> Self {
        Self(bones.into())
    }

    /// The bone of each entry.
    pub(crate) fn bones(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|tracks| tracks.bone)
    }

    /// The transform of the bone of an entry at a time in seconds, relative to its parent. `rest` is that of the rest
    /// pose, which is returned if there is no such entry.
    #[inline]
    pub(crate) fn transform(&self, entry: usize, seconds: f32, rest: &Transform) -> Transform {
        let tracks = self.0.get(entry);
        tracks.map_or(*rest, |tracks| tracks.transform(seconds, rest))
    }

    /// Whether the bone of an entry is visible at a time in seconds.
    #[inline]
    pub(crate) fn is_visible(&self, entry: usize, seconds: f32) -> bool {
        let tracks = self.0.get(entry);
        tracks.is_none_or(|tracks| tracks.visibility.sample(seconds))
    }

    /// Poses the bones of a model at a time in seconds. `local` are the transforms of the bones at rest, each relative to its
    /// parent, in the file's space. Tracks of bones beyond its end are ignored.
    pub fn pose(&self, seconds: f32, local: &mut [Transform]) {
        // If two entries have the same bone, the first is used.
        for tracks in self.0.iter().rev() {
            if let Some(local) = local.get_mut(tracks.bone) {
                *local = tracks.transform(seconds, local);
            }
        }
    }

    /// Writes whether the bones of a model are visible at a time in seconds. `visible` are the model's flags, which bones
    /// without tracks keep. Tracks of bones beyond its end are ignored.
    pub fn show(&self, seconds: f32, visible: &mut [bool]) {
        for tracks in self.0.iter().rev() {
            if let Some(visible) = visible.get_mut(tracks.bone) {
                *visible = tracks.visibility.sample(seconds);
            }
        }
    }
}
