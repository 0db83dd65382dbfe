//! Files that change while models are in use, where Bevy looks away.
//!
//! Loaders note what models looked for and how it went ([`Wishes`]); where Bevy watches a folder of files,
//! a second watcher of the same folder has models loaded anew by these notes.

#[cfg(not(target_arch = "wasm32"))]
mod files;
#[cfg_attr(
    target_arch = "wasm32",
    allow(dead_code, reason = "nothing watches files there")
)]
mod wishes;

#[cfg(not(target_arch = "wasm32"))]
pub(super) use files::register;
pub(super) use wishes::Hopes;
pub(crate) use wishes::Wishes;
