//! The components of a shown model of any format, in one query.

use crate::view::actions::particles::ParticlePlayer;
use crate::view::models::clip_list::ClipList;
use crate::view::models::clips::Animators;
use crate::view::models::file_data::{FileCounts, ModelMaterials};
use crate::view::models::particle_systems::ParticleFile;
use crate::view::models::viewed_model::ViewedModel;
use bevy::ecs::query::QueryData;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::lgw::LgwInstance;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlInstance;
use bevy_classic_models::root::{LodDistances, ModelLod};

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
