//! The components that users write on the root of a model, and what they report back: clips, layers, masks, skins,
//! colors, parts, levels of detail, events, space; and the resources of the environment.
//!
//! The root is the entity that was spawned with a `ClassicModel` or a `WorldAssetRoot`. A hot reload keeps it and its
//! components. It respawns all entities below the root and applies the components again.

// For maintainers: systems do not belong here, nor anything of one format.

pub(crate) mod clip_ref;
pub(crate) mod clips;
pub(crate) mod crowd;
pub(crate) mod environment;
pub(crate) mod events;
pub(crate) mod follow_velocity;
pub(crate) mod layers;
pub(crate) mod masks;
pub(crate) mod parts;
pub(crate) mod play;
pub(crate) mod skins;
pub(crate) mod space;
pub(crate) mod systems;

pub use clip_ref::{ClipRef, Repeat};
pub use clips::{ModelClips, NamedClip};
pub use crowd::{Crowd, CrowdBone};
pub use environment::{BillboardCamera, NightTime, Wind};
pub use events::{ClipEvent, ModelEvent, ModelEvents, StoredEvent};
pub use follow_velocity::FollowVelocity;
pub use layers::{ClipLayer, ClipLayers, LayerFinished, LayerId};
pub use masks::{BoneMask, ModelMasks};
pub use parts::{DamageStage, LodDistances, ModelLod, PartVisibility};
pub use play::{ClipFinished, PlayClip, Playback};
pub use skins::{ModelSkin, ModelSkins, PlayerColors, TeamColor};
pub use space::BevySpace;
pub use systems::ClassicModelsSystems;
