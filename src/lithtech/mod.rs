//! The models and pictures of LithTech's first engine: Shogo, Blood II, KISS: Psycho Circus, and how
//! they become Bevy assets that move.
//!
//! The rooms: [`abc`] knows models, [`dtx`] knows the pictures that they wear, and both nothing of
//! Bevy. `space` knows how the one space lies in the other; `shape`, `vertices` and `meshes` make meshes,
//! `deform` packs what vertices do
//! that move one by one, `tracks` and `clip` make clips, and `convert` all that a file holds; `skins` finds pictures,
//! `material` draws them; `loader` makes
//! assets, and `spawn` a scene of them. `instance` is a spawned scene, `looks` dresses it, `lods` chooses its
//! level of detail by distance, and `player` plays on it.
//!
//! What may not enter: anything another format could use; that belongs in [`scene`](crate::scene) or
//! [`texture`](crate::texture).

pub mod abc;
pub mod dtx;

mod clip;
mod convert;
mod deform;
mod instance;
mod limits;
mod loader;
mod lods;
mod looks;
mod material;
mod meshes;
mod model;
mod player;
mod plugin;
mod settings;
mod shape;
mod skins;
mod space;
mod spawn;
mod tracks;
mod vertices;

pub use clip::{AbcKeyframeEvent, node_target};
pub use convert::{AbcContents, ClipContents, LevelContents};
pub use deform::DeformContents;
pub use instance::{AbcInstance, AbcMesh, AbcNode};
pub use limits::MAX_SCENE_DEPTH;
pub use loader::AbcLoader;
pub use material::{AbcDeform, AbcDeformMaterial, AbcDeformUniform, surface_flags};
pub use meshes::MeshContents;
pub use model::{
    Abc, AbcAnimation, AbcAssetLabel, AbcDeformInfo, AbcEvent, AbcLevel, AbcMaterials, AbcMeshInfo,
    AbcModel, AbcNodeInfo, AbcSkin,
};
pub use player::AbcAnimator;
pub use plugin::LithTechPlugin;
pub use settings::{AbcLoaderError, AbcLoaderSettings};
