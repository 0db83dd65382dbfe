//! When changed models are respawned.

use bevy::ecs::schedule::SystemSet;

/// In the schedule `SpawnScene`: spawns models anew whose files changed, so that what they bring along can be
/// spawned with all that is new in this frame.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SpawnEarly;
