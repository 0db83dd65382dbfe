//! The loader's settings.

use crate::load::defaults::impl_with_defaults;
use bevy::asset::RenderAssetUsages;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Settings of [`AbcLoader`](crate::lithtech::AbcLoader), from code or from a `.meta` file.
///
/// New versions may add fields: end a literal with `..default()`.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct AbcLoaderSettings {
    /// Bevy units per unit of the file, greater than 0. 1 by default.
    pub scale: f32,
    /// Whether the file's left-handed space is mirrored into Bevy's right-handed one; the model then faces −Z. On by
    /// default. If off, coordinates are not converted: the model is drawn mirrored and faces +Z.
    pub convert_axes: bool,
    /// Names of the skins. The first is used unless [`ModelSkin`](crate::root::ModelSkin) selects another one.
    ///
    /// Each is searched for in the model's folder, its sibling `Textures`, each of `texture_folders`, and the root of
    /// the asset source. A name without an extension is tried as `.dtx`, `.dds` and `.tga`.
    ///
    /// If the list is empty, as by default, or if none of them is found, one skin is searched for at the games'
    /// conventional path, which is `Skins/A/B.dtx` for `Models/A/B.abc`. Then `B.dtx` is tried in the model's folder,
    /// its sibling `Skins`, and each of `texture_folders`.
    pub skins: Vec<String>,
    /// More folders in which to search for skins, as paths from the root of the asset source.
    pub texture_folders: Vec<String>,
    /// Whether skins are loaded. If off, the model gets a plain gray material. On by default.
    pub load_textures: bool,
    /// Texels of a skin with an alpha below this value are cut out. `None` by default: the skin is opaque.
    pub alpha_cutoff: Option<f32>,
    /// Whether both sides of triangles are drawn, which a few models need. Off by default.
    pub double_sided: bool,
    /// Whether each node gets its own mesh, in its own space, instead of one skinned mesh for all nodes. Off by
    /// default, because one mesh is drawn faster. Nodes with vertex animation or
    /// [`surface_flags`](crate::lithtech::surface_flags) always get their own mesh.
    pub separate_node_meshes: bool,
    /// The names of bones in clips of other models, by the names of nodes in this one, in any case. Nodes that it does not
    /// contain have the same name in both. A manifest's `clip_bones` replaces it.
    pub clip_bones: BTreeMap<String, String>,
    /// The levels of detail to make besides the full model. Each value from 0 to 1 selects the finest level with at
    /// most that share of the full model's triangles. Values that select the same level count once.
    pub lod_shares: Vec<f32>,
    /// The distance at which each of these levels begins, in units of the file for an instance of scale 1. Levels
    /// beyond the end of the list never begin. The distances have no effect on instances with a
    /// [`ModelLod`](crate::root::ModelLod).
    ///
    /// `None`, the default, reads the distances from the file's command string (`LODSTARTDIST`, `LODINCREMENT`,
    /// `LODMAXDIST`). If it has none, or if the list is empty, only the full model is drawn.
    ///
    /// The distance is that of the nearest camera. A level ends when the model is 5% nearer than the distance at which
    /// the level begins.
    pub lod_distances: Option<Vec<f32>>,
    /// Scroll speed of the textures of nodes with the flags `SCROLL_U` or `SCROLL_V`, along U and V, in texture widths
    /// per second. The file has no speed. 0.25 each by default.
    pub scroll_speed: [f32; 2],
    /// Whether meshes are kept in the main world, the render world, or both. Both by default.
    pub asset_usage: RenderAssetUsages,
    /// Whether fields with the built-in default take the values of [`LithTechPlugin::defaults`](crate::lithtech::LithTechPlugin::defaults). On by
    /// default.
    pub use_defaults: bool,
}

impl Default for AbcLoaderSettings {
    fn default() -> Self {
        Self {
            scale: 1.0,
            convert_axes: true,
            skins: Vec::new(),
            texture_folders: Vec::new(),
            load_textures: true,
            alpha_cutoff: None,
            double_sided: false,
            separate_node_meshes: false,
            clip_bones: BTreeMap::new(),
            lod_shares: vec![0.5, 0.25, 0.125],
            lod_distances: None,
            scroll_speed: [0.25; 2],
            asset_usage: RenderAssetUsages::default(),
            use_defaults: true,
        }
    }
}

impl_with_defaults!(AbcLoaderSettings {
    scale,
    convert_axes,
    skins,
    texture_folders,
    load_textures,
    alpha_cutoff,
    double_sided,
    separate_node_meshes,
    clip_bones,
    lod_shares,
    lod_distances,
    scroll_speed,
    asset_usage
});
