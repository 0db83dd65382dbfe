//! The [`Ala`] asset: a loaded animation, its metadata and its tracks.

use crate::formats::alamo::animation::packed::{PackedRotations, PackedVectors};
use crate::formats::alamo::animation::visibility::VisibilityCurve;
use crate::playback::frames::Frames;
use crate::root::events::StoredEvent;
use crate::root::play::ClipRef;
use bevy::asset::AssetPath;
use bevy::prelude::*;
use classic_model_formats::ala::{AlaBone, AlaFile};
use classic_model_formats::read::Warning;
use core::fmt;
use std::sync::Arc;

/// A loaded Alamo animation.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct Ala {
    /// The clip that Bevy plays: label [`AlaAssetLabel::Clip`].
    #[dependency]
    pub clip: Handle<AnimationClip>,
    /// The format version, 1 or 2.
    pub version: u8,
    /// The count of frames; at least 1.
    pub frames: u32,
    /// Frames per second; greater than 0.
    pub fps: f32,
    /// The bones that it animates, in file order.
    pub bones: Vec<AlaBoneInfo>,
    /// Problems in the file that did not prevent loading.
    pub warnings: Vec<Warning>,
    /// The tracks, which share their data with the clip.
    pub tracks: AlaTracks,
}

impl Ala {
    /// Collects the metadata of a file, which `clip` plays.
    pub(crate) fn new(file: AlaFile<'_>, tracks: AlaTracks, clip: Handle<AnimationClip>) -> Self {
        Self {
            tracks,
            clip,
            version: file.version,
            frames: file.frames,
            fps: file.fps,
            bones: file.bones.iter().map(AlaBoneInfo::of).collect(),
            warnings: file.warnings,
        }
    }

    /// The times of its frames.
    pub(crate) fn frame_times(&self) -> Frames<'static> {
        Frames::Rate {
            count: self.frames,
            fps: self.fps,
        }
    }

    /// Seconds from the first frame to the last; 0 if there is one frame.
    pub fn seconds(&self) -> f32 {
        self.frames.saturating_sub(1) as f32 / self.fps
    }
}

/// A bone that an [`Ala`] animates.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AlaBoneInfo {
    /// Its name.
    pub name: Box<str>,
    /// Its index in the model.
    pub index: usize,
    /// Whether it has a translation track.
    pub translation: bool,
    /// Whether it has a rotation track.
    pub rotation: bool,
    /// Whether it has a scale track.
    pub scale: bool,
    /// Whether it has a visibility track.
    pub visibility: bool,
    /// Whether some of its frames are held until the next frame, without interpolation.
    pub steps: bool,
}

impl AlaBoneInfo {
    fn of(bone: &AlaBone<'_>) -> Self {
        Self {
            name: (*bone.name).into(),
            index: bone.index as usize,
            translation: bone.translation.is_some(),
            rotation: bone.rotation.is_some(),
            scale: bone.scale.is_some(),
            visibility: bone.visibility.is_some(),
            steps: bone.steps.is_some(),
        }
    }
}

/// An animation that was found for a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AloAnimation {
    /// Its name in upper case, without the model's name: `MOVE_00`.
    pub name: Box<str>,
    /// The animation's metadata.
    pub ala: Handle<Ala>,
    /// The clip that Bevy plays.
    pub clip: Handle<AnimationClip>,
    /// Its sounds and surface effects in [`AloLoaderSettings::sound_table`](crate::alamo::AloLoaderSettings::sound_table), in the
    /// order of their times. Their frames are 0, because the frame rate is that of [`ala`](Self::ala).
    pub events: Vec<StoredEvent>,
    /// Selects it.
    pub(crate) reference: ClipRef,
}

/// Labels of the assets inside an `.ala` file: `walker_MOVE_00.ala#Clip`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AlaAssetLabel {
    /// `Clip`: the animation as an [`AnimationClip`].
    Clip,
}

impl fmt::Display for AlaAssetLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clip => f.write_str("Clip"),
        }
    }
}

impl AlaAssetLabel {
    /// The path of this asset inside the given file.
    pub fn from_asset(&self, path: impl Into<AssetPath<'static>>) -> AssetPath<'static> {
        path.into().with_label(self.to_string())
    }
}

/// The tracks of one bone. They share their data with the curves of the clip.
#[derive(Clone, Debug)]
pub(crate) struct BoneTracks {
    /// Index of the bone in the model.
    pub(crate) bone: usize,
    pub(crate) translation: Track<PackedVectors, Vec3>,
    /// `None` keeps the rotation of the rest pose.
    pub(crate) rotation: Option<Track<PackedRotations, Quat>>,
    pub(crate) scale: Track<PackedVectors, Vec3>,
    pub(crate) visibility: VisibilityCurve,
}

#[derive(Clone, Debug)]
pub(crate) enum Track<P, V> {
    Packed(P),
    Fixed(V),
}

impl<P: Curve<V>, V: Copy> Track<P, V> {
    #[inline]
    fn sample(&self, seconds: f32) -> V {
        match self {
            Self::Packed(curve) => curve.sample_clamped(seconds),
            Self::Fixed(value) => *value,
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
            translation: self.translation.sample(seconds),
            rotation: rotation.map_or(rest.rotation, |track| track.sample(seconds)),
            scale: self.scale.sample(seconds),
        }
    }
}

impl AlaTracks {
    pub(crate) fn new(bones: Vec<BoneTracks>) -> Self {
        Self(bones.into())
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

    /// Whether the bone of an entry has a visibility track.
    pub(crate) fn has_visibility(&self, entry: usize) -> bool {
        let tracks = self.0.get(entry);
        tracks.is_some_and(|tracks| tracks.visibility.has_frames())
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
