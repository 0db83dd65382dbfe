//! The text models of UFO: Aftermath, and how they become Bevy assets.
//!
//! The rooms: [`text`] knows the files, and nothing of Bevy. `meshes` makes meshes, and `convert` all that a
//! file holds; `textures` finds pictures, `material` draws them; `loader` makes assets, and `spawn` a scene
//! of them. `instance` is a spawned scene.
//!
//! What may not enter: anything another format could use; that belongs in [`scene`](crate::scene) or
//! [`texture`](crate::texture).

pub mod text;

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

pub use convert::LgwContents;
pub use instance::{LgwInstance, LgwMesh};
pub use loader::LgwLoader;
pub use material::{LgwTexEnv, LgwTexEnvMaterial, LgwTexEnvUniform, LgwTexEnvUnit, tex_env_flags};
pub use meshes::MeshContents;
pub use model::{
    Lgw, LgwAssetLabel, LgwDrawn, LgwMaterial, LgwMaterialInfo, LgwMeshInfo, LgwModel,
};
pub use plugin::LgwPlugin;
pub use settings::{LgwLoaderError, LgwLoaderSettings, LgwUp, LgwWinding};
