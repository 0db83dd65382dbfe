//! [`Clips`]: finds the clips of a format's models, binds them to the models, and shares the bound clips.

use crate::load::names::same_name;
use crate::load::warnings::WarningLog;
use crate::load::weak_cache::{Address, WeakCache};
use crate::playback::skeletal::pose_source::BoundClip;
use crate::playback::skeletal::rig::{ClipInfo, ClipSource, Rig, RigClip};
use crate::root::play::{ClipRef, ModelClips, ResolvedPlay};
use bevy::asset::{LoadState, UntypedAssetId};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use core::marker::PhantomData;
use std::sync::Arc;

/// A clip that poses the bones of a model.
#[derive(PartialEq, Eq, Hash)]
struct BoundKey {
    model: Address,
    clip: AssetId<AnimationClip>,
    /// The asset that describes the clip.
    file: Option<UntypedAssetId>,
}

/// The warning that a clip does not fit a model.
struct MismatchWarning {
    /// The asset that describes the clip.
    file: Option<UntypedAssetId>,
    /// That of the clip.
    path: String,
    message: String,
}

/// What models that play the same clips share.
#[derive(Resource)]
pub(crate) struct SharedClips<F: Rig> {
    /// The extensions of files with one clip.
    pub(crate) extensions: Vec<String>,
    bound: WeakCache<BoundKey, BoundClip>,
    /// Warnings that are not logged yet.
    warnings: Vec<MismatchWarning>,
    format: PhantomData<fn() -> F>,
}

impl<F: Rig> SharedClips<F> {
    /// `extensions` are those of files with one clip.
    pub(crate) fn new(extensions: Vec<String>) -> Self {
        Self {
            extensions,
            bound: WeakCache::default(),
            warnings: Vec::new(),
            format: PhantomData,
        }
    }
}

/// Finds the clips of a format's models, and makes what plays them.
#[derive(SystemParam)]
pub(crate) struct Clips<'w, 's, F: Rig> {
    loaded: Res<'w, Assets<AnimationClip>>,
    files: Res<'w, Assets<<F as Rig>::ClipFile>>,
    server: Res<'w, AssetServer>,
    shared: ResMut<'w, SharedClips<F>>,
    clip_events: MessageReader<'w, 's, AssetEvent<AnimationClip>>,
    file_events: MessageReader<'w, 's, AssetEvent<<F as Rig>::ClipFile>>,
}

/// The assets that were edited since the last frame.
pub(crate) struct Edits<F: Rig> {
    clips: Vec<AssetId<AnimationClip>>,
    files: Vec<AssetId<F::ClipFile>>,
}

impl<F: Rig> Edits<F> {
    /// Whether a clip that plays was edited, so that it must be adapted again.
    pub(crate) fn contain(&self, source: &ClipSource) -> bool {
        self.contain_asset(source.clip.id(), source.file_id())
    }

    fn contain_asset(
        &self,
        clip: AssetId<AnimationClip>,
        file: Option<AssetId<F::ClipFile>>,
    ) -> bool {
        self.clips.contains(&clip) || file.is_some_and(|file| self.files.contains(&file))
    }
}

/// The assets that were edited since the last call.
pub(crate) fn edited<A: Asset>(events: &mut MessageReader<AssetEvent<A>>) -> Vec<AssetId<A>> {
    let edited = events.read().filter_map(|event| match event {
        AssetEvent::Modified { id } => Some(*id),
        _ => None,
    });
    edited.collect()
}

impl<F: Rig> Clips<'_, '_, F> {
    /// Forgets what was made of clips if any was edited since the last call, and returns the edits.
    pub(crate) fn take_edits(&mut self) -> Edits<F> {
        let edits = Edits {
            clips: edited(&mut self.clip_events),
            files: edited(&mut self.file_events),
        };
        if !edits.clips.is_empty() || !edits.files.is_empty() {
            self.shared.bound.retain(|key| {
                let file = key.file.map(UntypedAssetId::typed_debug_checked);
                !edits.contain_asset(key.clip, file)
            });
        }
        edits
    }

    /// The source of a clip, if the model has the clip. Names of [`ModelClips`](crate::root::ModelClips) are resolved
    /// before.
    pub(crate) fn find(&self, clip: &ClipRef, model: &F::Model) -> Option<ClipSource> {
        let (clip, frames) = clip.split_frames();
        let found = match clip {
            ClipRef::Name(name) => F::clips(model).find(|clip| same_name(clip.name, name))?,
            ClipRef::Index(index) => F::clips(model).nth(*index)?,
            ClipRef::Handle(clip) => RigClip {
                name: "",
                clip,
                file: F::file_of(clip, &self.server, &self.shared.extensions).map(Handle::untyped),
            },
            ClipRef::Frames(_) | ClipRef::Part { .. } => return None,
        };
        Some(ClipSource {
            frames,
            ..ClipSource::from(found)
        })
    }

    /// Like [`find`](Self::find), for a request. Adds a warning if the model does not have the clip. `named` are the clips that
    /// the root names itself.
    pub(crate) fn find_requested(
        &self,
        requested: &ResolvedPlay,
        named: Option<&ModelClips>,
        model: &F::Model,
        warnings: &mut Vec<String>,
    ) -> Option<ClipSource> {
        let source = self.find(&requested.play.clip, model);
        if source.is_none() {
            let names: Vec<_> = F::clips(model).map(|clip| clip.name).collect();
            warnings.push(requested.missing_clip_warning(named, &names));
        }
        source
    }

    /// The frames and events of a whole clip, if they are loaded.
    pub(crate) fn info<'a>(
        &'a self,
        source: &ClipSource,
        model: &'a F::Model,
    ) -> Option<ClipInfo<'a>> {
        F::clip_info(source, Some(model), &self.files)
    }

    /// Whether all assets that playback needs are loaded.
    pub(crate) fn is_ready(&self, source: &ClipSource) -> bool {
        let has_file = source.file_id::<F::ClipFile>().is_none_or(|file| {
            self.files.contains(file)
                || matches!(self.server.load_state(file), LoadState::Failed(_))
        });
        has_file && self.loaded.contains(&source.clip)
    }

    /// Whether loading a clip has failed. It may still be loaded later.
    pub(crate) fn has_failed(&self, source: &ClipSource) -> bool {
        matches!(self.server.load_state(&source.clip), LoadState::Failed(_))
    }

    /// The clip as it poses the bones of a model, and the seconds of the part that the source selects. `None` if that part has
    /// no frames, or the clip is not loaded.
    pub(crate) fn for_model(
        &mut self,
        source: &ClipSource,
        model: &Arc<F::Model>,
    ) -> Option<(Arc<BoundClip>, f32)> {
        let seconds = match &source.frames {
            Some(part) => self.info(source, model)?.frames.span(part)?.length,
            None => self.loaded.get(&source.clip)?.duration(),
        };
        let key = BoundKey {
            model: Address::of(model),
            clip: source.clip.id(),
            file: source.file.as_ref().map(UntypedHandle::id),
        };
        if let Some(known) = self.shared.bound.get(&key) {
            return Some((known, seconds));
        }
        let data = F::clip_data(source, model, &self.files, &self.loaded)?;
        let bound = Arc::new(BoundClip::new(data, F::bones(model).len()));
        if let Some(message) = F::mismatch(source, model, &self.files) {
            let path = source.clip.path().map(ToString::to_string);
            self.shared.warnings.push(MismatchWarning {
                file: key.file,
                path: path.unwrap_or_default(),
                message,
            });
        }
        self.shared.bound.insert(key, &bound);
        Some((bound, seconds))
    }
}

/// Logs the warnings about clips that do not fit models, each once per file. A file that is loaded several times, as Bevy
/// does if both a file and its clip are requested, causes the same warnings several times.
pub(crate) fn log_mismatches<F: Rig>(
    mut shared: ResMut<SharedClips<F>>,
    mut log: ResMut<WarningLog>,
) {
    for warning in shared.bypass_change_detection().warnings.drain(..) {
        log.warn_once(warning.file, &warning.path, &warning.message);
    }
}
