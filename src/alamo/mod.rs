//! Petroglyph's Alamo engine: its models, and how they become Bevy assets that look as the games
//! drew them.
//!
//! The rooms: [`chunk`] is the container of all the engine's files; [`alo`] knows models, [`ala`]
//! knows animations, and both nothing of Bevy; `animation` makes clips of the latter and plays them; `shading` and `tags` say what names mean; `convert` and
//! `vertices` make meshes, `loader`
//! assets of meshes, and `spawn` a scene of assets. Systems bring a spawned scene to life: `parts`
//! shows and hides, `billboard` turns bones, `dazzle` and `material` draw. `collision` answers queries on the
//! triangles of a mesh, and `raycast` puts them to all models in the world.
//!
//! What may not enter: anything another format could use; that belongs in [`scene`](crate::scene) or
//! [`texture`](crate::texture).

pub mod ala;
pub mod alo;
pub mod chunk;

mod animation;
mod billboard;
mod collision;
mod convert;
mod dazzle;
mod fallback;
mod found;
mod lights;
mod limits;
mod loader;
mod material;
mod model;
mod parse_state;
mod parts;
mod plugin;
mod proxies;
mod raycast;
mod settings;
mod shading;
mod spawn;
mod tags;
mod vertices;
#[cfg(feature = "write")]
mod write;

pub use animation::{
    Ala, AlaAssetLabel, AlaBoneInfo, AlaCurves, AlaLoader, AlaLoaderError, AloAnimation,
    AloAnimator, BoneCurves, BoneMismatch, BoneVisibility, ModelFlag, PackedRotations,
    PackedVectors, VisibilityCurve, bone_target, clip,
};
pub use billboard::{AloBillboard, AloRoot, Billboard};
pub use collision::{Backfaces, ClosestPoint, CollisionTree, TreeError, TreeHit, TreeLink};
pub use convert::{AloContents, SubmeshContents};
pub use dazzle::{DAZZLE_DISC, DazzleMaterial, dazzle_aabb, dazzle_intensity, dazzle_mesh};
pub use lights::{AloLight, FULL_LIGHT};
pub use loader::AloLoader;
pub use material::{AloMaterial, AloShading, AloUniform};
pub use model::{Alo, AloAssetLabel, AloBoneInfo, AloMesh, AloModel, AloProxyInfo, AloSubmesh};
pub use parts::{AloBone, AloInstance, AloPart, AloPartKind, WearsTeamColor};
pub use plugin::AlamoPlugin;
pub use raycast::{AloCollider, AloRayCast, AloRayCastSettings, AloRayCastVisibility, AloRayHit};
#[cfg(feature = "gizmos")]
pub use raycast::{AloColliderGizmos, AloColliderGizmosPlugin, ShowAloColliderGizmo};
#[cfg(feature = "picking")]
pub use raycast::{AloHit, AloPickable, AloPickingCamera, AloPickingPlugin, AloPickingSettings};
pub use settings::{AloLoaderError, AloLoaderSettings};
pub use shading::{Extra, Gloss, Phase, Shading, TeamMask};
pub use spawn::{AloProxy, AloSubmeshOf};
pub use tags::Tags;

pub use crate::scene::Names;
