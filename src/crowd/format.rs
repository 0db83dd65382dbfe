//! What a format implements so that its models have crowds.

use crate::appearance::parts::Selected;
use crate::appearance::skins::SkinMaterials;
use crate::crowd::bake::BakeSource;
use crate::crowd::skeleton::CrowdSkeleton;
use crate::crowd::skinning::AttributeSet;
use crate::crowd::skinning::CrowdSkinning;
use crate::crowd::skinning::Missing;
use crate::crowd::skinning::VertexJoints;
use crate::playback::skeletal::rig::{ClipSource, Rig};
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use bevy::reflect::{GetTypeRegistration, Typed};
use core::hash::Hash;
use std::sync::Arc;

/// A format whose models have crowds.
pub trait CrowdFormat: Rig<Sampler: BakeSource> {
    /// The material of the format.
    type Base: Material<Data: Copy + Eq + Hash> + FromReflect + Typed + GetTypeRegistration;
    /// What selects materials beside the parts that are shown.
    type Skin: Clone + Eq + Hash + Send + Sync + 'static;
    /// What decides about the material of a sub-mesh.
    type Surface: Send + Sync + 'static;
    /// Data of a model that its samplers or selections need.
    type Data: Send + Sync + 'static;

    /// The sub-meshes of a model and the joints that they follow.
    fn content(
        model: &Self::Model,
        meshes: &Assets<Mesh>,
        images: &Assets<Image>,
    ) -> CrowdContent<Self::Surface, Self::Data>;

    /// Adds the vertex animation of the model in a clip.
    fn add_deforms(
        _sampler: &mut Self::Sampler,
        _source: &ClipSource,
        _model: &Self::Model,
        _data: &Self::Data,
    ) {
    }

    /// The parts and the skin that the components of a root select.
    fn selection(
        model: &Self::Model,
        data: &Self::Data,
        selected: &Selected<'_>,
    ) -> Selection<Self::Skin>;

    /// The material of a sub-mesh with a skin. `None` if it is not drawn.
    fn material(
        model: &Arc<Self::Model>,
        surface: &Self::Surface,
        skin: &Self::Skin,
        materials: &mut SkinMaterials<'_, Self::Base>,
    ) -> Option<Handle<Self::Base>>;
}

/// The material of a format's crowds.
pub(crate) type CrowdMaterial<F> = ExtendedMaterial<<F as CrowdFormat>::Base, CrowdSkinning>;

/// The sub-meshes of a model and the joints that they follow. The types are [`CrowdFormat::Surface`] and
/// [`CrowdFormat::Data`].
pub struct CrowdContent<P, D> {
    pub(crate) skeleton: CrowdSkeleton,
    pub(crate) submeshes: Vec<CrowdSubmesh<P>>,
    /// Why sub-meshes are missing. `None` if none is.
    pub(crate) missing: Option<Missing>,
    pub(crate) data: D,
}

/// A sub-mesh that is drawn.
#[derive(Debug)]
pub struct CrowdSubmesh<P> {
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

/// The choices that decide about meshes and materials.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selection<K> {
    /// Whether each part of the model is shown.
    pub(crate) parts: Box<[bool]>,
    /// The skin, for formats that have skins.
    pub(crate) skin: K,
}
