//! Parsers and writers for the model files of classic games, without Bevy, without I/O and without `unsafe`.
//!
//! | module | files | games |
//! |---|---|---|
//! | [`alo`], [`ala`] | `.alo`, `.ala` | Empire at War, Forces of Corruption, Universe at War |
//! | [`abc`], [`dtx`] | `.abc` of version 6, `.dtx` | Shogo, Blood II, KISS: Psycho Circus |
//! | [`mdl`] | `.mdl` | Quake |
//! | [`lgw`] | `.lgw` as text | UFO: Aftermath |
//!
//! Each format has a function `parse` from bytes to plain values that borrow from the bytes, with harmless flaws as a
//! list of [`Warning`](read::Warning)s, and with the feature `write` a writer (a module `write`; for LGW a function). A parser returns
//! for any bytes whatever: see [`read`].
//!
//! [`bevy_classic_models`](https://crates.io/crates/bevy_classic_models) makes assets of Bevy of these values.

// For maintainers: I/O, and types of an engine, do not belong here.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod read;

#[cfg(feature = "abc")]
pub mod abc;
#[cfg(feature = "ala")]
pub mod ala;
#[cfg(feature = "alo")]
pub mod alo;
#[cfg(any(feature = "ala", feature = "alo"))]
pub mod chunk;
#[cfg(feature = "dtx")]
pub mod dtx;
#[cfg(any(feature = "abc", feature = "ala"))]
pub mod interpolate;
#[cfg(feature = "lgw")]
pub mod lgw;
#[cfg(feature = "mdl")]
pub mod mdl;

#[cfg(all(feature = "write", any(feature = "ala", feature = "alo")))]
#[cfg_attr(
    not(all(feature = "ala", feature = "alo")),
    allow(dead_code, unused_imports, reason = "either format needs a part of it")
)]
mod chunk_write;
#[cfg(any(feature = "ala", feature = "alo"))]
#[cfg_attr(
    not(feature = "alo"),
    allow(dead_code, reason = "animations need a part of it")
)]
mod segments;
#[cfg(feature = "write")]
#[cfg_attr(
    not(all(feature = "abc", feature = "alo", feature = "lgw")),
    allow(dead_code, reason = "each format needs a part of it")
)]
mod write;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "write")]
pub use write::WriteError;
