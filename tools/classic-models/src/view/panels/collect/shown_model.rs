//! The components of a model that the panels show.

use crate::view::abc_file::FileCounts;
use crate::view::clips::{Animators, ClipList};
use crate::view::lgw_models::ModelMaterials;
use crate::view::overlay::Edges;
use crate::view::particle_player::ParticlePlayer;
use crate::view::particle_systems::ParticleFile;
use crate::view::viewed_model::ViewedModel;
use bevy::ecs::query::QueryData;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::lgw::LgwInstance;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlInstance;

/// The components of a model that the panels show.
#[derive(QueryData)]
pub struct ShownModel {
    pub model: &'static ViewedModel,
    pub play: Option<(&'static PlayClip, &'static Playback)>,
    pub list: Option<&'static ClipList>,
    pub animators: Animators,
    pub named_clips: Option<&'static ModelClips>,
    pub skin: Option<&'static ModelSkin>,
    pub named_skins: Option<&'static ModelSkins>,
    pub lod: Option<&'static ModelLod>,
    pub stage: Option<&'static DamageStage>,
    pub parts: Option<&'static PartVisibility>,
    pub team: Option<&'static TeamColor>,
    pub colors: Option<&'static PlayerColors>,
    pub mdl: Option<&'static MdlInstance>,
    pub edges: Option<&'static Edges>,
    pub alo: Option<&'static AloInstance>,
    pub abc: Option<(&'static AbcInstance, Option<&'static FileCounts>)>,
    pub lgw: Option<(&'static LgwInstance, Option<&'static ModelMaterials>)>,
    pub player: Option<&'static ParticlePlayer>,
    pub particle_file: Option<&'static ParticleFile>,
}
