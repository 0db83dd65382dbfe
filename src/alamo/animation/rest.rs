//! Bones that no clip moves any more.

use crate::alamo::animation::lanes::Lanes;
use crate::alamo::animation::targets::{Rotation, Scale, Translation, bone_target};
use crate::alamo::parts::{AloBone, AloInstance};
use bevy::animation::AnimationClip;
use bevy::animation::animation_curves::EvaluatorId;
use bevy::asset::{Assets, Handle};
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::query::With;
use bevy::ecs::system::Query;
use bevy::math::Vec3;
use bevy::transform::components::Transform;

/// The bones of all models.
pub(super) type Bones<'w, 's> = Query<'w, 's, &'static mut Transform, With<AloBone>>;

/// Puts bones at rest that clips have moved `before` and move no longer: Bevy leaves them where they
/// were. `None` are all bones.
///
/// An animation that says nothing of the scale of a bone that it moves says that it is 1.
pub(super) fn settle(
    instance: &AloInstance,
    lanes: &Lanes,
    before: Option<&[Handle<AnimationClip>]>,
    clips: &Assets<AnimationClip>,
    bones: &mut Bones<'_, '_>,
) {
    let get = |handles: &[Handle<AnimationClip>]| {
        let clips = handles.iter().filter_map(|clip| clips.get(clip));
        clips.collect::<Vec<_>>()
    };
    let before = before.map(get);
    let now = get(&lanes.clips());
    let main = lanes.main().filter(|(_, lane)| lane.source.ala.is_some());
    let main = main.and_then(|(_, lane)| clips.get(&lane.clip));
    for (index, bone) in instance.bones().iter().enumerate() {
        let target = bone_target(index);
        let moves = |clip: &&AnimationClip| clip.curves_for_target(target).is_some();
        let is_let_go = before.as_ref().is_none_or(|clips| clips.iter().any(&moves));
        let says_one = main.as_ref().is_some_and(moves);
        if !is_let_go && !says_one {
            continue;
        }
        let at_rest = instance.model().bones.get(index);
        let (Ok(mut transform), Some(at_rest)) = (bones.get_mut(*bone), at_rest) else {
            continue;
        };
        let at_rest = at_rest.transform;
        let has = |id: EvaluatorId<'_>| {
            let mut curves = now.iter().filter_map(|clip| clip.curves_for_target(target));
            curves.any(|curves| curves.iter().any(|curve| curve.0.evaluator_id() == id))
        };
        let mut settled = *transform;
        if is_let_go && !has(Translation::id()) {
            settled.translation = at_rest.translation;
        }
        if is_let_go && !has(Rotation::id()) {
            settled.rotation = at_rest.rotation;
        }
        if !has(Scale::id()) {
            settled.scale = if says_one { Vec3::ONE } else { at_rest.scale };
        }
        transform.set_if_neq(settled);
    }
}
