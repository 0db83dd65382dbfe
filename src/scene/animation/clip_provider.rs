//! The operations on clips that differ between formats, and the assets of animation graphs.

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

/// Finds the clips of one format, and prepares them for playback.
pub(crate) trait ClipProvider {
    /// The data that instances of one model share.
    type Model;
    /// The source of a clip.
    type Source: ClipSource;
    /// The assets that were edited since the last frame.
    type Edits;

    /// Whether bones that no clip has animated keep their transforms when clips change. Otherwise they return to the
    /// rest pose.
    const KEEPS_UNANIMATED: bool;

    /// The animation target of a bone.
    fn target(bone: usize) -> AnimationTargetId;

    /// The local transform of a bone in the rest pose.
    fn rest_transform(model: &Self::Model, bone: usize) -> Option<Transform>;

    /// Whether a clip that animates a bone without a scale curve sets the scale to 1.
    fn resets_scale(source: &Self::Source) -> bool;

    /// The loaded clips.
    fn clips(&self) -> &Assets<AnimationClip>;

    /// Removes cached data of the clips that were edited since the last call, and returns the edits.
    fn take_edits(&mut self) -> Self::Edits;

    /// Whether any active clip was edited.
    fn any_edited(edits: &Self::Edits, active: &ActiveClips<Self::Source>) -> bool;

    /// The source of a clip, if the model has the clip. Names of [`ModelClips`](crate::scene::ModelClips) are resolved
    /// before.
    fn find(&self, clip: &ClipRef, model: &Self::Model) -> Option<Self::Source>;

    /// The names of the model's clips.
    fn names<'m>(&self, model: &'m Self::Model) -> Vec<&'m str>;

    /// Whether all assets that playback needs are loaded.
    fn is_ready(&self, source: &Self::Source) -> bool;

    /// Whether loading the clip has failed. It may still be loaded later.
    fn has_failed(&self, source: &Self::Source) -> bool;

    /// The frames of the whole clip, if they are loaded.
    fn frames<'a>(&'a self, source: &Self::Source, model: &'a Self::Model) -> Option<impl Frames>;

    /// The clip to play on a model, cut to the part that the source selects; `None` if that part has no frames.
    fn clip_for_model(
        &mut self,
        source: &Self::Source,
        model: &Arc<Self::Model>,
    ) -> Option<Handle<AnimationClip>>;

    /// The graph that blends the active clips, in their order.
    fn graph(
        &mut self,
        active: &ActiveClips<Self::Source>,
        model: &Arc<Self::Model>,
    ) -> Handle<AnimationGraph>;

    /// Plays the nodes that the graph has in addition to the active clips.
    fn play_extra_nodes(active: &ActiveClips<Self::Source>, player: &mut AnimationPlayer);
}

/// Adds graphs that can be played in the same frame.
#[derive(SystemParam)]
pub(crate) struct GraphAssets<'w> {
    graphs: ResMut<'w, Assets<AnimationGraph>>,
    events: MessageWriter<'w, AssetEvent<AnimationGraph>>,
}

impl GraphAssets<'_> {
    /// Adds a graph that blends clips, in their order.
    pub(crate) fn add(
        &mut self,
        clips: impl IntoIterator<Item = Handle<AnimationClip>>,
    ) -> Handle<AnimationGraph> {
        let mut graph = AnimationGraph::new();
        for clip in clips {
            graph.add_clip(clip, 1.0, graph.root);
        }
        let graph = self.graphs.add(graph);
        // Bevy itself writes this message only after the animations of this frame.
        let id = graph.id();
        self.events.write(AssetEvent::Added { id });
        graph
    }
}

/// Whether any root has a graph. The cache itself holds one strong handle.
pub(crate) fn is_in_use(graph: &Handle<AnimationGraph>) -> bool {
    match graph {
        Handle::Strong(graph) => Arc::strong_count(graph) > 1,
        Handle::Uuid(..) => true,
    }
}
