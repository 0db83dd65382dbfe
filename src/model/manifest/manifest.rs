//! What a manifest says, as it is written.

use super::files::ManifestFiles;
use super::values::{NameOrIndex, color, list, map};
use crate::scene::{Mirror, PlayerColors, Repeat};
use bevy::asset::{Asset, AssetPath};
use bevy::color::Srgba;
use bevy::math::{EulerRot, Mat3, Quat, Vec3};
use bevy::reflect::TypePath;
use bevy::transform::components::Transform;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a game says about one of its models: a file `*.model.ron`, or a value that code made.
///
/// Spawn it with [`ClassicModel`](super::ClassicModel). Files are named from the manifest's own folder, in any
/// case; where they are not there they are looked for in its sibling `Textures` and from the root of the asset
/// source. A manifest that was made by code has no folder: its names are paths from the root.
///
/// Only [`model`](Self::model) is needed.
#[derive(Asset, TypePath, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct ModelManifest {
    /// The model's file.
    pub model: String,
    /// How large the model is, times what it is without the manifest. 1 by default.
    #[serde(skip_serializing_if = "is_one")]
    pub scale: f32,
    /// Which axes of the file are up and forward; the format's own by default.
    #[serde(skip_serializing_if = "is_default")]
    pub axes: Option<ManifestAxes>,
    /// Folders to look for pictures in before those of the loader's settings.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "list")]
    pub texture_folders: Vec<String>,
    /// The palette of an MDL model, 768 bytes.
    #[serde(skip_serializing_if = "is_default")]
    pub palette: Option<String>,
    /// Whether the lights of an ALO model are loaded; what the loader's settings say by default.
    #[serde(skip_serializing_if = "is_default")]
    pub load_lights: Option<bool>,
    /// Clips by names of their own.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "list")]
    pub clips: Vec<ManifestClip>,
    /// The clip that the model plays at first.
    #[serde(skip_serializing_if = "is_default")]
    pub play: Option<NameOrIndex>,
    /// Pictures that the model may wear, by names of their own.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "map")]
    pub skins: BTreeMap<String, String>,
    /// The skin that the model wears at first: the name of one of `skins`, or the number of one of the file's.
    #[serde(skip_serializing_if = "is_default")]
    pub skin: Option<NameOrIndex>,
    /// From how far away each level of detail after the finest is drawn: see
    /// [`LodDistances`](crate::scene::LodDistances).
    #[serde(skip_serializing_if = "is_default", deserialize_with = "list")]
    pub lod_distances: Vec<f32>,
    /// The colour of the team.
    #[serde(skip_serializing_if = "is_default", with = "color")]
    pub team_color: Option<Srgba>,
    /// The colours of the player, as rows of the palette.
    #[serde(skip_serializing_if = "is_default")]
    pub player_colors: Option<ManifestColors>,
    /// Parts that are hidden at first.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "list")]
    pub hidden: Vec<String>,
    /// Parts that are shown at first although the file hides them.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "list")]
    pub shown: Vec<String>,
    /// How damaged the model is at first: see [`DamageStage`](crate::scene::DamageStage).
    #[serde(skip_serializing_if = "is_default")]
    pub alt: Option<u32>,
    /// Models that hang on this one's bones.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "list")]
    pub attachments: Vec<ManifestAttachment>,
    /// What its names stand for, as far as its loader found it. It is no part of the file, and empty where code made
    /// the manifest. Names that are not in it are paths from the root.
    #[serde(skip)]
    pub files: ManifestFiles,
}

impl Default for ModelManifest {
    fn default() -> Self {
        Self {
            model: String::new(),
            scale: 1.0,
            axes: None,
            texture_folders: Vec::new(),
            palette: None,
            load_lights: None,
            clips: Vec::new(),
            play: None,
            skins: BTreeMap::new(),
            skin: None,
            lod_distances: Vec::new(),
            team_color: None,
            player_colors: None,
            hidden: Vec::new(),
            shown: Vec::new(),
            alt: None,
            attachments: Vec::new(),
            files: ManifestFiles::default(),
        }
    }
}

impl ModelManifest {
    /// A manifest that says nothing but where the model is.
    pub fn of(model: AssetPath<'static>) -> Self {
        let name = model.to_string();
        Self {
            files: ManifestFiles::of_model(&name, model),
            model: name,
            ..Self::default()
        }
    }
}

/// Which axes of a file are up and forward. The model then looks along Bevy's −Z.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[serde(deny_unknown_fields)]
pub struct ManifestAxes {
    /// The axis that goes up.
    pub up: FileAxis,
    /// The axis that the model looks along. It cannot be the one that goes up, nor that one's opposite.
    pub forward: FileAxis,
}

impl ManifestAxes {
    /// The turn from the file's axes to Bevy's; `None` if both are on one line.
    pub fn rotation(self) -> Option<Quat> {
        self.rotation_in(Mirror::default())
    }

    /// The same for a file of which axes were mirrored when it was loaded.
    pub(super) fn rotation_in(self, Mirror(mirror): Mirror) -> Option<Quat> {
        let [up, forward] = [self.up, self.forward].map(|axis| axis.direction() * mirror);
        if up.dot(forward) != 0.0 {
            return None;
        }
        // Its columns are what becomes X, Y and Z, so its inverse takes those there.
        let from_bevy = Mat3::from_cols(forward.cross(up), up, -forward);
        Some(Quat::from_mat3(&from_bevy.transpose()))
    }
}

/// One of the six directions along a file's axes.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "their names say it")]
pub enum FileAxis {
    X,
    Y,
    Z,
    NegX,
    NegY,
    NegZ,
}

impl FileAxis {
    /// As a vector of length 1.
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

/// A clip by a name of its own: one of the model's, one that is a file, or frames.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct ManifestClip {
    /// Its name. A file's clip has that of the file if there is none, without what the file's name has in
    /// common with the model's: `MOVE_00` for `TANK_MOVE_00.ala` of `TANK.alo`.
    #[serde(skip_serializing_if = "is_default")]
    pub name: String,
    /// Which of the model's clips it is, or is a part of.
    #[serde(skip_serializing_if = "is_default")]
    pub clip: Option<NameOrIndex>,
    /// The animation's file, in the place of `clip`. With `*` and `?` in it, it is all files that fit, in the order
    /// of their names, and there can be no `name`.
    #[serde(skip_serializing_if = "is_default")]
    pub file: Option<String>,
    /// Which frames of the clip, or without a clip or file, of an MDL model: the first and the last, both of
    /// which play. All by default.
    #[serde(skip_serializing_if = "is_default")]
    pub frames: Option<(u32, u32)>,
    /// How fast. 1 by default; negative plays backwards.
    #[serde(skip_serializing_if = "is_one")]
    pub speed: f32,
    /// What happens at its end.
    #[serde(skip_serializing_if = "is_default")]
    pub repeat: ManifestRepeat,
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
        }
    }
}

/// What happens at the end of a clip.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ManifestRepeat {
    /// It begins again.
    #[default]
    Loop,
    /// It stays in its last pose.
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

/// The colours of a player: see [`PlayerColors`].
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

/// A model that hangs on a bone of another one.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct ManifestAttachment {
    /// The bone, or what else [`ModelQuery::bone`](crate::model::ModelQuery::bone) finds, by its name in any case. Without
    /// one the model hangs on the root of the other.
    #[serde(skip_serializing_if = "is_default")]
    pub bone: String,
    /// The model's file, or its manifest.
    pub model: String,
    /// Where it is on the bone, in the bone's space.
    #[serde(skip_serializing_if = "is_default")]
    pub translation: [f32; 3],
    /// How it is turned: degrees about X, then Y, then Z of the bone.
    #[serde(skip_serializing_if = "is_default")]
    pub rotation: [f32; 3],
    /// How large it is, times what it is on its own. 1 by default.
    #[serde(skip_serializing_if = "is_one")]
    pub scale: f32,
    /// The clip that it plays at first, in the place of that of its own manifest.
    #[serde(skip_serializing_if = "is_default")]
    pub play: Option<NameOrIndex>,
    /// The skin that it wears at first, in the place of that of its own manifest.
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
    /// Where it is on the bone.
    pub fn transform(&self) -> Transform {
        let [x, y, z] = self.rotation.map(f32::to_radians);
        Transform {
            translation: Vec3::from_array(self.translation),
            // About the bone's own axes, which do not turn with it.
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
