//! The clips of Alamo models: those beside a model, and those that were given or dropped.

use crate::view::args::Args;
use crate::view::clips::{Animators, ClipList, ClipState, Frames, ListedClip, ReadyClip};
use crate::view::files::{Folders, belongs_to, is_ala};
use crate::view::models::{Row, ViewedModel, explain};
use crate::view::playback::FADE;
use crate::view::stated::Known;
use bevy::asset::LoadState;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloModel;
use bevy_classic_models::alamo::{Ala, AloInstance};
use bevy_classic_models::prelude::*;
use std::path::{Path, PathBuf};

/// Keeps the lists of clips, and begins to play.
pub struct AloClipsPlugin;

impl Plugin for AloClipsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Inbox>()
            .add_systems(Startup, |args: Res<Args>, mut inbox: ResMut<Inbox>| {
                let clips = args.files.iter().filter(|file| is_ala(file));
                inbox.waiting.extend(clips.cloned());
            })
            .add_systems(Update, (hand_out, list_clips, begin_clips).chain());
    }
}

/// Files of clips that no model has got yet.
#[derive(Resource, Default)]
pub struct Inbox {
    pub waiting: Vec<PathBuf>,
    /// Why some never will be played.
    pub problems: Vec<String>,
}

/// What a model has got beside the clips that it has of its own.
#[derive(Component, Default)]
pub struct GivenClips {
    clips: Vec<(String, Handle<Ala>)>,
    /// What shall play as soon as it is there.
    next: Option<AssetId<Ala>>,
    /// Whether it was decided what plays at first.
    has_begun: bool,
}

impl GivenClips {
    /// Where something else decides what plays at first.
    pub fn begun() -> Self {
        Self {
            has_begun: true,
            ..Self::default()
        }
    }
}

/// Types of clips that show most of a model.
const FIRST: [&str; 2] = ["MOVE", "IDLE"];

/// Gives clips to the models that they are for: that whose name they begin with, else the selected
/// one, else the first.
fn hand_out(
    mut inbox: ResMut<Inbox>,
    mut row: ResMut<Row>,
    folders: Res<Folders>,
    server: Res<AssetServer>,
    all: Query<(), With<ViewedModel>>,
    mut models: Query<(&ViewedModel, &mut GivenClips)>,
) {
    // What was dropped with a model waits for it.
    if !row.models.iter().all(|model| all.contains(*model)) {
        return;
    }
    for file in std::mem::take(&mut inbox.waiting) {
        let file = crate::view::files::absolute(&file);
        let name = file_name(&file);
        let Some(place) = home(&file, &row, &models.as_readonly()) else {
            let problem = format!("{name}: there is no Alamo model here that it could play on");
            inbox.problems.push(problem);
            continue;
        };
        let model = row.models.get(place).copied();
        let Some(Ok((_, mut given))) = model.map(|model| models.get_mut(model)) else {
            continue;
        };
        let ala: Handle<Ala> = server.load(folders.asset_path(&file));
        given.next = Some(ala.id());
        if !given.clips.iter().any(|(_, known)| *known == ala) {
            given.clips.push((name, ala));
        }
        row.selected = place;
    }
}

fn home(clip: &Path, row: &Row, models: &Query<(&ViewedModel, &GivenClips)>) -> Option<usize> {
    let files = row.models.iter().map(|model| models.get(*model).ok());
    let files = files.map(|model| model.map(|(model, _)| model.file.as_path()));
    let files: Vec<(usize, &Path)> = files
        .enumerate()
        .filter_map(|(place, file)| Some((place, file?)))
        .collect();
    let of_its_name = files.iter().filter(|(_, file)| belongs_to(clip, file));
    let length = |file: &Path| file.file_name().map_or(0, |name| name.len());
    of_its_name
        .max_by_key(|(_, file)| length(file))
        .or_else(|| files.iter().find(|(place, _)| *place == row.selected))
        .or_else(|| files.first())
        .map(|(place, _)| *place)
}

/// What the clips of a model are known by.
type Listed = (
    &'static AloInstance,
    &'static GivenClips,
    Option<&'static ModelClips>,
    &'static mut ClipList,
);

fn list_clips(server: Res<AssetServer>, alas: Res<Assets<Ala>>, mut models: Query<Listed>) {
    for (instance, given, own, mut list) in &mut models {
        let model = instance.model();
        let state =
            |ala: &Handle<Ala>, name: Option<&str>| match (alas.get(ala), server.load_state(ala)) {
                // Its newest version is not there, and the one before may not be what is on the disk.
                (_, LoadState::Failed(error)) => ClipState::Broken(explain(&error)),
                (Some(ala), _) => ready(ala, model, name),
                (None, _) => ClipState::Loading,
            };
        let beside = model.animations.iter().map(|own| ListedClip {
            name: own.name.to_string(),
            is_stated: false,
            ala: Some(own.ala.clone()),
            state: state(&own.ala, Some(&own.name)),
        });
        let is_own = |ala: &Handle<Ala>| model.animations.iter().any(|own| own.ala == *ala);
        let given = given.clips.iter().filter(|(_, ala)| !is_own(ala));
        let given = given.map(|(name, ala)| ListedClip {
            name: name.clone(),
            is_stated: false,
            ala: Some(ala.clone()),
            state: state(ala, None),
        });
        let mut clips: Vec<_> = beside.chain(given).collect();
        if let Some(own) = own {
            let of_file = |clip: &Handle<_>| clip_of_file(clip, model, &server, &alas);
            let known = Known {
                own,
                listed: &clips,
                of_file: &of_file,
            };
            let stated = known.stated();
            clips.extend(stated);
        }
        list.set_if_neq(ClipList(clips));
    }
}

/// What is known of a clip of any animation's file, as manifests name them.
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

/// What is known of a clip that is there. Clips of the model's own go by their names, which outlive
/// changes of the files.
fn ready(ala: &Ala, model: &AloModel, name: Option<&str>) -> ClipState {
    let mismatches = ala.mismatches(model);
    let first = mismatches.first().map(ToString::to_string);
    let first = first.unwrap_or_default();
    if !mismatches.is_empty() && mismatches.len() == ala.bones.len() {
        return ClipState::Broken(format!("it is for another model: {first}"));
    }
    let left_out = mismatches.len();
    let remark = format!("{left_out} bones of it are not this model's: {first}");
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
            "{} frames at {} fps, {seconds:.2} s\n{} bones, {with_visibility} of them shown and hidden",
            ala.frames,
            ala.fps,
            ala.bones.len(),
        ),
        remark: (left_out > 0).then_some(remark),
    })
}

/// Begins what was given last, and at first what was asked for.
fn begin_clips(
    mut commands: Commands,
    args: Res<Args>,
    mut models: Query<(Entity, &ClipList, &mut GivenClips), With<AloInstance>>,
) {
    for (model, list, mut given) in &mut models {
        let next = given.next;
        let is_next =
            |clip: &&ListedClip| next.is_some() && clip.ala.as_ref().map(Handle::id) == next;
        let next = list.0.iter().find(is_next);
        match next.map(|clip| &clip.state) {
            Some(ClipState::Loading) => continue,
            Some(ClipState::Ready(ready)) => {
                begin(&mut commands, model, ready, &args, given.has_begun);
                given.next = None;
                given.has_begun = true;
            }
            Some(ClipState::Broken(_)) => given.next = None,
            None => {}
        }
        let is_loading = |clip: &ListedClip| clip.state == ClipState::Loading;
        if given.has_begun || list.0.iter().any(is_loading) {
            continue;
        }
        given.has_begun = true;
        let asked = list.asked(args.clip.as_deref(), FIRST);
        if let Some(ready) = asked.filter(|_| !args.rest) {
            begin(&mut commands, model, ready, &args, false);
        }
    }
}

/// Begins a clip, where the command line says if it is the first.
fn begin(commands: &mut Commands, model: Entity, clip: &ReadyClip, args: &Args, has_begun: bool) {
    let mut play = args.play(clip.play.clone());
    if has_begun {
        play = PlayClip::looping(clip.play.clone()).with_fade(FADE);
    }
    commands.entity(model).insert(play);
}

/// Models whose clips Bevy plays, and what of that is there.
type Players = (
    &'static ViewedModel,
    &'static ClipList,
    Option<&'static GivenClips>,
    Option<&'static PlayClip>,
    Animators,
);

/// Whether all models play what they shall.
pub fn clips_settled(models: Query<Players, With<ClipList>>) -> bool {
    models.iter().all(|(model, list, given, play, animators)| {
        let has_begun = given.is_none_or(|given| given.has_begun);
        // A manifest may state a clip that the model does not have.
        let shall_play = match &model.manifest {
            Some(_) => play.is_some_and(|play| list.ready(play).is_some()),
            None => play.is_some(),
        };
        let plays = animators.clip().is_some();
        model.problem.is_some() || (has_begun && (!shall_play || plays))
    })
}

fn file_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
