//! A model that is shown, and loads by the extensions of files. Does not spawn models.

use crate::file_format::is_manifest;
use crate::view::files::{Folders, is_abc, is_alo, is_lgw};
use crate::view::{abc_models, alo_models, lgw_models, mdl_models};
use bevy::asset::{AssetLoadError, AssetPath};
use bevy::prelude::*;
use bevy_classic_models::alamo::Alo;
use bevy_classic_models::lgw::Lgw;
use bevy_classic_models::lithtech::Abc;
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::quake::Mdl;
use std::any::TypeId;
use std::f32::consts::PI;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model that is shown. On its root entity.
#[derive(Component)]
pub struct ViewedModel {
    pub name: String,
    pub file: PathBuf,
    pub path: AssetPath<'static>,
    /// The model; the manifest before its model is known.
    pub handle: UntypedHandle,
    /// The manifest that the model was opened by, if any.
    pub manifest: Option<OpenedManifest>,
    /// The error message, if the model or its newest version did not load.
    pub problem: Option<String>,
    /// The error that `problem` describes.
    pub failure: Option<Arc<AssetLoadError>>,
}

impl ViewedModel {
    /// The model's asset, if it is loaded and of this type.
    pub fn asset<'a, A: Asset>(&self, assets: &'a Assets<A>) -> Option<&'a A> {
        assets.get(self.handle.id().try_typed().ok()?)
    }
}

/// Whether an asset is of a type.
pub fn is<A: Asset>(handle: &UntypedHandle) -> bool {
    handle.type_id() == TypeId::of::<A>()
}

/// The manifest that a model was opened by.
#[derive(Clone, Debug)]
pub struct OpenedManifest {
    pub handle: Handle<ModelManifest>,
    pub path: AssetPath<'static>,
    pub file: PathBuf,
}

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
