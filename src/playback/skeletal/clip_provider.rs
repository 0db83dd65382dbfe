//! The operations on clips that differ between formats, and the assets of animation graphs.

use crate::playback::frames::Frames;
use crate::playback::graph::bone_set::BoneName;
use crate::playback::graph::shared_graphs::SharedGraphs;
use crate::root::clip_ref::ClipRef;
use bevy::animation::animation_curves::EvaluatorId;
use bevy::animation::graph::AnimationGraph;
use bevy::animation::{AnimationClip, AnimationTargetId, VariableCurve};
use bevy::asset::{AssetEvent, AssetId, Assets, Handle, UntypedHandle};
use bevy::ecs::message::MessageWriter;
use bevy::ecs::system::{ResMut, SystemParam};
use bevy::transform::components::Transform;
use core::ops::Range;
use std::sync::Arc;

/// A clip or a part of it. It doesn't depend on the model that plays it.
#[derive(Clone, Debug)]
pub(crate) struct ClipSource {
    /// The clip as loaded, not yet adapted to a model.
    pub(crate) clip: Handle<AnimationClip>,
    /// The selected frames; `None` for the whole clip.
    pub(crate) frames: Option<Range<u32>>,
    /// The asset that describes the clip, if it is not the model itself.
    pub(crate) file: Option<UntypedHandle>,
}

/// Finds the clips of one format, and prepares them for playback.
pub(crate) trait ClipProvider {
    /// The data that instances of one model share.
    type Model;
    /// The assets that were edited since the last frame.
    type Edits;

    /// Whether bones that no clip has animated keep their transforms when clips change. Otherwise they return to the
    /// rest pose.
    const KEEPS_UNANIMATED: bool;

    /// Whether a cross-fade needs rest-pose curves for bones that only some of its clips animate.
    const FADES_NEED_REST_POSE: bool;

    /// The count of the model's bones.
    fn bone_count(model: &Self::Model) -> usize;

    /// The name and the parent of a bone.
    fn bone_name(model: &Self::Model, bone: usize) -> Option<BoneName<'_>>;

    /// The animation target of a bone.
    fn target(bone: usize) -> AnimationTargetId;

    /// The local transform of a bone in the rest pose.
    fn rest_transform(model: &Self::Model, bone: usize) -> Option<Transform>;

    /// Whether a clip that animates a bone without a scale curve sets the scale to 1.
    fn resets_scale(source: &ClipSource) -> bool;

    /// The evaluator of the format's visibility tracks, and a curve of the default visibility. `None` if the format has
    /// no such tracks.
    fn default_visibility() -> Option<(EvaluatorId<'static>, VariableCurve)>;

    /// The loaded clips.
    fn clips(&self) -> &Assets<AnimationClip>;

    fn clips_mut(&mut self) -> &mut Assets<AnimationClip>;

    fn shared_graphs(&mut self) -> &mut SharedGraphs<Self::Model>;

    /// Adds a graph that can be played in the same frame.
    fn add_graph(&mut self, graph: AnimationGraph) -> Handle<AnimationGraph>;

    /// Removes cached data of the clips that were edited since the last call, and returns the edits.
    fn take_edits(&mut self) -> Self::Edits;

    /// Whether a clip that plays was edited, so that it must be adapted again. `is_copied` is whether the graph has a copy
    /// of it.
    fn is_edited(edits: &Self::Edits, source: &ClipSource, is_copied: bool) -> bool;

    /// The source of a clip, if the model has the clip. Names of [`ModelClips`](crate::root::ModelClips) are resolved
    /// before.
    fn find(&self, clip: &ClipRef, model: &Self::Model) -> Option<ClipSource>;

    /// The names of the model's clips.
    fn names<'m>(&self, model: &'m Self::Model) -> Vec<&'m str>;

    /// Whether all assets that playback needs are loaded.
    fn is_ready(&self, source: &ClipSource) -> bool;

    /// Whether loading the clip has failed. It may still be loaded later.
    fn has_failed(&self, source: &ClipSource) -> bool;

    /// The frames of the whole clip, if they are loaded.
    fn frames<'a>(&'a self, source: &ClipSource, model: &'a Self::Model) -> Option<impl Frames>;

    /// The clip to play on a model, cut to the part that the source selects; `None` if that part has no frames.
    fn clip_for_model(
        &mut self,
        source: &ClipSource,
        model: &Arc<Self::Model>,
    ) -> Option<Handle<AnimationClip>>;
}

/// Adds graphs that can be played in the same frame.
#[derive(SystemParam)]
pub(crate) struct GraphAssets<'w> {
    graphs: ResMut<'w, Assets<AnimationGraph>>,
    events: MessageWriter<'w, AssetEvent<AnimationGraph>>,
}

impl GraphAssets<'_> {
    /// Adds a graph.
    pub(crate) fn add(&mut self, graph: AnimationGraph) -> Handle<AnimationGraph> {
        let graph = self.graphs.add(graph);
        // Bevy itself writes this message only after the animations of this frame.
        let id = graph.id();
        self.events.write(AssetEvent::Added { id });
        graph
    }
}

/// Whether an edit of one of these clips must be applied to a source that plays. `is_copied` is whether the graph has a
/// copy of its clip; a part of a clip is always a copy.
pub(crate) fn is_edited_copy(
    source: &ClipSource,
    edited: &[AssetId<AnimationClip>],
    is_copied: bool,
) -> bool {
    (is_copied || source.frames.is_some()) && edited.contains(&source.clip.id())
}
