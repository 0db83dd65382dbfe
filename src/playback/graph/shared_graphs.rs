//! A cache of animation graphs, which models with the same clips share.

use crate::playback::graph::bone_set::BoneSet;
use bevy::animation::AnimationClip;
use bevy::animation::graph::AnimationGraph;
use bevy::asset::{AssetId, Handle};
use bevy::platform::collections::HashMap;
use std::sync::{Arc, Weak};

/// The graphs in use. Unused ones are dropped when the next one is added.
pub(crate) struct SharedGraphs<M>(HashMap<GraphKey, SharedGraph<M>>);

/// The clips of a graph.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct GraphKey {
    pub(crate) active: Vec<AssetId<AnimationClip>>,
    /// The clip of each layer, its bones, and whether it is additive.
    pub(crate) layers: Vec<(AssetId<AnimationClip>, BoneSet, bool)>,
    /// The address of the model if the graph has copies of clips for it.
    pub(crate) model: Option<usize>,
}

struct SharedGraph<M> {
    #[expect(
        dead_code,
        reason = "while it exists, no other model has the same address"
    )]
    model: Weak<M>,
    graph: Handle<AnimationGraph>,
}

impl<M> Default for SharedGraphs<M> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<M> SharedGraphs<M> {
    pub(crate) fn get(&self, key: &GraphKey) -> Option<Handle<AnimationGraph>> {
        Some(self.0.get(key)?.graph.clone())
    }

    pub(crate) fn insert(&mut self, key: GraphKey, model: &Arc<M>, graph: &Handle<AnimationGraph>) {
        self.0.retain(|_, shared| is_in_use(&shared.graph));
        let shared = SharedGraph {
            model: Arc::downgrade(model),
            graph: graph.clone(),
        };
        self.0.insert(key, shared);
    }

    /// Drops the graphs that have copies of clips, because a clip was edited.
    pub(crate) fn remove_copies(&mut self) {
        self.0.retain(|key, _| key.model.is_none());
    }
}

/// Whether any root has a graph. The cache itself holds one strong handle.
fn is_in_use(graph: &Handle<AnimationGraph>) -> bool {
    match graph {
        Handle::Strong(graph) => Arc::strong_count(graph) > 1,
        Handle::Uuid(..) => true,
    }
}
