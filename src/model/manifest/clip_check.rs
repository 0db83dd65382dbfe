//! Warnings about clips of manifests that their models do not have, whether they are played or not.

use super::classic_model::ClassicModel;
use crate::scene::{
    ModelClips, ModelInstance, ModelWarnings, NamedClip, PlayClip, ResolvedPlay, SharedModel,
};
use bevy::asset::{AssetServer, UntypedHandle};
use bevy::ecs::change_detection::Mut;
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::lifecycle::Insert;
use bevy::ecs::observer::On;
use bevy::ecs::query::With;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Commands, Query, Res, ResMut, SystemState};
use bevy::ecs::world::World;
use bevy::platform::collections::{HashMap, HashSet};
use bevy::world_serialization::WorldInstanceReady;
use std::sync::{Arc, Weak};

/// A table of clips, and the model that it was checked against.
type CheckedPair = (Weak<[NamedClip]>, Weak<dyn SharedModel>);

/// The addresses of a table of clips and of a model.
type PairKey = (usize, usize);

fn key(clips: &ModelClips, model: &Arc<dyn SharedModel>) -> PairKey {
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
    fn set_done(&mut self, pair: PairKey, clips: &ModelClips, model: &Arc<dyn SharedModel>) {
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

/// Warns of clips of manifests that their models do not have, once for each model.
///
/// How many frames an animation has is known once its file is loaded, for which models do not wait. Until then a check
/// is repeated.
pub(super) fn check_clips(mut commands: Commands, checks: Res<ClipChecks>) {
    if !checks.pending.is_empty() {
        commands.queue(check_pending);
    }
}

fn check_pending(world: &mut World) {
    let mut complaints = Vec::new();
    world.resource_scope(|world, mut checks: Mut<ClipChecks>| {
        for root in core::mem::take(&mut checks.pending) {
            let found = checks.check(world, root);
            complaints.extend(found.into_iter().map(|complaint| (root, complaint)));
        }
        if checks.pending.is_empty() {
            // The rest is of roots that were despawned.
            checks.awaited.clear();
        }
    });
    if complaints.is_empty() {
        return;
    }
    let mut told = SystemState::<ModelWarnings>::new(world);
    if let Ok(mut told) = told.get_mut(world) {
        for (root, complaint) in complaints {
            told.warn_once(root, &complaint);
        }
    }
}

impl ClipChecks {
    /// Checks the clips of a root, unless that has been done or has to wait for files. Returns what is wrong.
    fn check(&mut self, world: &World, root: Entity) -> Vec<String> {
        let clips = world.get::<ModelClips>(root);
        let clips = clips.filter(|_| world.get::<ClassicModel>(root).is_some());
        let (Some(clips), Some(instance)) = (clips, world.get::<ModelInstance>(root)) else {
            return Vec::new();
        };
        let model = instance.model();
        let pair = key(clips, model);
        if self.done.contains(&pair) {
            return Vec::new();
        }
        let awaited = self.awaited.get(&pair);
        if awaited.is_some_and(|files| is_any_loading(world, files)) {
            self.pending.insert(root);
            return Vec::new();
        }
        let findings = Findings::of(world, &**model, clips);
        if is_any_loading(world, &findings.files) {
            self.set_awaited(root, pair, findings.files);
        } else {
            self.set_done(pair, clips, model);
        }
        findings.complaints
    }
}

fn is_any_loading(world: &World, files: &[UntypedHandle]) -> bool {
    let server = world.resource::<AssetServer>();
    files
        .iter()
        .any(|file| server.load_state(file).is_loading())
}

/// What a check of a table of clips has found.
#[derive(Default)]
struct Findings {
    complaints: Vec<String>,
    /// The files that tell how many frames clips have.
    files: Vec<UntypedHandle>,
}

impl Findings {
    fn of(world: &World, model: &dyn SharedModel, clips: &ModelClips) -> Self {
        let mut findings = Self::default();
        for named in clips.0.iter() {
            let play = PlayClip::from_manifest(&*named.name);
            let stated = ResolvedPlay::new(&play, Some(clips));
            let complaint = findings.complaint(world, model, &stated, clips);
            findings.complaints.extend(complaint);
        }
        findings
    }

    /// What is wrong with a clip, if anything is known to be. Adds the files that the answer depends on.
    fn complaint(
        &mut self,
        world: &World,
        model: &dyn SharedModel,
        stated: &ResolvedPlay,
        clips: &ModelClips,
    ) -> Option<String> {
        let (whole, part) = stated.play.clip.flat();
        let count_frames = match model.find_clip(whole)? {
            Ok(count_frames) => count_frames,
            Err(names) => return Some(stated.missing(Some(clips), &names)),
        };
        let part = part?;
        let count = count_frames(world, &mut self.files)?;
        let is_empty = part.start >= count || part.is_empty();
        is_empty.then(|| stated.empty(Some(count)))
    }
}
