//! Plays what [`PlayClip`] says on the models of this room.

use crate::alamo::animation::graphs::AlaBinder;
use crate::alamo::animation::rest::{Bones, settle};
use crate::alamo::animation::source::AlaSource;
use crate::alamo::asset::AloModel;
use crate::alamo::components::AloInstance;
use crate::scene::{
    Animator, Asked, ClipFinished, ModelClips, PlayClip, PlayRequests, Playback, Stated, Told,
    node, take_away,
};
use bevy::animation::graph::AnimationGraphHandle;
use bevy::animation::{AnimationClip, AnimationPlayer};
use bevy::asset::{Assets, Handle};
use bevy::ecs::change_detection::{DetectChangesMut, Ref};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::message::MessageWriter;
use bevy::ecs::system::{Commands, Query, Res};
use bevy::ecs::world::DeferredWorld;
use bevy::time::Time;

/// What a spawned Alamo model plays for its [`PlayClip`]. On the root entity, once its scene is
/// there.
#[derive(Component, Debug, Default)]
#[component(on_remove = on_remove)]
pub struct AloAnimator(Inner);

type Inner = Animator<AloModel, AlaSource>;

impl AloAnimator {
    /// The clip that was chosen, once it plays; of a part the clip that it is of.
    pub fn clip(&self) -> Option<&Handle<AnimationClip>> {
        self.0.clip()
    }

    /// How much of what shows is the chosen clip: 1 once nothing fades out any more, and 0 where
    /// nothing plays.
    pub fn weight(&self) -> f32 {
        self.0.weight()
    }
}

/// A root that is no model any more keeps nothing of ours.
fn on_remove(world: DeferredWorld<'_>, context: HookContext) {
    let root = context.entity;
    let has = world.get::<AnimationGraphHandle>(root);
    let animator = world.get::<AloAnimator>(root);
    if animator.is_some_and(|animator| animator.0.owns(has)) {
        take_away(world, root);
    }
}

/// What decides about what a model plays.
type Players<'w> = (
    Entity,
    &'w AloInstance,
    Option<Ref<'w, Stated>>,
    Option<&'w ModelClips>,
    Option<&'w mut Playback>,
    &'w mut AloAnimator,
    &'w mut AnimationPlayer,
    Option<&'w AnimationGraphHandle>,
);

/// Plays what is chosen, and lets fades go on.
///
/// Only models with a [`PlayClip`] are visited, and those that just lost it.
pub(super) fn choose_clips(
    mut commands: Commands,
    time: Res<Time>,
    mut binder: AlaBinder<'_, '_>,
    mut told: Told,
    mut requests: PlayRequests<AloInstance>,
    mut roots: Query<Players<'static>>,
    mut bones: Bones<'_, '_>,
) {
    let edits = binder.take_edits();
    for root in requests.roots() {
        let Ok(root) = roots.get_mut(root) else {
            continue;
        };
        let (root, instance, play, named, playback, mut animator, mut player, graph) = root;
        let animator = &mut animator.bypass_change_detection().0;
        let player = player.bypass_change_detection();
        let model = instance.model();
        let is_edited = edits.concern(&animator.lanes);
        let asked = Asked {
            play: play.as_ref(),
            named,
            is_edited,
        };
        let change = animator.decide(asked, model, time.delta_secs(), &binder);
        if let Some(complaint) = &change.complaint {
            told.warn_once(root, complaint);
        }
        let play = play.as_ref().and_then(|play| play.get());
        let play = play.map(|stated| &stated.play);
        let begins = change.is_beginning();
        if change.is_any() {
            let before = animator.lanes.clips();
            let fade = play.map_or(0.0, |play| play.fade);
            animator.remember(player, graph);
            animator.apply(change, fade, model, &mut binder);
            animator.tell(player, graph);
            let lanes = animator.lanes.iter().count();
            if lanes > 1 {
                // The flags of the model, which have no time.
                player.play(node(lanes)).pause();
            }
            let root = commands.entity(root);
            animator.hand_over(graph, root, model, &mut binder);
            let before = (!is_edited).then_some(&*before);
            settle(instance, &animator.lanes, before, &binder.clips, &mut bones);
        }
        if let (Some(play), Some(mut playback)) = (play, playback) {
            let playback = playback.bypass_change_detection();
            let moment = (time.delta_secs(), &*binder.clips);
            animator.steer(player, play, playback, begins, moment);
        }
    }
}

/// Tells where clips are, and when they have come to their end.
pub(super) fn follow_player(
    clips: Res<Assets<AnimationClip>>,
    mut finished: MessageWriter<ClipFinished>,
    mut roots: Query<(
        Entity,
        &PlayClip,
        &mut Playback,
        &mut AloAnimator,
        &mut AnimationPlayer,
    )>,
) {
    for (entity, play, mut playback, mut animator, mut player) in &mut roots {
        let animator = &mut animator.bypass_change_detection().0;
        let player = player.bypass_change_detection();
        let playback = playback.bypass_change_detection();
        if animator.follow(player, playback, &clips) {
            finished.write(ClipFinished {
                entity,
                clip: play.clip.clone(),
            });
        }
    }
}
