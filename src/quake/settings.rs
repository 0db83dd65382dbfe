//! How a model is loaded.

use crate::scene::{BadSetting, LoaderOverride, ModelSettings, check_positive};
use bevy::asset::RenderAssetUsages;
use serde::{Deserialize, Serialize};

/// How [`MdlLoader`](super::MdlLoader) loads a file, from code or from its `.meta` file.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct MdlLoaderSettings {
    /// Bevy units per unit of the file. 1 by default; 1 / 39.37 makes metres of Quake's inches.
    pub scale: f32,
    /// Whether the scene is turned from the file's Z up to Bevy's Y up. On by default.
    pub convert_axes: bool,
    /// Path of a palette of 768 bytes, searched for beside the model, in `texture_folders`, and from
    /// the root of the asset source. Quake's own palette by default.
    pub palette: Option<String>,
    /// Further folders to look for the palette in, from the root of the asset source.
    pub texture_folders: Vec<String>,
    /// Poses per second, except in frame groups, which bring their own times. 10 by default.
    pub frame_rate: f32,
    /// How skins are filtered.
    pub filter: SkinFilter,
    /// Whether texels of colour 255 are holes.
    pub cutout: Cutout,
    /// Whether poses are interpolated; instances can turn it off for themselves. On by default.
    pub interpolate: bool,
    /// Where mesh and skins are kept. In both worlds by default.
    pub asset_usage: RenderAssetUsages,
}

impl Default for MdlLoaderSettings {
    fn default() -> Self {
        Self {
            scale: 1.0,
            convert_axes: true,
            palette: None,
            texture_folders: Vec::new(),
            frame_rate: crate::quake::mdl::DEFAULT_FRAME_RATE,
            filter: SkinFilter::default(),
            cutout: Cutout::default(),
            interpolate: true,
            asset_usage: RenderAssetUsages::default(),
        }
    }
}

impl ModelSettings for MdlLoaderSettings {
    fn apply(&mut self, overrides: &LoaderOverride) {
        overrides.prepend_folders(&mut self.texture_folders);
    }

    fn check(&self) -> Result<(), BadSetting> {
        check_positive("scale", self.scale)?;
        check_positive("frame_rate", self.frame_rate)
    }
}

/// How the texels of a skin are filtered.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SkinFilter {
    /// Sharp texels, as the software renderer drew them.
    #[default]
    Nearest,
    /// Blended texels, as the first hardware renderers drew them.
    Linear,
}

/// Whether texels of colour 255 are holes.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cutout {
    /// If the model's flags say so ([`flags::HOLEY`](super::flags::HOLEY)).
    #[default]
    ByFlag,
    /// Always.
    On,
    /// Never.
    Off,
}
