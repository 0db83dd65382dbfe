//! Bones that no clip moves any more: Bevy leaves them where the last clip has put them.

use crate::scene::animation::active_clips::ActiveClips;
use crate::scene::animation::clip_provider::ClipProvider;
use crate::scene::animation::properties::{Rotation, Scale, Translation, says};
use bevy::animation::AnimationClip;
use bevy::animation::animation_curves::EvaluatorId;
use bevy::asset::{Assets, Handle};
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::query::With;
use bevy::ecs::system::Query;
use bevy::math::Vec3;
use bevy::transform::components::Transform;

/// The bones of all models of a format, by a component that all of them have.
pub(crate) type Bones<'w, 's, B> = Query<'w, 's, &'static mut Transform, With<B>>;

/// Puts bones at rest that clips have moved `before` and move no longer. `None` stands for all bones.
pub(super) fn settle<B: ClipProvider, C: Component>(
    binder: &B,
    (model, skeleton): (&B::Model, &[Entity]),
    lanes: &ActiveClips<B::Source>,
    before: Option<&[Handle<AnimationClip>]>,
    bones: &mut Bones<'_, '_, C>,
) {
    let clips = binder.clips();
    let before = before.map(|handles| all_of(handles, clips));
    let now = all_of(&lanes.clips(), clips);
    let main = lanes
        .main()
        .filter(|(_, lane)| B::sets_scale(&lane.source))
        .and_then(|(_, lane)| clips.get(&lane.clip));
    for (index, bone) in skeleton.iter().enumerate() {
        let target = B::target(index);
        let moves = |clip: &&AnimationClip| clip.curves_for_target(target).is_some();
        let is_let_go = before.as_ref().is_none_or(|clips| clips.iter().any(&moves));
        let sets_scale = main.as_ref().is_some_and(moves);
        if !is_let_go && !sets_scale {
            continue;
        }
        let (Ok(mut transform), Some(rest)) = (bones.get_mut(*bone), B::rest(model, index)) else {
            continue;
        };
        let has = |id: &EvaluatorId<'_>| now.iter().any(|clip| says(clip, target, id));
        let mut settled = *transform;
        if is_let_go && !has(&Translation::id()) {
            settled.translation = rest.translation;
        }
        if is_let_go && !has(&Rotation::id()) {
            settled.rotation = rest.rotation;
        }
        if !has(&Scale::id()) {
            settled.scale = if sets_scale { Vec3::ONE } else { rest.scale };
        }
        transform.set_if_neq(settled);
    }
}

/// The clips of some handles that are loaded.
fn all_of<'a>(
    handles: &[Handle<AnimationClip>],
    clips: &'a Assets<AnimationClip>,
) -> Vec<&'a AnimationClip> {
    handles.iter().filter_map(|clip| clips.get(clip)).collect()
}
