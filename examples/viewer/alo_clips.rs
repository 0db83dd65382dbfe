//! The clips of Alamo models: those beside a model, and those that were given or dropped.

use crate::args::Args;
use crate::files::{Folders, belongs_to, is_ala};
use crate::models::{Row, ViewedModel, explain};
use bevy::asset::LoadState;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloModel;
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

/// All clips that a model can play, and those that it might if they were not broken.
#[derive(Component, Default, PartialEq)]
pub struct ClipList(pub Vec<ListedClip>);

/// A clip as the panel tells of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedClip {
    pub name: String,
    pub ala: Handle<Ala>,
    pub state: ClipState,
}

/// What is known of a clip.
#[derive(Clone, Debug, PartialEq)]
pub enum ClipState {
    Loading,
    /// Why it cannot be played.
    Broken(String),
    Ready(ReadyClip),
}

/// A clip that can be played.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadyClip {
    pub play: ClipRef,
    pub frames: u32,
    pub fps: f32,
    /// From the first frame to the last.
    pub seconds: f32,
    /// Bones that it speaks of.
    pub bones: usize,
    /// Those that it shows and hides.
    pub with_visibility: usize,
    /// What it says that is not for the model.
    pub remark: Option<String>,
}

impl ListedClip {
    pub fn ready(&self) -> Option<&ReadyClip> {
        match &self.state {
            ClipState::Ready(ready) => Some(ready),
            _ => None,
        }
    }
}

impl ClipList {
    /// The place of what plays.
    pub fn playing(&self, play: &PlayClip) -> Option<usize> {
        let is_it = |clip: &ListedClip| clip.ready().is_some_and(|ready| ready.play == play.clip);
        self.0.iter().position(is_it)
    }

    /// What is known of what plays.
    pub fn ready(&self, play: &PlayClip) -> Option<&ReadyClip> {
        self.0.get(self.playing(play)?)?.ready()
    }

    /// A clip by its name in any case, with or without the number at its end: `MOVE` is `MOVE_00`.
    pub fn named(&self, name: &str) -> Option<&ListedClip> {
        let is_it = |clip: &&ListedClip| clip.name.eq_ignore_ascii_case(name);
        let whole = self.0.iter().find(is_it);
        whole.or_else(|| self.0.iter().find(|clip| is_of_type(&clip.name, name)))
    }

    /// What plays unless something else is asked for: what shows most of a model, else anything.
    fn first(&self) -> Option<&ListedClip> {
        let ready = || self.0.iter().filter(|clip| clip.ready().is_some());
        let kind = |kind| ready().find(|clip| is_of_type(&clip.name, kind));
        kind("MOVE")
            .or_else(|| kind("IDLE"))
            .or_else(|| ready().next())
    }
}

/// Whether a clip's name is that of a type and then a number: `MOVE_00`.
fn is_of_type(name: &str, kind: &str) -> bool {
    let number = name
        .get(kind.len()..)
        .filter(|_| name.is_char_boundary(kind.len()));
    let is_number = |rest: &str| {
        rest.bytes()
            .all(|byte| byte == b'_' || byte.is_ascii_digit())
    };
    number.is_some_and(is_number)
        && name
            .get(..kind.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(kind))
}

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
        let file = crate::files::absolute(&file);
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

fn list_clips(
    server: Res<AssetServer>,
    alas: Res<Assets<Ala>>,
    mut models: Query<(&AloInstance, &GivenClips, &mut ClipList)>,
) {
    for (instance, given, mut list) in &mut models {
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
            ala: own.ala.clone(),
            state: state(&own.ala, Some(&own.name)),
        });
        let is_own = |ala: &Handle<Ala>| model.animations.iter().any(|own| own.ala == *ala);
        let given = given.clips.iter().filter(|(_, ala)| !is_own(ala));
        let given = given.map(|(name, ala)| ListedClip {
            name: name.clone(),
            ala: ala.clone(),
            state: state(ala, None),
        });
        list.set_if_neq(ClipList(beside.chain(given).collect()));
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
    ClipState::Ready(ReadyClip {
        play: name.map_or_else(|| ala.clip.clone().into(), ClipRef::from),
        frames: ala.frames,
        fps: ala.fps,
        seconds: ala.seconds(),
        bones: ala.bones.len(),
        with_visibility,
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
        let next = list.0.iter().find(|clip| Some(clip.ala.id()) == next);
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
        let asked = args.clip.as_deref().and_then(|name| list.named(name));
        let asked = asked.filter(|clip| clip.ready().is_some());
        let clip = asked.or_else(|| list.first()).filter(|_| !args.rest);
        if let Some(ready) = clip.and_then(ListedClip::ready) {
            begin(&mut commands, model, ready, &args, false);
        }
    }
}

/// Begins a clip, where the command line says if it is the first.
fn begin(commands: &mut Commands, model: Entity, clip: &ReadyClip, args: &Args, has_begun: bool) {
    let mut play = args.play(clip.play.clone());
    if has_begun {
        play = PlayClip::looping(clip.play.clone()).with_fade(crate::actions::FADE);
    }
    commands.entity(model).insert(play);
}

/// Whether all models play what they shall.
pub fn clips_settled(
    models: Query<(
        &ViewedModel,
        &GivenClips,
        Option<&PlayClip>,
        Option<&AloAnimator>,
    )>,
) -> bool {
    models.iter().all(|(model, given, play, animator)| {
        let plays = animator.is_some_and(|animator| animator.clip().is_some());
        model.problem.is_some() || (given.has_begun && (play.is_none() || plays))
    })
}

fn file_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
