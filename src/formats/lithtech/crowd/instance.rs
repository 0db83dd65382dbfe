//! The component of a crowd's member.

use crate::appearance::skins::ActiveImage;
use crate::crowd::data::clip::ClipData;
use crate::crowd::format::{CrowdContent, CrowdFormat, MemberOf};
use crate::crowd::members::lifetime::leave_crowd;
use crate::crowd::mesh::material::CrowdSkinning;
use crate::formats::lithtech::animation::player::AbcAnimator;
use crate::formats::lithtech::asset::AbcModel;
use crate::formats::lithtech::crowd::material::AbcCrowdMaterial;
use crate::formats::lithtech::crowd::model::{AbcCrowdData, content};
use crate::formats::lithtech::crowd::sampler::{AbcClipAssets, AbcSampler, clip};
use crate::playback::skeletal::clip_provider::ClipSource;
use bevy::animation::AnimationClip;
use bevy::asset::Assets;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::image::Image;
use bevy::mesh::Mesh;
use bevy::pbr::StandardMaterial;

/// A member of a crowd. It is on the root entity of a model that was spawned as a [`Crowd`](crate::root::Crowd), beside
/// [`AbcInstance`](crate::lithtech::AbcInstance).
#[derive(Component, Debug)]
#[component(on_remove = leave_crowd::<Self>, clone_behavior = Ignore)]
pub struct AbcCrowd(MemberOf<Self>);

impl AbcCrowd {
    /// The root entity of its scene, which is the parent of its meshes.
    pub fn scene(&self) -> Entity {
        self.0.scene()
    }

    /// The entities of its meshes. Each draws all nodes with one material.
    pub fn meshes(&self) -> &[Entity] {
        self.0.meshes()
    }

    /// Its row in the [`AbcCrowdPoseTable`](crate::lithtech::AbcCrowdPoseTable), which is the `MeshTag` of its meshes.
    pub fn row(&self) -> u32 {
        self.0.row()
    }

    /// Whether the clip that plays is being baked. The member shows its previous pose meanwhile.
    pub fn is_baking(&self) -> bool {
        self.0.is_baking()
    }
}

/// The skin of a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CrowdSkin {
    /// The index of the model's own skin.
    pub(crate) index: usize,
    /// An external image that replaces it.
    pub(crate) image: Option<ActiveImage>,
}

impl CrowdFormat for AbcCrowd {
    type Player = AbcAnimator;
    type Sampler = AbcSampler;
    type Base = StandardMaterial;
    type Material = AbcCrowdMaterial;
    type Skin = CrowdSkin;
    /// The node of a mesh that has its own; `None` for the skinned mesh.
    type Surface = Option<usize>;
    type Data = AbcCrowdData;
    /// No other asset changes the clips of a model: a reload makes another model.
    type ClipFile = AnimationClip;
    type ClipAssets = AbcClipAssets<'static>;

    fn new(member: MemberOf<Self>) -> Self {
        Self(member)
    }

    fn member(&self) -> &MemberOf<Self> {
        &self.0
    }

    fn member_mut(&mut self) -> &mut MemberOf<Self> {
        &mut self.0
    }

    fn material(base: StandardMaterial, extension: CrowdSkinning) -> AbcCrowdMaterial {
        AbcCrowdMaterial { base, extension }
    }

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
        assets: &AbcClipAssets<'_>,
    ) -> Option<ClipData<AbcSampler>> {
        clip(source, model, data, assets)
    }
}
