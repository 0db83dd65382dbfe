//! The components of a model that is shown: its files and its asset, and its bounds.

use bevy::asset::{AssetLoadError, AssetPath};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::{Alo, AloParticles};
use bevy_classic_models::lgw::Lgw;
use bevy_classic_models::lithtech::Abc;
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::quake::Mdl;
use std::any::TypeId;
use std::path::PathBuf;
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

    /// Whether the model's asset is of a type.
    pub fn is<A: Asset>(&self) -> bool {
        self.handle.type_id() == TypeId::of::<A>()
    }
}

/// The manifest that a model was opened by.
#[derive(Clone, Debug)]
pub struct OpenedManifest {
    pub handle: Handle<ModelManifest>,
    pub path: AssetPath<'static>,
    pub file: PathBuf,
}

/// The loaded models of all formats.
#[derive(SystemParam)]
pub struct ModelAssets<'w> {
    pub alo: Res<'w, Assets<Alo>>,
    pub abc: Res<'w, Assets<Abc>>,
    pub lgw: Res<'w, Assets<Lgw>>,
    pub mdl: Res<'w, Assets<Mdl>>,
    pub particles: Res<'w, Assets<AloParticles>>,
}

/// The bounds of a model relative to its root, in the row's axes. For Alamo models: the rest pose, undamaged, at the finest
/// level of detail. For LithTech models: all poses. For Quake models: all poses, or those of the clip. Changes of the
/// appearance do not change the bounds, so that the model does not move.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct ModelBounds {
    pub min: Vec3,
    pub max: Vec3,
}

impl ModelBounds {
    /// The bounds of points; a box of side 2 if no bounds exist.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        let (mut min, mut max) = limits(points);
        // The camera needs finite bounds.
        if !(min.is_finite() && max.is_finite()) {
            (min, max) = (Vec3::NEG_ONE, Vec3::ONE);
        }
        Self { min, max }
    }

    /// The union of both bounds.
    pub fn and(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// The longest side.
    pub fn size(&self) -> f32 {
        (self.max - self.min).max_element()
    }
}

/// The smallest and the largest coordinates of points.
pub fn limits(points: impl IntoIterator<Item = Vec3>) -> (Vec3, Vec3) {
    let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let points = points.into_iter();
    points.fold(start, |(min, max), at| (min.min(at), max.max(at)))
}
