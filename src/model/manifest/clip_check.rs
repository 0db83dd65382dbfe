//! Warnings about clips of manifests that their models do not have, whether they are played or not.

use super::classic_model::ClassicModel;
#[cfg(feature = "alamo")]
use crate::alamo::{Ala, AloInstance, Graphs, ala_of};
#[cfg(feature = "lithtech")]
use crate::lithtech::AbcInstance;
#[cfg(feature = "quake")]
use crate::quake::MdlAnimator;
use crate::scene::{ClipRef, ModelClips, NamedClip, PlayClip, StatedClip, Told};
#[cfg(feature = "alamo")]
use bevy::animation::AnimationClip;
use bevy::asset::{AssetServer, UntypedHandle};
#[cfg(feature = "alamo")]
use bevy::asset::{Assets, Handle};
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::lifecycle::Insert;
use bevy::ecs::observer::On;
use bevy::ecs::query::With;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Query, Res, ResMut, SystemParam};
use bevy::platform::collections::{HashMap, HashSet};
use bevy::world_serialization::WorldInstanceReady;
use core::any::Any;
use std::sync::{Arc, Weak};

/// What instances of a model share.
type SharedModel = Arc<dyn Any + Send + Sync>;

/// A table of clips, and the model that it was checked against.
type CheckedPair = (Weak<[NamedClip]>, Weak<dyn Any + Send + Sync>);

/// The addresses of a table of clips and of a model.
type PairKey = (usize, usize);

fn key(clips: &ModelClips, model: &SharedModel) -> PairKey {
    (
        Arc::as_ptr(&clips.0).cast::<u8>() as usize,
        Arc::as_ptr(model).cast::<u8>() as usize,
    )
}

/// What is to be checked, and what was.
#[derive(Resource, Default)]
pub(super) struct ClipChecks {
    pending: EntityHashSet,
    /// The files that pending checks wait for, which they hold until all of them are loaded or have failed.
    awaited: HashMap<PairKey, Vec<UntypedHandle>>,
    /// Tables of clips with the models that they were checked against, by their addresses.
    done: HashSet<PairKey>,
    /// Keep those addresses from being used again.
    held: Vec<CheckedPair>,
}

impl ClipChecks {
    /// Remembers that a table was checked against a model, and releases the files that this needed.
    fn set_done(&mut self, pair: PairKey, clips: &ModelClips, model: &SharedModel) {
        self.awaited.remove(&pair);
        self.done.insert(pair);
        self.held
            .push((Arc::downgrade(&clips.0), Arc::downgrade(model)));
        if self.held.len().is_power_of_two() {
            self.forget_dropped();
        }
    }

    /// Checks the clips of a root again when these files are loaded.
    fn set_awaited(&mut self, root: Entity, pair: PairKey, files: Vec<UntypedHandle>) {
        self.pending.insert(root);
        self.awaited.insert(pair, files);
    }

    fn forget_dropped(&mut self) {
        let done = &mut self.done;
        self.held.retain(|(clips, model)| {
            let is_alive = clips.strong_count() > 0 && model.strong_count() > 0;
            if !is_alive {
                let address = (
                    clips.as_ptr().cast::<u8>() as usize,
                    model.as_ptr().cast::<u8>() as usize,
                );
                done.remove(&address);
            }
            is_alive
        });
    }
}

/// The model of a root was spawned.
pub(super) fn on_model_ready(
    ready: On<WorldInstanceReady>,
    mut checks: ResMut<ClipChecks>,
    roots: Query<(), With<ModelClips>>,
) {
    if roots.contains(ready.entity) {
        checks.pending.insert(ready.entity);
    }
}

/// A root was given clips.
pub(super) fn on_clips(inserted: On<Insert, ModelClips>, mut checks: ResMut<ClipChecks>) {
    checks.pending.insert(inserted.entity);
}

/// What tells which clips a root's model has.
#[derive(SystemParam)]
pub(super) struct ClipLists<'w, 's> {
    server: Res<'w, AssetServer>,
    #[cfg(feature = "alamo")]
    alamo: Query<'w, 's, &'static AloInstance>,
    #[cfg(feature = "alamo")]
    animations: Option<Res<'w, Assets<Ala>>>,
    #[cfg(feature = "alamo")]
    graphs: Option<Res<'w, Graphs>>,
    #[cfg(feature = "lithtech")]
    lithtech: Query<'w, 's, &'static AbcInstance>,
    #[cfg(feature = "quake")]
    quake: Query<'w, 's, &'static MdlAnimator>,
    clips: Query<'w, 's, &'static ModelClips, With<ClassicModel>>,
}

/// Warns of clips of manifests that their models do not have, once for each model.
///
/// How many frames an animation has is known once its file is loaded, for which models do not wait. Until then a check
/// is repeated.
pub(super) fn check_clips(mut checks: ResMut<ClipChecks>, lists: ClipLists, mut told: Told) {
    if checks.pending.is_empty() {
        return;
    }
    for root in core::mem::take(&mut checks.pending) {
        let (Ok(clips), Some(model)) = (lists.clips.get(root), lists.model(root)) else {
            continue;
        };
        let pair = key(clips, &model);
        if checks.done.contains(&pair) {
            continue;
        }
        let awaited = checks.awaited.get(&pair);
        if awaited.is_some_and(|files| lists.is_any_loading(files)) {
            checks.pending.insert(root);
            continue;
        }
        let findings = lists.check(root, clips);
        for complaint in &findings.complaints {
            told.warn_once(root, complaint);
        }
        if lists.is_any_loading(&findings.files) {
            checks.set_awaited(root, pair, findings.files);
        } else {
            checks.set_done(pair, clips, &model);
        }
    }
    if checks.pending.is_empty() {
        // The rest is of roots that were despawned.
        checks.awaited.clear();
    }
}

/// What a check of a table of clips has found.
#[derive(Default)]
struct Findings {
    complaints: Vec<String>,
    /// The files that tell how many frames clips have.
    files: Vec<UntypedHandle>,
}

impl ClipLists<'_, '_> {
    fn is_any_loading(&self, files: &[UntypedHandle]) -> bool {
        let mut files = files.iter();
        files.any(|file| self.server.load_state(file).is_loading())
    }

    /// What instances of a root's model share.
    fn model(&self, root: Entity) -> Option<SharedModel> {
        #[cfg(feature = "alamo")]
        if let Ok(instance) = self.alamo.get(root) {
            return Some(instance.model().clone());
        }
        #[cfg(feature = "lithtech")]
        if let Ok(instance) = self.lithtech.get(root) {
            return Some(instance.model().clone());
        }
        #[cfg(feature = "quake")]
        if let Ok(animator) = self.quake.get(root) {
            return Some(animator.model().clone());
        }
        let _ = root;
        None
    }

    fn check(&self, root: Entity, clips: &ModelClips) -> Findings {
        let mut findings = Findings::default();
        for named in clips.0.iter() {
            let play = PlayClip::stated(&*named.name);
            let stated = StatedClip::new(&play, Some(clips));
            let complaint = self.complaint(root, &stated, clips, &mut findings);
            findings.complaints.extend(complaint);
        }
        findings
    }

    /// What is wrong with a clip, if anything is known to be. Adds the files that the answer depends on.
    fn complaint(
        &self,
        root: Entity,
        stated: &StatedClip,
        clips: &ModelClips,
        findings: &mut Findings,
    ) -> Option<String> {
        let (whole, part) = stated.play.clip.flat();
        let found = self.find(root, whole)?;
        if let Found::Missing(names) = &found {
            return Some(stated.missing(Some(clips), names));
        }
        let part = part?;
        let count = self.frames(found, findings)?;
        let is_empty = part.start >= count || part.is_empty();
        is_empty.then(|| stated.empty(Some(count)))
    }

    /// How many frames a clip has, if that is known. Adds the files that the answer depends on.
    #[cfg_attr(
        not(feature = "alamo"),
        expect(unused_variables, reason = "no other format has clips that are files")
    )]
    fn frames(&self, found: Found<'_>, findings: &mut Findings) -> Option<u32> {
        match found {
            Found::Missing(_) => None,
            Found::Frames(count) => count,
            #[cfg(feature = "alamo")]
            Found::Animation(ala) => self.frames_of_file(ala, findings),
            #[cfg(feature = "alamo")]
            Found::Clip(clip) => {
                let ala = self.animation_of(&clip);
                findings.files.push(clip.untyped());
                self.frames_of_file(ala?, findings)
            }
        }
    }

    #[cfg(feature = "alamo")]
    fn frames_of_file(&self, ala: Handle<Ala>, findings: &mut Findings) -> Option<u32> {
        let loaded = self.animations.as_ref()?.get(&ala);
        let count = loaded.map(|loaded| loaded.frames);
        findings.files.push(ala.untyped());
        count
    }

    /// The animation of a clip, once the clip is loaded. Before that a broken file would be read, and logged, twice.
    #[cfg(feature = "alamo")]
    fn animation_of(&self, clip: &Handle<AnimationClip>) -> Option<Handle<Ala>> {
        let graphs = self.graphs.as_ref()?;
        let is_loaded = self.server.is_loaded(clip);
        is_loaded
            .then(|| ala_of(&self.server, graphs, clip))
            .flatten()
    }

    /// A clip of a root's model, which is no part; `None` if it is not of the model.
    fn find(&self, root: Entity, clip: &ClipRef) -> Option<Found<'_>> {
        #[cfg(feature = "alamo")]
        if let Ok(instance) = self.alamo.get(root) {
            let model = instance.model();
            let animation = match clip {
                ClipRef::Handle(clip) => return Some(Found::Clip(clip.clone())),
                ClipRef::Name(name) => model.animation(name),
                ClipRef::Index(index) => model.animations.get(*index),
                _ => None,
            };
            let names = || model.animations.iter().map(|animation| &*animation.name);
            return Some(match animation {
                Some(animation) => Found::Animation(animation.ala.clone()),
                None => Found::Missing(names().collect()),
            });
        }
        #[cfg(any(feature = "alamo", feature = "lithtech"))]
        if matches!(clip, ClipRef::Handle(_)) {
            return None;
        }
        #[cfg(feature = "lithtech")]
        if let Ok(instance) = self.lithtech.get(root) {
            let model = instance.model();
            let animation = match clip {
                ClipRef::Name(name) => model.animation(name),
                ClipRef::Index(index) => model.animations.get(*index),
                _ => None,
            };
            let names = || model.animations.iter().map(|animation| &*animation.name);
            let Some(animation) = animation else {
                return Some(Found::Missing(names().collect()));
            };
            let count = u32::try_from(animation.keyframes.len());
            return Some(Found::Frames(count.ok()));
        }
        #[cfg(feature = "quake")]
        if let Ok(animator) = self.quake.get(root) {
            let model = animator.model();
            let names = || model.clips.iter().map(|clip| &*clip.name);
            return Some(match model.sequence(clip) {
                Some(sequence) => Found::Frames(Some(sequence.pose_count)),
                None => Found::Missing(names().collect()),
            });
        }
        let _ = (root, clip);
        None
    }
}

/// What a model has of a clip.
enum Found<'a> {
    /// None. These are the names of those that it has.
    #[cfg_attr(
        not(any(feature = "alamo", feature = "lithtech", feature = "quake")),
        expect(dead_code, reason = "no other format has clips")
    )]
    Missing(Vec<&'a str>),
    /// This number of frames, if it is known.
    #[cfg_attr(
        not(any(feature = "lithtech", feature = "quake")),
        expect(dead_code, reason = "no other format has the frames in the model")
    )]
    Frames(Option<u32>),
    /// The frames of an animation's file.
    #[cfg(feature = "alamo")]
    Animation(Handle<Ala>),
    /// The frames of the file that has this clip.
    #[cfg(feature = "alamo")]
    Clip(Handle<AnimationClip>),
}
