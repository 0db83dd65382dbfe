//! The [`Ala`] asset: what an animation is to the rest of a game.

use crate::alamo::ala::{AlaBone, AlaFile};
use crate::read::Warning;
use bevy::animation::AnimationClip;
use bevy::asset::{Asset, AssetPath, Handle};
use bevy::reflect::TypePath;
use core::fmt;

/// A loaded Alamo animation.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct Ala {
    /// What Bevy plays: label [`AlaAssetLabel::Clip`].
    #[dependency]
    pub clip: Handle<AnimationClip>,
    /// The format, 1 or 2.
    pub version: u8,
    /// How many frames there are; at least one.
    pub frames: u32,
    /// Frames per second; greater than 0.
    pub fps: f32,
    /// The bones that it speaks of, in file order.
    pub bones: Vec<AlaBoneInfo>,
    /// Flaws of the file that do no harm.
    pub warnings: Vec<Warning>,
}

impl Ala {
    /// What a file says, played by a clip.
    pub(super) fn new(file: AlaFile<'_>, clip: Handle<AnimationClip>) -> Self {
        Self {
            clip,
            version: file.version,
            frames: file.frames,
            fps: file.fps,
            bones: file.bones.iter().map(AlaBoneInfo::of).collect(),
            warnings: file.warnings,
        }
    }

    /// Seconds from the first frame to the last; 0 if that is the same.
    pub fn seconds(&self) -> f32 {
        self.frames.saturating_sub(1) as f32 / self.fps
    }
}

/// A bone that an [`Ala`] speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlaBoneInfo {
    /// Its name.
    pub name: Box<str>,
    /// Its index in the model.
    pub index: usize,
    /// Whether it moves.
    pub translation: bool,
    /// Whether it turns.
    pub rotation: bool,
    /// Whether it grows.
    pub scale: bool,
    /// Whether it is shown and hidden.
    pub visibility: bool,
    /// Whether some of its frames hold until the next.
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

/// An animation of a model, found beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AloAnimation {
    /// Its name in upper case, without the model's: `MOVE_00`.
    pub name: Box<str>,
    /// What is known of it once it is loaded.
    pub ala: Handle<Ala>,
    /// What Bevy plays.
    pub clip: Handle<AnimationClip>,
}

/// Labels of the assets inside an `.ala` file: `walker_MOVE_00.ala#Clip`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
