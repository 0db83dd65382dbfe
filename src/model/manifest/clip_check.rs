//! Warns about clips in manifests that their models do not have, even if the clips are not played.

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

/// The state of the checks of named clips.
#[derive(Resource, Default)]
pub(super) struct ClipChecks {
    /// Roots whose clips must be checked.
    pending: EntityHashSet,
    /// The files that pending checks wait for. The handles are kept until all files are loaded or have failed.
    awaited: HashMap<PairKey, Vec<UntypedHandle>>,
    /// The checked pairs of clip tables and models.
    done: HashSet<PairKey>,
    /// Weak pointers that keep the addresses in `done` from being reused.
    held: Vec<CheckedPair>,
}

impl ClipChecks {
    /// Marks a pair as checked and releases the files that the check needed.
    fn set_done(&mut self, pair: PairKey, clips: &ModelClips, model: &Arc<dyn SharedModel>) {
        self.awaited.remove(&pair);
        self.done.insert(pair);
        self.held
            .push((Arc::downgrade(&clips.0), Arc::downgrade(model)));
        if self.held.len().is_power_of_two() {
            self.remove_dropped();
        }
    }

    /// Schedules another check of a root's clips for when these files are loaded.
    fn set_awaited(&mut self, root: Entity, pair: PairKey, files: Vec<UntypedHandle>) {
        self.pending.insert(root);
        self.awaited.insert(pair, files);
    }

    fn remove_dropped(&mut self) {
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

/// Schedules a check when a model is spawned.
pub(super) fn on_model_ready(
    ready: On<WorldInstanceReady>,
    mut checks: ResMut<ClipChecks>,
    roots: Query<(), With<ModelClips>>,
) {
    if roots.contains(ready.entity) {
        checks.pending.insert(ready.entity);
    }
}

/// Schedules a check when clips are set on a root.
pub(super) fn on_clips(inserted: On<Insert, ModelClips>, mut checks: ResMut<ClipChecks>) {
    checks.pending.insert(inserted.entity);
}

/// Warns about clips in manifests that their models do not have, once per model.
///
/// A check is repeated until the animation files are loaded, because only these have the frame counts, and models are
/// spawned before.
pub(super) fn check_clips(mut commands: Commands, checks: Res<ClipChecks>) {
    if !checks.pending.is_empty() {
        commands.queue(check_pending);
    }
}

fn check_pending(world: &mut World) {
    let mut problems = Vec::new();
    world.resource_scope(|world, mut checks: Mut<ClipChecks>| {
        for root in core::mem::take(&mut checks.pending) {
            let found = checks.check(world, root);
            problems.extend(found.into_iter().map(|problem| (root, problem)));
        }
        if checks.pending.is_empty() {
            // The remaining entries belong to despawned roots.
            checks.awaited.clear();
        }
    });
    if problems.is_empty() {
        return;
    }
    let mut warnings = SystemState::<ModelWarnings>::new(world);
    if let Ok(mut warnings) = warnings.get_mut(world) {
        for (root, problem) in problems {
            warnings.warn_once(root, &problem);
        }
    }
}

impl ClipChecks {
    /// Checks the clips of a root, unless that was done before or the files are still loading. Returns the warnings.
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
        let result = CheckResult::of(world, &**model, clips);
        if is_any_loading(world, &result.files) {
            self.set_awaited(root, pair, result.files);
        } else {
            self.set_done(pair, clips, model);
        }
        result.problems
    }
}

fn is_any_loading(world: &World, files: &[UntypedHandle]) -> bool {
    let server = world.resource::<AssetServer>();
    files
        .iter()
        .any(|file| server.load_state(file).is_loading())
}

/// The result of a check of a clip table.
#[derive(Default)]
struct CheckResult {
    problems: Vec<String>,
    /// The animation files that have the frame counts of the clips.
    files: Vec<UntypedHandle>,
}

impl CheckResult {
    fn of(world: &World, model: &dyn SharedModel, clips: &ModelClips) -> Self {
        let mut result = Self::default();
        for named in clips.0.iter() {
            let play = PlayClip::from_manifest(&*named.name);
            let resolved = ResolvedPlay::new(&play, Some(clips));
            let problem = result.problem(world, model, &resolved, clips);
            result.problems.extend(problem);
        }
        result
    }

    /// The problem with a clip, if one is found. Adds the files that the result depends on.
    fn problem(
        &mut self,
        world: &World,
        model: &dyn SharedModel,
        resolved: &ResolvedPlay,
        clips: &ModelClips,
    ) -> Option<String> {
        let (whole, part) = resolved.play.clip.split_frames();
        let count_frames = match model.find_clip(whole)? {
            Ok(count_frames) => count_frames,
            Err(names) => return Some(resolved.missing_clip_warning(Some(clips), &names)),
        };
        let part = part?;
        let count = count_frames(world, &mut self.files)?;
        let is_empty = part.start >= count || part.is_empty();
        is_empty.then(|| resolved.empty_part_warning(Some(count)))
    }
}
