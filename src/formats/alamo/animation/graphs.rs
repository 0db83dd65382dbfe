//! The graphs and clips that models share while [`PlayClip`](crate::root::PlayClip) plays on them.

use crate::formats::alamo::animation::asset::{Ala, AlaAssetLabel};
use crate::formats::alamo::animation::binding::{BoneMismatch, bone_target};
use crate::formats::alamo::animation::visibility::{DefaultVisibilityCurve, visibility_evaluator};
use crate::formats::alamo::asset::AloModel;
use crate::load::names::has_extension;
use crate::load::warnings::WarningLog;
use crate::playback::frame_rate::FrameRate;
use crate::playback::frames::Frames;
use crate::playback::graph::bone_set::BoneName;
use crate::playback::graph::clip_parts::{ClipParts, edited_clips};
use crate::playback::graph::shared_graphs::SharedGraphs;
use crate::playback::skeletal::clip_provider::{
    ClipProvider, ClipSource, GraphAssets, is_edited_copy,
};
use crate::root::clip_ref::ClipRef;
use bevy::animation::animation_curves::EvaluatorId;
use bevy::animation::graph::AnimationGraph;
use bevy::animation::{AnimationClip, AnimationTargetId, VariableCurve};
use bevy::asset::{AssetEvent, AssetId, AssetServer, Assets, Handle, LoadState, StrongHandle};
use bevy::ecs::message::MessageReader;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Res, ResMut, SystemParam};
use bevy::platform::collections::HashMap;
use bevy::transform::components::Transform;
use core::any::TypeId;
use std::borrow::Cow;
use std::sync::{Arc, Weak};

/// The animation that a clip belongs to, if it is from an Alamo file.
pub(crate) fn ala_id(source: &ClipSource) -> Option<AssetId<Ala>> {
    let file = source.file.as_ref()?;
    Some(file.id().typed_debug_checked())
}

/// The graphs and clips that models share.
#[derive(Resource, Default)]
pub(crate) struct Graphs {
    /// The extensions of animation files.
    extensions: Vec<String>,
    graphs: SharedGraphs<AloModel>,
    /// Clips that were adapted to a model, by the model's address and the clip. It keeps no clips.
    bound: HashMap<(usize, AssetId<AnimationClip>), BoundClip>,
    /// Parts of the clips in `bound`.
    parts: ClipParts,
    /// Warnings that are not logged yet.
    warnings: Vec<MismatchWarning>,
}

/// The warning that a clip has tracks that do not match a model.
struct MismatchWarning {
    ala: Option<AssetId<Ala>>,
    path: String,
    message: String,
}

impl Graphs {
    pub(crate) fn new(extensions: Vec<String>) -> Self {
        Self {
            extensions,
            ..Self::default()
        }
    }
}

/// A clip that was adapted to a model.
struct BoundClip {
    ala: Option<AssetId<Ala>>,
    /// While it exists, no other model has the same address.
    model: Weak<AloModel>,
    /// The handle of the clip that was adapted. `None` if it is never dropped.
    source: Option<Weak<StrongHandle>>,
    /// The handle of the adapted copy. `None` if the clip itself fits.
    copy: Option<Weak<StrongHandle>>,
}

impl BoundClip {
    /// The clip to play in place of another one; `None` if it must be made again.
    fn clip(&self, source: &Handle<AnimationClip>) -> Option<Handle<AnimationClip>> {
        match &self.copy {
            _ if self.model.strong_count() == 0 => None,
            Some(copy) => copy.upgrade().map(Handle::Strong),
            None => Some(source.clone()),
        }
    }

    /// Whether the model and the clip that was adapted are in use.
    fn is_in_use(&self) -> bool {
        let source = self.source.as_ref();
        self.model.strong_count() > 0 && source.is_none_or(|source| source.strong_count() > 0)
    }
}

/// A handle that does not keep its clip.
fn weak(clip: &Handle<AnimationClip>) -> Option<Weak<StrongHandle>> {
    match clip {
        Handle::Strong(clip) => Some(Arc::downgrade(clip)),
        Handle::Uuid(..) => None,
    }
}

/// Finds Alamo clips, and prepares them for playback.
#[derive(SystemParam)]
pub(crate) struct AlaClipProvider<'w, 's> {
    clips: ResMut<'w, Assets<AnimationClip>>,
    alas: Res<'w, Assets<Ala>>,
    server: Res<'w, AssetServer>,
    shared: ResMut<'w, Graphs>,
    graphs: GraphAssets<'w>,
    ala_events: MessageReader<'w, 's, AssetEvent<Ala>>,
    clip_events: MessageReader<'w, 's, AssetEvent<AnimationClip>>,
}

/// Logs the warnings about tracks that do not match, each once per file. A file that is loaded several times, as Bevy
/// does if both an animation and its clip are requested, causes the same warnings several times.
pub(crate) fn log_mismatches(mut graphs: ResMut<Graphs>, mut log: ResMut<WarningLog>) {
    for warning in graphs.warnings.drain(..) {
        let ala = warning.ala.map(Into::into);
        log.warn_once(ala, &warning.path, &warning.message);
    }
}

/// The assets that were edited since the last frame.
pub(crate) struct Edits {
    alas: Vec<AssetId<Ala>>,
    clips: Vec<AssetId<AnimationClip>>,
    /// The clips of which copies were adapted to models.
    adapted: Vec<AssetId<AnimationClip>>,
}

/// The animation of a clip, if the clip is from an Alamo file. Loads the animation if only its clip is loaded.
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
        // Only the clip is loaded, but the names of the bones are in the animation.
        None => {
            has_extension(path.path(), &graphs.extensions).then(|| server.load(path.clone_owned()))
        }
    }
}

impl AlaClipProvider<'_, '_> {
    /// The source of a clip that the user has a handle to.
    pub(crate) fn source_of(&self, clip: &Handle<AnimationClip>) -> ClipSource {
        ClipSource {
            clip: clip.clone(),
            frames: None,
            file: ala_of(&self.server, &self.shared, clip).map(Handle::untyped),
        }
    }

    pub(crate) fn ala(&self, source: &ClipSource) -> Option<&Ala> {
        self.alas.get(ala_id(source)?)
    }

    /// A whole clip, adapted to a model. Warns about tracks that do not match.
    fn whole_clip_for_model(
        &mut self,
        source: &ClipSource,
        model: &Arc<AloModel>,
    ) -> Handle<AnimationClip> {
        let key = (Arc::as_ptr(model).addr(), source.clip.id());
        let bound = self.shared.bound.get(&key);
        if let Some(clip) = bound.and_then(|bound| bound.clip(&source.clip)) {
            return clip;
        }
        let ala = self.ala(source).zip(self.clips.get(&source.clip));
        let bound = ala.map(|(ala, whole)| match ala.bound(whole, model) {
            Cow::Owned(clip) => (Some(clip), ala.mismatches(model)),
            Cow::Borrowed(_) => (None, Vec::new()),
        });
        let (bound, mismatches) = bound.unwrap_or_default();
        let copy = bound.map(|bound| self.clips.add(bound));
        if !mismatches.is_empty() {
            self.add_warning(source, &mismatches);
        }
        let shared = &mut *self.shared;
        shared.bound.retain(|_, bound| bound.is_in_use());
        let bound = BoundClip {
            ala: ala_id(source),
            model: Arc::downgrade(model),
            source: weak(&source.clip),
            copy: copy.as_ref().and_then(weak),
        };
        shared.bound.insert(key, bound);
        copy.unwrap_or_else(|| source.clip.clone())
    }

    fn add_warning(&mut self, source: &ClipSource, mismatches: &[BoneMismatch]) {
        let path = source.clip.path().map(ToString::to_string);
        /// The most mismatches that the warning lists.
        const MAX_LISTED: usize = 12;
        let listed = mismatches.iter().take(MAX_LISTED).map(ToString::to_string);
        let listed: Vec<String> = listed.collect();
        let more = match mismatches.len().saturating_sub(MAX_LISTED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        self.shared.warnings.push(MismatchWarning {
            ala: ala_id(source),
            path: path.unwrap_or_default(),
            message: format!(
                "has tracks that do not match the bones of the model and are ignored: {}{more}",
                listed.join("; ")
            ),
        });
    }
}

impl ClipProvider for AlaClipProvider<'_, '_> {
    type Model = AloModel;
    type Edits = Edits;

    const KEEPS_UNANIMATED: bool = true;

    const FADES_NEED_REST_POSE: bool = true;

    fn bone_count(model: &AloModel) -> usize {
        model.bones.len()
    }

    fn bone_name(model: &AloModel, bone: usize) -> Option<BoneName<'_>> {
        let bone = model.bones.get(bone)?;
        Some(BoneName {
            name: &bone.name,
            parent: bone.parent,
        })
    }

    fn target(bone: usize) -> AnimationTargetId {
        bone_target(bone)
    }

    fn rest_transform(model: &AloModel, bone: usize) -> Option<Transform> {
        model.bones.get(bone).map(|bone| bone.transform)
    }

    /// If an Alamo animation animates a bone without a scale curve, the bone's scale is 1.
    fn resets_scale(source: &ClipSource) -> bool {
        source.file.is_some()
    }

    fn default_visibility() -> Option<(EvaluatorId<'static>, VariableCurve)> {
        Some((
            visibility_evaluator(),
            VariableCurve::new(DefaultVisibilityCurve),
        ))
    }

    fn clips(&self) -> &Assets<AnimationClip> {
        &self.clips
    }

    fn clips_mut(&mut self) -> &mut Assets<AnimationClip> {
        &mut self.clips
    }

    fn shared_graphs(&mut self) -> &mut SharedGraphs<AloModel> {
        &mut self.shared.graphs
    }

    fn add_graph(&mut self, graph: AnimationGraph) -> Handle<AnimationGraph> {
        self.graphs.add(graph)
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
            let is_current = |bound: &BoundClip| bound.ala.is_none_or(|ala| !edited.contains(&ala));
            shared.bound.retain(|_, bound| is_current(bound));
        }
        let clips = edited_clips(&mut self.clip_events);
        let is_outdated = |(_, clip): &(usize, _), bound: &mut BoundClip| {
            clips.contains(clip) && bound.copy.is_some()
        };
        let adapted = shared.bound.extract_if(is_outdated);
        let adapted = adapted.map(|((_, clip), _)| clip).collect();
        shared.parts.remove(&clips);
        if !edited.is_empty() || !clips.is_empty() {
            shared.graphs.remove_copies();
        }
        Edits {
            alas: edited,
            clips,
            adapted,
        }
    }

    fn is_edited(edits: &Edits, source: &ClipSource, is_copied: bool) -> bool {
        ala_id(source).is_some_and(|ala| edits.alas.contains(&ala))
            || edits.adapted.contains(&source.clip.id())
            || is_edited_copy(source, &edits.clips, is_copied)
    }

    fn find(&self, clip: &ClipRef, model: &AloModel) -> Option<ClipSource> {
        let (clip, frames) = clip.split_frames();
        let animation = match clip {
            ClipRef::Name(name) => model.animation(name)?,
            ClipRef::Index(index) => model.animations.get(*index)?,
            ClipRef::Handle(clip) => {
                let source = self.source_of(clip);
                return Some(ClipSource { frames, ..source });
            }
            ClipRef::Frames(_) | ClipRef::Part { .. } => return None,
        };
        Some(ClipSource {
            clip: animation.clip.clone(),
            frames,
            file: Some(animation.ala.clone().untyped()),
        })
    }

    fn names<'m>(&self, model: &'m AloModel) -> Vec<&'m str> {
        let animations = model.animations.iter();
        animations.map(|animation| &*animation.name).collect()
    }

    fn frames<'a>(&'a self, source: &ClipSource, _: &'a AloModel) -> Option<impl Frames> {
        self.ala(source).map(|ala| FrameRate {
            count: ala.frames,
            fps: ala.fps,
        })
    }

    fn clip_for_model(
        &mut self,
        source: &ClipSource,
        model: &Arc<AloModel>,
    ) -> Option<Handle<AnimationClip>> {
        let Some(part) = &source.frames else {
            return Some(self.whole_clip_for_model(source, model));
        };
        let span = self.frames(source, model)?.span(part)?;
        let whole = self.whole_clip_for_model(source, model);
        self.shared.parts.get(&whole, span, &mut self.clips)
    }

    fn has_failed(&self, source: &ClipSource) -> bool {
        matches!(self.server.load_state(&source.clip), LoadState::Failed(_))
    }

    fn is_ready(&self, source: &ClipSource) -> bool {
        let has_names = ala_id(source).is_none_or(|ala| {
            self.alas.contains(ala) || matches!(self.server.load_state(ala), LoadState::Failed(_))
        });
        has_names && self.clips.contains(&source.clip)
    }
}
