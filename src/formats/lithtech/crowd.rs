//! Crowds of LithTech models: their meshes, joints, clips, vertex animation and scrolling textures.

use crate::appearance::parts::Selected;
use crate::appearance::skins::ActiveImage;
use crate::appearance::skins::SkinMaterials;
use crate::crowd::deformed::{DeformedVertex, PosedVertex};
use crate::crowd::format::{CrowdContent, CrowdFormat, CrowdSubmesh, Selection};
use crate::crowd::members::CrowdMember;
use crate::crowd::models::CrowdModels;
use crate::crowd::skeleton::{CrowdSkeleton, SkeletonBone};
use crate::crowd::skinning::AttributeSet;
use crate::crowd::skinning::CrowdSkinning;
use crate::crowd::skinning::JointList;
use crate::crowd::skinning::VertexJoints;
use crate::formats::lithtech::animation::rig::animation_of;
use crate::formats::lithtech::animation::sampler::{AbcSampler, Deforms};
use crate::formats::lithtech::appearance::{
    external_image, is_hidden, is_scrolling, scroll_offset,
};
use crate::formats::lithtech::asset::{Abc, AbcMeshInfo, AbcModel};
use crate::formats::lithtech::deform::node_deform::NodeDeform;
use crate::gpu::pose_table::PosePair;
use crate::gpu::pose_table::PoseTable;
use crate::playback::skeletal::rig::{ClipSource, Rig};
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::VertexAttributeValues;
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use classic_model_formats::abc::node_flags;
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
    type Base = StandardMaterial;
    type Skin = CrowdSkin;
    /// The node of a mesh that has its own; `None` for the skinned mesh.
    type Surface = Option<usize>;
    type Data = AbcCrowdData;

    /// The parts are the meshes of all levels of detail.
    fn content(
        model: &AbcModel,
        meshes: &Assets<Mesh>,
        images: &Assets<Image>,
    ) -> CrowdContent<Option<usize>, AbcCrowdData> {
        let infos = model.deforms.iter();
        let mut deforms: Vec<NodeDeform> = infos
            .filter_map(|info| NodeDeform::new(info, images))
            .collect();
        add_mesh_normals(&mut deforms, model, meshes);
        let mut builder = Builder {
            model,
            meshes,
            deforms: &deforms,
            joints: JointList::new(CrowdSkeleton {
                bones: Abc::bones(model).map(SkeletonBone::from).collect(),
                // No animation hides nodes, so one bit is enough.
                visibility_bones: vec![0],
                deformed: deforms.iter().flat_map(at_rest).collect(),
                ..CrowdSkeleton::default()
            }),
        };
        let all = model.levels.iter().flat_map(|level| &level.meshes);
        let submeshes: Vec<_> = all
            .enumerate()
            .map(|(part, mesh)| builder.submesh(part, mesh))
            .collect();
        let is_any_missing =
            submeshes.iter().any(Option::is_none) || deforms.len() < model.deforms.len();
        let missing = builder.joints.missing(is_any_missing);
        let skeleton = builder.joints.skeleton;
        let first_deformed = skeleton.deformed_offset() as u32;
        let mut submeshes: Vec<_> = submeshes.into_iter().flatten().collect();
        for submesh in &mut submeshes {
            if let VertexJoints::Deformed { first, .. } = &mut submesh.joints {
                *first += first_deformed;
            }
        }
        let scrolls = node_flags::SCROLL_U | node_flags::SCROLL_V;
        CrowdContent {
            skeleton,
            submeshes,
            missing,
            data: AbcCrowdData {
                deforms: deforms.into(),
                scrolls: model.nodes.iter().any(|node| node.flags & scrolls != 0),
            },
        }
    }

    fn add_deforms(
        sampler: &mut AbcSampler,
        source: &ClipSource,
        model: &AbcModel,
        data: &AbcCrowdData,
    ) {
        let animation = animation_of(&source.clip, model);
        if let (AbcSampler::Keyframes { deforms, .. }, Some(animation)) = (sampler, animation) {
            *deforms = Some(Deforms {
                nodes: data.deforms.clone(),
                first_pose: animation.first_pose,
            });
        }
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

/// The data of a model's crowd.
#[derive(Debug)]
pub struct AbcCrowdData {
    /// The vertex animation, in the order of the skeleton's deformed vertices.
    pub(crate) deforms: Arc<[NodeDeform]>,
    /// Whether the textures of some nodes scroll.
    pub(crate) scrolls: bool,
}

/// The vertices of a node in the rest pose: the first keyframe of the first animation.
fn at_rest(deform: &NodeDeform) -> impl Iterator<Item = DeformedVertex> {
    let mut vertices = vec![PosedVertex::default(); deform.count()];
    deform.pose(PosePair::default(), true, &mut vertices);
    vertices.into_iter().map(|rest| DeformedVertex {
        bone: deform.node,
        rest,
    })
}

/// The index of each vertex among the deformed ones of its node; negative for one that does not deform.
fn slots(mesh: &Mesh) -> Option<&[[f32; 2]]> {
    match mesh.try_attribute(Mesh::ATTRIBUTE_UV_1).ok()? {
        VertexAttributeValues::Float32x2(slots) => Some(slots),
        _ => None,
    }
}

/// The values of an attribute of three floats.
fn vectors(mesh: &Mesh, attribute: bevy::mesh::MeshVertexAttribute) -> &[[f32; 3]] {
    let values = mesh.try_attribute(attribute).ok();
    values
        .and_then(VertexAttributeValues::as_float3)
        .unwrap_or_default()
}

/// Copies the normals of deformed vertices from the meshes, for vertices whose triangles have no normal.
fn add_mesh_normals(deforms: &mut [NodeDeform], model: &AbcModel, meshes: &Assets<Mesh>) {
    for info in model.levels.iter().flat_map(|level| &level.meshes) {
        let deform = deforms
            .iter_mut()
            .find(|deform| Some(deform.node) == info.node);
        let (Some(deform), Some(mesh)) = (deform, meshes.get(&info.mesh)) else {
            continue;
        };
        let normals = vectors(mesh, Mesh::ATTRIBUTE_NORMAL);
        for ([slot, _], normal) in slots(mesh).into_iter().flatten().zip(normals) {
            if *slot >= 0.0
                && let Some(known) = deform.mesh_normals.get_mut(*slot as usize)
            {
                *known = Vec3::from_array(*normal);
            }
        }
    }
}

/// Collects the meshes of a model and the joints that they follow.
struct Builder<'a> {
    model: &'a AbcModel,
    meshes: &'a Assets<Mesh>,
    deforms: &'a [NodeDeform],
    joints: JointList,
}

impl Builder<'_> {
    /// A mesh. The index of its first deformed vertex is not yet an offset in a pose, because joints may be added.
    fn submesh(&mut self, part: usize, info: &AbcMeshInfo) -> Option<CrowdSubmesh<Option<usize>>> {
        let mesh = self.meshes.get(&info.mesh)?;
        let mut attributes = AttributeSet::of(mesh)?;
        let joints = match info.node {
            None => VertexJoints::Palette(self.palette(mesh)?),
            Some(node) => match self.first_deformed(node) {
                Some(first) => {
                    attributes = attributes.without_second_uvs();
                    let joint = match rigid_bounds(mesh) {
                        Some(bounds) => self.joints.joint(node, None, Some(bounds))?,
                        None => 0,
                    };
                    VertexJoints::Deformed { joint, first }
                }
                None => VertexJoints::One(self.joints.joint(node, None, Some(info.bounds))?),
            },
        };
        Some(CrowdSubmesh {
            part,
            mesh: info.mesh.clone(),
            surface: info.node,
            casts_shadows: true,
            attributes,
            joints,
            visibility: 0,
        })
    }

    /// The offsets of the joints of the skinned mesh.
    fn palette(&mut self, mesh: &Mesh) -> Option<Vec<u16>> {
        let model = self.model;
        let bones = model.joints.iter().map(|node| {
            let info = model.nodes.get(*node);
            let pose = info.map_or(Affine3A::IDENTITY, |info| info.bind_pose.into());
            (*node, pose)
        });
        self.joints.palette(mesh, bones)
    }

    /// The index of the first deformed vertex of a node, if it has any.
    fn first_deformed(&self, node: usize) -> Option<u32> {
        let index = self.deforms.iter().position(|deform| deform.node == node)?;
        let before = self.deforms.iter().take(index).map(NodeDeform::count);
        Some(before.sum::<usize>() as u32)
    }
}

/// The box around the vertices that do not deform. `None` if there are none.
fn rigid_bounds(mesh: &Mesh) -> Option<Aabb3d> {
    let positions = vectors(mesh, Mesh::ATTRIBUTE_POSITION).iter();
    let rigid = positions
        .zip(slots(mesh).unwrap_or_default())
        .filter(|(_, [slot, _])| *slot < 0.0)
        .map(|(position, _)| Vec3A::from_array(*position));
    rigid.fold(None, |bounds, point| {
        let point = Aabb3d {
            min: point,
            max: point,
        };
        crate::spawn::format::merged(bounds, Some(point))
    })
}

/// Scrolls the textures of nodes with `SCROLL_U` or `SCROLL_V`.
pub(crate) fn scroll_crowds(
    time: Res<Time>,
    mut models: ResMut<CrowdModels<Abc>>,
    mut materials: ResMut<Assets<AbcCrowdMaterial>>,
) {
    let seconds = time.elapsed_secs_f64();
    let models = models.bypass_change_detection();
    for crowd in models.iter_mut().filter(|crowd| crowd.data.scrolls) {
        for (material, submesh) in crowd.appearances.materials() {
            let Some(submesh) = crowd.submeshes.get(submesh) else {
                continue;
            };
            // The offset of the others is that of the user.
            if !is_scrolling(&crowd.model, submesh.surface) {
                continue;
            }
            let offset = scroll_offset(&crowd.model, submesh.surface, seconds);
            let differs =
                |material: &AbcCrowdMaterial| material.base.uv_transform.translation != offset;
            // `get_mut` marks a material as changed.
            if materials.get(&material).is_some_and(differs)
                && let Some(mut material) = materials.get_mut(&material)
            {
                material.base.uv_transform.translation = offset;
            }
        }
    }
}
