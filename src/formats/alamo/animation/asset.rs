//! The [`Ala`] asset: a loaded animation and its metadata.

use crate::formats::alamo::animation::tracks::AlaTracks;
use crate::playback::frames::Frames;
use bevy::asset::AssetPath;
use bevy::prelude::*;
use classic_model_formats::ala::{AlaBone, AlaFile};
use classic_model_formats::read::Warning;
use core::fmt;

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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AloAnimation {
    /// Its name in upper case, without the model's name: `MOVE_00`.
    pub name: Box<str>,
    /// The animation's metadata.
    pub ala: Handle<Ala>,
    /// The clip that Bevy plays.
    pub clip: Handle<AnimationClip>,
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
