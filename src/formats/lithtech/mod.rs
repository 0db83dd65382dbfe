//! Models of LithTech's first engine, `.abc`: Shogo, Blood II, KISS: Psycho Circus.
//!
//! [`Abc`] is the asset, and [`AbcLoaderSettings`] are its loader's settings. [`AbcInstance`] is on the root entity of
//! a spawned model. Keyframes that have a string send a [`ModelEvent`](crate::root::ModelEvent). [`abc`] and [`dtx`]
//! parse and write models and textures without Bevy.

// For maintainers: code that another format could use belongs in one of the shared folders.

pub(crate) mod animation;
pub(crate) mod appearance;
pub(crate) mod asset;
pub(crate) mod components;
pub(crate) mod convert;
pub(crate) mod crowd;
pub(crate) mod deform;
pub(crate) mod dependencies;
pub(crate) mod instance;
pub(crate) mod limits;
pub(crate) mod loader;
pub(crate) mod materials;
pub(crate) mod plugin;
pub(crate) mod settings;
pub(crate) mod spawn;
pub(crate) mod surfaces;

#[doc(inline)]
pub use classic_model_formats::{abc, dtx};

pub use animation::rig::AbcAnimator;
pub use animation::tracks::node_target;
pub use asset::{
    Abc, AbcAnimation, AbcAssetLabel, AbcDeformInfo, AbcEvent, AbcLevel, AbcMaterials, AbcMeshInfo,
    AbcModel, AbcNodeInfo, AbcSkin,
};
pub use components::{AbcInstance, AbcMesh, AbcNode};
#[doc(hidden)]
pub use convert::file::{ConvertedAbc, ConvertedClip, ConvertedLod};
#[doc(hidden)]
pub use convert::meshes::ConvertedMesh;
pub use crowd::{AbcCrowd, AbcCrowdMaterial, AbcCrowdPoseTable};
#[doc(hidden)]
pub use deform::ConvertedDeform;
pub use deform::pose_table::AbcPoseTable;
pub use dependencies::skin_candidate_paths;
pub use limits::MAX_SCENE_DEPTH;
pub use loader::AbcLoader;
pub use materials::material::{AbcDeform, AbcDeformMaterial, AbcDeformUniform, surface_flags};
pub use plugin::LithTechPlugin;
pub use settings::AbcLoaderSettings;
