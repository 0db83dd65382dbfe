//! Takes the movement of a bone along the ground out of the poses of clips: see [`RootMotion`](crate::root::RootMotion).

use crate::geometry::ground_motion::GroundMotion;
use crate::load::names::same_name;
use crate::playback::advance::ClipStep;
use crate::playback::skeletal::pose_source::BoundClip;
use crate::playback::skeletal::posed_bone::PosedBone;
use crate::playback::skeletal::rig::{Rig, RigBone};
use bevy::math::Affine3A;
use bevy::prelude::*;
use core::ops::Range;

/// What moves a root.
pub(crate) enum Mover {
    Bone(MotionBone),
    /// The distance of one pass through the clip that was requested last, in units of the root, if the model walks in it.
    Stride(Option<f32>),
}

/// The bone whose movement is that of the root.
#[derive(Debug)]
pub(crate) struct MotionBone {
    /// The bone.
    bone: usize,
    /// The bones above it, from the top.
    above: Vec<usize>,
    turns: bool,
    /// From the space of the scene to the root's.
    scene: Affine3A,
}

/// A clip, and the part of it that plays.
pub(crate) struct MovingClip<'a> {
    pub(crate) clip: &'a BoundClip,
    pub(crate) part: Option<&'a Range<u32>>,
    /// Of the part.
    pub(crate) length: f32,
}

impl MotionBone {
    /// `None` if the model has no such bone.
    pub(crate) fn new<F: Rig>(model: &F::Model, name: &str, turns: bool) -> Option<Self> {
        let bones: Vec<RigBone<'_>> = F::bones(model).collect();
        let bone = bones.iter().position(|bone| same_name(bone.name, name))?;
        let parent = |bone: &usize| bones.get(*bone)?.parent;
        let mut above: Vec<usize> = core::iter::successors(parent(&bone), parent).collect();
        above.reverse();
        Some(Self {
            bone,
            above,
            turns,
            scene: Affine3A::IDENTITY,
        })
    }

    /// With this transform of the scene.
    pub(crate) fn in_scene(self, scene: &Transform) -> Self {
        Self {
            scene: scene.compute_affine(),
            ..self
        }
    }

    pub(crate) fn index(&self) -> usize {
        self.bone
    }

    /// The transforms of the bone's parent and of the bone to the root's space at a time. `bones` are at rest.
    fn transforms(
        &self,
        moving: &MovingClip<'_>,
        time: f32,
        bones: &[PosedBone],
    ) -> (Affine3A, Affine3A) {
        let position = moving.clip.position(time, moving.part);
        let local = |bone: usize| {
            let Some(posed) = bones.get(bone) else {
                return Affine3A::IDENTITY;
            };
            let (local, _) = posed.sample(moving.clip, bone, position);
            local.compute_affine()
        };
        let above = self.above.iter().map(|bone| local(*bone));
        let parent = above.fold(self.scene, |parent, local| parent * local);
        (parent, parent * local(self.bone))
    }

    /// The movement from the start of the clip to a time.
    fn moved(&self, moving: &MovingClip<'_>, time: f32, bones: &[PosedBone]) -> GroundMotion {
        let (_, start) = self.transforms(moving, 0.0, bones);
        let (_, now) = self.transforms(moving, time, bones);
        GroundMotion::between(&start, &now, self.turns)
    }

    /// The movement of a step.
    pub(crate) fn step(
        &self,
        moving: &MovingClip<'_>,
        step: ClipStep,
        bones: &[PosedBone],
    ) -> GroundMotion {
        let moved = |time| self.moved(moving, time, bones);
        let mut passes = GroundMotion::default();
        if step.loops > 0 {
            let whole = moved(moving.length);
            let whole = if step.is_reversed {
                whole.inverse()
            } else {
                whole
            };
            passes = whole.repeated(step.loops);
        }
        moved(step.from).inverse().then(passes).then(moved(step.to))
    }

    /// The pose of the bone relative to its parent at a time, without the movement since the start of the clip.
    pub(crate) fn without_motion(
        &self,
        moving: &MovingClip<'_>,
        time: f32,
        bones: &[PosedBone],
    ) -> Transform {
        let position = moving.clip.position(time, moving.part);
        let posed = bones.get(self.bone);
        let local = posed.map(|bone| bone.sample(moving.clip, self.bone, position).0);
        let local = local.unwrap_or_default();
        let moved = self.moved(moving, time, bones);
        if moved == GroundMotion::default() {
            return local;
        }
        let (parent, bone) = self.transforms(moving, time, bones);
        let (to_parent, back) = (parent.inverse(), moved.inverse().affine());
        let translation = to_parent.transform_point3a(back.transform_point3a(bone.translation));
        let turn = to_parent.matrix3 * back.matrix3 * parent.matrix3;
        let turn = match moved.turn {
            0.0 => Quat::IDENTITY,
            _ => Quat::from_mat3a(&turn).normalize(),
        };
        // A parent of scale 0 has no inverse.
        if !translation.is_finite() || !turn.is_finite() {
            return local;
        }
        Transform {
            translation: translation.into(),
            rotation: turn * local.rotation,
            scale: local.scale,
        }
    }
}
