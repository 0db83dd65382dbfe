//! Loads, spawns and lists the models that are shown, and keeps their errors.

pub mod bounds;
pub mod clip_list;
pub mod clips;
pub mod file_data;
pub mod particle_systems;
pub mod shown_model;
pub mod spawn;
pub mod viewed_model;

use crate::messages::explain;
use crate::paths::archive_file::{self, absolute};
use crate::paths::disk_source::STANDARD_INPUT;
use crate::view::models::bounds::{arrange_row, measure_alo, measure_lgw, measure_mdl};
use crate::view::models::clip_list::ClipList;
use crate::view::models::clips::{AssignedClips, clips_plugin};
use crate::view::models::file_data::{keep_materials, read_files};
use crate::view::models::spawn::{apply_overrides, load, spawn};
use crate::view::models::viewed_model::{OpenedManifest, ViewedModel};
use crate::view::open::files::Folders;
use crate::view::row::{Row, RowLayout};
use bevy::asset::{AssetLoadError, LoadState};
use bevy::prelude::*;
use bevy_classic_models::alamo::Alo;
use bevy_classic_models::load::ModelLoadError;
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::prelude::*;
use bevy_classic_models::read::ParseError;
use bevy_classic_models::root::ClassicModelsSystems;
use std::any::TypeId;
use std::collections::VecDeque;
use std::f32::consts::PI;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Characters that are shown before the error and from the error on, as many as fit in the panel.
const BEFORE: usize = 18;
const AFTER: usize = 10;

/// Loads and spawns models. Needs [`Args`](crate::view::open::args::Args), [`Folders`] and [`Row`].
pub fn models_plugin(app: &mut App) {
    app.add_plugins(clips_plugin)
        .init_resource::<FilesToLoad>()
        .add_systems(
            Update,
            (
                load_next,
                update_problems,
                open_manifests,
                spawn,
                apply_overrides,
            ),
        )
        .add_systems(
            PostUpdate,
            (
                (measure_alo, measure_lgw, measure_mdl, read_files).before(RowLayout),
                keep_materials,
                arrange_row.in_set(RowLayout),
            ),
        );
    app.configure_sets(
        PostUpdate,
        RowLayout
            .after(ClassicModelsSystems::Play)
            .before(TransformSystems::Propagate),
    );
}

/// The models of the command line that are not loaded yet.
#[derive(Resource, Default)]
pub struct FilesToLoad(VecDeque<PathBuf>);

impl FilesToLoad {
    pub fn new(files: Vec<PathBuf>) -> Self {
        Self(files.into())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Loads the files one after the other. Bevy draws in the order in which assets were created. If two surfaces have the
/// same depth, the first one is visible. A capture has the same pixels in each run only if that order is the same.
fn load_next(
    mut commands: Commands,
    folders: Res<Folders>,
    server: Res<AssetServer>,
    mut files: ResMut<FilesToLoad>,
    mut row: ResMut<Row>,
    models: Query<&ViewedModel>,
) {
    if files.is_empty() {
        return;
    }
    let last = row.models.last().and_then(|last| models.get(*last).ok());
    let is_loading = last.is_some_and(|last| {
        let state = server.recursive_dependency_load_state(last.handle.id());
        last.problem.is_none() && !state.is_loaded() && !state.is_failed()
    });
    if is_loading {
        return;
    }
    if let Some(file) = files.0.pop_front() {
        let selected = row.selected;
        add(&file, &mut commands, &folders, &server, &mut row);
        row.selected = selected;
    }
}

/// Adds a file to the row and selects it.
pub fn add(
    file: &Path,
    commands: &mut Commands,
    folders: &Folders,
    server: &AssetServer,
    row: &mut Row,
) {
    let file = absolute(file);
    let path = folders.asset_path(&file);
    let handle = load(&file, &path, folders, server);
    let rotation = rotation(&handle);
    let name = match folders.disk.input.as_ref() == Some(&file) {
        true => STANDARD_INPUT.into(),
        false => file.file_name().unwrap_or_default().to_string_lossy(),
    };
    let name = name.into_owned();
    let manifest = handle.clone().try_typed().ok();
    let manifest = manifest.map(|handle| OpenedManifest {
        handle,
        path: path.clone(),
        file: file.clone(),
    });
    let clips = AssignedClips::new(manifest.is_some());
    let model = ViewedModel {
        name,
        handle,
        manifest,
        file,
        path,
        problem: None,
        failure: None,
    };
    row.selected = row.models.len();
    let transform = Transform::from_rotation(rotation);
    let model = commands.spawn((model, transform, clips, ClipList::default()));
    row.models.push(model.id());
}

/// The rotation of a model. Alamo models face the opposite direction of the others.
fn rotation(handle: &UntypedHandle) -> Quat {
    let is_alo = handle.type_id() == TypeId::of::<Alo>();
    Quat::from_rotation_y(if is_alo { PI } else { 0.0 })
}

/// Loads the models of manifests that have been loaded, and spawns them with the manifests' settings. If a manifest
/// changes to another model, that model replaces the previous one.
fn open_manifests(
    mut commands: Commands,
    folders: Res<Folders>,
    server: Res<AssetServer>,
    manifests: Res<Assets<ModelManifest>>,
    mut models: Query<(Entity, &mut ViewedModel, &mut Transform)>,
) {
    for (entity, mut model, mut transform) in &mut models {
        let Some(opened) = &model.manifest else {
            continue;
        };
        let manifest = manifests.get(&opened.handle);
        let path = manifest.and_then(|manifest| manifest.files.model());
        let Some(path) = path.filter(|path| **path != model.path) else {
            continue;
        };
        let Some(file) = folders.file_of(path) else {
            continue;
        };
        if model.is::<ModelManifest>() {
            let spawned = ClassicModel::new(opened.handle.clone());
            commands.entity(entity).insert(spawned);
        }
        model.handle = load(&file, path, &folders, &server);
        model.path = path.clone();
        model.file = file;
        transform.rotation = rotation(&model.handle);
    }
}

/// Sets the error messages of models that failed to load, and clears those of models that loaded since.
fn update_problems(server: Res<AssetServer>, mut models: Query<&mut ViewedModel>) {
    for mut model in &mut models {
        let manifest = model.manifest.as_ref().map(|opened| &opened.handle);
        let of_manifest = manifest.map(|manifest| server.load_state(manifest));
        let failure = match (of_manifest, server.load_state(&model.handle)) {
            (Some(LoadState::Failed(error)), _) | (_, LoadState::Failed(error)) => Some(error),
            // Keeps the message until the reload is done.
            (Some(LoadState::Loading), _) | (_, LoadState::Loading) => continue,
            _ => None,
        };
        let previous = model.failure.as_ref().map(Arc::as_ptr);
        if failure.as_ref().map(Arc::as_ptr) == previous {
            continue;
        }
        model.problem = failure.as_ref().map(|error| problem(&model, error));
        model.failure = failure;
    }
}

/// The error message of a model, with the line of the error if the file is text.
fn problem(model: &ViewedModel, error: &AssetLoadError) -> String {
    // The asset path may be `disk://3/…`; the file name is clearer.
    let message = explain(&model.path, error).replacen(&model.path.to_string(), &model.name, 1);
    match line_of(error, &model.file) {
        Some(line) => format!("{message}\n{line}"),
        None => message,
    }
}

/// The line of an error and a mark below its column, if the file is text.
fn line_of(error: &AssetLoadError, file: &Path) -> Option<String> {
    let AssetLoadError::AssetLoaderError(error) = error else {
        return None;
    };
    let ModelLoadError::Parse { source, .. } = error.error().downcast_ref()? else {
        return None;
    };
    quote(&archive_file::read(file).ok()?, source)
}

fn quote(text: &[u8], error: &ParseError) -> Option<String> {
    let position = error.position?;
    let offset = usize::try_from(error.offset).ok()?.min(text.len());
    let (before, after) = text.split_at(offset);
    // The byte order mark is not visible.
    let before = before.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(before);
    let ends_line = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let begin = before.iter().rposition(ends_line).map_or(0, |end| end + 1);
    let end = after.iter().position(ends_line).unwrap_or(after.len());
    // The parser counts columns in characters if the text is UTF-8, otherwise in bytes.
    let is_utf8 = core::str::from_utf8(text).is_ok();
    let before = letters(&before[begin..], is_utf8);
    let after = letters(&after[..end], is_utf8);

    let cut = before.len().saturating_sub(BEFORE);
    let shown = before[cut..].iter().collect::<String>();
    // Omits the indentation.
    let shown = if cut == 0 { shown.trim_start() } else { &shown };
    let rest: String = after.iter().take(AFTER).collect();
    let [from, to] = [cut > 0, after.len() > AFTER].map(|is_cut| if is_cut { "..." } else { "" });
    let number = position.line.to_string();
    let margin = " ".repeat(number.len());
    let indent = " ".repeat(from.chars().count() + shown.chars().count());
    Some(format!(
        "{number} | {from}{shown}{rest}{to}\n{margin} | {indent}^"
    ))
}

fn letters(line: &[u8], is_utf8: bool) -> Vec<char> {
    let printed = |letter: char| if letter.is_control() { ' ' } else { letter };
    match is_utf8 {
        true => String::from_utf8_lossy(line).chars().map(printed).collect(),
        false => line.iter().copied().map(char::from).map(printed).collect(),
    }
}
