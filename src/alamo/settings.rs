//! How a model is loaded.

use crate::scene::{BadSetting, LoaderOverride, ModelSettings, check_positive};
use bevy::asset::RenderAssetUsages;
use serde::{Deserialize, Serialize};

/// How [`AloLoader`](super::AloLoader) loads a file, from code or from its `.meta` file.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct AloLoaderSettings {
    /// Bevy units per unit of the file. 1 by default.
    pub scale: f32,
    /// Whether the scene is turned from the file's Z up to Bevy's Y up, and its front from −Y to
    /// +Z. On by default.
    pub convert_axes: bool,
    /// Further folders to look for textures in, from the root of the asset source. The model's own
    /// folder and its sibling `Textures` come first.
    pub texture_folders: Vec<String>,
    /// Whether textures are looked for at all. Without them models are plain, and what only a texture gives a shape, as
    /// additive meshes and shields, is not seen. On by default.
    pub load_textures: bool,
    /// Whether the model's animations are looked for: `<MODEL>_<TYPE>_<NN>.ala`, in any case, in its
    /// folder and in those of `animation_folders`. On by default.
    pub load_animations: bool,
    /// Further folders to look for animations in, from the root of the asset source.
    pub animation_folders: Vec<String>,
    /// Whether lights become Bevy's. On by default.
    pub load_lights: bool,
    /// Whether sub-meshes that are blended by their alpha, and sky domes, cast shadows as if they were opaque. Off by
    /// default: the games cast shadows from shadow volumes alone. Additive sub-meshes never cast shadows.
    pub blended_shadows: bool,
    /// Whether proxies that name another model, `<name>.alo` in the model's folder or in one of
    /// `proxy_folders`, bring it along. Off by default: most name particle effects.
    pub load_proxies: bool,
    /// Further folders to look for the models of proxies in, from the root of the asset source.
    pub proxy_folders: Vec<String>,
    /// Where meshes that are drawn are kept. In both worlds by default. Meshes that are not drawn
    /// stay in the main world.
    pub asset_usage: RenderAssetUsages,
}

impl Default for AloLoaderSettings {
    fn default() -> Self {
        Self {
            scale: 1.0,
            convert_axes: true,
            texture_folders: Vec::new(),
            load_textures: true,
            load_animations: true,
            animation_folders: Vec::new(),
            load_lights: true,
            blended_shadows: false,
            load_proxies: false,
            proxy_folders: Vec::new(),
            asset_usage: RenderAssetUsages::default(),
        }
    }
}

impl ModelSettings for AloLoaderSettings {
    fn apply(&mut self, overrides: &LoaderOverride) {
        overrides.prepend_folders(&mut self.texture_folders);
        self.load_lights = overrides.load_lights.unwrap_or(self.load_lights);
    }

    fn check(&self) -> Result<(), BadSetting> {
        check_positive("scale", self.scale)
    }
}
