//! The component of a crowd's member.

use crate::crowd::data::clip::ClipData;
use crate::crowd::format::{CrowdContent, CrowdFormat};
use crate::crowd::members::member::CrowdMember;
use crate::formats::alamo::asset::Alo;
use crate::formats::alamo::asset::AloModel;
use crate::formats::alamo::components::AloPart;
use crate::formats::alamo::crowd::model::content;
use crate::formats::alamo::crowd::sampler::{ClipSampler, clip};
use crate::formats::alamo::materials::material::AloMaterial;
use crate::playback::skeletal::rig::ClipSource;
use bevy::animation::AnimationClip;
use bevy::asset::{Assets, Handle};
use bevy::image::Image;
use bevy::mesh::Mesh;

/// A member of a crowd of Alamo models.
pub type AloCrowd = CrowdMember<Alo>;

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
}
