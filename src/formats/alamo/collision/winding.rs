//! The winding of front faces.

/// The order of corners of a triangle seen from its front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Winding {
    /// Counterclockwise, as in Bevy.
    #[default]
    CounterClockwise,
    /// Clockwise: for mirrored meshes.
    Clockwise,
}
