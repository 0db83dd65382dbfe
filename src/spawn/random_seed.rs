//! Seeds of random numbers of entities that this crate spawns. They do not depend on the ids of those entities, only on that
//! of the root that the app has spawned. Code that draws random numbers does not belong here.

use bevy::platform::hash::FixedHasher;
use bevy::prelude::*;
use core::hash::{BuildHasher, Hash};

/// On a root that this crate has spawned: what its random numbers depend on instead of its id, which is different if other
/// files are loaded first.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RandomSeed(u64);

impl RandomSeed {
    /// The seed of something that belongs to a root. `part` distinguishes it from others.
    pub(crate) fn of_part(root: u64, part: impl Hash) -> Self {
        Self(FixedHasher.hash_one((root, part)))
    }

    /// The seed of a root: that of its component, or its id.
    pub(crate) fn of_root(root: Entity, seed: Option<&Self>) -> u64 {
        seed.map_or(root.to_bits(), |seed| seed.0)
    }
}
