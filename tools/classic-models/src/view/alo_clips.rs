//! The clips of Alamo models: those beside a model, and files of the command line or dropped on the window.

use crate::archive_file::absolute;
use crate::load_error::explain;
use crate::view::args::Args;
use crate::view::clips::{Animators, ClipList, ClipState, Frames, ListedClip, ReadyClip};
use crate::view::files::{Folders, belongs_to, is_ala};
use crate::view::manifest_clips::ClipSources;
use crate::view::playback::FADE;
use crate::view::row::Row;
use crate::view::viewed_model::ViewedModel;
use bevy::asset::LoadState;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloModel;
use bevy_classic_models::alamo::{Ala, AloInstance};
use bevy_classic_models::prelude::*;
use std::path::{Path, PathBuf};

/// Assigns clip files to models, keeps the clip lists up to date, and starts clips.
pub struct AloClipsPlugin;

impl Plugin for AloClipsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<PendingClips>()
            .add_systems(
                Startup,
                |args: Res<Args>, mut pending_clips: ResMut<PendingClips>| {
                    let clips = args.files.iter().filter(|file| is_ala(file));
                    pending_clips.waiting.extend(clips.cloned());
                },
            )
            .add_systems(Update, (assign_clips, list_clips, start_clips).chain());
    }
}

/// Clip files that are not yet assigned to a model.
#[derive(Resource, Default)]
pub struct PendingClips {
    pub waiting: Vec<PathBuf>,
    /// Error messages of files that cannot be assigned.
    pub problems: Vec<String>,
}

/// Clips that were assigned to a model, in addition to the clips beside it.
#[derive(Component, Default)]
pub struct AssignedClips {
    clips: Vec<(String, Handle<Ala>)>,
    /// The clip to play as soon as it is loaded.
    next: Option<AssetId<Ala>>,
    /// Whether the first clip was chosen.
    has_started: bool,
}

impl AssignedClips {
    /// For models whose first clip the manifest chooses.
    pub fn started() -> Self {
        Self {
            has_started: true,
            ..Self::default()
        }
    }
}

/// Types of clips that play by default.
const FIRST: [&str; 2] = ["MOVE", "IDLE"];

/// Assigns each clip file to the model that its name begins with, otherwise to the selected model, otherwise to the
/// first.
fn assign_clips(
    mut pending_clips: ResMut<PendingClips>,
    mut row: ResMut<Row>,
    folders: Res<Folders>,
    server: Res<AssetServer>,
    all: Query<(), With<ViewedModel>>,
    mut models: Query<(&ViewedModel, &mut AssignedClips)>,
) {
    // Clips that were dropped together with a model wait until the model is spawned.
    if !row.models.iter().all(|model| all.contains(*model)) {
        return;
    }
    for file in std::mem::take(&mut pending_clips.waiting) {
        let file = absolute(&file);
        let name = file_name(&file);
        let Some(index) = target_model(&file, &row, &models.as_readonly()) else {
            let problem = format!("{name}: no Alamo model to play it on: add an .alo file");
            pending_clips.problems.push(problem);
            continue;
        };
        let model = row.models.get(index).copied();
        let Some(Ok((_, mut given))) = model.map(|model| models.get_mut(model)) else {
            continue;
        };
        let ala: Handle<Ala> = server.load(folders.asset_path(&file));
        given.next = Some(ala.id());
        if !given.clips.iter().any(|(_, clip)| *clip == ala) {
            given.clips.push((name, ala));
        }
        row.selected = index;
    }
}

/// The index in the row of the model that a clip file is assigned to.
fn target_model(
    clip: &Path,
    row: &Row,
    models: &Query<(&ViewedModel, &AssignedClips)>,
) -> Option<usize> {
    let files = row.models.iter().map(|model| models.get(*model).ok());
    let files = files.map(|model| model.map(|(model, _)| model.file.as_path()));
    let files: Vec<(usize, &Path)> = files
        .enumerate()
        .filter_map(|(index, file)| Some((index, file?)))
        .collect();
    let of_its_name = files.iter().filter(|(_, file)| belongs_to(clip, file));
    let length = |file: &Path| file.file_name().map_or(0, |name| name.len());
    of_its_name
        .max_by_key(|(_, file)| length(file))
        .or_else(|| files.iter().find(|(index, _)| *index == row.selected))
        .or_else(|| files.first())
        .map(|(index, _)| *index)
}

/// The components of a model that determine its clip list.
type Listed = (
    &'static AloInstance,
    &'static AssignedClips,
    Option<&'static ModelClips>,
    &'static mut ClipList,
);

fn list_clips(server: Res<AssetServer>, alas: Res<Assets<Ala>>, mut models: Query<Listed>) {
    for (instance, given, own, mut list) in &mut models {
        let model = instance.model();
        let state =
            |ala: &Handle<Ala>, name: Option<&str>| match (alas.get(ala), server.load_state(ala)) {
                // After a failed reload, the previous version may differ from the file on the disk.
                (_, LoadState::Failed(error)) => ClipState::Broken(explain(&error)),
                (Some(ala), _) => ready(ala, model, name),
                (None, _) => ClipState::Loading,
            };
        let beside = model.animations.iter().map(|own| ListedClip {
            name: own.name.to_string(),
            from_manifest: false,
            ala: Some(own.ala.clone()),
            state: state(&own.ala, Some(&own.name)),
        });
        let is_own = |ala: &Handle<Ala>| model.animations.iter().any(|own| own.ala == *ala);
        let given = given.clips.iter().filter(|(_, ala)| !is_own(ala));
        let given = given.map(|(name, ala)| ListedClip {
            name: name.clone(),
            from_manifest: false,
            ala: Some(ala.clone()),
            state: state(ala, None),
        });
        let mut clips: Vec<_> = beside.chain(given).collect();
        if let Some(own) = own {
            let of_file = |clip: &Handle<_>| clip_of_file(clip, model, &server, &alas);
            let sources = ClipSources {
                own,
                listed: &clips,
                of_file: &of_file,
            };
            let manifest_clips = sources.manifest_clips();
            clips.extend(manifest_clips);
        }
        list.set_if_neq(ClipList(clips));
    }
}

/// The state of a clip of an animation file that a manifest refers to.
fn clip_of_file(
    clip: &Handle<AnimationClip>,
    model: &AloModel,
    server: &AssetServer,
    alas: &Assets<Ala>,
) -> ClipState {
    let ala = alas.iter().find(|(_, ala)| ala.clip == *clip);
    match (ala, server.load_state(clip)) {
        (_, LoadState::Failed(error)) => ClipState::Broken(explain(&error)),
        (Some((_, ala)), _) => ready(ala, model, None),
        (None, _) => ClipState::Loading,
    }
}

/// The state of a loaded clip. Clips beside the model are referred to by `name`, which stays valid if the files change.
fn ready(ala: &Ala, model: &AloModel, name: Option<&str>) -> ClipState {
    let mismatches = ala.mismatches(model);
    let first = mismatches.first().map(ToString::to_string);
    let first = first.unwrap_or_default();
    if !mismatches.is_empty() && mismatches.len() == ala.bones.len() {
        return ClipState::Broken(format!("no bone fits this model: {first}"));
    }
    let left_out = mismatches.len();
    let remark = format!("{left_out} bones do not fit this model: {first}");
    let with_visibility = ala.bones.iter().filter(|bone| bone.visibility).count();
    let seconds = ala.seconds();
    ClipState::Ready(ReadyClip {
        play: name.map_or_else(|| ala.clip.clone().into(), ClipRef::from),
        frames: Frames::Even {
            count: ala.frames,
            fps: ala.fps,
        },
        seconds,
        ends: false,
        facts: format!(
            "{} frames at {} fps, {seconds:.2} s\n{} bones, {with_visibility} with visibility",
            ala.frames,
            ala.fps,
            ala.bones.len(),
        ),
        remark: (left_out > 0).then_some(remark),
    })
}

/// Starts the clip that was assigned last, and initially the clip of the command line.
fn start_clips(
    mut commands: Commands,
    args: Res<Args>,
    mut models: Query<(Entity, &ClipList, &mut AssignedClips), With<AloInstance>>,
) {
    for (model, list, mut given) in &mut models {
        let next = given.next;
        let is_next =
            |clip: &&ListedClip| next.is_some() && clip.ala.as_ref().map(Handle::id) == next;
        let next = list.0.iter().find(is_next);
        match next.map(|clip| &clip.state) {
            Some(ClipState::Loading) => continue,
            Some(ClipState::Ready(ready)) => {
                start(&mut commands, model, ready, &args, given.has_started);
                given.next = None;
                given.has_started = true;
            }
            Some(ClipState::Broken(_)) => given.next = None,
            None => {}
        }
        let is_loading = |clip: &ListedClip| clip.state == ClipState::Loading;
        if given.has_started || list.0.iter().any(is_loading) {
            continue;
        }
        given.has_started = true;
        let requested = list.requested(args.clip.as_deref(), FIRST);
        if let Some(ready) = requested.filter(|_| !args.rest) {
            start(&mut commands, model, ready, &args, false);
        }
    }
}

/// Starts a clip. The first clip starts as the options of the command line request.
fn start(commands: &mut Commands, model: Entity, clip: &ReadyClip, args: &Args, has_started: bool) {
    let mut play = args.play(clip.play.clone());
    if has_started {
        play = PlayClip::looping(clip.play.clone()).with_fade(FADE);
    }
    commands.entity(model).insert(play);
}

/// The playback state of a model with a clip list.
type Players = (
    &'static ViewedModel,
    &'static ClipList,
    Option<&'static AssignedClips>,
    Option<&'static PlayClip>,
    Animators,
);

/// Whether the requested clips of all models play.
pub fn clips_settled(models: Query<Players, With<ClipList>>) -> bool {
    models.iter().all(|(model, list, given, play, animators)| {
        let has_started = given.is_none_or(|given| given.has_started);
        // A manifest may name a clip that the model does not have.
        let should_play = match &model.manifest {
            Some(_) => play.is_some_and(|play| list.ready(play).is_some()),
            None => play.is_some(),
        };
        let plays = animators.clip().is_some();
        model.problem.is_some() || (has_started && (!should_play || plays))
    })
}

fn file_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
