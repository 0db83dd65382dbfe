//! Models of LithTech's first engine, `.abc`: Shogo, Blood II, KISS: Psycho Circus.
//!
//! [`Abc`] is the asset, [`AbcLoaderSettings`] says how a model is loaded, and [`AbcInstance`] is on the root of a spawned
//! model. [`AbcKeyframeEvent`] is triggered by strings at keyframes. [`abc`] and [`dtx`] parse and write models and textures
//! without Bevy.

// For maintainers. `space` has the change of handedness; `shape`, `vertices` and `meshes` make meshes, `deform` packs
// vertices that move one by one, `tracks` and `clip` make clips, and `convert` all that a file holds; `skins` finds skins,
// `material` draws them; `loader` makes assets, and `spawn` a scene. `instance` is a spawned scene, `looks` applies what its
// root's components choose, `lods` chooses its level of detail by distance, and `player` plays on it. What another format
// could use belongs in `scene` or `texture`.

#[doc(inline)]
pub use classic_model_formats::{abc, dtx};

mod clip;
mod components;
mod convert;
mod data_texture;
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
mod pose_table;
mod settings;
mod shape;
mod skins;
mod space;
mod spawn;
mod tracks;
mod vertices;

pub use clip::{AbcKeyframeEvent, node_target};
pub use components::{AbcInstance, AbcMesh, AbcNode};
pub use convert::{AbcContents, ClipContents, LevelContents};
pub use deform::DeformContents;
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
pub use pose_table::AbcPoseTable;
pub use settings::{AbcLoaderError, AbcLoaderSettings};
