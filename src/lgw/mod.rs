//! Loads the models of UFO: Aftermath, `.lgw` text files.
//!
//! [`Lgw`] is the asset, [`LgwLoaderSettings`] are the settings of its loader, and [`LgwInstance`] is on the root of a
//! spawned model. [`text`] parses and writes the files without Bevy.

// For maintainers: `convert` converts a file, with `meshes`; `dependencies` finds textures, and `material` makes
// materials; `loader` makes the assets, and `spawn` the scene. `components` has the components of spawned models,
// `instance` adds them when a scene is ready, and `appearance` hides meshes. Code that other formats can use belongs in
// `scene` or `texture`.

#[doc(inline)]
pub use classic_model_formats::lgw as text;

mod appearance;
mod asset;
mod components;
mod convert;
mod dependencies;
mod info;
mod instance;
mod limits;
mod loader;
mod material;
mod meshes;
mod plugin;
mod settings;
mod spawn;
#[cfg(feature = "collision")]
mod surfaces;

pub use crate::lgw::asset::{
    Lgw, LgwAssetLabel, LgwMaterial, LgwMaterialHandle, LgwMaterialInfo, LgwMeshInfo, LgwModel,
};
pub use components::{LgwInstance, LgwMesh};
pub use convert::ConvertedLgw;
pub(crate) use info::LgwInfo;
pub use loader::LgwLoader;
pub use material::{LgwTexEnv, LgwTexEnvMaterial, LgwTexEnvUniform, LgwTexEnvUnit, tex_env_flags};
pub use meshes::ConvertedMesh;
pub use plugin::LgwPlugin;
pub use settings::{LgwLoaderSettings, LgwUpAxis, LgwWinding};
#[cfg(feature = "collision")]
pub(crate) use surfaces::LgwSurfaces;
