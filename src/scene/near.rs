//! How far away anything may be.

use bevy::math::Vec3;

/// Whether a place is one that Bevy can reckon with: it squares distances, and adds some up. Places that
/// are not stand at the origin.
pub(crate) fn is_near(place: Vec3) -> bool {
    const FARTHEST: f32 = 1e18;
    place.abs().max_element() <= FARTHEST
}
