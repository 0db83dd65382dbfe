//! Loads models by the extensions of their files.

use crate::file_format::is_manifest;
use crate::view::files::{Folders, is_abc, is_alo, is_lgw};
use crate::view::viewed_model::ModelHandle;
use crate::view::{abc_models, alo_models, lgw_models, mdl_models};
use bevy::asset::AssetPath;
use bevy::prelude::*;
use std::f32::consts::PI;
use std::path::Path;

/// The rotation of a model about Y, in radians. Alamo models face the opposite direction of the others.
pub fn yaw(handle: &ModelHandle) -> f32 {
    if handle.alo().is_some() { PI } else { 0.0 }
}

/// Loads a model with the loader of its extension.
pub fn load(
    file: &Path,
    path: &AssetPath<'static>,
    folders: &Folders,
    server: &AssetServer,
) -> ModelHandle {
    let builder = server.load_builder();
    if is_alo(file) {
        let settings = alo_models::settings(folders);
        ModelHandle::Alo(builder.with_settings(settings).load(path.clone()))
    } else if is_abc(file) {
        let settings = abc_models::settings(folders);
        ModelHandle::Abc(builder.with_settings(settings).load(path.clone()))
    } else if is_lgw(file) {
        let settings = lgw_models::settings(file, folders);
        ModelHandle::Lgw(builder.with_settings(settings).load(path.clone()))
    } else if is_manifest(file) {
        ModelHandle::Manifest(builder.load(path.clone()))
    } else {
        let settings = mdl_models::settings(folders);
        ModelHandle::Mdl(builder.with_settings(settings).load(path.clone()))
    }
}
