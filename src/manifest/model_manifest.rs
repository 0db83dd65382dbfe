//! [`ModelManifest`] and the types of its fields, as they are in the file.

use crate::geometry::axes::Mirror;
use crate::manifest::read::paths::ManifestFiles;
use crate::manifest::values::{NameOrIndex, color, list, map, map_of_lists};
use crate::root::play::Repeat;
use crate::root::skins::PlayerColors;
use bevy::prelude::*;
use core::f32::consts::{FRAC_PI_2, PI};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Describes how to load and spawn a model: a file `*.model.ron`, or a value created in code.
///
/// Spawn it with [`ClassicModel`](crate::manifest::ClassicModel). File names are relative to the manifest's folder and match in
/// any case. If a file is not there, it is searched for in the sibling folder `Textures` and from the root of the asset
/// source. A manifest that is created in code has no folder: its file names are paths from the root.
///
/// Only [`model`](Self::model) is required, here or in a manifest that this one extends. New versions may add fields:
/// end a literal with `..default()`.
#[derive(Asset, TypePath, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct ModelManifest {
    /// The manifest whose values apply where this one sets none. Only manifests in files can extend others.
    ///
    /// In a loaded manifest this is `None`: the values are combined, and the names of files are paths from the root of
    /// the asset source.
    #[serde(skip_serializing_if = "is_default")]
    pub extends: Option<String>,
    /// The model's file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// A factor for the model's size. A finite number above 0; 1 by default.
    #[serde(skip_serializing_if = "is_one")]
    pub scale: f32,
    /// The up and forward axes of the file. `None` means those of the format.
    #[serde(skip_serializing_if = "is_default")]
    pub axes: Option<ManifestAxes>,
    /// The direction that the model's front faces without the manifest, with Y up: one of X, Z, −X and −Z. The model is
    /// turned about Y, so that it faces −Z. `None` means that it is not turned. It cannot be combined with
    /// [`axes`](Self::axes).
    #[serde(skip_serializing_if = "is_default")]
    pub facing: Option<FileAxis>,
    /// Meters per unit of the file. The model gets a [`BevySpace`](crate::root::BevySpace), so that it faces −Z and
    /// one unit is one meter. A finite number above 0.
    #[serde(skip_serializing_if = "is_default")]
    pub meters: Option<f32>,
    /// The height of the model at rest in meters, instead of [`meters`](Self::meters). A finite number above 0.
    #[serde(skip_serializing_if = "is_default")]
    pub height: Option<f32>,
    /// Folders to search for textures, before those of the loader's settings.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "list")]
    pub texture_folders: Vec<String>,
    /// The palette of an MDL model, 768 bytes.
    #[serde(skip_serializing_if = "is_default")]
    pub palette: Option<String>,
    /// The palette index of holes in an MDL model: 255 in Quake, 0 in Hexen II. `None` means as in the loader's settings.
    #[serde(skip_serializing_if = "is_default")]
    pub hole_index: Option<u8>,
    /// Whether images beside an MDL model replace its skins. `None` means as in the loader's settings.
    #[serde(skip_serializing_if = "is_default")]
    pub external_skins: Option<bool>,
    /// Whether the lights of an ALO model are loaded. `None` means as in the loader's settings.
    #[serde(skip_serializing_if = "is_default")]
    pub load_lights: Option<bool>,
    /// Whether a hidden bone of an ALO model also hides what is connected to the bones below it. `None` means as in the
    /// loader's settings.
    #[serde(skip_serializing_if = "is_default")]
    pub hidden_bones_hide_children: Option<bool>,
    /// The names of bones in clips of other models, by the names in this one: see
    /// [`AloLoaderSettings::clip_bones`](crate::alamo::AloLoaderSettings::clip_bones).
    #[serde(skip_serializing_if = "is_default", deserialize_with = "map")]
    pub clip_bones: BTreeMap<String, String>,
    /// Named clips.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "list")]
    pub clips: Vec<ManifestClip>,
    /// Events at frames of clips: see [`ModelEvents`](crate::root::ModelEvents).
    #[serde(skip_serializing_if = "is_default", deserialize_with = "list")]
    pub events: Vec<ManifestEvent>,
    /// The clip that the model initially plays.
    #[serde(skip_serializing_if = "is_default")]
    pub play: Option<NameOrIndex>,
    /// Named masks of bones for layers of clips: for each name, the bones at the top of the subtrees that the mask
    /// contains. See [`ModelMasks`](crate::root::ModelMasks).
    #[serde(skip_serializing_if = "is_default", deserialize_with = "map_of_lists")]
    pub masks: BTreeMap<String, Vec<String>>,
    /// Image files that can be used as skins, by skin name.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "map")]
    pub skins: BTreeMap<String, String>,
    /// The initial skin: a name in `skins`, or the index of a skin in the model's file.
    #[serde(skip_serializing_if = "is_default")]
    pub skin: Option<NameOrIndex>,
    /// The distance from which each level of detail after the finest is drawn: see
    /// [`LodDistances`](crate::root::LodDistances).
    #[serde(skip_serializing_if = "is_default", deserialize_with = "list")]
    pub lod_distances: Vec<f32>,
    /// The team color, sRGB without alpha.
    #[serde(skip_serializing_if = "is_default", with = "color")]
    pub team_color: Option<Srgba>,
    /// The player colors, as rows of the palette.
    #[serde(skip_serializing_if = "is_default")]
    pub player_colors: Option<ManifestColors>,
    /// Names of parts that are initially hidden.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "list")]
    pub hidden: Vec<String>,
    /// Names of parts that are initially shown although the file hides them.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "list")]
    pub shown: Vec<String>,
    /// The initial damage stage: see [`DamageStage`](crate::root::DamageStage).
    #[serde(skip_serializing_if = "is_default")]
    pub damage_stage: Option<u32>,
    /// Whether the model is spawned as a member of a crowd: see [`Crowd`](crate::root::Crowd).
    #[serde(skip_serializing_if = "is_default")]
    pub crowd: Option<bool>,
    /// Models that are attached to this model's bones.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "list")]
    pub attachments: Vec<ManifestAttachment>,
    /// From where the viewer shows the model at first. It has no effect on a game.
    #[serde(skip_serializing_if = "is_default")]
    pub view: Option<ManifestView>,
    /// The paths of the named files, as found by the loader. It is not part of the file, and it is empty in a manifest
    /// that is created in code. Names that it does not contain are paths from the root.
    #[serde(skip)]
    pub files: ManifestFiles,
}

impl Default for ModelManifest {
    fn default() -> Self {
        Self {
            extends: None,
            model: String::new(),
            scale: 1.0,
            axes: None,
            facing: None,
            meters: None,
            height: None,
            texture_folders: Vec::new(),
            palette: None,
            hole_index: None,
            external_skins: None,
            load_lights: None,
            hidden_bones_hide_children: None,
            clip_bones: BTreeMap::new(),
            clips: Vec::new(),
            events: Vec::new(),
            play: None,
            masks: BTreeMap::new(),
            skins: BTreeMap::new(),
            skin: None,
            lod_distances: Vec::new(),
            team_color: None,
            player_colors: None,
            hidden: Vec::new(),
            shown: Vec::new(),
            damage_stage: None,
            crowd: None,
            attachments: Vec::new(),
            view: None,
            files: ManifestFiles::default(),
        }
    }
}

/// The up and forward axes of a file. The model's front then faces −Z.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[serde(deny_unknown_fields)]
pub struct ManifestAxes {
    /// The up axis.
    pub up: FileAxis,
    /// The axis that the model's front faces. It must not be parallel to `up`.
    pub forward: FileAxis,
}

impl ManifestAxes {
    /// The rotation from the file's axes to Bevy's. `None` if the axes are parallel.
    pub fn rotation(self) -> Option<Quat> {
        self.rotation_in(Mirror::default())
    }

    /// Like [`rotation`](Self::rotation), for a file whose axes were mirrored when it was loaded.
    pub(crate) fn rotation_in(self, Mirror(mirror): Mirror) -> Option<Quat> {
        let [up, forward] = [self.up, self.forward].map(|axis| axis.direction() * mirror);
        if up.dot(forward) != 0.0 {
            return None;
        }
        // The columns are the directions that become X, Y and Z, so the inverse maps them to these axes.
        let from_bevy = Mat3::from_cols(forward.cross(up), up, -forward);
        Some(Quat::from_mat3(&from_bevy.transpose()))
    }
}

/// One of the six directions along a file's axes.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileAxis {
    /// +X.
    X,
    /// +Y.
    Y,
    /// +Z.
    Z,
    /// −X.
    NegX,
    /// −Y.
    NegY,
    /// −Z.
    NegZ,
}

impl FileAxis {
    /// The rotation about Y that turns this direction to −Z. `None` for Y and −Y.
    pub(crate) fn turn_to_front(self) -> Option<Quat> {
        let angle = match self {
            Self::NegZ => 0.0,
            Self::X => FRAC_PI_2,
            Self::Z => PI,
            Self::NegX => -FRAC_PI_2,
            Self::Y | Self::NegY => return None,
        };
        Some(Quat::from_rotation_y(angle))
    }

    /// As a unit vector.
    pub fn direction(self) -> Vec3 {
        match self {
            Self::X => Vec3::X,
            Self::Y => Vec3::Y,
            Self::Z => Vec3::Z,
            Self::NegX => Vec3::NEG_X,
            Self::NegY => Vec3::NEG_Y,
            Self::NegZ => Vec3::NEG_Z,
        }
    }
}

/// A named clip: a clip of the model, an animation file, or a range of frames.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct ManifestClip {
    /// The clip's name. If it is empty and there is a `file`, the name is that of the file, without the model's name
    /// before it: `MOVE_00` for `TANK_MOVE_00.ala` of `TANK.alo`.
    #[serde(skip_serializing_if = "is_default")]
    pub name: String,
    /// The clip of the model.
    #[serde(skip_serializing_if = "is_default")]
    pub clip: Option<NameOrIndex>,
    /// The animation file, as an alternative to `clip`. With `*` and `?`, this is a pattern for any number of files,
    /// sorted by name, and `name` must be empty.
    #[serde(skip_serializing_if = "is_default")]
    pub file: Option<String>,
    /// The first and the last frame to play of the clip or file, both inclusive; without either, of an MDL model.
    /// `None` means all.
    #[serde(skip_serializing_if = "is_default")]
    pub frames: Option<(u32, u32)>,
    /// The playback speed. 1 by default; negative values play backward.
    #[serde(skip_serializing_if = "is_one")]
    pub speed: f32,
    /// What happens at the end of the clip.
    #[serde(skip_serializing_if = "is_default")]
    pub repeat: ManifestRepeat,
    /// The distance that the model covers in one pass through the clip: see
    /// [`FollowVelocity`](crate::root::FollowVelocity). A finite number above 0.
    #[serde(skip_serializing_if = "is_default")]
    pub stride: Option<f32>,
}

impl Default for ManifestClip {
    fn default() -> Self {
        Self {
            name: String::new(),
            clip: None,
            file: None,
            frames: None,
            speed: 1.0,
            repeat: ManifestRepeat::Loop,
            stride: None,
        }
    }
}

/// An event at a frame of a clip. When the clip passes the frame, a [`ModelEvent`](crate::root::ModelEvent) is sent.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, Hash)]
#[serde(deny_unknown_fields)]
pub struct ManifestEvent {
    /// The clip: a name in `clips`, a name in the file, or an index in the file.
    pub clip: NameOrIndex,
    /// The index of the frame in the clip, from 0.
    pub frame: u32,
    /// The name of the event. Not empty.
    pub name: String,
}

/// What happens at the end of a clip.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ManifestRepeat {
    /// The clip starts again.
    #[default]
    Loop,
    /// The model stays in the last pose.
    Once,
}

impl From<ManifestRepeat> for Repeat {
    fn from(repeat: ManifestRepeat) -> Self {
        match repeat {
            ManifestRepeat::Loop => Self::Loop,
            ManifestRepeat::Once => Self::Once,
        }
    }
}

/// Player colors: see [`PlayerColors`].
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[serde(deny_unknown_fields)]
pub struct ManifestColors {
    /// Palette row for the upper body, 0 to 15.
    pub shirt: u8,
    /// Palette row for the legs, 0 to 15.
    pub pants: u8,
}

impl From<ManifestColors> for PlayerColors {
    fn from(colors: ManifestColors) -> Self {
        Self {
            shirt: colors.shirt,
            pants: colors.pants,
        }
    }
}

/// The camera of the viewer, `classic-models view`. Y is up, and the model faces −Z. Lengths are in sizes of the model: the
/// diagonal of [`ModelQuery::bounds`](crate::query::ModelQuery::bounds), so they don't depend on its scale.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ManifestView {
    /// The direction from the focus to the camera, in degrees about Y. At 0, the camera is behind the model.
    pub yaw: f32,
    /// The direction from the focus to the camera, in degrees above the ground.
    pub pitch: f32,
    /// The distance of the camera from the focus. A finite number above 0.
    pub distance: f32,
    /// The point in the middle of the picture, from the origin of the model.
    pub focus: [f32; 3],
}

/// A model that is attached to a bone of another model.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct ManifestAttachment {
    /// The name of the bone, in any case: see [`ModelQuery::bone`](crate::query::ModelQuery::bone). If it is empty, the
    /// model is attached to the root.
    #[serde(skip_serializing_if = "is_default")]
    pub bone: String,
    /// The model's file, or its manifest.
    pub model: String,
    /// Translation relative to the bone, in the bone's units and axes.
    #[serde(skip_serializing_if = "is_default")]
    pub translation: [f32; 3],
    /// Rotation in degrees about X, then Y, then Z of the bone.
    #[serde(skip_serializing_if = "is_default")]
    pub rotation: [f32; 3],
    /// A factor for the attached model's size. A finite number above 0; 1 by default.
    #[serde(skip_serializing_if = "is_one")]
    pub scale: f32,
    /// The clip that the attached model initially plays. Overrides its own manifest.
    #[serde(skip_serializing_if = "is_default")]
    pub play: Option<NameOrIndex>,
    /// The initial skin of the attached model. Overrides its own manifest.
    #[serde(skip_serializing_if = "is_default")]
    pub skin: Option<NameOrIndex>,
}

impl Default for ManifestAttachment {
    fn default() -> Self {
        Self {
            bone: String::new(),
            model: String::new(),
            translation: [0.0; 3],
            rotation: [0.0; 3],
            scale: 1.0,
            play: None,
            skin: None,
        }
    }
}

impl ManifestAttachment {
    /// The transform relative to the bone.
    pub fn transform(&self) -> Transform {
        let [x, y, z] = self.rotation.map(f32::to_radians);
        Transform {
            translation: Vec3::from_array(self.translation),
            // Extrinsic: the axes of the bone stay fixed.
            rotation: Quat::from_euler(EulerRot::XYZEx, x, y, z),
            scale: Vec3::splat(self.scale),
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_one(value: &f32) -> bool {
    *value == 1.0
}
