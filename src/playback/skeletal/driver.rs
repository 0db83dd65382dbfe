//! The systems that play [`PlayClip`](crate::root::PlayClip) on the models of a format with a [`Rig`].
//!
//! In each frame, it advances each root's clips ([`ModelAnimator::update`]), and poses the bones ([`ModelAnimator::pose`]).
//!
//! If the root has an animation graph of the user instead, its bones are linked to its `AnimationPlayer`, and Bevy poses them.
//! Events that files store in clips are also sent then.

use crate::load::alternatives::alternatives;
use crate::load::reloads::is_asset_loading;
use crate::load::warnings::ModelWarnings;
use crate::playback::advance::{ClipStep, wrap};
use crate::playback::skeletal::animator::{AnimatedRoot, ClipRequest, ModelAnimator};
use crate::playback::skeletal::clips::Clips;
use crate::playback::skeletal::pose::BoneEntities;
use crate::playback::skeletal::posed_bone::PosedBone;
use crate::playback::skeletal::propagate::PosedScene;
use crate::playback::skeletal::rig::{ClipSource, Rig};
use crate::playback::skeletal::root_motion::{MotionBone, Mover};
use crate::root::events::{ModelEvents, send_events};
use crate::root::layers::{ClipLayers, LayerFinished, ModelMasks};
use crate::root::motion::{ClipMotion, RootMotion};
use crate::root::play::{ClipFinished, MeasuredStride, ModelClips, Playback, ResolvedClip};
use crate::root::spawning::SceneTransform;
use crate::spawn::format::Format;
use bevy::animation::{ActiveAnimation, AnimatedBy};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// The root components that playback reads and writes.
type PlayedRoot<F> = (
    Ref<'static, <F as Format>::Instance>,
    Option<Ref<'static, ResolvedClip>>,
    Option<Ref<'static, ModelClips>>,
    Option<Ref<'static, ModelEvents>>,
    Option<&'static ModelMasks>,
    Option<&'static mut Playback>,
    Option<&'static mut ClipLayers>,
    &'static mut ModelAnimator<F>,
    Option<&'static mut PosedScene>,
    Option<Moved<'static>>,
);

/// What moves a root, and how.
type Moved<'w> = (Ref<'w, RootMotion>, &'w MeasuredStride, &'w mut ClipMotion);

/// The entities of scenes.
type IsScene<F> = (With<SceneTransform>, Without<<F as Rig>::Bone>);

/// A root that has a clip or layers to play.
type Plays = Or<(With<ResolvedClip>, With<ClipLayers>)>;

/// The roots and bones of a format, and what their clips send.
#[derive(SystemParam)]
pub(crate) struct PlayedRoots<'w, 's, F: Rig> {
    commands: Commands<'w, 's>,
    time: Res<'w, Time>,
    warnings: ModelWarnings<'w, 's>,
    playing: Query<'w, 's, Entity, (Plays, With<<F as Format>::Instance>)>,
    stopped: RemovedComponents<'w, 's, ResolvedClip>,
    removed_layers: RemovedComponents<'w, 's, ClipLayers>,
    roots: Query<'w, 's, PlayedRoot<F>>,
    bones: BoneEntities<'w, 's, <F as Rig>::Bone>,
    scenes: Query<'w, 's, &'static Transform, IsScene<F>>,
    pose: Local<'s, Vec<PosedBone>>,
}

/// Starts, stops and advances clips, sends their events, and poses the bones.
///
/// Visits only the models that have a [`PlayClip`](crate::root::PlayClip) or [`ClipLayers`], and those that just lost
/// them.
pub(crate) fn play_clips<F: Rig>(mut all: PlayedRoots<F>, mut clips: Clips<F>) {
    let edits = clips.take_edits();
    let seconds = all.time.delta_secs();
    let playing = &all.playing;
    let stopped = all.stopped.read().chain(all.removed_layers.read());
    let stopped = stopped.filter(|root| !playing.contains(*root));
    for entity in playing.iter().chain(stopped) {
        let Ok(root) = all.roots.get_mut(entity) else {
            continue;
        };
        let (instance, play, named, events, masks, mut playback, layers, mut state, scene, moved) =
            root;
        let animator = state.bypass_change_detection();
        if instance.is_changed() {
            animator.forget_bones();
        }
        let are_events_changed = instance.is_changed()
            || play.as_ref().is_some_and(Ref::is_changed)
            || layers.as_ref().is_some_and(DetectChanges::is_changed)
            || named.as_ref().is_some_and(Ref::is_changed)
            || events.as_ref().is_some_and(Ref::is_changed);
        let root = AnimatedRoot {
            entity,
            request: ClipRequest {
                play: play.as_ref(),
                named: named.as_deref(),
                masks,
                events: events.as_deref(),
                is_edited: animator.is_any_edited(&edits),
                are_events_changed,
            },
            model: F::model(&instance),
            playback: playback
                .as_mut()
                .map(DetectChangesMut::bypass_change_detection),
            layers,
        };
        let outcome = animator.update(root, &mut clips, seconds);
        let (model, skeleton) = (F::model(&instance), F::bone_entities(&instance));
        let posed = scene.as_ref().map(|scene| scene.scene());
        let mover = moved.and_then(|(motion, stride, mut moved)| {
            let scene = posed.and_then(|scene| all.scenes.get(scene).ok());
            let is_other = motion.is_changed() || instance.is_changed();
            let known = animator.motion_bone.take().filter(|_| !is_other);
            let mover = match &motion.bone {
                Some(bone) => scene.and_then(|scene| {
                    let found = || MotionBone::new::<F>(model, bone, motion.turns);
                    let bone = known.or_else(found)?;
                    Some(Mover::Bone(bone.in_scene(scene)))
                }),
                None => Some(Mover::Stride(stride.stride)),
            };
            let Some(mover) = mover else {
                let is_played_now = play.as_ref().is_some_and(Ref::is_changed);
                if motion.is_changed() || instance.is_changed() || is_played_now {
                    let is_in_crowd = skeleton.is_empty();
                    let warning = motion_warning::<F>(model, &motion, is_in_crowd);
                    all.warnings.warn_once(entity, &warning);
                }
                return None;
            };
            moved.0 = animator.motion(model, &mover);
            Some(mover)
        });
        let (bones, pose) = (&mut all.bones, &mut all.pose);
        let is_moved = animator.pose(model, skeleton, bones, mover.as_ref(), pose);
        // Roots that play nothing are not visited when their model changes.
        if let Some(Mover::Bone(bone)) = mover
            && animator.is_playing()
        {
            animator.motion_bone = Some(bone);
        }
        if let Some(mut scene) = scene.filter(|_| is_moved) {
            scene.bypass_change_detection().is_moved = true;
        }
        for warning in outcome.warnings {
            all.warnings.warn_once(entity, &warning);
        }
        let end = outcome.ended.map(|clip| ClipFinished { entity, clip });
        let layers = outcome.ended_layers.into_iter();
        let layers = layers.map(|(layer, clip)| LayerFinished {
            entity,
            layer,
            clip,
        });
        send_events(&mut all.commands, entity, outcome.events);
        send_events(&mut all.commands, entity, end);
        send_events(&mut all.commands, entity, layers);
    }
}

/// The warning about a model whose root no bone can move.
fn motion_warning<F: Rig>(model: &F::Model, motion: &RootMotion, is_in_crowd: bool) -> String {
    if is_in_crowd {
        return "is a member of a crowd, whose poses are baked, so that no bone can move its root by \
                `RootMotion`; a stride can"
            .to_owned();
    }
    let name = motion.bone.as_deref().unwrap_or_default();
    let names: Vec<&str> = F::bones(model).map(|bone| bone.name).collect();
    let alternatives = alternatives(name, "bones", names.iter().copied());
    format!("has no bone \"{name}\" that `RootMotion` could follow{alternatives}")
}

/// Whether a requested clip of a root or of its layers is loading.
pub(crate) fn is_clip_loading<F: Rig>(world: &World, entity: EntityRef<'_>) -> bool {
    let animator = entity.get::<ModelAnimator<F>>();
    let (Some(animator), Some(server)) = (animator, world.get_resource::<AssetServer>()) else {
        return false;
    };
    let mut clips = animator.pending_clips();
    clips.any(|clip| is_asset_loading(server, clip))
}

/// The step that an animation has made in this frame of the app; `None` if it has not moved.
fn step_of(active: &ActiveAnimation, seconds: f32, length: f32) -> Option<ClipStep> {
    if active.is_paused() || (active.is_finished() && !active.just_completed()) {
        return None;
    }
    let from = active.last_seek_time()?;
    let to = active.seek_time();
    if active.is_finished() {
        return Some(ClipStep::once(
            from,
            to,
            active.is_playback_reversed(),
            true,
        ));
    }
    // Bevy adds the length only once if the animation plays backward.
    let to = if (0.0..=length).contains(&to) {
        to
    } else {
        wrap(to, length)
    };
    Some(ClipStep::repeating(
        from,
        seconds * active.speed(),
        to,
        length,
    ))
}

/// Sends the events of a format's clips that users' graphs have passed in this frame. Runs after players have advanced.
pub(crate) fn send_clip_events<F: Rig>(
    mut commands: Commands,
    time: Res<Time>,
    clips: Res<Assets<AnimationClip>>,
    graphs: Res<Assets<AnimationGraph>>,
    files: Res<Assets<F::ClipFile>>,
    players: Query<EventPlayer<F>>,
) {
    let seconds = time.delta_secs();
    for (entity, player, handle, instance) in &players {
        let Some(graph) = graphs.get(handle) else {
            // A player plays nothing until its graph is loaded.
            continue;
        };
        let model = instance.map(|instance| &**F::model(instance));
        let mut sent = Vec::new();
        for (node, active) in player.playing_animations() {
            let Some(AnimationNodeType::Clip(clip)) = graph.get(*node).map(|node| &node.node_type)
            else {
                continue;
            };
            let length = clips.get(clip).map(AnimationClip::duration);
            if let Some(step) = length.and_then(|length| step_of(active, seconds, length))
                && let Some(info) = F::clip_info(&ClipSource::from(clip), model, &files)
                && let Some(stored) = info.events
            {
                stored.for_each_passed(step, |event| sent.push(event.sent_to(entity)));
            }
        }
        send_events(&mut commands, entity, sent);
    }
}

/// The components of a player. The last one is on the roots of models.
type EventPlayer<F> = (
    Entity,
    &'static AnimationPlayer,
    &'static AnimationGraphHandle,
    Option<&'static <F as Format>::Instance>,
);

/// Registers the observers that link the bones of one format.
pub(crate) fn link_bones<F: Rig>(app: &mut App) {
    app.add_observer(on_graph_added::<F>)
        .add_observer(on_removed::<F, AnimationGraphHandle>)
        .add_observer(on_instance_inserted::<F>)
        .add_observer(on_removed::<F, F::Instance>);
}

fn on_graph_added<F: Rig>(
    added: On<Add, AnimationGraphHandle>,
    mut commands: Commands,
    instances: Query<&F::Instance>,
) {
    if let Ok(instance) = instances.get(added.entity) {
        link(&mut commands, added.entity, F::bone_entities(instance));
    }
}

fn on_instance_inserted<F: Rig>(
    inserted: On<Insert, F::Instance>,
    mut commands: Commands,
    instances: Query<&F::Instance, With<AnimationGraphHandle>>,
) {
    if let Ok(instance) = instances.get(inserted.entity) {
        link(&mut commands, inserted.entity, F::bone_entities(instance));
    }
}

/// `C` is the graph or the instance.
fn on_removed<F: Rig, C: Component>(
    removed: On<Remove, C>,
    mut commands: Commands,
    instances: Query<&F::Instance>,
    linked: Query<&AnimatedBy>,
) {
    let root = removed.entity;
    let bones = instances.get(root).into_iter().flat_map(F::bone_entities);
    for bone in bones {
        if linked.get(*bone).is_ok_and(|by| by.0 == root) {
            commands.entity(*bone).try_remove::<AnimatedBy>();
        }
    }
}

/// Links the bones that are not linked to another player.
fn link(commands: &mut Commands, root: Entity, bones: &[Entity]) {
    for bone in bones {
        commands.entity(*bone).try_insert_if_new(AnimatedBy(root));
    }
}
