//! The graphs and clips that models share while [`PlayClip`](crate::scene::PlayClip) plays on them.
//!
//! A graph has the clips that play on a model in a frame, and no more: Bevy asks every bone about every
//! node. So there is one for each clip in use, and one for each fade from one to another, and all
//! models that do the same share it.

use crate::alamo::animation::asset::{Ala, AlaAssetLabel};
use crate::alamo::animation::binding::{BoneMismatch, without};
use crate::alamo::animation::lanes::{Lane, Lanes};
use crate::alamo::animation::rest::{Part, completed};
use crate::alamo::animation::targets::bone_target;
use crate::alamo::animation::visibility::ModelFlag;
use crate::alamo::model::AloModel;
use bevy::animation::AnimationClip;
use bevy::animation::graph::{AnimationGraph, AnimationNodeIndex};
use bevy::asset::{AssetEvent, AssetId, AssetServer, Assets, Handle, LoadState};
use bevy::ecs::message::{MessageReader, MessageWriter};
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Res, ResMut, SystemParam};
use bevy::log::warn;
use bevy::platform::collections::HashMap;
use std::sync::{Arc, Weak};

/// What is shared.
#[derive(Resource, Default)]
pub(super) struct Graphs {
    /// By the clips in them, and the model's address if it matters.
    graphs: HashMap<GraphKey, SharedGraph>,
    /// Clips as they are for a model, by the model's address and the clip.
    bound: HashMap<(usize, AssetId<AnimationClip>), Bound>,
    /// A clip of [`ModelFlag`]s, and for how many bones.
    flags: Option<(Handle<AnimationClip>, usize)>,
}

type GraphKey = (Vec<AssetId<AnimationClip>>, Option<usize>);

struct SharedGraph {
    #[expect(
        dead_code,
        reason = "as long as it is there, no other model has its address"
    )]
    model: Weak<AloModel>,
    graph: Handle<AnimationGraph>,
}

/// A clip as it is for a model.
struct Bound {
    /// As long as it lives, no other model has its address.
    model: Weak<AloModel>,
    clip: Handle<AnimationClip>,
}

/// Where in a graph a clip is.
pub(super) fn node(place: usize) -> AnimationNodeIndex {
    // The first node is the root.
    AnimationNodeIndex::new(place + 1)
}

/// Makes clips ready to be played.
#[derive(SystemParam)]
pub(super) struct Binder<'w, 's> {
    pub(super) clips: ResMut<'w, Assets<AnimationClip>>,
    alas: Res<'w, Assets<Ala>>,
    server: Res<'w, AssetServer>,
    shared: ResMut<'w, Graphs>,
    graphs: ResMut<'w, Assets<AnimationGraph>>,
    graph_events: MessageWriter<'w, AssetEvent<AnimationGraph>>,
    ala_events: MessageReader<'w, 's, AssetEvent<Ala>>,
}

/// A clip, and the animation that it is of if it is one of ours.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) clip: Handle<AnimationClip>,
    pub(super) ala: Option<Handle<Ala>>,
}

impl Binder<'_, '_> {
    /// Whether any animation was edited since the last time.
    pub(super) fn take_edits(&mut self) -> bool {
        let Self {
            shared, ala_events, ..
        } = self;
        let mut edited = false;
        for event in ala_events.read() {
            edited |= matches!(event, AssetEvent::Modified { .. });
        }
        if edited {
            shared.bound.clear();
            // What fades has copies of clips.
            shared.graphs.retain(|(clips, _), _| clips.len() == 1);
        }
        edited
    }

    /// A clip that somebody has a handle to.
    pub(super) fn source_of(&self, clip: &Handle<AnimationClip>) -> Source {
        let path = self.server.get_path(clip.id());
        let path = path.filter(|path| {
            let extension = path.path().extension().unwrap_or_default();
            path.label() == Some(&AlaAssetLabel::Clip.to_string())
                && extension.eq_ignore_ascii_case("ala")
        });
        Source {
            clip: clip.clone(),
            // Only the clip may be alive; the names of its bones are in the animation.
            ala: path.map(|path| self.server.load(path.without_label().clone_owned())),
        }
    }

    /// Whether all is there that is needed to play it.
    pub(super) fn is_ready(&self, source: &Source) -> bool {
        let has_names = source.ala.as_ref().is_none_or(|ala| {
            self.alas.contains(ala) || matches!(self.server.load_state(ala), LoadState::Failed(_))
        });
        has_names && self.clips.contains(&source.clip)
    }

    pub(super) fn ala(&self, source: &Source) -> Option<&Ala> {
        self.alas.get(source.ala.as_ref()?)
    }

    /// A clip as it is for a model: without what the model does not have. Warns once of that.
    pub(super) fn bound(
        &mut self,
        source: &Source,
        model: &Arc<AloModel>,
    ) -> Handle<AnimationClip> {
        let key = (Arc::as_ptr(model).addr(), source.clip.id());
        if let Some(bound) = self.shared.bound.get(&key)
            && bound.model.strong_count() > 0
        {
            return bound.clip.clone();
        }
        let mismatches = self.ala(source).map(|ala| ala.mismatches(model));
        let clip = match mismatches.filter(|mismatches| !mismatches.is_empty()) {
            Some(mismatches) => self.filtered(source, &mismatches),
            None => source.clip.clone(),
        };
        let shared = &mut *self.shared;
        let is_alive = |_: &_, bound: &mut Bound| bound.model.strong_count() > 0;
        shared.bound.retain(is_alive);
        let bound = Bound {
            model: Arc::downgrade(model),
            clip: clip.clone(),
        };
        shared.bound.insert(key, bound);
        clip
    }

    fn filtered(&mut self, source: &Source, mismatches: &[BoneMismatch]) -> Handle<AnimationClip> {
        let path = source.clip.path().map(ToString::to_string);
        let told: Vec<String> = mismatches.iter().map(ToString::to_string).collect();
        warn!(
            "{}: tracks are left out that are not for the model: {}",
            path.unwrap_or_default(),
            told.join("; ")
        );
        let clip = self.clips.get(&source.clip);
        let clip = clip.map(|clip| without(clip, mismatches));
        self.clips.add(clip.unwrap_or_default())
    }

    /// The graph that blends the clips of lanes, in their order, with [`ModelFlag`]s last if there is
    /// more than one.
    pub(super) fn graph(&mut self, lanes: &Lanes, model: &Arc<AloModel>) -> Handle<AnimationGraph> {
        let ids: Vec<_> = lanes.iter().map(|lane| lane.clip.id()).collect();
        let fades = ids.len() > 1;
        let key = (ids, fades.then(|| Arc::as_ptr(model).addr()));
        let flags = fades.then(|| self.flags(model.bones.len()));
        if let Some(shared) = self.shared.graphs.get(&key) {
            return shared.graph.clone();
        }
        let mut graph = AnimationGraph::new();
        for clip in self.completed(lanes, model).into_iter().chain(flags) {
            graph.add_clip(clip, 1.0, graph.root);
        }
        let graph = self.graphs.add(graph);
        // Bevy would see it when it next tells of new assets, which is after this frame's animations.
        let id = graph.id();
        self.graph_events.write(AssetEvent::Added { id });
        // Nobody but us has the others.
        let in_use = |_: &_, shared: &mut SharedGraph| match &shared.graph {
            Handle::Strong(graph) => Arc::strong_count(graph) > 1,
            Handle::Uuid(..) => true,
        };
        self.shared.graphs.retain(in_use);
        let shared = SharedGraph {
            model: Arc::downgrade(model),
            graph: graph.clone(),
        };
        self.shared.graphs.insert(key, shared);
        graph
    }

    /// Clips with what each leaves unsaid of what the others move.
    fn completed(&mut self, lanes: &Lanes, model: &AloModel) -> Vec<Handle<AnimationClip>> {
        let handles = lanes.clips();
        let part = |lane: &Lane| {
            Some(Part {
                clip: self.clips.get(&lane.clip)?,
                is_ours: lane.source.ala.is_some(),
            })
        };
        let Some(parts) = lanes.iter().map(part).collect::<Option<Vec<_>>>() else {
            return handles;
        };
        let completed: Vec<_> = parts
            .iter()
            .map(|part| completed(*part, &parts, model))
            .collect();
        let handles = handles.into_iter().zip(completed);
        handles
            .map(|(handle, completed)| completed.map_or(handle, |clip| self.clips.add(clip)))
            .collect()
    }

    /// A clip of [`ModelFlag`]s for so many bones at least.
    fn flags(&mut self, bones: usize) -> Handle<AnimationClip> {
        let (handle, count) = self
            .shared
            .flags
            .get_or_insert_with(|| (self.clips.add(AnimationClip::default()), 0));
        if *count < bones
            && let Some(mut clip) = self.clips.get_mut(&*handle)
        {
            for bone in *count..bones {
                clip.add_curve_to_target(bone_target(bone), ModelFlag);
            }
            *count = bones;
        }
        handle.clone()
    }
}
