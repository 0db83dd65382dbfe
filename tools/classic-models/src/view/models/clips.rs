//! Lists the clips of models, assigns clip files to Alamo models, and starts clips.

use crate::file_format::has_extension;
use crate::messages::explain;
use crate::paths::archive_file::absolute;
use crate::view::models::clip_list::{
    ClipList, ClipSources, ClipState, Frames, ListedClip, ReadyClip,
};
use crate::view::models::viewed_model::ViewedModel;
use crate::view::open::args::Args;
use crate::view::open::files::{Folders, belongs_to};
use crate::view::row::Row;
use bevy::asset::{AssetPath, LoadState};
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_classic_models::alamo::{Ala, Alo, AloAnimator, AloInstance, AloModel};
use bevy_classic_models::lithtech::{AbcAnimation, AbcAnimator, AbcInstance, AbcModel};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{MdlInstance, MdlModel, Sequence};
use bevy_classic_models::spawn::ModelInstance;
use std::path::{Path, PathBuf};

/// The cross-fade between clips, in seconds.
pub const FADE: f32 = 0.2;

/// Types of clips that play by default, of Alamo and of LithTech models.
const FIRST: [[&str; 2]; 2] = [["MOVE", "IDLE"], ["Walk", "Run"]];

/// Assigns clip files to models, keeps the clip lists up to date, and starts clips.
pub fn clips_plugin(app: &mut App) {
    app.init_resource::<PendingClips>()
        .add_systems(
            Startup,
            |args: Res<Args>, mut pending_clips: ResMut<PendingClips>| {
                let clips = args.files.iter().filter(|file| has_extension(file, "ala"));
                pending_clips.waiting.extend(clips.cloned());
            },
        )
        .add_systems(Update, (assign_clips, list_clips, start_clips).chain())
        .add_systems(Update, load_clip_files);
}

/// Clip files that are not yet assigned to a model.
#[derive(Resource, Default)]
pub struct PendingClips {
    pub waiting: Vec<PathBuf>,
    /// Error messages of files that cannot be assigned.
    pub problems: Vec<String>,
}

/// The clip files that were assigned to a model, in addition to those beside it, and which clip starts.
#[derive(Component, Default)]
pub struct AssignedClips {
    clips: Vec<(String, Handle<Ala>)>,
    /// The clip to play as soon as it is loaded.
    next: Option<AssetId<Ala>>,
    /// Whether the first clip was chosen.
    has_started: bool,
}

impl AssignedClips {
    /// `has_started` is for models whose first clip the manifest chooses.
    pub fn new(has_started: bool) -> Self {
        Self {
            has_started,
            ..Self::default()
        }
    }
}

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
        let name = file.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
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
    let files = files.map(|model| model.filter(|(model, _)| model.is::<Alo>()));
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
#[derive(QueryData)]
#[query_data(mutable)]
struct Listed {
    alo: Option<&'static AloInstance>,
    abc: Option<&'static AbcInstance>,
    mdl: Option<&'static MdlInstance>,
    given: &'static AssignedClips,
    own: Option<&'static ModelClips>,
    list: &'static mut ClipList,
}

fn list_clips(server: Res<AssetServer>, alas: Res<Assets<Ala>>, mut models: Query<Listed>) {
    let files = AlaFiles {
        server: &server,
        alas: &alas,
    };
    for mut model in &mut models {
        let (alo, abc, mdl) = (model.alo, model.abc, model.mdl);
        let mut clips = match (alo, abc, mdl) {
            (Some(alo), ..) => files.clips(alo.model(), &model.given.clips),
            (_, Some(abc), _) => abc_clips(abc.model()),
            (.., Some(mdl)) => mdl_clips(mdl.model()),
            _ => continue,
        };
        let other = |clip: &ClipRef| match clip {
            ClipRef::Handle(clip) => Some(match alo {
                Some(alo) => files.state(clip, alo.model()),
                None => {
                    let format = if abc.is_some() { "LithTech" } else { "Quake" };
                    ClipState::Broken(format!("{:?} is not a clip of a {format} model", clip.id()))
                }
            }),
            _ => mdl?.model().sequence(clip).map(|of| mdl_clip(&of, clip)),
        };
        if let Some(own) = model.own {
            let sources = ClipSources {
                own,
                listed: &clips,
                other: &other,
            };
            let manifest_clips = sources.manifest_clips();
            clips.extend(manifest_clips);
        }
        model.list.set_if_neq(ClipList(clips));
    }
}

/// The clips in animation files.
struct AlaFiles<'a> {
    server: &'a AssetServer,
    alas: &'a Assets<Ala>,
}

impl AlaFiles<'_> {
    /// The clips beside an Alamo model, and those that were assigned to it.
    fn clips(&self, model: &AloModel, given: &[(String, Handle<Ala>)]) -> Vec<ListedClip> {
        let clip = |name: &str, ala: &Handle<Ala>, is_beside: bool| ListedClip {
            ala: Some(ala.clone()),
            ..ListedClip::of_file(
                name.to_owned(),
                // After a failed reload, the previous version may differ from the file on the disk.
                match (self.alas.get(ala), self.server.load_state(ala)) {
                    (_, LoadState::Failed(error)) => ClipState::Broken(explain(name, &error)),
                    (Some(ala), _) => ala_clip(ala, model, Some(name).filter(|_| is_beside)),
                    (None, _) => ClipState::Loading,
                },
            )
        };
        let beside = model.animations.iter();
        let is_own = |ala: &Handle<Ala>| model.animations.iter().any(|own| own.ala == *ala);
        let given = given.iter().filter(|(_, ala)| !is_own(ala));
        beside
            .map(|own| clip(&own.name, &own.ala, true))
            .chain(given.map(|(name, ala)| clip(name, ala, false)))
            .collect()
    }

    /// The state of a clip of an animation file that a manifest refers to.
    fn state(&self, clip: &Handle<AnimationClip>, model: &AloModel) -> ClipState {
        let ala = self.alas.iter().find(|(_, ala)| ala.clip == *clip);
        match (ala, self.server.load_state(clip)) {
            (_, LoadState::Failed(error)) => {
                ClipState::Broken(explain(ClipRef::from(clip.clone()), &error))
            }
            (Some((_, ala)), _) => ala_clip(ala, model, None),
            (None, _) => ClipState::Loading,
        }
    }
}

/// The state of a loaded clip. Clips beside the model are referred to by `name`, which stays valid if the files change.
fn ala_clip(ala: &Ala, model: &AloModel, name: Option<&str>) -> ClipState {
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
        poses: None,
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

fn abc_clips(model: &AbcModel) -> Vec<ListedClip> {
    let clip = |(index, animation): (usize, &AbcAnimation)| {
        let namesakes = model.animations_named(&animation.name);
        let (name, play) = match namesakes.first() == Some(&index) {
            // A name stays valid if the file changes.
            true => (animation.name.to_string(), (&*animation.name).into()),
            false => (format!("{} #{index}", animation.name), index.into()),
        };
        let dims = animation.dims;
        let dims = dims.map(|Vec3 { x, y, z }| format!("\nhalf dims {x:.1}, {y:.1}, {z:.1}"));
        let ready = ReadyClip {
            play,
            frames: Frames::At(animation.keyframes.clone()),
            seconds: animation.seconds,
            poses: None,
            ends: false,
            facts: format!(
                "{} keyframes, {:.2} s{}",
                animation.keyframes.len(),
                animation.seconds,
                dims.unwrap_or_default(),
            ),
            remark: None,
        };
        ListedClip::of_file(name, ClipState::Ready(ready))
    };
    model.animations.iter().enumerate().map(clip).collect()
}

/// A clip that has the name of an earlier one is referred to by its index.
fn mdl_clips(model: &MdlModel) -> Vec<ListedClip> {
    let clips = model.clips.iter().enumerate().map(|(index, clip)| {
        let play = match model.named_clips.get(&clip.name) == Some(&index) {
            true => ClipRef::Name(clip.name.to_string()),
            false => ClipRef::Index(index),
        };
        ListedClip::of_file(clip.name.to_string(), mdl_clip(&clip.sequence, &play))
    });
    clips.collect()
}

/// A clip of a Quake model. Each pose is a frame, and so is the end, at which the first pose is reached again.
fn mdl_clip(sequence: &Sequence, play: &ClipRef) -> ClipState {
    let poses = sequence.pose_count;
    let begins = (0..poses).map(|pose| sequence.timing.begin(pose));
    // Rounding must not yield a time in the previous pose.
    let begins = begins.map(|begin| begin * (1.0 + 1e-6) + 1e-6);
    ClipState::Ready(ReadyClip {
        play: play.clone(),
        frames: Frames::At(begins.chain([sequence.seconds()]).collect()),
        seconds: sequence.seconds(),
        poses: Some(poses),
        ends: false,
        facts: String::new(),
        remark: None,
    })
}

/// A spawned model, and whether it is a LithTech model, or a Quake model, which always shows a clip: its first by default.
type Starting = (
    Entity,
    &'static ClipList,
    &'static mut AssignedClips,
    (Has<AbcInstance>, Has<MdlInstance>),
);

/// Starts the clip that was assigned last, and initially the clip of the command line.
fn start_clips(
    mut commands: Commands,
    args: Res<Args>,
    mut models: Query<Starting, With<ModelInstance>>,
) {
    for (model, list, mut given, (is_abc, is_mdl)) in &mut models {
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
        if is_mdl && list.0.is_empty() {
            continue;
        }
        given.has_started = true;
        let named = args.clip.as_deref().and_then(|name| list.named(name));
        let named = named.and_then(ListedClip::ready);
        if is_mdl {
            let clip = named.map_or(ClipRef::Index(0), |clip| clip.play.clone());
            commands.entity(model).try_insert(args.play(clip));
        } else if let Some(ready) = named
            .or_else(|| list.first(FIRST[usize::from(is_abc)]))
            .filter(|_| !args.rest)
        {
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
    commands.entity(model).try_insert(play);
}

/// The playback state of a model with a clip list.
type Players = (
    &'static ViewedModel,
    &'static ClipList,
    Option<&'static AssignedClips>,
    Option<&'static PlayClip>,
    Animators,
    Has<MdlInstance>,
);

/// Whether the requested clips of all models play.
pub fn clips_settled(models: Query<Players, With<ClipList>>) -> bool {
    let mut models = models.iter();
    models.all(|(model, list, given, play, animators, is_mdl)| {
        let has_started = given.is_none_or(|given| given.has_started);
        // A manifest may name a clip that the model does not have.
        let should_play = match &model.manifest {
            Some(_) => play.is_some_and(|play| list.ready(play).is_some()),
            None => play.is_some(),
        };
        let plays = is_mdl || animators.clip().is_some();
        model.problem.is_some() || (has_started && (!should_play || plays))
    })
}

/// The animator of a model of any format except Quake's.
#[derive(QueryData)]
pub struct Animators {
    alo: Option<&'static AloAnimator>,
    abc: Option<&'static AbcAnimator>,
}

impl AnimatorsItem<'_, '_> {
    /// The requested clip, once it plays.
    pub fn clip(&self) -> Option<&Handle<AnimationClip>> {
        let alo = self.alo.and_then(AloAnimator::clip);
        alo.or_else(|| self.abc.and_then(AbcAnimator::clip))
    }

    /// The weight of that clip in a cross-fade, from 0 to 1.
    pub fn weight(&self) -> f32 {
        let alo = self.alo.map(AloAnimator::weight);
        alo.or_else(|| self.abc.map(AbcAnimator::weight))
            .unwrap_or(0.0)
    }
}

/// The animation files that a manifest names. The plugin keeps only their clips loaded, not the [`Ala`] assets.
#[derive(Component)]
pub struct ManifestClipFiles(pub Vec<Handle<Ala>>);

/// Loads the animation files and keeps their handles, so that their frame counts are available.
pub fn load_clip_files(
    mut commands: Commands,
    server: Res<AssetServer>,
    models: Query<(Entity, &ModelClips), Changed<ModelClips>>,
) {
    for (entity, own) in &models {
        let files = own.0.iter().filter_map(|named| file_of(&named.clip));
        let files = files.map(|path| server.load(path)).collect();
        commands.entity(entity).insert(ManifestClipFiles(files));
    }
}

fn file_of(clip: &ClipRef) -> Option<AssetPath<'static>> {
    match clip {
        ClipRef::Part { clip, .. } => file_of(clip),
        ClipRef::Handle(clip) => Some(clip.path()?.clone().without_label().clone_owned()),
        _ => None,
    }
}
