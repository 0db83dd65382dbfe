//! Models of LithTech's first engine, `.abc`: Shogo, Blood II, KISS: Psycho Circus.
//!
//! [`Abc`] is the asset, [`AbcLoaderSettings`] says how a model is loaded, and [`AbcInstance`] is on the root of a spawned
//! model. [`AbcKeyframeEvent`] is triggered by strings at keyframes. [`abc`] and [`dtx`] parse and write models and textures
//! without Bevy.

// For maintainers. `space` has the change of handedness; `shape`, `vertices` and `meshes` make meshes, `deform` packs
// vertices that move one by one, `tracks` and `clip` make clips, and `convert` all that a file holds; `dependencies` finds
// skins, `material` draws them; `loader` makes assets, and `spawn` a scene. `components` has the components of spawned
// models, `instance` adds them when a scene is ready, `appearance` applies what the root's components choose, `lods` reads
// the distances of levels of detail, and `animation` plays clips. What another format could use belongs in `scene` or
// `texture`.

#[doc(inline)]
pub use classic_model_formats::{abc, dtx};

mod animation;
mod appearance;
mod asset;
mod clip;
mod components;
mod convert;
mod data_texture;
mod deform;
mod dependencies;
mod fallback;
mod find_clip;
mod handedness;
mod instance;
mod limits;
mod loader;
mod lods;
mod material;
mod meshes;
mod plugin;
mod pose_table;
mod settings;
mod spawn;
mod split_vertices;
mod tracks;
mod vertices;

pub use crate::lithtech::animation::AbcAnimator;
pub use crate::lithtech::asset::{
    Abc, AbcAnimation, AbcAssetLabel, AbcDeformInfo, AbcEvent, AbcLevel, AbcMaterials, AbcMeshInfo,
    AbcModel, AbcNodeInfo, AbcSkin,
};
pub use clip::{AbcKeyframeEvent, node_target};
pub use components::{AbcInstance, AbcMesh, AbcNode};
pub use convert::{ConvertedAbc, ConvertedClip, ConvertedLod};
pub use deform::ConvertedDeform;
pub use limits::MAX_SCENE_DEPTH;
pub use loader::AbcLoader;
pub use material::{AbcDeform, AbcDeformMaterial, AbcDeformUniform, surface_flags};
pub use meshes::ConvertedMesh;
pub use plugin::LithTechPlugin;
pub use pose_table::AbcPoseTable;
pub use settings::AbcLoaderSettings;
