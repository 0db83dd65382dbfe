//! The settings of the loader.

use crate::load::defaults::impl_with_defaults;
use bevy::asset::RenderAssetUsages;
use bevy::math::Vec3;
use classic_model_formats::lgw::Tolerance;
use serde::{Deserialize, Serialize};

/// Settings of [`LgwLoader`](crate::lgw::LgwLoader), from code or from a `.meta` file.
///
/// New versions may add fields: end a literal with `..default()`.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct LgwLoaderSettings {
    /// Bevy units per unit of the file, which is most likely a centimeter. Greater than 0; 1 by default.
    pub scale: f32,
    /// Whether to convert the scene from the file's axes, given by `up_axis` and `left_handed`, to Bevy's.
    /// On by default. If false, positions stay in the file's axes.
    pub convert_axes: bool,
    /// The up axis of the file. Y by default.
    pub up_axis: LgwUpAxis,
    /// Whether the file's space is left-handed. If so, and with `convert_axes`, the model is mirrored along
    /// the axis that points towards the viewer. Off by default.
    pub left_handed: bool,
    /// Which side of a triangle is its front.
    pub winding: LgwWinding,
    /// Whether V points up in the file, from the bottom of a texture, as in OpenGL. On by default.
    pub flip_v: bool,
    /// Which problems of the file are errors, and which are warnings.
    pub tolerance: Tolerance,
    /// The game's folder, relative to the root of the asset source. Texture paths in files are relative to
    /// it. It is searched before the model's folder, its sibling `Textures` and the root. The root by
    /// default.
    pub texture_root: String,
    /// More folders to search for textures, relative to the root of the asset source.
    pub texture_folders: Vec<String>,
    /// Whether to load textures. Models are white without them. On by default.
    pub load_textures: bool,
    /// Whether models are drawn without lighting. Off by default.
    pub unlit: bool,
    /// Whether to draw the back sides of triangles. Off by default: if both sides of a surface are visible,
    /// the games' models have a triangle for each.
    pub double_sided: bool,
    /// Where meshes are kept: main world, render world or both. Both by default.
    pub asset_usage: RenderAssetUsages,
    /// Whether fields with the built-in default take the values of [`LgwPlugin::defaults`](crate::lgw::LgwPlugin::defaults). On by
    /// default.
    pub use_defaults: bool,
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
            use_defaults: true,
        }
    }
}

impl_with_defaults!(LgwLoaderSettings {
    scale,
    convert_axes,
    up_axis,
    left_handed,
    winding,
    flip_v,
    tolerance,
    texture_root,
    texture_folders,
    load_textures,
    unlit,
    double_sided,
    asset_usage
});

impl LgwLoaderSettings {
    /// Whether positions and normals are mirrored.
    pub(crate) fn is_mirrored(&self) -> bool {
        self.convert_axes && self.left_handed
    }

    /// The factor by which the positions and normals of a file are multiplied.
    pub(crate) fn mirror(&self) -> Vec3 {
        match (self.is_mirrored(), self.up_axis) {
            (false, _) => Vec3::ONE,
            (true, LgwUpAxis::Y) => Vec3::new(1.0, 1.0, -1.0),
            (true, LgwUpAxis::Z) => Vec3::new(1.0, -1.0, 1.0),
        }
    }
}

/// The up axis of a file.
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
    /// The side that most of the mesh's normals are on. If there is no majority, for example without
    /// normals, the same as [`Keep`](Self::Keep).
    #[default]
    Auto,
    /// The side from which the vertices are counterclockwise in the file's space.
    Keep,
    /// The side from which the vertices are clockwise in the file's space.
    Flip,
}
