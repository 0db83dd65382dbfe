//! Blends the clips that play, and writes the pose to the bones.
//!
//! Clips are sampled here and not by Bevy's animation graphs, whose cost per bone is several times as much. The fields of
//! `Transform` are written without change detection, because this crate propagates them itself:
//! [`propagate`](crate::playback::skeletal::propagate).

use crate::appearance::parts::BoneVisibility;
use crate::playback::skeletal::active_clips::{ActiveClips, PlayingClip};
use crate::playback::skeletal::layers::{ActiveLayers, PlayedLayer};
use crate::playback::skeletal::pose_source::BoundClip;
use crate::playback::skeletal::posed_bone::{PosedBone, mixed, share};
use crate::playback::skeletal::root_motion::MotionBone;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// Blends clips and the layers over them. `bones` are at rest before. The movement of `mover` is taken out of the clips.
pub(crate) fn blend(
    active: &ActiveClips,
    layers: &ActiveLayers,
    mover: Option<&MotionBone>,
    bones: &mut [PosedBone],
) {
    let rest = mover.map(|mover| (mover, bones.to_vec()));
    let mut total = 0.0;
    for (playing, weight) in active.iter().zip(active.weights()) {
        let Some(clip) = playing.bound.as_deref().filter(|_| weight > 0.0) else {
            continue;
        };
        total += weight;
        let share = weight / total;
        let position = position(playing, clip, playing.playback.time);
        let moved = rest.as_ref().and_then(|(mover, rest)| {
            let local = mover.without_motion(&playing.moving()?, playing.playback.time, rest);
            Some((mover.index(), local))
        });
        for (index, bone) in bones.iter_mut().enumerate() {
            bone.animated |= clip.animates(index);
            let mut pose = bone.sample(clip, index, position);
            if let Some((_, local)) = moved.filter(|(moved, _)| *moved == index) {
                bone.animated.transform = true;
                pose.0 = local;
            }
            bone.mix(pose, share);
        }
    }
    for layer in layers.playing().filter(|layer| layer.weight > 0.0) {
        if let Some(clip) = &layer.playing.bound {
            blend_layer(&layer, clip, bones);
        }
    }
}

fn blend_layer(layer: &PlayedLayer<'_>, clip: &BoundClip, bones: &mut [PosedBone]) {
    let position_at = |time| position(layer.playing, clip, time);
    let (now, first) = (position_at(layer.playing.playback.time), position_at(0.0));
    for (index, bone) in bones.iter_mut().enumerate() {
        let animated = clip.animates(index);
        if !layer.bones.contains(index) {
            continue;
        }
        let (pose, is_visible) = clip.bone(index, now, bone.rest);
        if layer.additive {
            if animated.transform {
                bone.animated.transform = true;
                let (first, _) = clip.bone(index, first, bone.rest);
                bone.add(&pose, &first, layer.weight);
            }
            continue;
        }
        bone.animated |= animated;
        if animated.transform {
            bone.local = mixed(&bone.local, &pose, layer.weight);
        }
        if animated.visibility {
            bone.shown += (share(is_visible) - bone.shown) * layer.weight;
        }
    }
}

/// Converts a time of a clip that plays, in seconds, to a position of the whole clip.
fn position(playing: &PlayingClip, clip: &BoundClip, time: f32) -> f32 {
    clip.position(time, playing.source.frames.as_ref())
}

/// What clips have written to the entity of a bone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WrittenBone {
    transform: bool,
    is_visible: Option<bool>,
}

/// The entities of bones. `B` is a component that every bone of a format has.
#[derive(SystemParam)]
pub(crate) struct BoneEntities<'w, 's, B: Component> {
    transforms: Query<'w, 's, &'static mut Transform, With<B>>,
    visibilities: Query<'w, 's, &'static mut BoneVisibility>,
}

impl<B: Component> BoneEntities<'_, '_, B> {
    /// Writes a pose. Bones that clips have animated and do not animate any more get the rest pose; others keep what users
    /// have written. Returns whether any bone has moved.
    pub(crate) fn write(
        &mut self,
        skeleton: &[Entity],
        pose: &[PosedBone],
        written: &mut Vec<WrittenBone>,
    ) -> bool {
        written.resize(pose.len(), WrittenBone::default());
        let mut is_moved = false;
        for ((entity, bone), written) in skeleton.iter().zip(pose).zip(written) {
            let animates = bone.animated.transform;
            if animates || written.transform {
                let local = if animates { bone.local } else { bone.rest.0 };
                if let Ok(mut transform) = self.transforms.get_mut(*entity)
                    && *transform != local
                {
                    *transform.bypass_change_detection() = local;
                    is_moved = true;
                }
                written.transform = animates;
            }
            let is_visible = bone.is_visible();
            if written.is_visible != is_visible {
                written.is_visible = is_visible;
                if let Ok(mut bone) = self.visibilities.get_mut(*entity) {
                    bone.animated = is_visible;
                }
            }
        }
        is_moved
    }
}
