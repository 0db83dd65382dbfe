//! Looks up the clips of a model for code that works with any format.

use crate::formats::lithtech::animation::player::AbcAnimator;
use crate::formats::lithtech::asset::{AbcAnimation, AbcModel};
use crate::formats::lithtech::components::{AbcInstance, AbcMesh};
use crate::formats::lithtech::crowd::instance::AbcCrowd;
use crate::playback::frames::Frames;
use crate::root::clip_ref::ClipRef;
use crate::spawn::clip_files::{CountFrames, FoundClip, found_clip};
use crate::spawn::info::{
    ModelClip, ModelInfo, ModelPose, NamedEntity, frame_at, merged, named_bones, transformed_bounds,
};
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::system::{Query, SystemParam};
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::math::curve::Curve;
use core::ops::Range;

/// Looks up a clip by name or index. It must not be a part of another clip. `None` for a handle.
pub(crate) fn find_clip<'a>(model: &'a AbcModel, clip: &ClipRef) -> Option<FoundClip<'a>> {
    let animation = match clip {
        ClipRef::Handle(_) => return None,
        ClipRef::Name(name) => model.animation(name),
        ClipRef::Index(index) => model.animations.get(*index),
        _ => None,
    };
    let count = animation.map(|animation| -> Box<CountFrames> {
        let count = u32::try_from(animation.keyframes.len()).ok();
        Box::new(move |_, _| count)
    });
    let names = model.animations.iter().map(|animation| &*animation.name);
    Some(found_clip(count, names))
}

/// Samples per keyframe interval of an animation, for its box. Rotations between keyframes are arcs.
const SAMPLES_PER_INTERVAL: u32 = 8;

/// The spawned LithTech models.
#[derive(SystemParam)]
pub(crate) struct AbcInfo<'w, 's> {
    roots: Query<'w, 's, (&'static AbcInstance, Option<&'static AbcAnimator>)>,
    crowds: Query<'w, 's, &'static AbcCrowd>,
    meshes: Query<'w, 's, &'static AbcMesh>,
    parents: Query<'w, 's, &'static ChildOf>,
}

impl AbcInfo<'_, '_> {
    /// The meshes of a member of a crowd.
    fn crowd_meshes(&self, root: Entity) -> impl Iterator<Item = NamedEntity> {
        let member = self.crowds.get(root).into_iter();
        let meshes = member.flat_map(AbcCrowd::meshes);
        meshes.map(|entity| NamedEntity {
            entity: *entity,
            name: String::new(),
            parent: None,
        })
    }
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

/// The box around all vertices at a time of an animation.
fn posed_bounds(model: &AbcModel, animation: &AbcAnimation, seconds: f32) -> Option<Aabb3d> {
    let mut poses: Vec<Affine3A> = Vec::with_capacity(model.nodes.len());
    let mut bounds = None;
    for (index, node) in model.nodes.iter().enumerate() {
        let (translations, rotations) = animation.curves.node(index);
        let local = Affine3A::from_rotation_translation(
            rotations.sample_clamped(seconds),
            translations.sample_clamped(seconds),
        );
        let parent = node.parent.and_then(|parent| poses.get(parent));
        let pose = parent.map_or(local, |parent| *parent * local);
        poses.push(pose);
        let own = model.node_bounds.get(index);
        for part in own.into_iter().flat_map(|own| [own.skinned, own.own]) {
            let part = part.and_then(|part| transformed_bounds(&pose, &part));
            bounds = merged(bounds, part);
        }
    }
    bounds
}

impl ModelInfo for AbcInfo<'_, '_> {
    fn scene_root(&self, root: Entity) -> Option<Entity> {
        if let Ok(member) = self.crowds.get(root) {
            return Some(member.scene());
        }
        let first = self.roots.get(root).ok()?.0.nodes().first()?;
        Some(self.parents.get(*first).ok()?.parent())
    }

    fn clips(&self, root: Entity) -> Vec<ModelClip> {
        let Ok((instance, _)) = self.roots.get(root) else {
            return Vec::new();
        };
        let animations = instance.model().animations.iter();
        animations
            .map(|animation| ModelClip {
                name: animation.name.to_string(),
                seconds: Some(animation.frames().end),
                frames: Some(animation.frames().count()),
            })
            .collect()
    }

    fn pose(&self, root: Entity, time: f32, part: Option<&Range<u32>>) -> Option<ModelPose> {
        let (instance, animator) = self.roots.get(root).ok()?;
        let clip = animator?.clip()?;
        let mut animations = instance.model().animations.iter();
        let index = animations.position(|animation| animation.clip == *clip)?;
        let frames = instance.model().animations.get(index)?.frames();
        let span = part.and_then(|part| frames.span(part));
        let seconds = span.map_or(time, |span| span.time(time));
        let (frame, towards_next) = frame_at(|frame| frames.time(frame), frames.count(), seconds);
        Some(ModelPose {
            clip: Some(index),
            seconds,
            frame,
            towards_next,
        })
    }

    /// The box of the full model in the bind pose.
    fn bounds(&self, root: Entity) -> Option<Aabb3d> {
        Some(self.roots.get(root).ok()?.0.model().bounds)
    }

    fn clip_bounds(&self, root: Entity, clip: &ClipRef) -> Option<Aabb3d> {
        let model = self.roots.get(root).ok()?.0.model();
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

    fn skins(&self, root: Entity) -> usize {
        let root = self.roots.get(root);
        root.map_or(0, |(instance, _)| instance.model().skins.len())
    }

    fn bones(&self, root: Entity) -> Vec<NamedEntity> {
        let Ok((instance, _)) = self.roots.get(root) else {
            return Vec::new();
        };
        let nodes = instance.model().nodes.iter();
        named_bones(
            instance.nodes(),
            nodes.map(|node| (&*node.name, node.parent)),
        )
    }

    /// The meshes. The name of one is that of its node; the skinned mesh and those of a member of a crowd have none.
    fn parts(&self, root: Entity) -> Vec<NamedEntity> {
        let Ok((instance, _)) = self.roots.get(root) else {
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
        let parts = parts.chain(self.crowd_meshes(root));
        parts.collect()
    }

    fn crowd_bone(&self, root: Entity, bone: usize) -> Option<Affine3A> {
        crate::crowd::members::bones::crowd_bone(self.crowds.get(root).ok()?, bone)
    }
}
