//! Crowds of Alamo models: their sub-meshes, joints, clips and team colors.

use crate::appearance::parts::Selected;
use crate::appearance::skins::SkinMaterials;
use crate::crowd::format::{CrowdContent, CrowdFormat, CrowdSubmesh, Selection};
use crate::crowd::members::CrowdMember;
use crate::crowd::skeleton::{CrowdSkeleton, SkeletonBone};
use crate::crowd::skinning::AttributeSet;
use crate::crowd::skinning::CrowdSkinning;
use crate::crowd::skinning::JointList;
use crate::crowd::skinning::VertexJoints;
use crate::formats::alamo::asset::{Alo, AloModel, AloSubmesh};
use crate::formats::alamo::components::{AloPart, AloPartKind};
use crate::formats::alamo::materials::material::{AloMaterial, team_color_tag};
use crate::gpu::pose_table::PoseTable;
use crate::playback::skeletal::rig::Rig;
use crate::root::skins::TeamColor;
use bevy::math::Affine3A;
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use std::sync::Arc;

/// A member of a crowd of Alamo models.
pub type AloCrowd = CrowdMember<Alo>;

/// The material of crowds: an [`AloMaterial`] whose vertices are posed from baked clips.
pub type AloCrowdMaterial = ExtendedMaterial<AloMaterial, CrowdSkinning>;

/// The poses that the members of crowds show, one row per member. Poses are indices of texels in the texture of the
/// model, [`CrowdSkinning::poses`]; 0 is the rest pose.
pub type AloPoseTable = PoseTable<AloCrowdMaterial>;

impl CrowdFormat for Alo {
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

    fn selection(model: &AloModel, parts: &Vec<AloPart>, selected: &Selected<'_>) -> Selection<()> {
        let parts = parts.iter().map(|part| part.is_shown(model, selected));
        Selection {
            parts: parts.collect(),
            skin: (),
        }
    }

    fn material(
        _: &Arc<AloModel>,
        material: &Handle<AloMaterial>,
        (): &(),
        _: &mut SkinMaterials<'_, AloMaterial>,
    ) -> Option<Handle<AloMaterial>> {
        Some(material.clone())
    }
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

type ColorChanged = Or<(Changed<AloCrowd>, Changed<TeamColor>)>;

/// Writes the team colors of members to their rows.
pub(crate) fn color_crowds(
    changed: Query<(&AloCrowd, Option<&TeamColor>), ColorChanged>,
    mut removed: RemovedComponents<TeamColor>,
    members: Query<&AloCrowd>,
    mut table: ResMut<AloPoseTable>,
) {
    for root in removed.read() {
        if let Ok(member) = members.get(root) {
            table.set_extra(member.row(), 0);
        }
    }
    for (member, team) in &changed {
        let tag = team.map_or(0, |team| team_color_tag(team.0));
        table.set_extra(member.row(), tag);
    }
}
