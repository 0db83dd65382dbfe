//! What clips leave unsaid: bones rest that none moves.
//!
//! Bevy leaves a bone where the last clip has put it. And it blends what clips say of a bone by their weights:
//! where one says nothing, the others decide alone, and the bone would jump when they end. So clips that
//! fade say of what others move that it rests, as it does when they are left alone.

use crate::alamo::animation::curves::FixedVector;
use crate::alamo::animation::source::AlaSource;
use crate::alamo::animation::targets::bone_target;
use crate::alamo::asset::AloModel;
use crate::alamo::components::{AloBone, AloInstance};
use crate::scene::{Lanes, Rotation, Scale, Translation, says};
use bevy::animation::animation_curves::{AnimatableCurve, EvaluatorId};
use bevy::animation::{AnimationClip, VariableCurve};
use bevy::asset::{Assets, Handle};
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::query::With;
use bevy::ecs::system::Query;
use bevy::math::Vec3;
use bevy::math::curve::{ConstantCurve, Interval};
use bevy::transform::components::Transform;

/// The bones of all models.
pub(super) type Bones<'w, 's> = Query<'w, 's, &'static mut Transform, With<AloBone>>;

/// Puts bones at rest that clips have moved `before` and move no longer: Bevy leaves them where they
/// were. `None` are all bones.
///
/// An animation that says nothing of the scale of a bone that it moves says that it is 1.
pub(super) fn settle(
    instance: &AloInstance,
    lanes: &Lanes<AlaSource>,
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
        let has = |id: &EvaluatorId<'_>| now.iter().any(|clip| says(clip, target, id));
        let mut settled = *transform;
        if is_let_go && !has(&Translation::id()) {
            settled.translation = at_rest.translation;
        }
        if is_let_go && !has(&Rotation::id()) {
            settled.rotation = at_rest.rotation;
        }
        if !has(&Scale::id()) {
            settled.scale = if says_one { Vec3::ONE } else { at_rest.scale };
        }
        transform.set_if_neq(settled);
    }
}

/// A clip that plays on a model.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) clip: &'a AnimationClip,
    /// Whether it is of an Alamo file: one that speaks of a bone and not of its scale says that it is 1.
    pub(super) is_ours: bool,
}

/// A clip with what it leaves unsaid of what any of all clips moves; `None` if that is nothing.
pub(super) fn completed(
    part: Part<'_>,
    all: &[Part<'_>],
    model: &AloModel,
) -> Option<AnimationClip> {
    let mut missing = Vec::new();
    for (index, bone) in model.bones.iter().enumerate() {
        let target = bone_target(index);
        let lacks = |id: &EvaluatorId<'_>| {
            !says(part.clip, target, id) && all.iter().any(|other| says(other.clip, target, id))
        };
        let mut rest = bone.transform;
        if part.is_ours && part.clip.curves_for_target(target).is_some() {
            rest.scale = Vec3::ONE;
        }
        if lacks(&Translation::id()) {
            let held = FixedVector(rest.translation.into());
            let curve = AnimatableCurve::new(Translation, held);
            missing.push((target, VariableCurve::new(curve)));
        }
        if lacks(&Rotation::id()) {
            let held = ConstantCurve::new(Interval::EVERYWHERE, rest.rotation);
            let curve = AnimatableCurve::new(Rotation, held);
            missing.push((target, VariableCurve::new(curve)));
        }
        if lacks(&Scale::id()) {
            let curve = AnimatableCurve::new(Scale, FixedVector(rest.scale.into()));
            missing.push((target, VariableCurve::new(curve)));
        }
    }
    if missing.is_empty() {
        return None;
    }
    let mut clip = part.clip.clone();
    for (target, curve) in missing {
        clip.add_variable_curve_to_target(target, curve);
    }
    Some(clip)
}
