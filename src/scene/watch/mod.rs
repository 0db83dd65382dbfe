//! Files that change while models are in use, where Bevy looks away.
//!
//! With the feature `file_watcher` loaders note what models looked for and how it went ([`Wishes`]); where Bevy watches
//! a folder of files, a second watcher of the same folder has models loaded anew by these notes. Without it nothing is
//! noted.

#[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
mod files;
#[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
mod wishes;
#[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
pub(super) use {
    files::register,
    wishes::{Hopes, Wishes},
};

#[cfg(not(all(feature = "file_watcher", not(target_arch = "wasm32"))))]
mod unwatched;
#[cfg(not(all(feature = "file_watcher", not(target_arch = "wasm32"))))]
pub(super) use unwatched::{Hopes, Wishes, register};
