//! The [`Mdl`] asset and its parts.

use crate::formats::quake::dependencies::Palette;
use crate::formats::quake::material::MdlMaterial;
use crate::formats::quake::poses::MdlPoses;
use crate::formats::quake::skins::SkinConverter;
use crate::load::labels::SCENE;
use crate::load::names::same_name;
use crate::root::play::ClipRef;
use crate::spawn::instance::SharedModel;
use bevy::asset::AssetPath;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use classic_model_formats::mdl::{MdlFile, Timing};
use classic_model_formats::read::Warning;
use core::fmt;
use core::ops::{Deref, Range};
use std::sync::Arc;

/// A loaded Quake model.
///
/// Dereferences to [`MdlModel`], which every spawned instance shares.
#[derive(Asset, TypePath, Clone, Debug)]
#[non_exhaustive]
pub struct Mdl {
    /// The model as a scene, for `WorldAssetRoot`: label [`MdlAssetLabel::Scene`].
    #[dependency]
    pub scene: Handle<WorldAsset>,
    /// The model's data, shared with its instances.
    pub model: Arc<MdlModel>,
}

impl Deref for Mdl {
    type Target = MdlModel;

    fn deref(&self) -> &MdlModel {
        &self.model
    }
}

/// The meshes, skins and animations of a Quake model, shared by all its instances.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MdlModel {
    /// The mesh in pose 0. `UV_1.x` is the index of the vertex in the file.
    pub mesh: Handle<Mesh>,
    /// The skins. [`ModelSkin`](crate::root::ModelSkin) selects one. May be empty.
    pub skins: Vec<MdlSkin>,
    /// Material of a model without skins. `None` if it has skins.
    pub plain_material: Option<Handle<MdlMaterial>>,
    /// The palette of the skins.
    pub palette: Arc<Palette>,
    /// Makes the images of skins in player colors.
    pub(crate) skin_converter: SkinConverter,
    /// The frames, as game code numbers them: single poses and frame groups.
    pub frames: Vec<MdlFrame>,
    /// Names of all poses, in file order.
    pub pose_names: Vec<Box<str>>,
    /// Clips in file order: runs of frames whose names share a stem, and frame groups.
    pub clips: Vec<MdlClip>,
    /// Index of the first clip of each name.
    pub named_clips: HashMap<Box<str>, usize>,
    /// All poses, for use on the CPU.
    pub poses: MdlPoses,
    pub(crate) shared: Arc<SharedModel>,
    /// Whether instances animate in phase.
    pub sync_type: SyncType,
    /// Effects of the model in the games; see [`flags`]. This crate applies only [`flags::HOLEY`].
    pub flags: u32,
    /// Bounding radius from the file, in its units. Wrong in some files.
    pub radius: f32,
    /// Position of the eyes in the file's axes and units. No engine uses it.
    pub eye_position: Vec3,
    /// Poses per second of clips that are not frame groups.
    pub frame_rate: f32,
    /// Whether poses are interpolated, from the loader's settings.
    pub interpolate: bool,
    /// Problems of the file that did not prevent loading.
    pub warnings: Vec<Warning>,
}

/// Bits of [`MdlModel::flags`] in the games and in later engines.
pub mod flags {
    /// Leaves the trail of a rocket.
    pub const ROCKET_TRAIL: u32 = 1;
    /// Leaves the smoke of a grenade.
    pub const GRENADE_SMOKE: u32 = 2;
    /// Leaves blood.
    pub const GIB_BLOOD: u32 = 4;
    /// Rotates by 100° per second.
    pub const ROTATES: u32 = 8;
    /// Leaves a green trail.
    pub const TRACER_GREEN: u32 = 16;
    /// Leaves the blood of a zombie.
    pub const ZOMBIE_BLOOD: u32 = 32;
    /// Leaves an orange trail.
    pub const TRACER_ORANGE: u32 = 64;
    /// Leaves a purple trail.
    pub const TRACER_PURPLE: u32 = 128;
    /// Texels with palette index 255 are transparent.
    pub const HOLEY: u32 = 1 << 14;
}

/// One skin of a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MdlSkin {
    /// One image, or the images of a skin group, which are shown in turn.
    pub images: Vec<MdlSkinImage>,
    /// The times at which the images of a group change; `None` for a single image.
    pub timing: Option<Timing>,
}

/// One image of a skin.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MdlSkinImage {
    /// The base colors, sRGB. Fullbright texels are black, and cut-out texels are transparent.
    pub image: Handle<Image>,
    /// The fullbright texels, sRGB, on black. `None` if there are none.
    pub fullbright: Option<Handle<Image>>,
    /// The palette indices, one byte per texel, row by row from the top. The size is that of the image. Empty for an image
    /// that replaces a skin: see [`external_skins`](crate::quake::MdlLoaderSettings::external_skins).
    pub indices: Arc<[u8]>,
    /// The material that shows the image.
    pub material: Handle<MdlMaterial>,
}

/// A frame, as game code numbers them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MdlFrame {
    /// Name of its first pose.
    pub name: Box<str>,
    /// Index of its first pose.
    pub first_pose: u32,
    /// Count of its poses: 1 for a single pose, at least 1 for a group.
    pub pose_count: u32,
    /// The times at which the poses of a group change; `None` for a single pose.
    pub timing: Option<Timing>,
}

/// A named sequence of poses.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MdlClip {
    /// The poses' names without trailing digits: `run` for `run1` to `run8`.
    pub name: Box<str>,
    /// The poses and their times.
    pub sequence: Sequence,
}

/// Consecutive poses and their timing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sequence {
    /// Index of the first pose.
    pub first_pose: u32,
    /// Count of poses, at least 1.
    pub pose_count: u32,
    /// The times at which the poses change.
    pub timing: Timing,
    /// Whether this is a frame group, which the games animate by the client's clock.
    pub is_group: bool,
}

impl Sequence {
    /// Duration of one pass in seconds, including the step from the last pose back to the first.
    pub fn seconds(&self) -> f32 {
        self.timing.seconds(self.pose_count)
    }

    /// A range of its poses, counted from its first pose, with their timing. `None` if the range has no pose of it.
    fn part(&self, poses: &Range<u32>) -> Option<Self> {
        let end = poses.end.min(self.pose_count);
        let pose_count = end.checked_sub(poses.start).filter(|count| *count > 0)?;
        Some(Self {
            first_pose: self.first_pose + poses.start,
            pose_count,
            timing: self.timing.part(poses.start, pose_count),
            is_group: false,
        })
    }
}

/// How the animations of a model's instances are synchronized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncType {
    /// 0: frame groups of all instances are in phase.
    Synchronized,
    /// 1: each instance has a random phase.
    Random,
    /// 2, in later engines: a frame group begins when it is selected.
    FrameTime,
    /// Anything else; treated as [`SyncType::Synchronized`].
    Unknown(i32),
}

impl From<i32> for SyncType {
    fn from(value: i32) -> Self {
        match value {
            0 => Self::Synchronized,
            1 => Self::Random,
            2 => Self::FrameTime,
            other => Self::Unknown(other),
        }
    }
}

impl MdlModel {
    /// Resolves a [`ClipRef`] to poses. `None` if the model doesn't have them.
    ///
    /// A name selects a clip with exactly this name, otherwise one that matches if case is ignored. A range of frames
    /// plays at the model's frame rate, from the first pose of the first frame to the last pose of the last one. A
    /// range of one frame group keeps the group's timing.
    pub fn sequence(&self, clip: &ClipRef) -> Option<Sequence> {
        let (clip, poses) = clip.split_frames();
        let whole = match clip {
            ClipRef::Name(name) => self.clip_named(name).map(|clip| clip.sequence.clone()),
            ClipRef::Index(index) => self.clips.get(*index).map(|clip| clip.sequence.clone()),
            ClipRef::Frames(range) => {
                let frames = self.frames.get(range.start as usize..range.end as usize)?;
                frame_sequence(frames, self.frame_rate)
            }
            // Handles of Bevy's clips never belong to morphed models.
            ClipRef::Handle(_) => None,
            ClipRef::Part { .. } => None,
        }?;
        match poses {
            Some(poses) => whole.part(&poses),
            None => Some(whole),
        }
    }

    fn clip_named(&self, name: &str) -> Option<&MdlClip> {
        let exact_match = self
            .named_clips
            .get(name)
            .and_then(|clip| self.clips.get(*clip));
        let mut clips = self.clips.iter();
        exact_match.or_else(|| clips.find(|clip| same_name(&clip.name, name)))
    }

    /// The sequence that plays without a request: frame 0.
    pub fn default_sequence(&self) -> Sequence {
        frame_sequence(self.frames.get(..1).unwrap_or_default(), self.frame_rate).unwrap_or(
            Sequence {
                first_pose: 0,
                pose_count: 1,
                timing: Timing::Rate(self.frame_rate),
                is_group: false,
            },
        )
    }

    /// The material of a skin's image. Indices beyond the last skin or image mean the last one.
    pub fn material(&self, skin: usize, image: usize) -> Option<&Handle<MdlMaterial>> {
        match self.skin_image(skin, image) {
            Some(image) => Some(&image.material),
            None => self.plain_material.as_ref(),
        }
    }

    /// An image of a skin. Indices beyond the last skin or image mean the last one.
    pub fn skin_image(&self, skin: usize, image: usize) -> Option<&MdlSkinImage> {
        let skin = self.skins.get(skin).or(self.skins.last())?;
        skin.images.get(image).or(skin.images.last())
    }
}

fn frame_sequence(frames: &[MdlFrame], frame_rate: f32) -> Option<Sequence> {
    let (first, last) = (frames.first()?, frames.last()?);
    let group = first.timing.clone().filter(|_| frames.len() == 1);
    Some(Sequence {
        first_pose: first.first_pose,
        pose_count: last.first_pose + last.pose_count - first.first_pose,
        is_group: group.is_some(),
        timing: group.unwrap_or(Timing::Rate(frame_rate)),
    })
}

/// The frames of a parsed file, named after their first poses.
pub(crate) fn frames(file: &MdlFile<'_>, pose_names: &[Box<str>]) -> Vec<MdlFrame> {
    let frame = |frame: &classic_model_formats::mdl::Frame| MdlFrame {
        name: pose_names
            .get(frame.first_pose as usize)
            .cloned()
            .unwrap_or_default(),
        first_pose: frame.first_pose,
        pose_count: frame.pose_count,
        timing: frame.group.as_ref().map(|group| group.timing.clone()),
    };
    file.frames.iter().map(frame).collect()
}

/// Groups frames into clips: runs of consecutive single frames whose names share a stem, and frame groups. A group ends
/// a run.
pub(crate) fn clips(frames: &[MdlFrame], frame_rate: f32) -> Vec<MdlClip> {
    let mut clips = Vec::<MdlClip>::new();
    for frame in frames {
        let name = stem(&frame.name);
        if let Some(run) = clips.last_mut()
            && frame.timing.is_none()
            && !run.sequence.is_group
            && *run.name == *name
        {
            run.sequence.pose_count += 1;
            continue;
        }
        clips.push(MdlClip {
            name: name.into(),
            sequence: Sequence {
                first_pose: frame.first_pose,
                pose_count: frame.pose_count,
                is_group: frame.timing.is_some(),
                timing: frame.timing.clone().unwrap_or(Timing::Rate(frame_rate)),
            },
        });
    }
    clips
}

/// A pose's name without its trailing digits, or `frames` if that is empty.
fn stem(name: &str) -> &str {
    match name.trim_end_matches(|letter: char| letter.is_ascii_digit()) {
        "" => "frames",
        stem => stem,
    }
}

/// Labels of the assets inside an `.mdl` file: `ogre.mdl#Scene`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MdlAssetLabel {
    /// `Scene`: the model as a [`WorldAsset`].
    Scene,
    /// `Mesh`: the [`Mesh`] in pose 0.
    Mesh,
    /// `Poses`: all poses as an [`Image`] for [`MdlMaterial`].
    Poses,
    /// `Skin0/Image0`: the base colors of an image of a skin, as an [`Image`], unless an external image replaces it.
    Image {
        /// Index of the skin.
        skin: usize,
        /// Index of the image within the skin.
        image: usize,
    },
    /// `Skin0/Image0/Fullbright`: its fullbright texels as an [`Image`], if it has any.
    Fullbright {
        /// Index of the skin.
        skin: usize,
        /// Index of the image within the skin.
        image: usize,
    },
    /// `Skin0/Image0/Material`: the [`MdlMaterial`] that shows it.
    Material {
        /// Index of the skin.
        skin: usize,
        /// Index of the image within the skin.
        image: usize,
    },
    /// `PlainMaterial`: the [`MdlMaterial`] of a model without skins.
    PlainMaterial,
}

impl fmt::Display for MdlAssetLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene => f.write_str(SCENE),
            Self::Mesh => f.write_str("Mesh"),
            Self::Poses => f.write_str("Poses"),
            Self::Image { skin, image } => write!(f, "Skin{skin}/Image{image}"),
            Self::Fullbright { skin, image } => {
                write!(f, "Skin{skin}/Image{image}/Fullbright")
            }
            Self::Material { skin, image } => write!(f, "Skin{skin}/Image{image}/Material"),
            Self::PlainMaterial => f.write_str("PlainMaterial"),
        }
    }
}

impl MdlAssetLabel {
    /// The path of this asset inside the given file.
    pub fn from_asset(&self, path: impl Into<AssetPath<'static>>) -> AssetPath<'static> {
        path.into().with_label(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(name: &str, first_pose: u32, group: u32) -> MdlFrame {
        MdlFrame {
            name: name.into(),
            first_pose,
            pose_count: group.max(1),
            timing: (group > 0).then_some(Timing::Rate(10.0)),
        }
    }

    #[test]
    fn consecutive_frames_with_one_stem_form_a_clip_and_groups_end_it() {
        let frames = [
            frame("run1", 0, 0),
            frame("run2", 1, 0),
            frame("Run3", 2, 0),
            frame("12", 3, 0),
            frame("", 4, 0),
            frame("run1", 5, 3),
            frame("run2", 8, 0),
        ];
        let clips = clips(&frames, 10.0);
        let summary: Vec<_> = clips
            .iter()
            .map(|clip| {
                let sequence = &clip.sequence;
                (
                    &*clip.name,
                    sequence.first_pose,
                    sequence.pose_count,
                    sequence.is_group,
                )
            })
            .collect();
        assert_eq!(
            summary,
            [
                ("run", 0, 2, false),
                ("Run", 2, 1, false),
                ("frames", 3, 2, false),
                ("run", 5, 3, true),
                ("run", 8, 1, false),
            ]
        );
    }
}
