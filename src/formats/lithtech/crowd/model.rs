//! The meshes of a model, and the joints that they follow.

use crate::crowd::deformed::{DeformedVertex, PosedVertex};
use crate::crowd::format::{CrowdContent, CrowdSubmesh};
use crate::crowd::skeleton::{CrowdSkeleton, SkeletonBone};
use crate::crowd::skinning::{AttributeSet, JointList, VertexJoints};
use crate::formats::lithtech::asset::{Abc, AbcMeshInfo, AbcModel};
use crate::formats::lithtech::crowd::node_deform::NodeDeform;
use crate::gpu::pose_table::PosePair;
use crate::playback::skeletal::rig::Rig;
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;
use classic_model_formats::abc::node_flags;
use std::sync::Arc;

/// The data of a model's crowd.
#[derive(Debug)]
pub struct AbcCrowdData {
    /// The vertex animation, in the order of the skeleton's deformed vertices.
    pub(crate) deforms: Arc<[NodeDeform]>,
    /// Whether the textures of some nodes scroll.
    pub(crate) scrolls: bool,
}

/// The content of a model's crowd. Its parts are the meshes of all levels of detail.
pub(crate) fn content(
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
