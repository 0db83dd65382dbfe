//! The largest coordinates that this crate passes to Bevy.

use bevy::math::Vec3;

/// Whether Bevy can compute with a position: it adds squared distances, which must stay finite. Callers move other
/// positions to the origin.
pub(crate) fn is_position_in_range(position: Vec3) -> bool {
    const MAX_COORDINATE: f32 = 1e18;
    position.abs().max_element() <= MAX_COORDINATE
}
