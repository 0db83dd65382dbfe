//! The loader's settings.

use crate::load::defaults::impl_with_defaults;
use bevy::asset::RenderAssetUsages;
use serde::{Deserialize, Serialize};

/// Settings of [`MdlLoader`](crate::quake::MdlLoader), from code or from a `.meta` file.
///
/// New versions may add fields: end a literal with `..default()`.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct MdlLoaderSettings {
    /// Bevy units per unit of the file. Greater than 0; 1 by default. `BevySpace` multiplies by 1 / 32 instead.
    pub scale: f32,
    /// Whether the scene is rotated from the file's Z up to Bevy's Y up. On by default.
    pub convert_axes: bool,
    /// Path of a palette file of 768 bytes. It is searched for in the model's folder, in `texture_folders`, and in the
    /// root of the asset source. A path with a source, such as `game://gfx/palette.lmp`, is used as it is. `None`, the
    /// default, uses Quake's palette.
    pub palette: Option<String>,
    /// More folders in which to search for the palette, as paths from the root of the asset source.
    pub texture_folders: Vec<String>,
    /// Poses per second, greater than 0. Frame groups use their own times instead. 10 by default.
    pub frame_rate: f32,
    /// How skins are filtered.
    pub filter: SkinFilter,
    /// Whether texels with the palette index [`hole_index`](Self::hole_index) are transparent.
    pub cutout: MdlCutout,
    /// The palette index of transparent texels: 255, the default, in Quake; 0 in Hexen II.
    pub hole_index: u8,
    /// Whether images beside the model replace its skins, by the rules of DarkPlaces: for `progs/a.mdl`, the image
    /// `progs/a.mdl_0.tga` replaces skin 0, and `progs/a.mdl_1_2.tga` image 2 of the skin group 1. Images behind the last skin
    /// add skins. `_glow` or `_luma` behind the name is the fullbright image, such as `progs/a.mdl_0_glow.tga`.
    ///
    /// The first file counts, in any case: `dds/progs/a.mdl_0.dds`, then `.tga`, `.png` and `.jpg` in `override/progs`,
    /// `textures/progs` and `progs`. The folder of the game can be any above the model's. [`PlayerColors`](crate::root::PlayerColors) have no effect on
    /// replaced skins. Off by default, because each model then searches for about ten files per skin.
    pub external_skins: bool,
    /// Whether poses are interpolated. [`PlayClip`](crate::root::PlayClip) can turn it off per instance. On by
    /// default.
    pub interpolate: bool,
    /// Whether the mesh and the skins are kept in the main world, the render world, or both. Both by default.
    pub asset_usage: RenderAssetUsages,
    /// Whether fields with the built-in default take the values of [`QuakePlugin::defaults`](crate::quake::QuakePlugin::defaults). On by
    /// default.
    pub use_defaults: bool,
}

impl Default for MdlLoaderSettings {
    fn default() -> Self {
        Self {
            scale: 1.0,
            convert_axes: true,
            palette: None,
            texture_folders: Vec::new(),
            frame_rate: classic_model_formats::mdl::DEFAULT_FRAME_RATE,
            filter: SkinFilter::default(),
            cutout: MdlCutout::default(),
            hole_index: 255,
            external_skins: false,
            interpolate: true,
            asset_usage: RenderAssetUsages::default(),
            use_defaults: true,
        }
    }
}

impl_with_defaults!(MdlLoaderSettings {
    scale,
    convert_axes,
    palette,
    texture_folders,
    frame_rate,
    filter,
    cutout,
    hole_index,
    external_skins,
    interpolate,
    asset_usage
});

/// How the texels of a skin are filtered if they are larger than pixels. Smaller ones are always averaged.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkinFilter {
    /// Sharp texels close up, as the software renderer drew them.
    #[default]
    Nearest,
    /// Blended texels, as the first hardware renderers drew them.
    Linear,
}

/// Whether texels of one palette index are transparent.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MdlCutout {
    /// If the model has the flag [`flags::HOLEY`](crate::quake::flags::HOLEY).
    #[default]
    ByFlag,
    /// Always.
    On,
    /// Never.
    Off,
}
