//! The order of a triangle's corners.

/// Which side of triangles is their front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::alamo) enum Winding {
    /// The one from which corners go counterclockwise.
    #[default]
    CounterClockwise,
    /// The one from which they go clockwise: of meshes that are drawn mirrored.
    Clockwise,
}
