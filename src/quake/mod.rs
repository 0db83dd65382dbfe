//! Quake's alias models: the format, its palette and normals, and how they become Bevy assets that
//! move.
//!
//! The rooms: [`mdl`] knows the file and nothing of Bevy; [`MdlPoses`] and [`MdlModel`] are what it
//! becomes; the loader builds assets, the material morphs on the GPU, and the systems tell it which
//! poses every instance shows.
//!
//! What may not enter: anything another format could use; that belongs in [`scene`](crate::scene).

pub mod mdl;

mod animator;
mod convert;
mod loader;
mod material;
mod model;
mod normals;
mod palette;
mod plugin;
mod pose_table;
mod poses;
mod skins;

pub use animator::MdlAnimator;
pub use convert::{MdlContents, PictureContents, SkinContents};
pub use loader::{Cutout, MdlLoader, MdlLoaderError, MdlLoaderSettings, MdlMesh, SkinFilter};
pub use material::{MdlMaterial, MdlMorph, MdlMorphUniform};
pub use model::{
    Mdl, MdlAssetLabel, MdlClip, MdlFrame, MdlModel, MdlPicture, MdlSkin, Sequence, SyncType, flags,
};
pub use normals::{nearest_normal, normals};
pub use palette::{
    FIRST_FULLBRIGHT, PANTS_ROW, Palette, PaletteLoader, PaletteLoaderError, SHIRT_ROW,
};
pub use plugin::QuakePlugin;
pub use pose_table::PoseTable;
pub use poses::{MdlPoses, PoseBlend, PosePair};
