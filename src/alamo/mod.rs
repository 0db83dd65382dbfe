//! Models and animations of Petroglyph's Alamo engine, `.alo` and `.ala`.
//!
//! [`Alo`] and [`Ala`] are the assets, and [`AloLoaderSettings`] are the loader settings of models. [`AloInstance`] is
//! on the root of a spawned model. [`AloRayCast`] casts rays at spawned models, and [`CollisionTree`] answers queries
//! on one mesh. [`alo`], [`ala`] and [`particles`] parse and write the files without Bevy.

// For maintainers:
// - `chunk`, `alo`, `ala`, and what `particles` has without Bevy, are re-exports of `classic_model_formats`.
// - `shading` and `tags` interpret names; `dependencies` and `proxies` find and load the files that a model names.
// - `convert`, `vertices` and `trees` convert a file, `loader` makes assets, and `spawn` makes the scene.
// - `components` has the components of spawned models. `instance` adds them when a scene is ready, and `appearance`
//   shows and hides parts.
// - `material`, `dazzle` and `lights` define materials, dazzles and lights.
// - `billboard` rotates bones; `animation` makes and plays clips.
// - `crowd` spawns members of crowds, bakes their clips and writes their poses.
// - `collision` answers queries on the triangles of a mesh, and `raycast` applies them to all models in the world.
//
// Code that another format could use belongs in `scene` or `texture`.

#[doc(inline)]
pub use classic_model_formats::{ala, alo, chunk};

mod animation;
mod appearance;
mod asset;
mod billboard;
mod bounds;
#[cfg(feature = "collision")]
mod collision;
mod components;
mod convert;
#[cfg(feature = "crowd")]
mod crowd;
mod dazzle;
mod dependencies;
mod fallback;
mod find_clip;
mod info;
mod instance;
mod lights;
mod limits;
mod loader;
mod material;
pub mod particles;
mod plugin;
mod proxies;
#[cfg(feature = "collision")]
mod raycast;
mod settings;
mod shading;
mod spawn;
mod tags;
mod team_color;
#[cfg(feature = "collision")]
mod trees;
mod vertices;

pub use crate::alamo::asset::{
    Alo, AloAssetLabel, AloBoneInfo, AloMesh, AloModel, AloProxyInfo, AloSubmesh,
};
pub use animation::{
    Ala, AlaAssetLabel, AlaBoneInfo, AlaCurves, AlaLoader, AlaTracks, AloAnimation, AloAnimator,
    BoneCurves, BoneMismatch, DefaultVisibilityCurve, PackedRotations, PackedVectors,
    VisibilityCurve, animation_name, bone_target, clip,
};
pub use billboard::{AloBillboard, AloSceneRoot, Billboard};
#[cfg(feature = "collision")]
pub use collision::{Backfaces, ClosestPoint, CollisionTree, TreeError, TreeHit, TreeLink};
pub use components::{
    AloBone, AloInstance, AloPart, AloPartKind, AloProxy, AloSubmeshIndex, TeamColored,
};
pub use convert::{ConvertedAlo, ConvertedSubmesh};
#[cfg(feature = "crowd")]
pub use crowd::{AloCrowd, AloCrowdMaterial, AloPoseTable};
pub use dazzle::{DazzleMaterial, dazzle_aabb, dazzle_intensity, dazzle_mesh};
pub(crate) use info::AloInfo;
pub use lights::{AloLight, FULL_LIGHT};
pub use loader::AloLoader;
pub use material::{AloMaterial, AloShading, AloUniform};
pub use particles::asset::{AloEmitter, AloParticles};
pub use particles::components::AloParticleSystem;
pub use particles::draw::ParticleStatistics;
pub use particles::record::{DrawnParticle, EmitterRecords, ParticleRecords, RecordSpace};
pub use particles::simulate::{
    DespawnWhenFinished, ParticleBudget, ParticleEmission, ParticleGround, ParticleSeed,
    ParticleSet, ParticleSpeed, ParticleTint, ParticlesFinished, TerrainHeight,
};
pub use plugin::AlamoPlugin;
#[cfg(feature = "collision")]
pub(crate) use raycast::AloTriangles;
#[cfg(feature = "collision")]
pub use raycast::{AloCollider, AloRayCast, AloRayHit};
#[cfg(feature = "gizmos")]
pub use raycast::{AloColliderGizmos, AloColliderGizmosPlugin, ShowAloColliderGizmo};
pub use settings::AloLoaderSettings;
pub use shading::{BlendPhase, Gloss, SecondLayer, Shading, TeamMask};
pub use tags::Tags;

pub use crate::scene::{BoneVisibility, Names};
