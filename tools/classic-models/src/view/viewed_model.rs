//! The component of a model that is shown, and its asset. Does not load or spawn models.

use bevy::asset::{AssetLoadError, AssetPath, UntypedAssetId};
use bevy::prelude::*;
use bevy_classic_models::alamo::Alo;
use bevy_classic_models::lgw::Lgw;
use bevy_classic_models::lithtech::Abc;
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::quake::Mdl;
use std::path::PathBuf;
use std::sync::Arc;

/// A model that is shown. On its root entity.
#[derive(Component)]
pub struct ViewedModel {
    pub name: String,
    pub file: PathBuf,
    pub path: AssetPath<'static>,
    pub handle: ModelHandle,
    /// The manifest that the model was opened by, if any.
    pub manifest: Option<OpenedManifest>,
    /// The error message, if the model or its newest version did not load.
    pub problem: Option<String>,
    /// The error that `problem` describes.
    pub failure: Option<Arc<AssetLoadError>>,
}

/// A model's asset.
#[derive(Clone, Debug)]
pub enum ModelHandle {
    Mdl(Handle<Mdl>),
    Alo(Handle<Alo>),
    Abc(Handle<Abc>),
    Lgw(Handle<Lgw>),
    /// A manifest whose model is not known before it is loaded.
    Manifest(Handle<ModelManifest>),
}

impl ModelHandle {
    pub fn id(&self) -> UntypedAssetId {
        match self {
            Self::Mdl(handle) => handle.id().untyped(),
            Self::Alo(handle) => handle.id().untyped(),
            Self::Abc(handle) => handle.id().untyped(),
            Self::Lgw(handle) => handle.id().untyped(),
            Self::Manifest(handle) => handle.id().untyped(),
        }
    }

    pub fn mdl(&self) -> Option<&Handle<Mdl>> {
        match self {
            Self::Mdl(handle) => Some(handle),
            _ => None,
        }
    }

    pub fn alo(&self) -> Option<&Handle<Alo>> {
        match self {
            Self::Alo(handle) => Some(handle),
            _ => None,
        }
    }

    pub fn abc(&self) -> Option<&Handle<Abc>> {
        match self {
            Self::Abc(handle) => Some(handle),
            _ => None,
        }
    }

    pub fn lgw(&self) -> Option<&Handle<Lgw>> {
        match self {
            Self::Lgw(handle) => Some(handle),
            _ => None,
        }
    }
}

/// The manifest that a model was opened by.
#[derive(Clone, Debug)]
pub struct OpenedManifest {
    pub handle: Handle<ModelManifest>,
    pub path: AssetPath<'static>,
    pub file: PathBuf,
}
