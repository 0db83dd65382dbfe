//! The actions of the keyboard and the panels, and what applies them. Only a window has them.

pub mod action;
pub mod appearance;
pub mod clips;
pub mod files;
pub mod output;
pub mod particles;
