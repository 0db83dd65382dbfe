//! The component of a crowd's member.

use crate::appearance::skins::ActiveImage;
use crate::crowd::data::clip::ClipData;
use crate::crowd::format::{CrowdContent, CrowdFormat};
use crate::crowd::members::member::CrowdMember;
use crate::formats::lithtech::asset::Abc;
use crate::formats::lithtech::asset::AbcModel;
use crate::formats::lithtech::crowd::model::{AbcCrowdData, content};
use crate::formats::lithtech::crowd::sampler::{AbcSampler, clip};
use crate::playback::skeletal::rig::ClipSource;
use bevy::animation::AnimationClip;
use bevy::asset::Assets;
use bevy::image::Image;
use bevy::mesh::Mesh;
use bevy::pbr::StandardMaterial;

/// A member of a crowd of LithTech models.
pub type AbcCrowd = CrowdMember<Abc>;

/// The skin of a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CrowdSkin {
    /// The index of the model's own skin.
    pub(crate) index: usize,
    /// An external image that replaces it.
    pub(crate) image: Option<ActiveImage>,
}

impl CrowdFormat for Abc {
    type Sampler = AbcSampler;
    type Base = StandardMaterial;
    type Skin = CrowdSkin;
    /// The node of a mesh that has its own; `None` for the skinned mesh.
    type Surface = Option<usize>;
    type Data = AbcCrowdData;

    fn content(
        model: &AbcModel,
        meshes: &Assets<Mesh>,
        images: &Assets<Image>,
    ) -> CrowdContent<Option<usize>, AbcCrowdData> {
        content(model, meshes, images)
    }

    fn clip(
        source: &ClipSource,
        model: &AbcModel,
        data: &AbcCrowdData,
        files: &Assets<Self::ClipFile>,
        clips: &Assets<AnimationClip>,
    ) -> Option<ClipData<AbcSampler>> {
        clip(source, model, data, files, clips)
    }
}
