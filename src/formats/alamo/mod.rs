//! Models and animations of Petroglyph's Alamo engine, `.alo` and `.ala`.
//!
//! [`Alo`] and [`Ala`] are the assets, and [`AloLoaderSettings`] are the loader settings of models. [`AloInstance`] is
//! on the root of a spawned model. [`CollisionTree`] answers queries on one mesh. [`alo`], [`ala`] and [`particles`] parse
//! and write the files without Bevy.

// For maintainers: code that another format could use belongs in one of the shared folders.

pub(crate) mod animation;
pub(crate) mod appearance;
pub(crate) mod asset;
pub(crate) mod collision;
pub(crate) mod components;
pub(crate) mod convert;
pub(crate) mod crowd;
pub(crate) mod dependencies;
pub(crate) mod environment;
pub(crate) mod instance;
pub(crate) mod loader;
pub(crate) mod materials;
pub mod particles;
pub(crate) mod parts;
pub(crate) mod plugin;
pub(crate) mod raycast;
pub(crate) mod settings;
pub(crate) mod spawn;

#[doc(inline)]
pub use classic_model_formats::{ala, alo, chunk};

pub use crate::geometry::ray_settings::Backfaces;
pub use animation::asset::{Ala, AlaAssetLabel, AlaBoneInfo, AlaTracks, AloAnimation};
pub use animation::binding::{BoneMismatch, bone_target};
pub use animation::clip::AlaCurves;
#[doc(hidden)]
pub use animation::clip::{BoneCurves, clip};
#[doc(hidden)]
pub use animation::packed::{PackedRotations, PackedVectors};
pub use animation::pairing::animation_name;
pub use animation::plugin::AlaLoader;
pub use animation::rig::AloAnimator;
pub use animation::sound_events::{AloSoundEvents, AloSoundEventsLoader};
pub use animation::visibility::{DefaultVisibilityCurve, VisibilityCurve};
pub use asset::{Alo, AloAssetLabel, AloBoneInfo, AloMesh, AloModel, AloProxyInfo, AloSubmesh};
pub use collision::cast::TreeHit;
pub use collision::overlap::ClosestPoint;
pub use collision::tree::{CollisionTree, TreeError, TreeLink};
pub use components::{
    AloBone, AloInstance, AloPart, AloPartKind, AloProxy, AloSubmeshIndex, TeamColored,
};
#[doc(hidden)]
pub use convert::file::{ConvertedAlo, ConvertedSubmesh};
pub use crowd::{AloCrowd, AloCrowdMaterial, AloPoseTable};
pub use environment::{AlamoEnvironment, AlamoMapLight, sky_cube};
pub use loader::AloLoader;
pub use materials::material::{AloMaterial, AloShading, AloUniform};
pub use materials::shading::{AloGloss, AloGrass, AloShader, BlendPhase, SecondLayer, TeamMask};
pub use materials::tags::AloTags;
pub use particles::asset::{AloParticleSystem, AloParticles};
pub use particles::draw::prepare::ParticleStatistics;
pub use particles::drawn::DrawnParticle;
pub use particles::emitter::AloEmitter;
pub use particles::record::{EmitterRecords, ParticleRecords, RecordSpace};
pub use particles::simulate::ParticleSet;
pub use particles::simulate::control::{
    DespawnWhenFinished, ParticleBudget, ParticleEmission, ParticleGround, ParticleSeed,
    ParticleSpeed, ParticleTint, ParticlesFinished, TerrainHeight,
};
pub use parts::billboard::{AloBillboard, AloSceneRoot, Billboard};
#[doc(hidden)]
pub use parts::dazzle::{DazzleMaterial, dazzle_aabb, dazzle_intensity, dazzle_mesh};
pub use parts::lights::{AloLight, FULL_LIGHT};
pub use plugin::AlamoPlugin;
pub use raycast::collider::AloCollider;
#[cfg(feature = "gizmos")]
pub use raycast::gizmos::{AloColliderGizmos, AloColliderGizmosPlugin, ShowAloColliderGizmo};
pub use settings::AloLoaderSettings;

pub use crate::appearance::parts::BoneVisibility;
pub use crate::load::names::Names;
