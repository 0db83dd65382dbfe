//! The graphs and clips that models share while [`PlayClip`](crate::scene::PlayClip) plays on them.
//!
//! A graph has the clips that play on a model in a frame, and no more: Bevy asks every bone about every
//! node. So there is one for each clip in use, and one for each fade from one to another, and all
//! models that do the same share it.

use crate::alamo::animation::asset::{Ala, AlaAssetLabel};
use crate::alamo::animation::binding::{BoneMismatch, without};
use crate::alamo::animation::rest_pose::{Part, completed};
use crate::alamo::animation::source::AlaSource;
use crate::alamo::animation::targets::bone_target;
use crate::alamo::animation::visibility::{DefaultVisibilityCurve, evaluator_id};
use crate::alamo::asset::AloModel;
use crate::scene::{
    ActiveClip, ActiveClips, ClipParts, ClipProvider, ClipRef, FrameRate, Frames, GraphAssets,
    edited_clips, has_extension, is_in_use, node, says,
};
use bevy::animation::graph::AnimationGraph;
use bevy::animation::{AnimationClip, AnimationPlayer, AnimationTargetId};
use bevy::asset::{AssetEvent, AssetId, AssetServer, Assets, Handle, LoadState};
use bevy::ecs::message::MessageReader;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Res, ResMut, SystemParam};
use bevy::log::warn;
use bevy::platform::collections::HashMap;
use bevy::transform::components::Transform;
use core::any::TypeId;
use std::sync::{Arc, Weak};

/// The graphs and clips that models share.
#[derive(Resource, Default)]
pub(crate) struct Graphs {
    /// Extensions of animations.
    extensions: Vec<String>,
    /// By the clips in them, and the model's address if it matters.
    graphs: HashMap<GraphKey, SharedGraph>,
    /// Clips as they are for a model, by the model's address and the clip.
    bound: HashMap<(usize, AssetId<AnimationClip>), Bound>,
    /// Parts of those.
    parts: ClipParts,
}

impl Graphs {
    pub(super) fn new(extensions: Vec<String>) -> Self {
        Self {
            extensions,
            ..Self::default()
        }
    }
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
    ala: Option<AssetId<Ala>>,
    /// As long as it lives, no other model has its address.
    model: Weak<AloModel>,
    clip: Handle<AnimationClip>,
}

/// Makes clips ready to be played.
#[derive(SystemParam)]
pub(super) struct AlaClipProvider<'w, 's> {
    clips: ResMut<'w, Assets<AnimationClip>>,
    alas: Res<'w, Assets<Ala>>,
    server: Res<'w, AssetServer>,
    shared: ResMut<'w, Graphs>,
    graphs: GraphAssets<'w>,
    ala_events: MessageReader<'w, 's, AssetEvent<Ala>>,
    clip_events: MessageReader<'w, 's, AssetEvent<AnimationClip>>,
}

/// What was edited since the last time.
pub(super) struct Edits {
    alas: Vec<AssetId<Ala>>,
    clips: Vec<AssetId<AnimationClip>>,
}

/// The animation of a clip, if it is one of an Alamo file. Loads the animation if only its clip is loaded.
pub(crate) fn ala_of(
    server: &AssetServer,
    graphs: &Graphs,
    clip: &Handle<AnimationClip>,
) -> Option<Handle<Ala>> {
    let path = server.get_path(clip.id());
    let path = path.filter(|path| path.label() == Some(&AlaAssetLabel::Clip.to_string()))?;
    let path = path.without_label();
    match server.get_path_and_type_id_handle(&path, TypeId::of::<Ala>()) {
        Some(ala) => Some(ala.typed()),
        // Only its clip is alive; the names of its bones are in the animation.
        None => {
            has_extension(path.path(), &graphs.extensions).then(|| server.load(path.clone_owned()))
        }
    }
}

impl AlaClipProvider<'_, '_> {
    /// A clip that somebody has a handle to.
    pub(super) fn source_of(&self, clip: &Handle<AnimationClip>) -> AlaSource {
        AlaSource {
            clip: clip.clone(),
            ala: ala_of(&self.server, &self.shared, clip),
            frames: None,
        }
    }

    pub(super) fn ala(&self, source: &AlaSource) -> Option<&Ala> {
        self.alas.get(source.ala.as_ref()?)
    }

    /// A whole clip as it is for a model: without what the model does not have. Warns once of that.
    fn fitted(&mut self, source: &AlaSource, model: &Arc<AloModel>) -> Handle<AnimationClip> {
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
            ala: source.ala.as_ref().map(Handle::id),
            model: Arc::downgrade(model),
            clip: clip.clone(),
        };
        shared.bound.insert(key, bound);
        clip
    }

    fn filtered(
        &mut self,
        source: &AlaSource,
        mismatches: &[BoneMismatch],
    ) -> Handle<AnimationClip> {
        let path = source.clip.path().map(ToString::to_string);
        /// Nobody reads more of them.
        const TOLD: usize = 12;
        let told = mismatches.iter().take(TOLD).map(ToString::to_string);
        let told: Vec<String> = told.collect();
        let more = match mismatches.len().saturating_sub(TOLD) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        warn!(
            "{}: tracks are left out that are not for the model: {}{more}",
            path.unwrap_or_default(),
            told.join("; ")
        );
        let clip = self.clips.get(&source.clip);
        let clip = clip.map(|clip| without(clip, mismatches));
        self.clips.add(clip.unwrap_or_default())
    }

    /// Clips with what each leaves unsaid of what the others move.
    fn completed(
        &mut self,
        lanes: &ActiveClips<AlaSource>,
        model: &AloModel,
    ) -> Vec<Handle<AnimationClip>> {
        let handles = lanes.clips();
        let part = |lane: &ActiveClip<AlaSource>| {
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

    /// A clip of [`DefaultVisibilityCurve`]s for the bones that any of the lanes shows or hides.
    fn flags(&mut self, lanes: &ActiveClips<AlaSource>, model: &AloModel) -> Handle<AnimationClip> {
        let mut flags = AnimationClip::default();
        for bone in 0..model.bones.len() {
            let target = bone_target(bone);
            let decides = |lane: &ActiveClip<AlaSource>| {
                let clip = self.clips.get(&lane.clip);
                clip.is_some_and(|clip| says(clip, target, &evaluator_id()))
            };
            if lanes.iter().any(decides) {
                flags.add_curve_to_target(target, DefaultVisibilityCurve);
            }
        }
        self.clips.add(flags)
    }
}

impl ClipProvider for AlaClipProvider<'_, '_> {
    type Model = AloModel;
    type Source = AlaSource;
    type Edits = Edits;

    const KEEPS_UNMOVED: bool = true;

    fn target(bone: usize) -> AnimationTargetId {
        bone_target(bone)
    }

    fn rest(model: &AloModel, bone: usize) -> Option<Transform> {
        model.bones.get(bone).map(|bone| bone.transform)
    }

    /// An animation that says nothing of the scale of a bone that it moves says that it is 1.
    fn sets_scale(source: &AlaSource) -> bool {
        source.ala.is_some()
    }

    fn clips(&self) -> &Assets<AnimationClip> {
        &self.clips
    }

    fn take_edits(&mut self) -> Edits {
        let Self {
            shared, ala_events, ..
        } = self;
        let edited = ala_events.read().filter_map(|event| match event {
            AssetEvent::Modified { id } => Some(*id),
            _ => None,
        });
        let edited: Vec<_> = edited.collect();
        if !edited.is_empty() {
            let is_same = |bound: &Bound| bound.ala.is_none_or(|ala| !edited.contains(&ala));
            shared.bound.retain(|_, bound| is_same(bound));
            // What fades has copies of clips.
            shared.graphs.retain(|(clips, _), _| clips.len() == 1);
        }
        let clips = edited_clips(&mut self.clip_events);
        shared.parts.forget(&clips);
        Edits {
            alas: edited,
            clips,
        }
    }

    fn are_edited(edits: &Edits, lanes: &ActiveClips<AlaSource>) -> bool {
        let is_edited = |ala: &Handle<Ala>| edits.alas.contains(&ala.id());
        let mut alas = lanes.iter().filter_map(|lane| lane.source.ala.as_ref());
        (!edits.alas.is_empty() && alas.any(is_edited)) || lanes.have_part_of(&edits.clips)
    }

    fn find(&self, clip: &ClipRef, model: &AloModel) -> Option<AlaSource> {
        let (clip, frames) = clip.flat();
        let animation = match clip {
            ClipRef::Name(name) => model.animation(name)?,
            ClipRef::Index(index) => model.animations.get(*index)?,
            ClipRef::Handle(clip) => {
                let source = self.source_of(clip);
                return Some(AlaSource { frames, ..source });
            }
            ClipRef::Frames(_) | ClipRef::Part { .. } => return None,
        };
        Some(AlaSource {
            clip: animation.clip.clone(),
            ala: Some(animation.ala.clone()),
            frames,
        })
    }

    fn names<'m>(&self, model: &'m AloModel) -> Vec<&'m str> {
        let animations = model.animations.iter();
        animations.map(|animation| &*animation.name).collect()
    }

    fn frames<'a>(&'a self, source: &AlaSource, _: &'a AloModel) -> Option<impl Frames> {
        self.ala(source).map(|ala| FrameRate {
            count: ala.frames,
            fps: ala.fps,
        })
    }

    fn bound(
        &mut self,
        source: &AlaSource,
        model: &Arc<AloModel>,
    ) -> Option<Handle<AnimationClip>> {
        let Some(part) = &source.frames else {
            return Some(self.fitted(source, model));
        };
        let span = self.frames(source, model)?.span(part)?;
        let whole = self.fitted(source, model);
        self.shared.parts.get(&whole, span, &mut self.clips)
    }

    fn has_failed(&self, source: &AlaSource) -> bool {
        matches!(self.server.load_state(&source.clip), LoadState::Failed(_))
    }

    fn is_ready(&self, source: &AlaSource) -> bool {
        let has_names = source.ala.as_ref().is_none_or(|ala| {
            self.alas.contains(ala) || matches!(self.server.load_state(ala), LoadState::Failed(_))
        });
        has_names && self.clips.contains(&source.clip)
    }

    /// The graph that blends the clips of lanes, in their order, with [`DefaultVisibilityCurve`]s last if there is
    /// more than one.
    fn graph(
        &mut self,
        lanes: &ActiveClips<AlaSource>,
        model: &Arc<AloModel>,
    ) -> Handle<AnimationGraph> {
        let ids: Vec<_> = lanes.iter().map(|lane| lane.clip.id()).collect();
        let fades = ids.len() > 1;
        let key = (ids, fades.then(|| Arc::as_ptr(model).addr()));
        if let Some(shared) = self.shared.graphs.get(&key) {
            return shared.graph.clone();
        }
        let flags = fades.then(|| self.flags(lanes, model));
        let clips = self.completed(lanes, model).into_iter().chain(flags);
        let graph = self.graphs.add(clips);
        let in_use = |_: &_, shared: &mut SharedGraph| is_in_use(&shared.graph);
        self.shared.graphs.retain(in_use);
        let shared = SharedGraph {
            model: Arc::downgrade(model),
            graph: graph.clone(),
        };
        self.shared.graphs.insert(key, shared);
        graph
    }
    /// A fade has the flags of the model beside its clips. They have no time.
    fn play_beside(lanes: &ActiveClips<AlaSource>, player: &mut AnimationPlayer) {
        let lanes = lanes.iter().count();
        if lanes > 1 {
            player.play(node(lanes)).pause();
        }
    }
}
