//! Loads models by the extensions of their files.

use crate::file_format::is_manifest;
use crate::view::files::{Folders, is_abc, is_alo, is_lgw};
use crate::view::viewed_model::is;
use crate::view::{abc_models, alo_models, lgw_models, mdl_models};
use bevy::asset::AssetPath;
use bevy::prelude::*;
use bevy_classic_models::alamo::Alo;
use bevy_classic_models::lgw::Lgw;
use bevy_classic_models::lithtech::Abc;
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::quake::Mdl;
use std::f32::consts::PI;
use std::path::Path;

/// The rotation of a model about Y, in radians. Alamo models face the opposite direction of the others.
pub fn yaw(handle: &UntypedHandle) -> f32 {
    if is::<Alo>(handle) { PI } else { 0.0 }
}

/// Loads a model with the loader of its extension.
pub fn load(
    file: &Path,
    path: &AssetPath<'static>,
    folders: &Folders,
    server: &AssetServer,
) -> UntypedHandle {
    let (builder, path) = (server.load_builder(), path.clone());
    if is_alo(file) {
        let settings = alo_models::settings(folders);
        builder.with_settings(settings).load::<Alo>(path).untyped()
    } else if is_abc(file) {
        let settings = abc_models::settings(folders);
        builder.with_settings(settings).load::<Abc>(path).untyped()
    } else if is_lgw(file) {
        let settings = lgw_models::settings(file, folders);
        builder.with_settings(settings).load::<Lgw>(path).untyped()
    } else if is_manifest(file) {
        builder.load::<ModelManifest>(path).untyped()
    } else {
        let settings = mdl_models::settings(folders);
        builder.with_settings(settings).load::<Mdl>(path).untyped()
    }
}
