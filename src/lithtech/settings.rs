//! How a model is loaded.

use crate::scene::{BadSetting, LoaderOverride, ModelSettings, check_positive};
use bevy::asset::RenderAssetUsages;
use serde::{Deserialize, Serialize};

/// How [`AbcLoader`](super::AbcLoader) loads a file, from code or from its `.meta` file.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct AbcLoaderSettings {
    /// Bevy units per unit of the file. 1 by default.
    pub scale: f32,
    /// Whether the file's left-handed space is mirrored into Bevy's, where the model then looks along
    /// −Z. On by default. Otherwise its numbers stay as they are: the model is its own mirror image,
    /// and looks along +Z.
    pub convert_axes: bool,
    /// Pictures that the model may wear, of which the first is worn unless
    /// [`ModelSkin`](crate::scene::ModelSkin) says otherwise. They are looked for as textures are: in
    /// the model's folder, its sibling `Textures`, each of `texture_folders`, and the root. A name without
    /// an extension is tried as `.dtx`, `.dds` and `.tga`. If there are none, as by default, the one
    /// picture is looked for that the games' folders suggest, `Skins/A/B.dtx` for `Models/A/B.abc`; then
    /// `B.dtx` in the model's folder, in its sibling `Skins`, and in each of `texture_folders`.
    pub skins: Vec<String>,
    /// Further folders to look for skins in, from the root of the asset source.
    pub texture_folders: Vec<String>,
    /// Whether skins are looked for at all. Without them models are plain. On by default.
    pub load_textures: bool,
    /// Alpha below which a texel of a skin is a hole. None by default: then there are no holes.
    pub alpha_cutoff: Option<f32>,
    /// Whether triangles are seen from behind too, which a few models rely on. Off by default.
    pub double_sided: bool,
    /// Whether each node has a mesh of its own, in its own space, rather than all of them one skinned
    /// mesh. Off by default: one is drawn faster than many. Nodes that deform always have their own.
    pub separate_node_meshes: bool,
    /// Levels of detail beside the full model: for each number from 0 to 1 the finest that has no
    /// more than that share of its triangles. Levels that turn out the same are one.
    pub lod_shares: Vec<f32>,
    /// From how far away each of those levels is drawn where no [`ModelLod`](crate::scene::ModelLod)
    /// chooses one, in units of the file for an instance of scale 1; levels beyond the end of the list
    /// are never. By default (`None`) as the file's command string says (`LODSTARTDIST`,
    /// `LODINCREMENT`, `LODMAXDIST`), and never if it does not. An empty list turns it off.
    ///
    /// The camera that is nearest counts. A level is left where the model is a twentieth nearer than where it
    /// begins.
    pub lod_distances: Option<Vec<f32>>,
    /// How fast the pictures of nodes move that say they do (`SCROLL_U`, `SCROLL_V`), along U and V, in
    /// widths of the picture a second. The file does not tell. 0.25 each by default.
    pub scroll_speed: [f32; 2],
    /// Where meshes are kept. In both worlds by default.
    pub asset_usage: RenderAssetUsages,
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
            lod_shares: vec![0.5, 0.25, 0.125],
            lod_distances: None,
            scroll_speed: [0.25; 2],
            asset_usage: RenderAssetUsages::default(),
        }
    }
}

impl ModelSettings for AbcLoaderSettings {
    fn apply(&mut self, overrides: &LoaderOverride) {
        overrides.prepend_folders(&mut self.texture_folders);
    }

    fn check(&self) -> Result<(), BadSetting> {
        check_positive("scale", self.scale)
    }
}
