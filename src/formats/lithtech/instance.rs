//! Answers questions about spawned models for code on any format.

use crate::crowd::bones::RigInfo;
use crate::formats::lithtech::asset::{Abc, AbcAnimation, AbcModel};
use crate::formats::lithtech::components::AbcMesh;
use crate::formats::lithtech::convert::file::vertex_joints;
use crate::geometry::stride::{CLIP_STEPS, ClipPose};
use crate::root::play::ClipRef;
use crate::spawn::format::FoundClip;
use crate::spawn::format::{
    ModelClip, ModelInfo, ModelPose, NamedEntity, merged, transformed_bounds,
};
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use core::ops::Range;

/// Samples per keyframe interval of an animation, for its box. Rotations between keyframes are arcs.
const SAMPLES_PER_INTERVAL: u32 = 8;

/// The spawned LithTech models.
#[derive(SystemParam)]
pub(crate) struct AbcInfo<'w, 's> {
    rig: RigInfo<'w, 's, Abc>,
    meshes: Query<'w, 's, &'static AbcMesh>,
    mesh_assets: Option<Res<'w, Assets<Mesh>>>,
}

/// The animation of a clip, and the range of its keyframes that plays.
fn animation<'a>(
    model: &'a AbcModel,
    clip: &ClipRef,
) -> Option<(&'a AbcAnimation, Option<Range<u32>>)> {
    let (clip, frames) = clip.split_frames();
    let animation = match clip {
        ClipRef::Name(name) => model.animation(name)?,
        ClipRef::Index(index) => model.animations.get(*index)?,
        ClipRef::Handle(clip) => {
            let mut animations = model.animations.iter();
            animations.find(|animation| animation.clip == *clip)?
        }
        ClipRef::Frames(_) | ClipRef::Part { .. } => return None,
    };
    Some((animation, frames))
}

/// From the spaces of the nodes to the model's, at a time of an animation.
fn node_poses(model: &AbcModel, animation: &AbcAnimation, seconds: f32) -> Vec<Affine3A> {
    let mut poses: Vec<Affine3A> = Vec::with_capacity(model.nodes.len());
    for (index, node) in model.nodes.iter().enumerate() {
        let (translations, rotations) = animation.curves.node(index);
        let local = Affine3A::from_rotation_translation(
            rotations.sample_clamped(seconds),
            translations.sample_clamped(seconds),
        );
        let parent = node.parent.and_then(|parent| poses.get(parent));
        let pose = parent.map_or(local, |parent| *parent * local);
        poses.push(pose);
    }
    poses
}

/// The box around all vertices at a time of an animation.
fn posed_bounds(model: &AbcModel, animation: &AbcAnimation, seconds: f32) -> Option<Aabb3d> {
    let mut bounds = None;
    let poses = node_poses(model, animation, seconds);
    for (own, pose) in model.node_bounds.iter().zip(poses) {
        for part in [own.skinned, own.own] {
            let part = part.and_then(|part| transformed_bounds(&pose, &part));
            bounds = merged(bounds, part);
        }
    }
    bounds
}

impl AbcInfo<'_, '_> {
    /// The vertices of the full model, each with its node, in whose space it is. Those of nodes that deform are left out.
    fn node_vertices(&self, model: &AbcModel) -> Vec<(usize, Vec3A)> {
        let mut vertices = Vec::new();
        let meshes = model.levels.first().map_or(&[][..], |level| &level.meshes);
        for info in meshes {
            let mesh = self.mesh_assets.as_ref();
            let mesh = mesh.and_then(|meshes| meshes.get(&info.mesh));
            let positions = mesh.and_then(|mesh| {
                let positions = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?;
                Some((mesh, positions.as_float3()?))
            });
            let Some((mesh, positions)) = positions else {
                continue;
            };
            let positions = positions.iter().copied().map(Vec3A::from);
            if let Some(node) = info.node {
                let is_rigid = model.deform(node).is_none();
                vertices.extend(positions.filter(|_| is_rigid).map(|it| (node, it)));
                continue;
            }
            let to_nodes = model.nodes.iter();
            let to_nodes: Vec<Affine3A> = to_nodes
                .map(|node| Affine3A::from(node.bind_pose.inverse()))
                .collect();
            let joints = vertex_joints(mesh).unwrap_or_default();
            vertices.extend(positions.zip(joints).filter_map(|(it, [joint, ..])| {
                let node = *model.joints.get(usize::from(*joint))?;
                Some((node, to_nodes.get(node)?.transform_point3a(it)))
            }));
        }
        vertices
    }
}

impl ModelInfo for AbcInfo<'_, '_> {
    fn clips(&self, root: Entity) -> Vec<ModelClip> {
        self.rig.clips(root)
    }

    fn find_clip(&self, root: Entity, clip: &ClipRef) -> FoundClip {
        self.rig.find_clip(root, clip)
    }

    fn pose(&self, root: Entity, time: f32, part: Option<&Range<u32>>) -> Option<ModelPose> {
        self.rig.pose(root, time, part)
    }

    /// The box of the full model in the bind pose.
    fn bounds(&self, root: Entity) -> Option<Aabb3d> {
        Some(self.rig.model(root)?.bounds)
    }

    fn clip_bounds(&self, root: Entity, clip: &ClipRef) -> Option<Aabb3d> {
        let model = self.rig.model(root)?;
        let (animation, part) = animation(model, clip)?;
        let frames = animation.frames();
        let whole = 0..frames.count();
        let part = part.map_or(whole.clone(), |part| part.start..part.end.min(whole.end));
        let mut bounds = None;
        for frame in part.clone() {
            let start = frames.time(frame);
            let end = if frame + 1 < part.end {
                frames.time(frame + 1)
            } else {
                start
            };
            for sample in 0..SAMPLES_PER_INTERVAL {
                let fraction = sample as f32 / SAMPLES_PER_INTERVAL as f32;
                let posed = posed_bounds(model, animation, start + (end - start) * fraction);
                bounds = merged(bounds, posed);
                if end <= start {
                    break;
                }
            }
        }
        bounds
    }

    fn clip_poses(&self, root: Entity, clip: &ClipRef) -> Option<Vec<ClipPose>> {
        let model = self.rig.model(root)?;
        let (animation, part) = animation(model, clip)?;
        let frames = animation.frames();
        let part = part.unwrap_or(0..frames.count());
        let last = part.end.min(frames.count()).checked_sub(1)?;
        let (start, end) = (frames.time(part.start), frames.time(last));
        let vertices = self.node_vertices(model);
        let pose = |step: u32| {
            let seconds = start + (end - start) * step as f32 / CLIP_STEPS as f32;
            let poses = node_poses(model, animation, seconds);
            let posed = vertices.iter();
            let posed = posed.map(|(node, position)| poses[*node].transform_point3a(*position));
            ClipPose {
                seconds,
                vertices: posed.collect(),
            }
        };
        Some((0..=CLIP_STEPS).map(pose).collect())
    }

    fn levels(&self, root: Entity) -> usize {
        let model = self.rig.model(root);
        model.map_or(1, |model| model.levels.len().max(1))
    }

    fn skins(&self, root: Entity) -> usize {
        self.rig.model(root).map_or(0, |model| model.skins.len())
    }

    fn bones(&self, root: Entity) -> Vec<NamedEntity> {
        self.rig.bones(root)
    }

    /// The meshes. The name of one is that of its node; the skinned mesh and those of a member of a crowd have none.
    fn parts(&self, root: Entity) -> Vec<NamedEntity> {
        let Some(instance) = self.rig.instance(root) else {
            return Vec::new();
        };
        let part = |entity: &Entity| {
            let node = self.meshes.get(*entity).ok()?.node;
            let name = node.and_then(|node| instance.model().nodes.get(node));
            Some(NamedEntity {
                entity: *entity,
                name: name.map_or_else(String::new, |node| node.name.to_string()),
                parent: node.and_then(|node| instance.nodes().get(node).copied()),
            })
        };
        let parts = instance.meshes().iter().filter_map(part);
        let parts = parts.chain(self.rig.crowd_meshes(root));
        parts.collect()
    }

    fn crowd_bone(&self, root: Entity, bone: usize) -> Option<Affine3A> {
        self.rig.crowd_bone(root, bone)
    }
}
