//! What a format implements so that its models have crowds.

use crate::crowd::bake::skeleton::CrowdSkeleton;
use crate::crowd::bake::task::PoseSource;
use crate::crowd::data::clip::ClipData;
use crate::crowd::members::member::Member;
use crate::crowd::mesh::build::AttributeSet;
use crate::crowd::mesh::joints::VertexJoints;
use crate::crowd::mesh::material::CrowdSkinning;
use crate::gpu::pose_table::PoseMaterial;
use crate::playback::skeletal::clip_provider::ClipSource;
use crate::playback::skeletal::driver::ClipPlayer;
use bevy::asset::{Asset, Assets, Handle};
use bevy::ecs::component::{Component, Mutable};
use bevy::ecs::system::{SystemParam, SystemParamItem};
use bevy::image::Image;
use bevy::mesh::Mesh;
use core::hash::Hash;

/// The component of the members of a format's crowds, on their roots. It wraps a [`Member`].
pub(crate) trait CrowdFormat: Component<Mutability = Mutable> + Sized {
    /// The playback state of a model.
    type Player: ClipPlayer;
    /// Poses the bones of a model at a position of a clip.
    type Sampler: PoseSource;
    /// The material of the format.
    type Base: Asset + Clone;
    /// The same material with [`CrowdSkinning`]. It identifies the pose table.
    type Material: PoseMaterial;
    /// What selects materials beside the parts that are shown.
    type Skin: Clone + Eq + Hash + Send + Sync + 'static;
    /// What decides about the material of a sub-mesh.
    type Surface: Send + Sync + 'static;
    /// Data of a model that its samplers or selections need.
    type Data: Send + Sync + 'static;
    /// A type of asset whose clips are baked again if it changes: see [`ClipOrigin`](crate::crowd::data::clip::ClipOrigin).
    type ClipFile: Asset;
    /// The assets from which clips are baked.
    type ClipAssets: SystemParam + 'static;

    /// The component of a member.
    fn new(member: MemberOf<Self>) -> Self;

    fn member(&self) -> &MemberOf<Self>;

    fn member_mut(&mut self) -> &mut MemberOf<Self>;

    /// Adds the skinning to a material.
    fn material(base: Self::Base, skinning: CrowdSkinning) -> Self::Material;

    /// The sub-meshes of a model and the joints that they follow.
    fn content(
        model: &ModelOf<Self>,
        meshes: &Assets<Mesh>,
        images: &Assets<Image>,
    ) -> CrowdContent<Self::Surface, Self::Data>;

    /// What a clip is baked from. `None` if it is not loaded.
    fn clip(
        source: &ClipSource,
        model: &ModelOf<Self>,
        data: &Self::Data,
        assets: &SystemParamItem<'_, '_, Self::ClipAssets>,
    ) -> Option<ClipData<Self::Sampler>>;
}

/// The state of a member of a format.
pub(crate) type MemberOf<F> = Member<
    <F as CrowdFormat>::Sampler,
    <F as CrowdFormat>::Material,
    <F as CrowdFormat>::Base,
    <F as CrowdFormat>::Skin,
>;

/// The model of a format.
pub(crate) type ModelOf<F> = <<F as CrowdFormat>::Player as ClipPlayer>::Model;

/// The sub-meshes of a model and the joints that they follow. The types are [`CrowdFormat::Surface`] and
/// [`CrowdFormat::Data`].
pub(crate) struct CrowdContent<P, D> {
    pub(crate) skeleton: CrowdSkeleton,
    pub(crate) submeshes: Vec<CrowdSubmesh<P>>,
    /// Why sub-meshes are missing. `None` if none is.
    pub(crate) missing: Option<Missing>,
    pub(crate) data: D,
}

/// Why sub-meshes of a model are missing in its crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Their meshes are not in the main world.
    NotInMainWorld,
    /// Vertices cannot store the offsets of their joints.
    TooManyJoints,
    /// The texture has no room for a pose.
    PoseTooLarge,
}

impl Missing {
    /// The warning. It follows the path of the model.
    pub(crate) fn warning(self) -> &'static str {
        match self {
            Self::NotInMainWorld => {
                "has meshes that are not in the main world, so its crowd cannot draw them: set `asset_usage` of its loader \
                 settings to the default"
            }
            Self::TooManyJoints => {
                "has more than 21,000 bones with vertices, so its crowd cannot draw all of them: spawn it as a scene"
            }
            Self::PoseTooLarge => {
                "has a pose that exceeds the adapter's maximum texture size, so its crowd draws nothing: spawn it as a scene"
            }
        }
    }
}

/// A sub-mesh that is drawn.
#[derive(Debug)]
pub(crate) struct CrowdSubmesh<P> {
    /// The index of the part that it belongs to.
    pub(crate) part: usize,
    pub(crate) mesh: Handle<Mesh>,
    pub(crate) surface: P,
    pub(crate) casts_shadows: bool,
    pub(crate) attributes: AttributeSet,
    pub(crate) joints: VertexJoints,
    /// The index of its visibility bit.
    pub(crate) visibility: u32,
}
