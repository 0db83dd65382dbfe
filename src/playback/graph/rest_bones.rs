//! Returns bones to the rest pose once no clip animates them. Bevy leaves them in the pose of the last clip.

use crate::playback::graph::bone_set::BoneSet;
use crate::playback::graph::properties::{Rotation, Scale, Translation, has_curve_for};
use crate::playback::skeletal::rig::Rig;
use bevy::prelude::*;

/// A clip that plays, and the bones that it may animate.
type PlayingClip = (Handle<AnimationClip>, BoneSet);

/// The bones of all models of a format. `B` is a component that every bone of the format has.
pub(crate) type Bones<'w, 's, B> = Query<'w, 's, &'static mut Transform, With<B>>;

/// Writes the rest transform to bones that the clips of `before` animated and those of `now` do not. Each clip has the
/// bones that it may animate.
///
/// If `before` is `None`, this applies to all bones. If `resetting` animates a bone without a scale curve, the bone's
/// scale is 1.
pub(crate) fn restore_rest_pose<F: Rig>(
    clips: &Assets<AnimationClip>,
    (model, skeleton): (&F::Model, &[Entity]),
    (now, resetting): (&[PlayingClip], Option<Handle<AnimationClip>>),
    before: Option<&[PlayingClip]>,
    bones: &mut Bones<'_, '_, F::Bone>,
) {
    let before = before.map(|handles| loaded(handles, clips));
    let now = loaded(now, clips);
    let resetting = resetting.and_then(|clip| clips.get(&clip));
    for (index, (bone, info)) in skeleton.iter().zip(F::bones(model)).enumerate() {
        let target = F::target(index);
        let animates = |clip: &AnimationClip| clip.curves_for_target(target).is_some();
        let was_animated = before.as_ref().is_none_or(|clips| {
            let mut clips = clips.iter();
            clips.any(|(clip, bones)| bones.contains(index) && animates(clip))
        });
        let resets_scale = resetting.is_some_and(animates);
        if !was_animated && !resets_scale {
            continue;
        }
        let (Ok(mut transform), rest) = (bones.get_mut(*bone), info.rest) else {
            continue;
        };
        let has = |id: &EvaluatorId<'_>| {
            let mut now = now.iter();
            now.any(|(clip, bones)| bones.contains(index) && has_curve_for(clip, target, id))
        };
        let mut restored = *transform;
        if was_animated && !has(&Translation::id()) {
            restored.translation = rest.translation;
        }
        if was_animated && !has(&Rotation::id()) {
            restored.rotation = rest.rotation;
        }
        if !has(&Scale::id()) {
            restored.scale = if resets_scale { Vec3::ONE } else { rest.scale };
        }
        transform.set_if_neq(restored);
    }
}

/// The clips that are loaded, with their bones.
fn loaded<'a>(
    playing: &'a [PlayingClip],
    clips: &'a Assets<AnimationClip>,
) -> Vec<(&'a AnimationClip, &'a BoneSet)> {
    let clip = |(clip, bones): &'a PlayingClip| Some((clips.get(clip)?, bones));
    playing.iter().filter_map(clip).collect()
}
