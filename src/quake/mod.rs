//! Quake's alias models, `.mdl`.
//!
//! [`Mdl`] is the asset, [`MdlLoaderSettings`] says how a model is loaded, and [`MdlAnimator`] is on the root of a spawned
//! model and has the poses that are shown. [`MdlPoses`] has the vertex positions on the CPU. [`mdl`] parses and writes the
//! files without Bevy.

// For maintainers. `convert` makes meshes and images, `dependencies` has the palette, `loader` makes assets, and `spawn` a
// scene. `components` has the components of spawned models, `instance` adds them when a scene is ready, `animation` writes
// which poses each of them shows, `appearance` applies skins and colors, and `material` morphs on the GPU. What another
// format could use belongs in `scene`.

#[doc(inline)]
pub use classic_model_formats::mdl;

mod advance;
mod animation;
mod appearance;
mod asset;
mod components;
mod convert;
mod dependencies;
mod find_clip;
mod instance;
mod loader;
mod material;
mod plugin;
mod pose_table;
mod poses;
mod settings;
mod spawn;

pub use crate::quake::asset::{
    Mdl, MdlAssetLabel, MdlClip, MdlFrame, MdlModel, MdlPicture, MdlSkin, Sequence, SyncType, flags,
};
pub use crate::quake::dependencies::{
    FIRST_FULLBRIGHT, PANTS_ROW, Palette, PaletteLoader, PaletteLoaderError, SHIRT_ROW,
};
pub use components::{MdlAnimator, MdlMesh};
pub use convert::{ConvertedImage, ConvertedMdl, ConvertedSkin};
pub use loader::MdlLoader;
pub use material::{MdlMaterial, MdlMorph, MdlMorphUniform};
pub use plugin::QuakePlugin;
pub use pose_table::PoseTable;
pub use poses::MdlPoses;
pub use settings::{Cutout, MdlLoaderSettings, SkinFilter};

pub use crate::scene::{PoseBlend, PosePair};
