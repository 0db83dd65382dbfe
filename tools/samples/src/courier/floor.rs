//! The floor of the load bed, which the bed and its cargo share.

/// Height of the floor.
pub const FLOOR: f32 = 7.2;
