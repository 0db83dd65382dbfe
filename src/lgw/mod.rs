//! Text models of UFO: Aftermath, `.lgw`.
//!
//! [`Lgw`] is the asset, [`LgwLoaderSettings`] says how a model is loaded, and [`LgwInstance`] is on the root of a spawned
//! model. [`text`] parses and writes the files without Bevy.

// For maintainers. `meshes` makes meshes, and `convert` all that a file holds; `textures` finds pictures, `material` draws
// them; `loader` makes assets, `spawn` a scene, and `instance` is a spawned scene. What another format could use belongs in
// `scene` or `texture`.

#[doc(inline)]
pub use classic_model_formats::lgw as text;

mod appearance;
mod components;
mod convert;
mod instance;
mod limits;
mod loader;
mod material;
mod meshes;
mod model;
mod plugin;
mod settings;
mod spawn;
mod textures;

pub use components::{LgwInstance, LgwMesh};
pub use convert::LgwContents;
pub use loader::LgwLoader;
pub use material::{LgwTexEnv, LgwTexEnvMaterial, LgwTexEnvUniform, LgwTexEnvUnit, tex_env_flags};
pub use meshes::MeshContents;
pub use model::{
    Lgw, LgwAssetLabel, LgwDrawn, LgwMaterial, LgwMaterialInfo, LgwMeshInfo, LgwModel,
};
pub use plugin::LgwPlugin;
pub use settings::{LgwLoaderError, LgwLoaderSettings, LgwUp, LgwWinding};
