//! The system set in which changed models are respawned.

use bevy::ecs::schedule::SystemSet;

/// Respawns models whose files changed, in the schedule `SpawnScene`. It runs before Bevy's spawner, so that models of
/// their proxies are spawned in the same frame.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SpawnEarly;
