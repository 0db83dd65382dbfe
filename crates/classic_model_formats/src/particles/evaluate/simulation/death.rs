//! The particles that spawn an emitter when they die, in the order of their deaths.

use super::instance::Carrier;
use crate::particles::evaluate::random::InstanceKey;
use core::cmp::Ordering;

/// A particle that spawns an emitter when it dies.
#[derive(Clone, Debug)]
pub(super) struct Death {
    pub(super) time: f64,
    /// Its position among those that were added, so that the order of equal times is that of births.
    pub(super) order: u64,
    pub(super) key: InstanceKey,
    pub(super) child: usize,
    /// Its last age in seconds, and the rest of the particle.
    pub(super) age: f64,
    pub(super) carrier: Carrier,
}

impl PartialEq for Death {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Death {}

impl PartialOrd for Death {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Death {
    /// The greatest is the earliest, because that is what a heap returns.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_time = other.time.total_cmp(&self.time);
        by_time.then(other.order.cmp(&self.order))
    }
}
