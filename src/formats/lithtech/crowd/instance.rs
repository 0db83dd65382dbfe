//! What crowds need to know about the format.

use crate::appearance::parts::Selected;
use crate::appearance::skins::{ActiveImage, SkinMaterials};
use crate::crowd::clips::ClipData;
use crate::crowd::format::{CrowdContent, CrowdFormat, Selection};
use crate::crowd::members::CrowdMember;
use crate::crowd::skinning::CrowdSkinning;
use crate::formats::lithtech::appearance::{external_image, is_hidden};
use crate::formats::lithtech::asset::{Abc, AbcMeshInfo, AbcModel};
use crate::formats::lithtech::crowd::model::{AbcCrowdData, content};
use crate::formats::lithtech::crowd::sampler::{AbcSampler, clip};
use crate::gpu::pose_table::PoseTable;
use crate::playback::skeletal::rig::ClipSource;
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use std::sync::Arc;

/// A member of a crowd of LithTech models.
pub type AbcCrowd = CrowdMember<Abc>;

/// The material of crowds: a `StandardMaterial` whose vertices are posed from baked clips.
pub type AbcCrowdMaterial = ExtendedMaterial<StandardMaterial, CrowdSkinning>;

/// The poses that the members of crowds show, one row per member. Poses are indices of texels in the texture of the
/// model, [`CrowdSkinning::poses`]; 0 is the rest pose.
pub type AbcCrowdPoseTable = PoseTable<AbcCrowdMaterial>;

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

    fn selection(
        model: &AbcModel,
        _: &AbcCrowdData,
        selected: &Selected<'_>,
    ) -> Selection<CrowdSkin> {
        // A skin beyond the last is the last.
        let last = model.skins.len().saturating_sub(1);
        Selection {
            parts: shown_parts(model, selected),
            skin: CrowdSkin {
                index: selected.skin.map_or(0, |skin| skin.index.min(last)),
                image: selected.skin.and_then(|skin| skin.image.clone()),
            },
        }
    }

    fn material(
        model: &Arc<AbcModel>,
        node: &Option<usize>,
        skin: &CrowdSkin,
        materials: &mut SkinMaterials<'_, StandardMaterial>,
    ) -> Option<Handle<StandardMaterial>> {
        let own = model.material(skin.index, *node)?;
        let image = external_image(skin.image.as_ref(), model, *node);
        materials.with_skin(model, own, image, |made| made)
    }
}

/// Whether each mesh of all levels of detail is shown.
fn shown_parts(model: &AbcModel, selected: &Selected<'_>) -> Box<[bool]> {
    let shown = (selected.level as usize).min(model.levels.len().saturating_sub(1));
    let levels = model.levels.iter().enumerate();
    let parts = levels.flat_map(|(index, level)| {
        let is_shown =
            move |mesh: &AbcMeshInfo| index == shown && !is_hidden(selected, model, mesh.node);
        level.meshes.iter().map(is_shown)
    });
    parts.collect()
}
