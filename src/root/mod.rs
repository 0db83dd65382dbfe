//! The components that users write on the root of a model, and what they report back: clips, layers, masks, skins,
//! colors, parts, levels of detail, events, space; and the resources of the environment.
//!
//! The root is the entity that was spawned with a `ClassicModel` or a `WorldAssetRoot`. A hot reload keeps it and its
//! components. It respawns all entities below the root and applies the components again.

// For maintainers: systems do not belong here, nor anything of one format.

pub(crate) mod environment;
pub(crate) mod events;
pub(crate) mod layers;
pub(crate) mod motion;
pub(crate) mod parts;
pub(crate) mod play;
pub(crate) mod skins;
pub(crate) mod spawning;

pub use environment::ClassicModelsSystems;
pub use environment::{BillboardCamera, NightTime, Wind};
pub use events::{ClipEvent, ModelEvent, ModelEvents, StoredEvent};
pub use layers::{BoneMask, ModelMasks};
pub use layers::{ClipLayer, ClipLayers, LayerFinished, LayerId};
pub use motion::RootMotion;
pub use parts::{DamageStage, LodDistances, ModelLod, PartVisibility};
pub use play::FollowVelocity;
pub use play::{ClipFinished, PlayClip, Playback};
pub use play::{ClipRef, Repeat};
pub use play::{ModelClips, NamedClip};
pub use skins::{ModelSkin, ModelSkins, PlayerColors, TeamColor};
pub use spawning::BevySpace;
pub use spawning::{Crowd, CrowdBone};
