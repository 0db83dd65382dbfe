//! The component of a crowd's member.

use crate::crowd::data::clip::ClipData;
use crate::crowd::format::{CrowdContent, CrowdFormat, MemberOf};
use crate::crowd::members::lifetime::leave_crowd;
use crate::crowd::mesh::material::CrowdSkinning;
use crate::formats::alamo::animation::asset::Ala;
use crate::formats::alamo::animation::player::AloAnimator;
use crate::formats::alamo::asset::AloModel;
use crate::formats::alamo::components::AloPart;
use crate::formats::alamo::crowd::material::AloCrowdMaterial;
use crate::formats::alamo::crowd::model::content;
use crate::formats::alamo::crowd::sampler::{AloClipAssets, ClipSampler, clip};
use crate::formats::alamo::materials::material::AloMaterial;
use crate::playback::skeletal::clip_provider::ClipSource;
use bevy::asset::{Assets, Handle};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::image::Image;
use bevy::mesh::Mesh;

/// A member of a crowd. It is on the root entity of a model that was spawned as a [`Crowd`](crate::root::Crowd), beside
/// [`AloInstance`](crate::alamo::AloInstance).
#[derive(Component, Debug)]
#[component(on_remove = leave_crowd::<Self>, clone_behavior = Ignore)]
pub struct AloCrowd(MemberOf<Self>);

impl AloCrowd {
    /// The root entity of its scene, which is the parent of its meshes.
    pub fn scene(&self) -> Entity {
        self.0.scene()
    }

    /// The entities of its meshes. Each draws all sub-meshes with one material.
    pub fn meshes(&self) -> &[Entity] {
        self.0.meshes()
    }

    /// Its row in the [`AloPoseTable`](crate::alamo::AloPoseTable), which is the `MeshTag` of its meshes.
    pub fn row(&self) -> u32 {
        self.0.row()
    }

    /// Whether the clip that plays is being baked. The member shows its previous pose meanwhile.
    pub fn is_baking(&self) -> bool {
        self.0.is_baking()
    }
}

impl CrowdFormat for AloCrowd {
    type Player = AloAnimator;
    type Sampler = ClipSampler;
    type Base = AloMaterial;
    type Material = AloCrowdMaterial;
    type Skin = ();
    type Surface = Handle<AloMaterial>;
    /// The meshes of the file as parts.
    type Data = Vec<AloPart>;
    type ClipFile = Ala;
    type ClipAssets = AloClipAssets<'static>;

    fn new(member: MemberOf<Self>) -> Self {
        Self(member)
    }

    fn member(&self) -> &MemberOf<Self> {
        &self.0
    }

    fn member_mut(&mut self) -> &mut MemberOf<Self> {
        &mut self.0
    }

    fn material(base: AloMaterial, extension: CrowdSkinning) -> AloCrowdMaterial {
        AloCrowdMaterial { base, extension }
    }

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
        assets: &AloClipAssets<'_>,
    ) -> Option<ClipData<ClipSampler>> {
        clip(source, model, assets)
    }
}
