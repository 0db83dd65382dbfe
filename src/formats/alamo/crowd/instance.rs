//! What crowds need to know about the format.

use crate::appearance::parts::Selected;
use crate::appearance::skins::SkinMaterials;
use crate::crowd::clips::ClipData;
use crate::crowd::format::{CrowdContent, CrowdFormat, Selection};
use crate::crowd::members::CrowdMember;
use crate::crowd::skinning::CrowdSkinning;
use crate::formats::alamo::asset::{Alo, AloModel};
use crate::formats::alamo::components::AloPart;
use crate::formats::alamo::crowd::model::content;
use crate::formats::alamo::crowd::sampler::{ClipSampler, clip};
use crate::formats::alamo::materials::material::AloMaterial;
use crate::gpu::pose_table::PoseTable;
use crate::playback::skeletal::rig::ClipSource;
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use std::sync::Arc;

/// A member of a crowd of Alamo models.
pub type AloCrowd = CrowdMember<Alo>;

/// The material of crowds: an [`AloMaterial`] whose vertices are posed from baked clips.
pub type AloCrowdMaterial = ExtendedMaterial<AloMaterial, CrowdSkinning>;

/// The poses that the members of crowds show, one row per member. Poses are indices of texels in the texture of the
/// model, [`CrowdSkinning::poses`]; 0 is the rest pose.
pub type AloPoseTable = PoseTable<AloCrowdMaterial>;

impl CrowdFormat for Alo {
    type Sampler = ClipSampler;
    type Base = AloMaterial;
    type Skin = ();
    type Surface = Handle<AloMaterial>;
    /// The meshes of the file as parts.
    type Data = Vec<AloPart>;

    fn content(
        model: &AloModel,
        meshes: &Assets<Mesh>,
        _: &Assets<Image>,
    ) -> CrowdContent<Handle<AloMaterial>, Vec<AloPart>> {
        content(model, meshes)
    }

    fn clip(
        source: &ClipSource,
        model: &AloModel,
        _: &Vec<AloPart>,
        files: &Assets<Self::ClipFile>,
        clips: &Assets<AnimationClip>,
    ) -> Option<ClipData<ClipSampler>> {
        clip(source, model, files, clips)
    }

    fn selection(model: &AloModel, parts: &Vec<AloPart>, selected: &Selected<'_>) -> Selection<()> {
        let parts = parts.iter().map(|part| part.is_shown(model, selected));
        Selection {
            parts: parts.collect(),
            skin: (),
        }
    }

    fn material(
        _: &Arc<AloModel>,
        material: &Handle<AloMaterial>,
        (): &(),
        _: &mut SkinMaterials<'_, AloMaterial>,
    ) -> Option<Handle<AloMaterial>> {
        Some(material.clone())
    }
}
