//! The system that plays [`PlayClip`](crate::root::PlayClip) on the models of a format with a [`Rig`].
//!
//! In each frame, it advances each root's clips and writes them to its `AnimationPlayer` ([`ModelAnimator::update`]). Then
//! Bevy poses the bones.

use crate::load::checks::is_asset_loading;
use crate::load::warnings::ModelWarnings;
use crate::playback::graph::rest_bones::Bones;
use crate::playback::skeletal::animator::{AnimatedRoot, ClipRequest, ModelAnimator};
use crate::playback::skeletal::clips::Clips;
use crate::playback::skeletal::events::OwnGraph;
use crate::playback::skeletal::rig::Rig;
use crate::root::clips::ModelClips;
use crate::root::events::{ModelEvents, send_events};
use crate::root::layers::{ClipLayers, LayerFinished};
use crate::root::masks::ModelMasks;
use crate::root::play::{ClipFinished, Playback, ResolvedClip};
use crate::spawn::format::Format;
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
    &'static mut AnimationPlayer,
    Option<&'static AnimationGraphHandle>,
    &'static mut OwnGraph,
);

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
    bones: Bones<'w, 's, <F as Rig>::Bone>,
}

/// Starts, stops and advances clips, and sends their events.
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
        let (instance, play, named, events, masks, playback, layers, state, player, graph, own) =
            root;
        let (mut playback, mut state, mut player, mut own) = (playback, state, player, own);
        let animator = state.bypass_change_detection();
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
            skeleton: F::bone_entities(&instance),
            player: player.bypass_change_detection(),
            playback: playback
                .as_mut()
                .map(DetectChangesMut::bypass_change_detection),
            layers,
            graph,
            own_graph: own.bypass_change_detection(),
            commands: all.commands.entity(entity),
        };
        let outcome = animator.update(root, &mut clips, &mut all.bones, seconds);
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

/// Whether a requested clip of a root or of its layers is loading.
pub(crate) fn is_clip_loading<F: Rig>(world: &World, entity: EntityRef<'_>) -> bool {
    let animator = entity.get::<ModelAnimator<F>>();
    let (Some(animator), Some(server)) = (animator, world.get_resource::<AssetServer>()) else {
        return false;
    };
    let mut clips = animator.pending_clips();
    clips.any(|clip| is_asset_loading(server, clip))
}
