//! The component of a model that is shown, its asset, and all components that a shown model of any format has.

use crate::view::actions::particles::ParticlePlayer;
use crate::view::models::clip_list::ClipList;
use crate::view::models::clips::Animators;
use crate::view::models::file_data::{FileCounts, ModelMaterials};
use crate::view::models::particle_systems::ParticleFile;
use bevy::asset::{AssetLoadError, AssetPath};
use bevy::ecs::query::QueryData;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::{Alo, AloInstance, AloParticles};
use bevy_classic_models::lgw::{Lgw, LgwInstance};
use bevy_classic_models::lithtech::{Abc, AbcInstance};
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{Mdl, MdlInstance};
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

/// The components of a model that the panels show, a manifest describes, and actions change.
#[derive(QueryData)]
pub struct ShownModel {
    pub model: &'static ViewedModel,
    pub play: Option<(&'static PlayClip, &'static Playback)>,
    pub list: Option<&'static ClipList>,
    pub animators: Animators,
    pub skin: Option<&'static ModelSkin>,
    pub clips: Option<&'static ModelClips>,
    pub lod: Option<&'static ModelLod>,
    pub distances: Option<&'static LodDistances>,
    pub stage: Option<&'static DamageStage>,
    pub parts: Option<&'static PartVisibility>,
    pub team: Option<&'static TeamColor>,
    pub colors: Option<&'static PlayerColors>,
    pub mdl: Option<&'static MdlInstance>,
    pub alo: Option<&'static AloInstance>,
    pub abc: Option<(&'static AbcInstance, Option<&'static FileCounts>)>,
    pub lgw: Option<(&'static LgwInstance, Option<&'static ModelMaterials>)>,
    pub player: Option<&'static ParticlePlayer>,
    pub particle_file: Option<&'static ParticleFile>,
}
