//! The loader settings of models.

use crate::load::defaults::impl_with_defaults;
use bevy::asset::RenderAssetUsages;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Settings of [`AloLoader`](crate::alamo::AloLoader), from code or from a `.meta` file.
///
/// New versions may add fields: end a literal with `..default()`.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct AloLoaderSettings {
    /// Bevy units per unit of the file. Greater than 0; 1 by default.
    pub scale: f32,
    /// Whether to rotate the scene from the file's axes (Z up, front −Y) to Bevy's Y up and front +Z. On by default.
    pub convert_axes: bool,
    /// Additional folders to search for textures, relative to the root of the asset source. The model's own folder and
    /// its sibling `Textures` are searched first.
    pub texture_folders: Vec<String>,
    /// Whether to load textures. On by default.
    ///
    /// Without textures, models have plain colors. Additive meshes and shields are not visible, because only their
    /// textures give them a shape.
    pub load_textures: bool,
    /// Whether to load the model's animations: `<MODEL>_<TYPE>_<NN>.ala` (case-insensitive), in its own folder and in
    /// `animation_folders`. On by default.
    pub load_animations: bool,
    /// Additional folders to search for animations, relative to the root of the asset source.
    pub animation_folders: Vec<String>,
    /// The names of bones in clips of other models, by the names of bones in this one, in any case. Bones that it does not
    /// contain have the same name in both. A manifest's `clip_bones` replaces it.
    pub clip_bones: BTreeMap<String, String>,
    /// The table of the sounds and surface effects of animations, relative to the root of the asset source: in the games
    /// `data/xml/AnimationSFXMaps.txt`, in any case. `None`, the default, loads none.
    ///
    /// At the time of each entry, a [`ModelEvent`](crate::root::ModelEvent) with its name is sent.
    pub sound_table: Option<String>,
    /// Whether to spawn the model's lights as Bevy lights. On by default.
    pub load_lights: bool,
    /// Whether alpha-blended sub-meshes and sky domes cast shadows as if they were opaque. Off by default, because the
    /// games cast shadows only from shadow volumes. Additive sub-meshes never cast shadows.
    pub blended_shadows: bool,
    /// Whether to load the models that proxies name, as `<name>.alo` in the model's folder or in `proxy_folders`. Off
    /// by default. Particle systems have a setting of their own.
    pub load_proxies: bool,
    /// Whether to load the particle systems that proxies name, in the same folders. They are created and stopped as
    /// their proxies are shown and hidden. On by default.
    pub load_particles: bool,
    /// Additional folders to search for the files that proxies name, relative to the root of the asset source.
    pub proxy_folders: Vec<String>,
    /// Whether a hidden bone also hides what is connected to the bones below it, as the document on the format says. Off
    /// by default, because the files of the games count on visible bones below hidden ones.
    pub hidden_bones_hide_children: bool,
    /// The asset usage of meshes that are drawn. By default they are kept in the main world and the render world.
    /// Meshes that are not drawn stay in the main world.
    pub asset_usage: RenderAssetUsages,
    /// Whether fields with the built-in default take the values of [`AlamoPlugin::defaults`](crate::alamo::AlamoPlugin::defaults). On by
    /// default.
    pub use_defaults: bool,
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
            clip_bones: BTreeMap::new(),
            sound_table: None,
            load_lights: true,
            blended_shadows: false,
            load_proxies: false,
            load_particles: true,
            proxy_folders: Vec::new(),
            hidden_bones_hide_children: false,
            asset_usage: RenderAssetUsages::default(),
            use_defaults: true,
        }
    }
}

impl_with_defaults!(AloLoaderSettings {
    scale,
    convert_axes,
    texture_folders,
    load_textures,
    load_animations,
    animation_folders,
    clip_bones,
    sound_table,
    load_lights,
    blended_shadows,
    load_proxies,
    load_particles,
    proxy_folders,
    hidden_bones_hide_children,
    asset_usage
});
