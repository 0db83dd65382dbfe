//! Loads the models of UFO: Aftermath, `.lgw` text files.
//!
//! [`Lgw`] is the asset, [`LgwLoaderSettings`] are the settings of its loader, and [`LgwInstance`] is on the root of a
//! spawned model. [`lgw`] parses and writes the files without Bevy.

// For maintainers: code that another format could use belongs in one of the shared folders.

pub(crate) mod asset;
pub(crate) mod components;
pub(crate) mod convert;
pub(crate) mod dependencies;
pub(crate) mod instance;
pub(crate) mod loader;
pub(crate) mod material;
pub(crate) mod plugin;
pub(crate) mod settings;
pub(crate) mod surfaces;

#[doc(inline)]
pub use classic_model_formats::lgw;

pub use asset::{
    Lgw, LgwAssetLabel, LgwMaterial, LgwMaterialHandle, LgwMaterialInfo, LgwMeshInfo, LgwModel,
};
pub use components::{LgwInstance, LgwMesh};
#[doc(hidden)]
pub use convert::ConvertedLgw;
#[doc(hidden)]
pub use convert::ConvertedMesh;
pub use loader::LgwLoader;
pub use material::{LgwTexEnv, LgwTexEnvMaterial, LgwTexEnvUniform, LgwTexEnvUnit, tex_env_flags};
pub use plugin::LgwPlugin;
pub use settings::{LgwLoaderSettings, LgwUpAxis, LgwWinding};
