//! Height of the load bed's floor, which the bed and its cargo share.

/// Height of the floor, in decimeters.
pub const FLOOR: f32 = 7.2;
