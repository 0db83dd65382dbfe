//! What the examples share.

#![allow(dead_code, reason = "no example needs all of it")]

pub mod dice;
pub mod draws;
pub mod gpuless;
pub mod headless;
pub mod lgw_words;
pub mod names;
pub mod pictures;
pub mod places;
pub mod stage;
