//! A crowd without a window: thousands of models, each with its own clip, phase, speed and skin, and what they cost.

pub mod figures;
pub mod headless;
pub mod population;
