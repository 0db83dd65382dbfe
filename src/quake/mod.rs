//! Quake's alias models, `.mdl`.
//!
//! [`Mdl`] is the asset, and [`MdlLoaderSettings`] are its loader's settings. [`MdlAnimator`] is on the root entity of
//! a spawned model and has the poses that it shows. [`MdlPoses`] has the vertex positions on the CPU. [`mdl`] parses
//! and writes the files without Bevy.

// For maintainers:
// - Conversion: `convert` makes meshes and images, and `poses` decodes vertex positions.
// - Assets: `dependencies` has the palette, `material` the material that morphs on the GPU, `loader` makes the assets,
//   and `spawn` the scene.
// - Spawned models: `components` has their components, `instance` adds them when a scene is ready, `animation`,
//   `events` and `advance` play clips, `pose_table` has the table of poses for the GPU, and `appearance` applies skins
//   and colors.
// Code that another format could use belongs in `scene`.

#[doc(inline)]
pub use classic_model_formats::mdl;

mod advance;
mod animation;
mod appearance;
mod asset;
mod components;
mod convert;
mod dependencies;
mod events;
mod find_clip;
mod info;
mod instance;
mod loader;
mod material;
mod plugin;
mod pose_table;
mod poses;
mod settings;
mod spawn;
#[cfg(feature = "collision")]
mod surfaces;

pub use crate::quake::asset::{
    Mdl, MdlAssetLabel, MdlClip, MdlFrame, MdlModel, MdlSkin, MdlSkinImage, Sequence, SyncType,
    flags,
};
pub use crate::quake::dependencies::{
    FIRST_FULLBRIGHT, PANTS_ROW, Palette, PaletteLoader, PaletteLoaderError, SHIRT_ROW,
};
pub use components::{MdlAnimator, MdlMesh};
pub use convert::{ConvertedImage, ConvertedMdl, ConvertedSkin};
pub(crate) use info::MdlInfo;
pub use loader::MdlLoader;
pub use material::{MdlMaterial, MdlMorph, MdlMorphUniform};
pub use plugin::QuakePlugin;
pub use pose_table::PoseTable;
pub use poses::MdlPoses;
pub use settings::{Cutout, MdlLoaderSettings, SkinFilter};
#[cfg(feature = "collision")]
pub(crate) use surfaces::MdlSurfaces;

pub use crate::scene::{PoseBlend, PosePair};
