//! Quake's alias models, `.mdl`.
//!
//! [`Mdl`] is the asset, and [`MdlLoaderSettings`] are its loader's settings. [`MdlInstance`] is on the root entity of
//! a spawned model and has the poses that it shows. [`MdlPoses`] has the vertex positions on the CPU. [`mdl`] parses
//! and writes the files without Bevy.

// For maintainers: code that another format could use belongs in one of the shared folders.

pub(crate) mod appearance;
pub(crate) mod asset;
pub(crate) mod components;
pub(crate) mod convert;
pub(crate) mod dependencies;
mod external_skins;
pub(crate) mod instance;
pub(crate) mod loader;
pub(crate) mod material;
pub(crate) mod player;
pub(crate) mod plugin;
pub(crate) mod poses;
pub(crate) mod settings;
pub(crate) mod skins;
pub(crate) mod surfaces;

#[doc(inline)]
pub use classic_model_formats::mdl;

pub use asset::{
    Mdl, MdlAssetLabel, MdlClip, MdlFrame, MdlModel, MdlSkin, MdlSkinImage, Sequence, SyncType,
    flags,
};
pub use components::{MdlInstance, MdlMesh};
#[doc(hidden)]
pub use convert::ConvertedMdl;
pub use dependencies::{
    FIRST_FULLBRIGHT, PANTS_ROW, Palette, PaletteLoader, PaletteLoaderError, SHIRT_ROW,
};
#[doc(hidden)]
pub use external_skins::ExternalImage;
pub use loader::MdlLoader;
pub use material::{MdlMaterial, MdlMorph, MdlMorphUniform};
pub use plugin::QuakePlugin;
pub use poses::{MdlPoseTable, MdlPoses};
pub use settings::{MdlCutout, MdlLoaderSettings, SkinFilter};
#[doc(hidden)]
pub use skins::{ConvertedImage, ConvertedSkin, SkinImage};

pub use crate::gpu::pose_table::{PoseBlend, PosePair};
