//! Answers questions about spawned models for code on any format.

use crate::crowd::bones::RigInfo;
use crate::formats::alamo::animation::asset::AlaBoneInfo;
use crate::formats::alamo::animation::sampler::ClipSampler;
use crate::formats::alamo::asset::{Alo, AloMesh, AloModel, AloSubmesh};
use crate::formats::alamo::components::AloPart;
use crate::formats::alamo::raycast::collider;
use crate::geometry::stride::{CLIP_STEPS, ClipPose};
use crate::playback::skeletal::pose_source::PoseSource;
use crate::root::play::ClipRef;
use crate::spawn::format::FoundClip;
use crate::spawn::format::{
    ModelClip, ModelInfo, ModelPose, NamedEntity, merged, transformed_bounds,
};
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;
use core::ops::Range;

/// Samples per frame of an animation, for its box. Rotations between frames are arcs.
const SAMPLES_PER_FRAME: u32 = 2;

/// The spawned Alamo models.
#[derive(SystemParam)]
pub(crate) struct AloInfo<'w, 's> {
    rig: RigInfo<'w, 's, Alo>,
    parts: Query<'w, 's, (&'static AloPart, &'static ChildOf)>,
    meshes: Option<Res<'w, Assets<Mesh>>>,
}

/// A box that a bone moves, in the bone's space.
struct BoneBox {
    bone: usize,
    bounds: Aabb3d,
    /// The bone that the mesh is connected to.
    connected_to: usize,
}

/// The sub-meshes that are drawn at the finest level of detail, undamaged, unless their bone, whose index is returned too, is
/// hidden.
fn shown_submeshes(model: &AloModel) -> impl Iterator<Item = (usize, &AloSubmesh)> {
    let finest = model.lod(0);
    let is_shown = move |mesh: &&AloMesh| {
        !mesh.hidden
            && (mesh.tags.lod.is_none() || mesh.tags.lod == finest)
            && mesh.tags.alt.is_none_or(|alt| alt == 0)
    };
    let meshes = model.meshes.iter().filter(is_shown);
    meshes.flat_map(|mesh| {
        let drawn = mesh.submeshes.iter().filter(|it| it.material.is_some());
        drawn.map(|submesh| (mesh.bone, submesh))
    })
}

/// The vertices of a sub-mesh, as its bones pose them in the model's space.
fn posed_vertices(
    model: &AloModel,
    (bone, submesh): (usize, &AloSubmesh),
    mesh: &Mesh,
    poses: &[Affine3A],
) -> Option<Vec<Vec3A>> {
    let positions = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?;
    let positions = positions.as_float3()?;
    if submesh.palette.is_empty() {
        let pose = poses.get(bone)?;
        let posed = positions.iter().copied().map(Vec3A::from);
        return Some(posed.map(|it| pose.transform_point3a(it)).collect());
    }
    let matrix = |bone: &u32| {
        let rest = model.bones.get(*bone as usize)?.bind_pose;
        Some(*poses.get(*bone as usize)? * rest.inverse())
    };
    let matrices: Vec<Option<Affine3A>> = submesh.palette.iter().map(matrix).collect();
    let joints = mesh.try_attribute(Mesh::ATTRIBUTE_JOINT_INDEX).ok()?;
    let weights = mesh.try_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT).ok()?;
    match (joints, weights) {
        (VertexAttributeValues::Uint16x4(joints), VertexAttributeValues::Float32x4(weights)) => {
            let posed = collider::skinned(positions, joints, weights, &matrices);
            Some(posed.map(Vec3A::from).collect())
        }
        _ => None,
    }
}

impl AloInfo<'_, '_> {
    fn boxes(&self, model: &AloModel) -> Vec<BoneBox> {
        let mut boxes = Vec::new();
        for (bone, submesh) in shown_submeshes(model) {
            self.add_boxes(model, bone, submesh, &mut boxes);
        }
        boxes
    }

    fn mesh(&self, submesh: &AloSubmesh) -> Option<&Mesh> {
        self.meshes.as_ref()?.get(submesh.mesh.as_ref()?)
    }

    /// Calls `visit` at evenly spaced times of a clip: with the seconds, the poses of the bones in the model's space, and
    /// whether what is connected to a bone is shown. `steps` turns the number of the last frame of the clip or part, counted
    /// from its first, into the number of steps. `None` if there is no such clip, or it is not loaded.
    fn pose_bones(
        &self,
        model: &AloModel,
        clip: &ClipRef,
        steps: impl Fn(u32) -> u32,
        mut visit: impl FnMut(f32, &[Affine3A], &dyn Fn(usize) -> bool),
    ) -> Option<()> {
        let (clip, part) = clip.split_frames();
        let files = self.rig.files()?;
        let ala = match clip {
            ClipRef::Name(name) => files.get(&model.animation(name)?.ala)?,
            ClipRef::Index(index) => files.get(&model.animations.get(*index)?.ala)?,
            ClipRef::Handle(clip) => files.iter().find(|(_, ala)| ala.clip == *clip)?.1,
            ClipRef::Frames(_) | ClipRef::Part { .. } => return None,
        };
        let part = part.map_or(0..ala.frames, |part| part.start..part.end.min(ala.frames));
        let rest: Vec<Transform> = model.bones.iter().map(|bone| bone.transform).collect();
        let flags: Vec<bool> = model.bones.iter().map(|bone| bone.visible).collect();
        let (mut local, mut visible) = (rest, flags);
        let sampler = ClipSampler::of_ala(ala, model);
        let last = part.end.checked_sub(1).filter(|last| *last >= part.start)?;
        let frames = last - part.start;
        // The count of frames of a file without tracks is free.
        let moves =
            |bone: &AlaBoneInfo| bone.translation || bone.rotation || bone.scale || bone.visibility;
        let steps = if ala.bones.iter().any(moves) {
            steps(frames)
        } else {
            0
        };
        for step in 0..=steps {
            let passed = frames as f32 * step as f32 / steps.max(1) as f32;
            let seconds = (part.start as f32 + passed) / ala.fps;
            sampler.pose(seconds, &mut local, &mut visible);
            let is_visible = |bone: usize| visible.get(bone).copied().unwrap_or(true);
            visit(seconds, &in_model(model, &local), &|bone| {
                model.shows_connected(bone, is_visible)
            });
        }
        Some(())
    }

    fn add_boxes(
        &self,
        model: &AloModel,
        bone: usize,
        submesh: &AloSubmesh,
        boxes: &mut Vec<BoneBox>,
    ) {
        let connected_to = bone;
        if submesh.palette.is_empty() {
            let bounds = submesh.bounds;
            boxes.push(BoneBox {
                bone,
                bounds,
                connected_to,
            });
            return;
        }
        let Some(skinned) = self.mesh(submesh).and_then(Mesh::skinned_mesh_bounds) else {
            return;
        };
        let joints = skinned.aabbs.iter().zip(&skinned.aabb_index_to_joint_index);
        for (aabb, joint) in joints {
            let Some(bone) = submesh.palette.get(usize::from(joint.0)) else {
                continue;
            };
            let bone = *bone as usize;
            let (center, half) = (Vec3A::from(aabb.center), Vec3A::from(aabb.half_size));
            let bounds = Aabb3d {
                min: center - half,
                max: center + half,
            };
            // The box is in the model's space at rest.
            let pose = model.bones.get(bone).map(|bone| bone.bind_pose.inverse());
            let bounds = pose.and_then(|pose| transformed_bounds(&pose, &bounds));
            boxes.extend(bounds.map(|bounds| BoneBox {
                bone,
                bounds,
                connected_to,
            }));
        }
    }
}

/// The union of the boxes of visible bones, moved by the poses of the bones in the model's space.
fn posed_bounds(
    boxes: &[BoneBox],
    poses: &[Affine3A],
    is_visible: impl Fn(usize) -> bool,
) -> Option<Aabb3d> {
    let boxes = boxes.iter().filter(|part| is_visible(part.connected_to));
    let boxes = boxes.map(|part| {
        let pose = poses.get(part.bone)?;
        transformed_bounds(pose, &part.bounds)
    });
    boxes.fold(None, merged)
}

/// The poses of bones in the model's space.
fn in_model(model: &AloModel, local: &[Transform]) -> Vec<Affine3A> {
    let mut poses: Vec<Affine3A> = Vec::with_capacity(local.len());
    for (bone, local) in model.bones.iter().zip(local) {
        let parent = bone.parent.and_then(|parent| poses.get(parent));
        let local = local.compute_affine();
        poses.push(parent.map_or(local, |parent| *parent * local));
    }
    poses
}

impl ModelInfo for AloInfo<'_, '_> {
    fn clips(&self, root: Entity) -> Vec<ModelClip> {
        self.rig.clips(root)
    }

    fn find_clip(&self, root: Entity, clip: &ClipRef) -> FoundClip {
        self.rig.find_clip(root, clip)
    }

    fn pose(&self, root: Entity, time: f32, part: Option<&Range<u32>>) -> Option<ModelPose> {
        self.rig.pose(root, time, part)
    }

    fn bounds(&self, root: Entity) -> Option<Aabb3d> {
        let model = self.rig.model(root)?;
        let poses: Vec<Affine3A> = model.bones.iter().map(|bone| bone.bind_pose).collect();
        posed_bounds(&self.boxes(model), &poses, |bone| {
            model.is_bone_visible(bone)
        })
    }

    fn clip_bounds(&self, root: Entity, clip: &ClipRef) -> Option<Aabb3d> {
        let model = self.rig.model(root)?;
        let boxes = self.boxes(model);
        let mut bounds = None;
        let steps = |frames| frames * SAMPLES_PER_FRAME;
        self.pose_bones(model, clip, steps, |_, poses, is_shown| {
            bounds = merged(bounds, posed_bounds(&boxes, poses, is_shown));
        })?;
        bounds
    }

    fn clip_poses(&self, root: Entity, clip: &ClipRef) -> Option<Vec<ClipPose>> {
        let model = self.rig.model(root)?;
        let mut clip_poses = Vec::new();
        let steps = |_| CLIP_STEPS;
        self.pose_bones(model, clip, steps, |seconds, poses, is_shown| {
            let mut vertices = Vec::new();
            for part in shown_submeshes(model) {
                let mesh = self.mesh(part.1);
                let posed = mesh.and_then(|mesh| posed_vertices(model, part, mesh, poses));
                let scale = if is_shown(part.0) { 1.0 } else { f32::NAN };
                vertices.extend(posed.into_iter().flatten().map(|vertex| vertex * scale));
            }
            clip_poses.push(ClipPose { seconds, vertices });
        })?;
        Some(clip_poses)
    }

    fn levels(&self, root: Entity) -> usize {
        let model = self.rig.model(root);
        model.map_or(1, |model| model.lods.len().max(1))
    }

    fn bones(&self, root: Entity) -> Vec<NamedEntity> {
        self.rig.bones(root)
    }

    /// The meshes, lights, proxies and groups of dazzles. Sub-meshes are children of their mesh.
    fn parts(&self, root: Entity) -> Vec<NamedEntity> {
        let Some(instance) = self.rig.instance(root) else {
            return Vec::new();
        };
        let part = |entity: &Entity| {
            let (part, bone) = self.parts.get(*entity).ok()?;
            Some(NamedEntity {
                entity: *entity,
                name: part.name.clone(),
                parent: Some(bone.parent()),
            })
        };
        let parts = instance.parts().iter().filter_map(part);
        let parts = parts.chain(self.rig.crowd_meshes(root));
        parts.collect()
    }

    fn crowd_bone(&self, root: Entity, bone: usize) -> Option<Affine3A> {
        self.rig.crowd_bone(root, bone)
    }
}
