//! What is drawn on models: overlays, and the mark of what is under the mouse. It only reads models.

pub mod floor;
pub mod light;
pub mod lighting;
pub mod overlays;
pub mod pointer;
pub mod visible_points;
