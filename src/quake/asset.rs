//! The [`Mdl`] asset: what a model is to the rest of a game.

use crate::quake::material::MdlMaterial;
use crate::quake::mdl::{MdlFile, Timing};
use crate::quake::poses::MdlPoses;
use crate::read::Warning;
use crate::scene::{ClipRef, same_name};
use bevy::asset::{Asset, AssetPath, Handle};
use bevy::image::Image;
use bevy::math::Vec3;
use bevy::mesh::Mesh;
use bevy::platform::collections::HashMap;
use bevy::reflect::TypePath;
use bevy::world_serialization::WorldAsset;
use core::fmt;
use core::ops::{Deref, Range};
use std::sync::Arc;

/// A loaded Quake model.
///
/// Dereferences to [`MdlModel`], which every spawned instance shares.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct Mdl {
    /// The model as a scene, for `WorldAssetRoot`: label [`MdlAssetLabel::Scene`].
    #[dependency]
    pub scene: Handle<WorldAsset>,
    /// Everything else.
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
pub struct MdlModel {
    /// The mesh in pose 0. Its second texture coordinates hold the index of the file's vertex.
    pub mesh: Handle<Mesh>,
    /// Skins, which [`ModelSkin`](crate::scene::ModelSkin) chooses from. May be empty.
    pub skins: Vec<MdlSkin>,
    /// Material of a model without skins.
    pub plain_material: Option<Handle<MdlMaterial>>,
    /// The palette as a texture of 256 × 1, which recoloured materials read.
    pub palette: Handle<Image>,
    /// What game code numbers as frames.
    pub frames: Vec<MdlFrame>,
    /// Names of all poses, in file order.
    pub pose_names: Vec<Box<str>>,
    /// Clips in file order: runs of frames whose names share a stem, and frame groups.
    pub clips: Vec<MdlClip>,
    /// Index of the first clip of each name.
    pub named_clips: HashMap<Box<str>, usize>,
    /// All poses, for use on the CPU.
    pub poses: MdlPoses,
    /// Whether instances animate in phase.
    pub sync_type: SyncType,
    /// Effects that the games attach to the model; see [`flags`].
    pub flags: u32,
    /// The file's own bounding radius in its units, which is wrong in some files.
    pub radius: f32,
    /// Position of the eyes in the file's axes and units. No engine uses it.
    pub eye_position: Vec3,
    /// Poses per second of clips that are not frame groups.
    pub frame_rate: f32,
    /// Whether poses are interpolated, from the loader's settings.
    pub interpolate: bool,
    /// Flaws of the file that do no harm.
    pub warnings: Vec<Warning>,
}

/// Bits of [`MdlModel::flags`] that the games and their descendants know.
pub mod flags {
    /// Leaves the trail of a rocket.
    pub const ROCKET_TRAIL: u32 = 1;
    /// Leaves the smoke of a grenade.
    pub const GRENADE_SMOKE: u32 = 2;
    /// Leaves blood.
    pub const GIB_BLOOD: u32 = 4;
    /// Turns by 100° per second.
    pub const ROTATES: u32 = 8;
    /// Leaves a green trail.
    pub const TRACER_GREEN: u32 = 16;
    /// Leaves the blood of a zombie.
    pub const ZOMBIE_BLOOD: u32 = 32;
    /// Leaves an orange trail.
    pub const TRACER_ORANGE: u32 = 64;
    /// Leaves a purple trail.
    pub const TRACER_PURPLE: u32 = 128;
    /// Texels of colour 255 are holes.
    pub const HOLEY: u32 = 1 << 14;
}

/// One skin of a model.
#[derive(Clone, Debug)]
pub struct MdlSkin {
    /// One picture, or those of a group, which take turns.
    pub pictures: Vec<MdlPicture>,
    /// When the pictures of a group change; `None` for a single picture.
    pub timing: Option<Timing>,
}

/// One picture of a skin.
#[derive(Clone, Debug)]
pub struct MdlPicture {
    /// The colours, sRGB; black where a texel is fullbright, transparent where it is a hole.
    pub image: Handle<Image>,
    /// The fullbright texels, sRGB, black elsewhere; `None` if there are none.
    pub fullbright: Option<Handle<Image>>,
    /// The palette indices, one byte per texel.
    pub indices: Handle<Image>,
    /// The material that draws the picture.
    pub material: Handle<MdlMaterial>,
}

/// A frame, as game code numbers them.
#[derive(Clone, Debug, PartialEq)]
pub struct MdlFrame {
    /// Name of its first pose.
    pub name: Box<str>,
    /// Index of its first pose.
    pub first_pose: u32,
    /// Number of its poses: 1 unless it is a group.
    pub pose_count: u32,
    /// When the poses of a group change; `None` for a single pose.
    pub timing: Option<Timing>,
}

/// A named sequence of poses.
#[derive(Clone, Debug, PartialEq)]
pub struct MdlClip {
    /// The stem of the poses' names: `run` for `run1` to `run8`.
    pub name: Box<str>,
    /// The poses and their times.
    pub sequence: Sequence,
}

/// Consecutive poses and when they change.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// Index of the first pose.
    pub first_pose: u32,
    /// Number of poses, at least 1.
    pub pose_count: u32,
    /// When they change.
    pub timing: Timing,
    /// Whether this is a frame group, which the games run on the client's clock.
    pub is_group: bool,
}

impl Sequence {
    /// Seconds of one pass, the step from the last pose back to the first included.
    pub fn seconds(&self) -> f32 {
        self.timing.seconds(self.pose_count)
    }

    /// Some of its poses at their own pace, counted from its first; `None` if it has none of these.
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

/// How the animations of a model's instances relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncType {
    /// 0: frame groups of all instances are in phase.
    Synchronised,
    /// 1: each instance has a random phase.
    Random,
    /// 2, of later engines: a frame group begins as it is chosen.
    FrameTime,
    /// Anything else; treated as [`SyncType::Synchronised`].
    Unknown(i32),
}

impl From<i32> for SyncType {
    fn from(value: i32) -> Self {
        match value {
            0 => Self::Synchronised,
            1 => Self::Random,
            2 => Self::FrameTime,
            other => Self::Unknown(other),
        }
    }
}

impl MdlModel {
    /// The poses a [`ClipRef`] means, if the model has them.
    ///
    /// A range of frames is played at the model's frame rate, from the first pose of its first
    /// frame to the last pose of its last; a lone frame group keeps its own times. A name is that of a
    /// clip of the file, in its case if there is one.
    pub fn sequence(&self, clip: &ClipRef) -> Option<Sequence> {
        let (clip, poses) = clip.flat();
        let whole = match clip {
            ClipRef::Name(name) => self.clip_named(name).map(|clip| clip.sequence.clone()),
            ClipRef::Index(index) => self.clips.get(*index).map(|clip| clip.sequence.clone()),
            ClipRef::Frames(range) => {
                let frames = self.frames.get(range.start as usize..range.end as usize)?;
                frame_sequence(frames, self.frame_rate)
            }
            // Bevy's clips are none of morphed models.
            #[cfg(any(feature = "alamo", feature = "lithtech"))]
            ClipRef::Handle(_) => None,
            ClipRef::Part { .. } => None,
        }?;
        match poses {
            Some(poses) => whole.part(&poses),
            None => Some(whole),
        }
    }

    fn clip_named(&self, name: &str) -> Option<&MdlClip> {
        let exactly = self
            .named_clips
            .get(name)
            .and_then(|clip| self.clips.get(*clip));
        let mut clips = self.clips.iter();
        exactly.or_else(|| clips.find(|clip| same_name(&clip.name, name)))
    }

    /// What an instance shows that nobody told to play anything: frame 0.
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

    /// The material of a picture; skin and picture are clamped to those that exist.
    pub fn material(&self, skin: usize, picture: usize) -> Option<&Handle<MdlMaterial>> {
        match self.picture(skin, picture) {
            Some(picture) => Some(&picture.material),
            None => self.plain_material.as_ref(),
        }
    }

    /// A picture of a skin; skin and picture are clamped to those that exist.
    pub fn picture(&self, skin: usize, picture: usize) -> Option<&MdlPicture> {
        let skin = self.skins.get(skin).or(self.skins.last())?;
        skin.pictures.get(picture).or(skin.pictures.last())
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

/// Frames of a parsed file, with the names of their first poses.
pub(super) fn frames(file: &MdlFile<'_>, pose_names: &[Box<str>]) -> Vec<MdlFrame> {
    let frame = |frame: &crate::quake::mdl::Frame| MdlFrame {
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

/// Clips: runs of consecutive single frames whose names share a stem, and frame groups, each of
/// which also ends a run.
pub(super) fn clips(frames: &[MdlFrame], frame_rate: f32) -> Vec<MdlClip> {
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

/// A pose's name without its trailing digits, or `frames` if nothing else is left of it.
fn stem(name: &str) -> &str {
    match name.trim_end_matches(|letter: char| letter.is_ascii_digit()) {
        "" => "frames",
        stem => stem,
    }
}

/// Labels of the assets inside an `.mdl` file: `ogre.mdl#Scene`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MdlAssetLabel {
    /// `Scene`: the model as a [`WorldAsset`].
    Scene,
    /// `Mesh`: the [`Mesh`] in pose 0.
    Mesh,
    /// `Poses`: all poses as an [`Image`] that only the model's shader understands.
    Poses,
    /// `Palette`: the palette as an [`Image`] of 256 × 1.
    Palette,
    /// `Skin0/Picture0`: the [`Image`] of a picture of a skin.
    Picture {
        /// Index of the skin.
        skin: usize,
        /// Index of the picture within the skin.
        picture: usize,
    },
    /// `Skin0/Picture0/Fullbright`: the [`Image`] of its fullbright texels, if it has any.
    Fullbright {
        /// Index of the skin.
        skin: usize,
        /// Index of the picture within the skin.
        picture: usize,
    },
    /// `Skin0/Picture0/Indices`: the [`Image`] of its palette indices.
    Indices {
        /// Index of the skin.
        skin: usize,
        /// Index of the picture within the skin.
        picture: usize,
    },
    /// `Skin0/Picture0/Material`: the [`MdlMaterial`] that draws it.
    Material {
        /// Index of the skin.
        skin: usize,
        /// Index of the picture within the skin.
        picture: usize,
    },
    /// `PlainMaterial`: the [`MdlMaterial`] of a model without skins.
    PlainMaterial,
}

impl fmt::Display for MdlAssetLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene => f.write_str("Scene"),
            Self::Mesh => f.write_str("Mesh"),
            Self::Poses => f.write_str("Poses"),
            Self::Palette => f.write_str("Palette"),
            Self::Picture { skin, picture } => write!(f, "Skin{skin}/Picture{picture}"),
            Self::Fullbright { skin, picture } => {
                write!(f, "Skin{skin}/Picture{picture}/Fullbright")
            }
            Self::Indices { skin, picture } => write!(f, "Skin{skin}/Picture{picture}/Indices"),
            Self::Material { skin, picture } => write!(f, "Skin{skin}/Picture{picture}/Material"),
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
    fn consecutive_frames_of_one_stem_are_a_clip_and_groups_end_a_run() {
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
