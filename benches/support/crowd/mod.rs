//! Renders thousands of models without a window, each with its own clip, phase, speed and skin, and measures their cost.

pub mod headless;
pub mod measurements;
pub mod population;
