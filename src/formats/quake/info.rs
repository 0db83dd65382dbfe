//! Looks up the clips of a model for code that works with any format.

use crate::formats::quake::asset::Sequence;
use crate::formats::quake::components::MdlInstance;
use crate::root::play::ClipRef;
use crate::spawn::format::{FoundClip, ModelClip, ModelInfo, ModelPose, NamedEntity};
use bevy::ecs::system::SystemParam;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use core::ops::Range;

/// The spawned Quake models.
#[derive(SystemParam)]
pub(crate) struct MdlInfo<'w, 's> {
    roots: Query<'w, 's, &'static MdlInstance>,
    names: Query<'w, 's, &'static Name>,
}

impl MdlInfo<'_, '_> {
    /// The box around all vertices in a sequence. They move in straight lines between its poses.
    fn sequence_bounds(&self, root: Entity, sequence: &Sequence) -> Option<Aabb3d> {
        let poses = &self.roots.get(root).ok()?.model().poses;
        let first = sequence.first_pose;
        let positions = (first..first + sequence.pose_count).flat_map(|pose| poses.pose(pose));
        let (min, max) = positions.fold(
            (Vec3::INFINITY, Vec3::NEG_INFINITY),
            |(min, max), (position, _)| (min.min(position), max.max(position)),
        );
        min.cmple(max).all().then(|| Aabb3d {
            min: min.into(),
            max: max.into(),
        })
    }
}

impl ModelInfo for MdlInfo<'_, '_> {
    fn clips(&self, root: Entity) -> Vec<ModelClip> {
        let Ok(animator) = self.roots.get(root) else {
            return Vec::new();
        };
        let clips = animator.model().clips.iter();
        clips
            .map(|clip| ModelClip {
                name: clip.name.to_string(),
                seconds: Some(clip.sequence.seconds()),
                frames: Some(clip.sequence.pose_count),
            })
            .collect()
    }

    fn find_clip(&self, root: Entity, clip: &ClipRef) -> FoundClip {
        let instance = self.roots.get(root);
        match instance
            .ok()
            .and_then(|instance| instance.model().sequence(clip))
        {
            Some(sequence) => FoundClip::Found {
                frames: Some(sequence.pose_count),
                files: Vec::new(),
            },
            None => FoundClip::Missing,
        }
    }

    /// The poses already have the part, and the time of the games' clock.
    fn pose(&self, root: Entity, time: f32, _: Option<&Range<u32>>) -> Option<ModelPose> {
        let animator = self.roots.get(root).ok()?;
        let shown = animator.shown().to;
        let sequence = animator.sequence();
        let contains = |clip: &Sequence| {
            let range = clip.first_pose..clip.first_pose + clip.pose_count;
            range.contains(&shown.a)
        };
        let clips = &animator.model().clips;
        let whole = clips.iter().position(|clip| clip.sequence == *sequence);
        let clip = whole.or_else(|| clips.iter().position(|clip| contains(&clip.sequence)));
        let first = clip.map_or(sequence.first_pose, |clip| clips[clip].sequence.first_pose);
        let start = sequence.first_pose.saturating_sub(first);
        // A part of a clip plays at the rate of the clip.
        let before = match start {
            0 => 0.0,
            _ => clips[clip?].sequence.timing.seconds(start),
        };
        Some(ModelPose {
            clip,
            seconds: before + time,
            frame: shown.a.saturating_sub(first),
            towards_next: shown.towards_b,
        })
    }

    /// The box of pose 0.
    fn bounds(&self, root: Entity) -> Option<Aabb3d> {
        let first = Sequence {
            pose_count: 1,
            ..self.roots.get(root).ok()?.model().default_sequence()
        };
        self.sequence_bounds(root, &first)
    }

    fn clip_bounds(&self, root: Entity, clip: &ClipRef) -> Option<Aabb3d> {
        let sequence = self.roots.get(root).ok()?.model().sequence(clip)?;
        self.sequence_bounds(root, &sequence)
    }

    fn skins(&self, root: Entity) -> usize {
        let animator = self.roots.get(root);
        animator.map_or(0, |animator| animator.model().skins.len())
    }

    fn parts(&self, root: Entity) -> Vec<NamedEntity> {
        let mesh = self.roots.get(root).map(MdlInstance::mesh);
        let part = |entity| NamedEntity {
            entity,
            name: self
                .names
                .get(entity)
                .map_or_else(|_| String::new(), ToString::to_string),
            parent: None,
        };
        mesh.into_iter().map(part).collect()
    }
}
