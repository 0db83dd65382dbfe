//! The system sets of this crate.

use bevy::ecs::schedule::SystemSet;

/// System sets of this crate, all in `PostUpdate`.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClassicModelsSystems {
    /// Advances clips. Changes to [`PlayClip`](crate::root::PlayClip) in `Update` take effect in the same frame.
    Play,
    /// Applies skins and colors, and shows or hides parts.
    Appearance,
    /// Writes the poses of the members of crowds, after all animations.
    Crowds,
    /// Rotates billboards toward the camera, the light or the wind, after all animations.
    Billboards,
}

/// Respawns models whose files changed, in the schedule `SpawnScene`. It runs before Bevy's spawner, so that models of
/// their proxies are spawned in the same frame.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SpawnEarly;
