//! Warns about clips and events in manifests that refer to clips or frames that their models do not have, even if the
//! clips are not played.

use crate::load::warnings::ModelWarnings;
use crate::manifest::classic_model::ClassicModel;
use crate::root::clips::{ModelClips, NamedClip};
use crate::root::events::{ClipEvent, ModelEvents};
use crate::root::play::{PlayClip, ResolvedPlay};
use crate::spawn::instance::{ModelInstance, SharedModel};
use bevy::asset::{AssetServer, UntypedHandle};
use bevy::ecs::change_detection::Mut;
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::lifecycle::Insert;
use bevy::ecs::observer::On;
use bevy::ecs::query::{Or, With};
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Commands, Query, Res, ResMut, SystemState};
use bevy::ecs::world::World;
use bevy::platform::collections::{HashMap, HashSet};
use bevy::world_serialization::WorldInstanceReady;
use std::sync::{Arc, Weak};

/// The clips and events of a root, and its model.
#[derive(Clone)]
struct Subject {
    clips: Option<ModelClips>,
    events: Option<ModelEvents>,
    model: Arc<dyn SharedModel>,
}

/// The addresses of clips, events and a model. 0 stands for none.
type SubjectKey = [usize; 3];

/// Weak pointers that keep the addresses of a [`SubjectKey`] from being reused.
struct WeakSubject {
    clips: Option<Weak<[NamedClip]>>,
    events: Option<Weak<[ClipEvent]>>,
    model: Weak<dyn SharedModel>,
}

impl Subject {
    /// The subject of a root that is spawned by a manifest and has clips or events.
    fn of(world: &World, root: Entity) -> Option<Self> {
        let root = world.get_entity(root).ok()?;
        root.get::<ClassicModel>()?;
        let subject = Self {
            clips: root.get().cloned(),
            events: root.get().cloned(),
            model: root.get::<ModelInstance>()?.model().clone(),
        };
        (subject.clips.is_some() || subject.events.is_some()).then_some(subject)
    }

    fn key(&self) -> SubjectKey {
        self.downgrade().key()
    }

    fn downgrade(&self) -> WeakSubject {
        WeakSubject {
            clips: self.clips.as_ref().map(|clips| Arc::downgrade(&clips.0)),
            events: self.events.as_ref().map(|events| Arc::downgrade(&events.0)),
            model: Arc::downgrade(&self.model),
        }
    }
}

impl WeakSubject {
    fn key(&self) -> SubjectKey {
        fn address<T: ?Sized>(pointer: &Weak<T>) -> usize {
            pointer.as_ptr().cast::<u8>() as usize
        }
        [
            self.clips.as_ref().map_or(0, address),
            self.events.as_ref().map_or(0, address),
            address(&self.model),
        ]
    }

    fn is_alive(&self) -> bool {
        fn is_alive<T: ?Sized>(pointer: &Weak<T>) -> bool {
            pointer.strong_count() > 0
        }
        self.clips.as_ref().is_none_or(is_alive)
            && self.events.as_ref().is_none_or(is_alive)
            && is_alive(&self.model)
    }
}

/// The state of the checks of named clips.
#[derive(Resource, Default)]
pub(crate) struct ClipChecks {
    /// Roots whose clips and events must be checked.
    pending: EntityHashSet,
    /// The files that pending checks wait for. The handles are kept until all files are loaded or have failed.
    awaited: HashMap<SubjectKey, Vec<UntypedHandle>>,
    /// The checked subjects.
    done: HashSet<SubjectKey>,
    /// Weak pointers to the subjects in `done`.
    held: Vec<WeakSubject>,
}

impl ClipChecks {
    /// Marks a subject as checked and releases the files that the check needed.
    fn set_done(&mut self, subject: &Subject) {
        let held = subject.downgrade();
        self.awaited.remove(&held.key());
        self.done.insert(held.key());
        self.held.push(held);
        if self.held.len().is_power_of_two() {
            self.remove_dropped();
        }
    }

    /// Schedules another check of a root for when these files are loaded.
    fn set_awaited(&mut self, root: Entity, subject: SubjectKey, files: Vec<UntypedHandle>) {
        self.pending.insert(root);
        self.awaited.insert(subject, files);
    }

    fn remove_dropped(&mut self) {
        let done = &mut self.done;
        self.held.retain(|subject| {
            let is_alive = subject.is_alive();
            if !is_alive {
                done.remove(&subject.key());
            }
            is_alive
        });
    }
}

/// A root that has something to check.
type HasClipsOrEvents = Or<(With<ModelClips>, With<ModelEvents>)>;

/// Schedules a check when a model is spawned.
pub(crate) fn on_model_ready(
    ready: On<WorldInstanceReady>,
    mut checks: ResMut<ClipChecks>,
    roots: Query<(), HasClipsOrEvents>,
) {
    if roots.contains(ready.entity) {
        checks.pending.insert(ready.entity);
    }
}

/// Schedules a check when clips are set on a root.
pub(crate) fn on_clips(inserted: On<Insert, ModelClips>, mut checks: ResMut<ClipChecks>) {
    checks.pending.insert(inserted.entity);
}

/// Schedules a check when events are set on a root.
pub(crate) fn on_events(inserted: On<Insert, ModelEvents>, mut checks: ResMut<ClipChecks>) {
    checks.pending.insert(inserted.entity);
}

/// Warns about clips and frames in manifests that their models do not have, once per model.
///
/// A check is repeated until the animation files are loaded, because only these have the frame counts, and models are
/// spawned before.
pub(crate) fn check_clips(mut commands: Commands, checks: Res<ClipChecks>) {
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
    /// Checks the clips and events of a root, unless that was done before or the files are still loading. Returns the
    /// warnings.
    fn check(&mut self, world: &World, root: Entity) -> Vec<String> {
        let Some(subject) = Subject::of(world, root) else {
            return Vec::new();
        };
        let key = subject.key();
        if self.done.contains(&key) {
            return Vec::new();
        }
        let awaited = self.awaited.get(&key);
        if awaited.is_some_and(|files| is_any_loading(world, files)) {
            self.pending.insert(root);
            return Vec::new();
        }
        let result = CheckResult::of(world, &subject);
        if is_any_loading(world, &result.files) {
            self.set_awaited(root, key, result.files);
        } else {
            self.set_done(&subject);
        }
        let problems = result.problems.into_iter();
        problems.map(|(_, problem)| problem).collect()
    }
}

/// The problems of the clips and events of a root with a manifest.
///
/// # Errors
/// The files that must be loaded first. Keep the handles.
pub(crate) fn clip_problems(
    world: &World,
    root: Entity,
) -> Result<Vec<(CheckedValue, String)>, Vec<UntypedHandle>> {
    let Some(subject) = Subject::of(world, root) else {
        return Ok(Vec::new());
    };
    let result = CheckResult::of(world, &subject);
    if is_any_loading(world, &result.files) {
        Err(result.files)
    } else {
        Ok(result.problems)
    }
}

fn is_any_loading(world: &World, files: &[UntypedHandle]) -> bool {
    let server = world.resource::<AssetServer>();
    files
        .iter()
        .any(|file| server.load_state(file).is_loading())
}

/// A value that was checked.
pub(crate) enum CheckedValue {
    /// An index in [`ModelClips`].
    Clip(usize),
    /// An index in [`ModelEvents`].
    Event(usize),
}

/// The result of a check.
#[derive(Default)]
struct CheckResult {
    problems: Vec<(CheckedValue, String)>,
    /// The animation files that have the frame counts of the clips.
    files: Vec<UntypedHandle>,
}

impl CheckResult {
    fn of(world: &World, subject: &Subject) -> Self {
        let mut result = Self::default();
        let model = &*subject.model;
        let clips = subject.clips.as_ref();
        let named = clips.iter().flat_map(|clips| clips.0.iter());
        for (index, named) in named.enumerate() {
            let play = PlayClip::from_manifest(&*named.name);
            let resolved = ResolvedPlay::new(&play, clips);
            let problem = result.problem(world, model, &resolved, clips);
            let problem = problem.map(|problem| (CheckedValue::Clip(index), problem));
            result.problems.extend(problem);
        }
        let events = subject.events.as_ref();
        let events = events.iter().flat_map(|events| events.0.iter());
        for (index, event) in events.enumerate() {
            let problem = result.event_problem(world, model, event, clips);
            let problem = problem.map(|problem| (CheckedValue::Event(index), problem));
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
        clips: Option<&ModelClips>,
    ) -> Option<String> {
        let (whole, part) = resolved.play.clip.split_frames();
        let count_frames = match model.find_clip(whole)? {
            Ok(count_frames) => count_frames,
            Err(names) => return Some(resolved.missing_clip_warning(clips, &names)),
        };
        let part = part?;
        let count = count_frames(world, &mut self.files)?;
        let is_empty = part.start >= count || part.is_empty();
        is_empty.then(|| resolved.empty_part_warning(Some(count)))
    }

    /// The problem with an event, if one is found. Adds the files that the result depends on.
    fn event_problem(
        &mut self,
        world: &World,
        model: &dyn SharedModel,
        event: &ClipEvent,
        clips: Option<&ModelClips>,
    ) -> Option<String> {
        let play = PlayClip::from_manifest(event.clip.clone());
        let resolved = ResolvedPlay::new(&play, clips);
        let (whole, part) = resolved.play.clip.split_frames();
        let count_frames = match model.find_clip(whole)? {
            Ok(count_frames) => count_frames,
            Err(names) => {
                let missing = resolved.missing_clip_warning(clips, &names);
                return Some(format!(
                    "{missing}; it is the clip of the event {:?}",
                    event.name
                ));
            }
        };
        let count = count_frames(world, &mut self.files)?;
        let count = match part {
            Some(part) => part.end.min(count).saturating_sub(part.start),
            None => count,
        };
        // A part without frames has a warning of its own.
        let is_beyond = count > 0 && event.frame >= count;
        is_beyond.then(|| {
            format!(
                "has no frame {} in clip {} for the event {:?}; its last frame is {}",
                event.frame,
                event.clip,
                event.name,
                count - 1
            )
        })
    }
}
