//! Warns about clips and events in manifests that refer to clips or frames that their models do not have, even if the
//! clips are not played.

use crate::load::warnings::ModelWarnings;
use crate::manifest::classic_model::ClassicModel;
use crate::manifest::values::NameOrIndex;
use crate::query::models::ModelQuery;
use crate::root::events::{ClipEvent, ModelEvents};
use crate::root::play::{ModelClips, PlayClip, ResolvedPlay};
use crate::spawn::format::FoundClip;
use crate::spawn::instance::{ModelInstance, SharedModel};
use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::system::SystemState;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use core::ops::Range;
use std::sync::Arc;

/// The roots whose clips and events must be checked, each with the files that the check waits for.
#[derive(Resource, Default)]
pub(crate) struct ClipChecks(EntityHashMap<Files>);

/// Animation files. The handles are kept until all are loaded or have failed.
type Files = Arc<[UntypedHandle]>;

impl ClipChecks {
    fn add(&mut self, root: Entity) {
        self.0.entry(root).or_default();
    }
}

/// A root that has something to check.
type HasClipsOrEvents = Or<(With<ModelClips>, With<ModelEvents>)>;

/// Schedules a check when a model is spawned.
pub(crate) fn on_model_spawned(
    spawned: On<Insert, ModelInstance>,
    mut checks: ResMut<ClipChecks>,
    roots: Query<(), HasClipsOrEvents>,
) {
    if roots.contains(spawned.entity) {
        checks.add(spawned.entity);
    }
}

/// Schedules a check when clips are set on a root.
pub(crate) fn on_clips(inserted: On<Insert, ModelClips>, mut checks: ResMut<ClipChecks>) {
    checks.add(inserted.entity);
}

/// Schedules a check when events are set on a root.
pub(crate) fn on_events(inserted: On<Insert, ModelEvents>, mut checks: ResMut<ClipChecks>) {
    checks.add(inserted.entity);
}

/// Warns about clips and frames in manifests that their models do not have, once per model.
///
/// A check is repeated until the animation files are loaded, because only these have the frame counts, and models are
/// spawned before.
pub(crate) fn check_clips(mut commands: Commands, checks: Res<ClipChecks>) {
    if !checks.0.is_empty() {
        commands.queue(check_pending);
    }
}

fn check_pending(world: &mut World) {
    let pending = core::mem::take(&mut world.resource_mut::<ClipChecks>().0);
    let mut state = SystemState::<ModelQuery>::new(world);
    let Ok(models) = state.get(world) else {
        return;
    };
    let mut waiting = EntityHashMap::default();
    let mut problems = Vec::new();
    // Roots of one manifest need one check. `None` once it is done.
    let mut awaited = HashMap::<[usize; 3], Option<Files>>::new();
    for (root, files) in pending {
        let Some(subject) = Subject::of(world, root) else {
            continue;
        };
        let awaited = awaited.entry(subject.key()).or_insert_with(|| {
            if is_any_loading(world, &files) {
                return Some(files);
            }
            let result = CheckResult::of(&models, &subject);
            problems.extend(result.problems.into_iter().map(|(_, text)| (root, text)));
            is_any_loading(world, &result.files).then(|| result.files.into())
        });
        if let Some(files) = awaited {
            waiting.insert(root, files.clone());
        }
    }
    if !waiting.is_empty() {
        world.resource_mut::<ClipChecks>().0.extend(waiting);
    }
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

/// The clips and events of a root, and its model.
struct Subject<'w> {
    clips: Option<&'w ModelClips>,
    events: Option<&'w ModelEvents>,
    root: Entity,
    model: &'w Arc<SharedModel>,
}

impl<'w> Subject<'w> {
    /// The subject of a root that is spawned by a manifest and has clips or events.
    fn of(world: &'w World, root: Entity) -> Option<Self> {
        let entity = world.get_entity(root).ok()?;
        entity.get::<ClassicModel>()?;
        let subject = Self {
            clips: entity.get(),
            events: entity.get(),
            root,
            model: entity.get::<ModelInstance>()?.model(),
        };
        (subject.clips.is_some() || subject.events.is_some()).then_some(subject)
    }

    /// The addresses of the clips, the events and the model. 0 stands for none.
    fn key(&self) -> [usize; 3] {
        fn address<T: ?Sized>(pointer: &Arc<T>) -> usize {
            Arc::as_ptr(pointer).cast::<u8>() as usize
        }
        [
            self.clips.map_or(0, |clips| address(&clips.0)),
            self.events.map_or(0, |events| address(&events.0)),
            address(self.model),
        ]
    }
}

/// The problems of the clips and events of a root with a manifest.
///
/// # Errors
/// The files that must be loaded first. Keep the handles.
pub(crate) fn clip_problems(
    world: &mut World,
    root: Entity,
) -> Result<Vec<(CheckedValue, String)>, Vec<UntypedHandle>> {
    let mut state = SystemState::<ModelQuery>::new(world);
    let (Ok(models), Some(subject)) = (state.get(world), Subject::of(world, root)) else {
        return Ok(Vec::new());
    };
    let result = CheckResult::of(&models, &subject);
    if is_any_loading(world, &result.files) {
        Err(result.files)
    } else {
        Ok(result.problems)
    }
}

/// The warning if the model of a root does not have a clip. It follows the model's path.
pub(crate) fn missing_clip(world: &mut World, root: Entity, clip: &NameOrIndex) -> Option<String> {
    let mut state = SystemState::<ModelQuery>::new(world);
    let models = state.get(world).ok()?;
    let clips = world.get::<ModelClips>(root);
    let resolved = ResolvedPlay::new(&PlayClip::from_manifest(clip.clone()), clips);
    let (whole, _) = resolved.play.clip.split_frames();
    let is_missing = matches!(models.find_clip(root, whole), FoundClip::Missing);
    is_missing.then(|| missing_warning(&models, root, &resolved, clips))
}

/// The warning for a model that does not have a clip.
fn missing_warning(
    models: &ModelQuery,
    root: Entity,
    clip: &ResolvedPlay,
    named: Option<&ModelClips>,
) -> String {
    let own = models.clips(root);
    let own: Vec<&str> = own.iter().map(|clip| &*clip.name).collect();
    clip.missing_clip_warning(named, &own)
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
    fn of(models: &ModelQuery, subject: &Subject<'_>) -> Self {
        let mut result = Self::default();
        let named = subject.clips.into_iter().flat_map(|clips| clips.0.iter());
        for (index, named) in named.enumerate() {
            let play = PlayClip::from_manifest(&*named.name);
            let resolved = ResolvedPlay::new(&play, subject.clips);
            let problem = match result.find(models, subject, &resolved) {
                Ok((part, count)) => part.zip(count).and_then(|(part, count)| {
                    if part.start >= count || part.is_empty() {
                        return Some(resolved.empty_part_warning(Some(count)));
                    }
                    let is_beyond = part.end > count;
                    is_beyond.then(|| resolved.missing_frames_warning(&part, count))
                }),
                Err(missing) => Some(missing),
            };
            let problem = problem.map(|problem| (CheckedValue::Clip(index), problem));
            result.problems.extend(problem);
        }
        let events = subject.events.into_iter();
        for (index, event) in events.flat_map(|events| events.0.iter()).enumerate() {
            let problem = result.event_problem(models, subject, event);
            let problem = problem.map(|problem| (CheckedValue::Event(index), problem));
            result.problems.extend(problem);
        }
        result
    }

    /// The part of a clip that plays, and the count of the whole clip's frames, if it is known. Adds the files that it depends
    /// on.
    ///
    /// # Errors
    /// The warning if the model does not have the clip.
    fn find(
        &mut self,
        models: &ModelQuery,
        subject: &Subject<'_>,
        clip: &ResolvedPlay,
    ) -> Result<(Option<Range<u32>>, Option<u32>), String> {
        let (whole, part) = clip.play.clip.split_frames();
        match models.find_clip(subject.root, whole) {
            FoundClip::Unsupported => Ok((part, None)),
            FoundClip::Missing => Err(missing_warning(models, subject.root, clip, subject.clips)),
            FoundClip::Found { frames, files } => {
                self.files.extend(files);
                Ok((part, frames))
            }
        }
    }

    /// The problem with an event, if one is found.
    fn event_problem(
        &mut self,
        models: &ModelQuery,
        subject: &Subject<'_>,
        event: &ClipEvent,
    ) -> Option<String> {
        let play = PlayClip::from_manifest(event.clip.clone());
        let resolved = ResolvedPlay::new(&play, subject.clips);
        let (part, count) = match self.find(models, subject, &resolved) {
            Ok(found) => found,
            Err(missing) => {
                return Some(format!(
                    "{missing}; it is the clip of the event {:?}",
                    event.name
                ));
            }
        };
        let count = match (part, count?) {
            (Some(part), count) => part.end.min(count).saturating_sub(part.start),
            (None, count) => count,
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
