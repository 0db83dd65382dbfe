//! The camera: where it is, what it frames, and how the mouse moves it.

pub mod framing;
pub mod orbit;
