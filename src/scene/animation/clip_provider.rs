//! What differs between the formats whose clips are Bevy's, and graphs that roots share.

use crate::scene::animation::active_clips::{ActiveClips, ClipSource};
use crate::scene::animation::frames::Frames;
use crate::scene::clip_ref::ClipRef;
use bevy::animation::graph::AnimationGraph;
use bevy::animation::{AnimationClip, AnimationPlayer, AnimationTargetId};
use bevy::asset::{AssetEvent, Assets, Handle};
use bevy::ecs::message::MessageWriter;
use bevy::ecs::system::{ResMut, SystemParam};
use bevy::transform::components::Transform;
use std::sync::Arc;

/// What a format knows of its clips, and how it makes them ready to be played.
pub(crate) trait ClipProvider {
    /// What instances of one model share.
    type Model;
    /// Where a clip is from.
    type Source: ClipSource;
    /// What was edited.
    type Edits;

    /// Whether bones that no clip has moved keep their transforms when clips change. Otherwise they are put at rest.
    const KEEPS_UNMOVED: bool;

    /// What clips know a bone by.
    fn target(bone: usize) -> AnimationTargetId;

    /// The transform of a bone at rest.
    fn rest(model: &Self::Model, bone: usize) -> Option<Transform>;

    /// Whether a clip that moves a bone, but not its scale, sets the scale to 1.
    fn sets_scale(source: &Self::Source) -> bool;

    /// All clips.
    fn clips(&self) -> &Assets<AnimationClip>;

    /// Forgets what was made of clips that were edited since the last call, and returns what was edited.
    fn take_edits(&mut self) -> Self::Edits;

    /// Whether any clip that plays was edited.
    fn are_edited(edits: &Self::Edits, lanes: &ActiveClips<Self::Source>) -> bool;

    /// The clip that is meant, which is no name of [`ModelClips`](crate::scene::ModelClips), if the model has it.
    fn find(&self, clip: &ClipRef, model: &Self::Model) -> Option<Self::Source>;

    /// The names of the model's clips.
    fn names<'m>(&self, model: &'m Self::Model) -> Vec<&'m str>;

    /// Whether all is loaded that is needed to play it.
    fn is_ready(&self, source: &Self::Source) -> bool;

    /// Whether it could not be loaded, and perhaps never will be.
    fn has_failed(&self, source: &Self::Source) -> bool;

    /// The frames of the clip, if they are known.
    fn frames<'a>(&'a self, source: &Self::Source, model: &'a Self::Model) -> Option<impl Frames>;

    /// The clip as it is for a model; `None` if nothing is left of it.
    fn bound(
        &mut self,
        source: &Self::Source,
        model: &Arc<Self::Model>,
    ) -> Option<Handle<AnimationClip>>;

    /// The graph that blends the clips of lanes, in their order.
    fn graph(
        &mut self,
        lanes: &ActiveClips<Self::Source>,
        model: &Arc<Self::Model>,
    ) -> Handle<AnimationGraph>;

    /// Plays what the graph has beside the clips of lanes.
    fn play_beside(lanes: &ActiveClips<Self::Source>, player: &mut AnimationPlayer);
}

/// Adds graphs, so that they can be played in the same frame.
#[derive(SystemParam)]
pub(crate) struct GraphAssets<'w> {
    graphs: ResMut<'w, Assets<AnimationGraph>>,
    events: MessageWriter<'w, AssetEvent<AnimationGraph>>,
}

impl GraphAssets<'_> {
    /// Adds the graph of some clips, in their order.
    pub(crate) fn add(
        &mut self,
        clips: impl IntoIterator<Item = Handle<AnimationClip>>,
    ) -> Handle<AnimationGraph> {
        let mut graph = AnimationGraph::new();
        for clip in clips {
            graph.add_clip(clip, 1.0, graph.root);
        }
        let graph = self.graphs.add(graph);
        // Bevy would see it when it next reports new assets, which is after this frame's animations.
        let id = graph.id();
        self.events.write(AssetEvent::Added { id });
        graph
    }
}

/// Whether a root has a graph, rather than only the table that the handle is from.
pub(crate) fn is_in_use(graph: &Handle<AnimationGraph>) -> bool {
    match graph {
        Handle::Strong(graph) => Arc::strong_count(graph) > 1,
        Handle::Uuid(..) => true,
    }
}
