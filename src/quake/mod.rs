//! Quake's alias models, `.mdl`.
//!
//! [`Mdl`] is the asset, [`MdlLoaderSettings`] says how a model is loaded, and [`MdlAnimator`] is on the root of a spawned
//! model and has the poses that are shown. [`MdlPoses`] has the vertex positions on the CPU. [`mdl`] parses and writes the
//! files without Bevy.

// For maintainers. The loader makes assets, the material morphs on the GPU, and the systems write which poses every
// instance shows. What another format could use belongs in `scene`.

#[doc(inline)]
pub use classic_model_formats::mdl;

mod animator;
mod components;
mod convert;
mod instance;
mod loader;
mod material;
mod model;
mod palette;
mod plugin;
mod pose_table;
mod poses;
mod settings;
mod skins;
mod spawn;

pub use components::{MdlAnimator, MdlMesh};
pub use convert::{MdlContents, PictureContents, SkinContents};
pub use loader::{MdlLoader, MdlLoaderError};
pub use material::{MdlMaterial, MdlMorph, MdlMorphUniform};
pub use model::{
    Mdl, MdlAssetLabel, MdlClip, MdlFrame, MdlModel, MdlPicture, MdlSkin, Sequence, SyncType, flags,
};
pub use palette::{
    FIRST_FULLBRIGHT, PANTS_ROW, Palette, PaletteLoader, PaletteLoaderError, SHIRT_ROW,
};
pub use plugin::QuakePlugin;
pub use pose_table::PoseTable;
pub use poses::MdlPoses;
pub use settings::{Cutout, MdlLoaderSettings, SkinFilter};

pub use crate::scene::{PoseBlend, PosePair};
