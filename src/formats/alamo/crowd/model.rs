//! The sub-meshes of a model, and the joints that they follow.

use crate::crowd::format::{CrowdContent, CrowdSubmesh};
use crate::crowd::skeleton::{CrowdSkeleton, SkeletonBone};
use crate::crowd::skinning::{AttributeSet, JointList, VertexJoints};
use crate::formats::alamo::asset::{Alo, AloModel, AloSubmesh};
use crate::formats::alamo::components::{AloPart, AloPartKind};
use crate::formats::alamo::materials::material::AloMaterial;
use crate::playback::skeletal::rig::Rig;
use bevy::math::Affine3A;
use bevy::prelude::*;

/// The content of a model's crowd.
pub(crate) fn content(
    model: &AloModel,
    meshes: &Assets<Mesh>,
) -> CrowdContent<Handle<AloMaterial>, Vec<AloPart>> {
    let drawn = model
        .meshes
        .iter()
        .filter(|mesh| mesh.submeshes.iter().any(is_drawn));
    let mut visibility_bones: Vec<usize> = drawn.map(|mesh| mesh.bone).collect();
    visibility_bones.sort_unstable();
    visibility_bones.dedup();
    let mut builder = Builder {
        model,
        meshes,
        joints: JointList::new(CrowdSkeleton {
            bones: Alo::bones(model).map(SkeletonBone::from).collect(),
            visibility_bones,
            hidden_bones_hide_children: model.hidden_bones_hide_children,
            ..CrowdSkeleton::default()
        }),
    };
    let mut content = CrowdContent {
        skeleton: CrowdSkeleton::default(),
        submeshes: Vec::new(),
        missing: None,
        data: parts(model),
    };
    builder.add_submeshes(&mut content);
    content.skeleton = builder.joints.skeleton;
    content
}

/// The meshes of a file as parts, for the criteria that select them.
fn parts(model: &AloModel) -> Vec<AloPart> {
    let meshes = model.meshes.iter().enumerate();
    let parts = meshes.map(|(index, mesh)| {
        let mut part = AloPart::new(AloPartKind::Mesh, index, &mesh.name, &mesh.tags);
        part.hidden = mesh.hidden;
        part
    });
    parts.collect()
}

/// Collects the sub-meshes of a model and the joints that they follow.
struct Builder<'a> {
    model: &'a AloModel,
    meshes: &'a Assets<Mesh>,
    joints: JointList,
}

impl Builder<'_> {
    fn add_submeshes(&mut self, content: &mut CrowdContent<Handle<AloMaterial>, Vec<AloPart>>) {
        let model = self.model;
        let mut is_any_missing = false;
        for (part, mesh) in model.meshes.iter().enumerate() {
            let bones = &self.joints.skeleton.visibility_bones;
            let Ok(visibility) = bones.binary_search(&mesh.bone) else {
                continue;
            };
            for submesh in mesh.submeshes.iter().filter(|submesh| is_drawn(submesh)) {
                match self.submesh(part, mesh.bone, visibility as u32, submesh) {
                    Some(submesh) => content.submeshes.push(submesh),
                    None => is_any_missing = true,
                }
            }
        }
        content.missing = self.joints.missing(is_any_missing);
    }

    fn submesh(
        &mut self,
        part: usize,
        bone: usize,
        visibility: u32,
        submesh: &AloSubmesh,
    ) -> Option<CrowdSubmesh<Handle<AloMaterial>>> {
        let handle = submesh.mesh.as_ref()?;
        let mesh = self.meshes.get(handle)?;
        let attributes = AttributeSet::of(mesh)?;
        let joints = if submesh.palette.is_empty() {
            VertexJoints::One(self.joints.joint(bone, None, Some(submesh.bounds))?)
        } else {
            VertexJoints::Palette(self.palette(submesh, mesh)?)
        };
        Some(CrowdSubmesh {
            part,
            mesh: handle.clone(),
            surface: submesh.material.clone()?,
            casts_shadows: submesh.casts_shadows,
            attributes,
            joints,
            visibility,
        })
    }

    /// The offsets of the joints of a skinned sub-mesh.
    fn palette(&mut self, submesh: &AloSubmesh, mesh: &Mesh) -> Option<Vec<u16>> {
        let bones = submesh.palette.iter().map(|bone| {
            let bone = *bone as usize;
            let info = self.model.bones.get(bone);
            (bone, info.map_or(Affine3A::IDENTITY, |info| info.bind_pose))
        });
        self.joints.palette(mesh, bones)
    }
}

fn is_drawn(submesh: &AloSubmesh) -> bool {
    submesh.mesh.is_some() && submesh.material.is_some()
}
