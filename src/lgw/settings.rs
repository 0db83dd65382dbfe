//! How a model is loaded.

use crate::lgw::text::Tolerance;
use crate::scene::{BadSetting, LoaderOverride, ModelSettings, check_positive};
use bevy::asset::RenderAssetUsages;
use bevy::math::Vec3;
use serde::{Deserialize, Serialize};

/// How [`LgwLoader`](super::LgwLoader) loads a file, from code or from its `.meta` file.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct LgwLoaderSettings {
    /// Bevy units per unit of the file, which is most likely a centimetre. 1 by default.
    pub scale: f32,
    /// Whether the scene is converted from the file's axes, which `up_axis` and `left_handed` name, to Bevy's. On by
    /// default. Otherwise positions stay as the file has them.
    pub convert_axes: bool,
    /// Which axis of the file goes up. Y by default.
    pub up_axis: LgwUpAxis,
    /// Whether the file's space is left-handed: what is on its right is on the left of others. It is
    /// mirrored then, along the axis that points at the viewer. Off by default.
    pub left_handed: bool,
    /// Which side of a triangle is its front.
    pub winding: LgwWinding,
    /// Whether V goes up in the file, from the bottom of a picture, as it does in OpenGL. On by default.
    pub flip_v: bool,
    /// What is done about flaws of the file.
    pub tolerance: Tolerance,
    /// Where the game is, from the root of the asset source: the folder from which files name their
    /// pictures. It is looked into before the model's own folder, its sibling `Textures` and the root.
    /// The root by default.
    pub texture_root: String,
    /// Further folders to look for pictures in, from the root of the asset source.
    pub texture_folders: Vec<String>,
    /// Whether pictures are loaded at all. Without them models are white. On by default.
    pub load_textures: bool,
    /// Whether models are as bright as their pictures, whatever light falls on them. Off by default.
    pub unlit: bool,
    /// Whether triangles are seen from behind too. Off by default: the games' models have two where
    /// both sides are seen.
    pub double_sided: bool,
    /// Where meshes are kept. In both worlds by default.
    pub asset_usage: RenderAssetUsages,
}

impl Default for LgwLoaderSettings {
    fn default() -> Self {
        Self {
            scale: 1.0,
            convert_axes: true,
            up_axis: LgwUpAxis::default(),
            left_handed: false,
            winding: LgwWinding::default(),
            flip_v: true,
            tolerance: Tolerance::default(),
            texture_root: String::new(),
            texture_folders: Vec::new(),
            load_textures: true,
            unlit: false,
            double_sided: false,
            asset_usage: RenderAssetUsages::default(),
        }
    }
}

impl LgwLoaderSettings {
    /// Whether positions and normals are mirrored.
    pub(super) fn is_mirrored(&self) -> bool {
        self.convert_axes && self.left_handed
    }

    /// What positions and normals of a file are multiplied by.
    pub(super) fn mirror(&self) -> Vec3 {
        match (self.is_mirrored(), self.up_axis) {
            (false, _) => Vec3::ONE,
            (true, LgwUpAxis::Y) => Vec3::new(1.0, 1.0, -1.0),
            (true, LgwUpAxis::Z) => Vec3::new(1.0, -1.0, 1.0),
        }
    }
}

impl ModelSettings for LgwLoaderSettings {
    fn apply(&mut self, overrides: &LoaderOverride) {
        overrides.prepend_folders(&mut self.texture_folders);
    }

    fn check(&self) -> Result<(), BadSetting> {
        check_positive("scale", self.scale)
    }
}

/// Which axis of a file goes up.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LgwUpAxis {
    /// Y, as in Bevy.
    #[default]
    Y,
    /// Z: (x, y, z) becomes (x, z, −y).
    Z,
}

/// Which side of a triangle is its front.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LgwWinding {
    /// That which most normals of the mesh are on. If there is no majority, as if there are no normals, that
    /// of [`Keep`](Self::Keep).
    #[default]
    Auto,
    /// That from which its vertices go counter-clockwise, in the file's own space.
    Keep,
    /// That from which its vertices go clockwise, in the file's own space.
    Flip,
}
