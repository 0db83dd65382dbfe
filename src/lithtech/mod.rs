//! Models of LithTech's first engine, `.abc`: Shogo, Blood II, KISS: Psycho Circus.
//!
//! [`Abc`] is the asset, and [`AbcLoaderSettings`] are its loader's settings. [`AbcInstance`] is on the root entity of
//! a spawned model. Keyframes that have a string send a [`ModelEvent`](crate::scene::ModelEvent). [`abc`] and [`dtx`]
//! parse and write models and textures without Bevy.

// For maintainers:
// - Conversion, without assets: `handedness` converts coordinates. `split_vertices`, `vertices` and `meshes` make
//   meshes, `deform` packs vertex animation for the GPU, `tracks` and `clip` make clips, and `convert` runs all of
//   them.
// - Assets: `dependencies` finds skins, `material` has the materials, `loader` makes the assets, and `spawn` the scene.
// - Spawned models: `components` has their components, `instance` adds them when a scene is ready, `appearance` applies
//   the choices of the root's components, `lods` reads LOD distances, and `animation` plays clips. `crowd` has members of
//   crowds.
// Code that another format could use belongs in `scene` or `texture`.

#[doc(inline)]
pub use classic_model_formats::{abc, dtx};

mod animation;
mod appearance;
mod asset;
mod clip;
mod components;
mod convert;
#[cfg(feature = "crowd")]
mod crowd;
mod data_texture;
mod deform;
mod dependencies;
mod fallback;
mod find_clip;
mod handedness;
mod info;
mod instance;
mod limits;
mod loader;
mod lods;
mod material;
mod meshes;
mod node_bounds;
mod plugin;
mod pose_table;
mod settings;
mod spawn;
mod split_vertices;
#[cfg(feature = "collision")]
mod surfaces;
mod tracks;
mod vertices;

pub use crate::lithtech::animation::AbcAnimator;
pub use crate::lithtech::asset::{
    Abc, AbcAnimation, AbcAssetLabel, AbcDeformInfo, AbcEvent, AbcLevel, AbcMaterials, AbcMeshInfo,
    AbcModel, AbcNodeInfo, AbcSkin,
};
pub use clip::node_target;
pub use components::{AbcInstance, AbcMesh, AbcNode};
pub use convert::{ConvertedAbc, ConvertedClip, ConvertedLod};
#[cfg(feature = "crowd")]
pub use crowd::{AbcCrowd, AbcCrowdMaterial, AbcCrowdPoseTable};
pub use deform::ConvertedDeform;
pub use dependencies::skin_candidate_paths;
pub(crate) use info::AbcInfo;
pub use limits::MAX_SCENE_DEPTH;
pub use loader::AbcLoader;
pub use material::{AbcDeform, AbcDeformMaterial, AbcDeformUniform, surface_flags};
pub use meshes::ConvertedMesh;
pub use plugin::LithTechPlugin;
pub use pose_table::AbcPoseTable;
pub use settings::AbcLoaderSettings;
#[cfg(feature = "collision")]
pub(crate) use surfaces::AbcSurfaces;
