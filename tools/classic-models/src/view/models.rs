//! Loads and spawns the models that are shown.

use crate::archive_file::absolute;
use crate::load_error::explain;
use crate::view::alo_bounds::measure_alo;
use crate::view::alo_clips::AssignedClips;
use crate::view::alo_models::spawn_alo;
use crate::view::clips::ClipList;
use crate::view::files::Folders;
use crate::view::load_model::{load, yaw};
use crate::view::manifest_clips::load_clip_files;
use crate::view::manifests::open_manifests;
use crate::view::mdl_models::spawn_mdl;
use crate::view::model_bounds::arrange_row;
use crate::view::overrides::apply_overrides;
use crate::view::quote::line_of;
use crate::view::row::{Row, RowLayout};
use crate::view::viewed_model::{OpenedManifest, ViewedModel, is};
use bevy::asset::{AssetLoadError, LoadState};
use bevy::prelude::*;
use bevy_classic_models::alamo::Alo;
use bevy_classic_models::root::ClassicModelsSystems;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Loads and spawns models. Needs [`Args`](crate::view::args::Args), [`Folders`] and [`Row`].
pub struct ModelsPlugin;

impl Plugin for ModelsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<FilesToLoad>()
            .add_systems(
                Update,
                (
                    load_next,
                    update_problems,
                    open_manifests,
                    spawn_mdl,
                    spawn_alo,
                ),
            )
            .add_systems(Update, (load_clip_files, apply_overrides))
            .add_systems(PostUpdate, measure_alo.before(RowLayout))
            .add_systems(PostUpdate, arrange_row.in_set(RowLayout));
        app.configure_sets(
            PostUpdate,
            RowLayout
                .after(ClassicModelsSystems::Play)
                .before(TransformSystems::Propagate),
        );
    }
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
    let is_alo = is::<Alo>(&handle);
    let yaw = yaw(&handle);
    let manifest = handle.clone().try_typed().ok();
    let manifest = manifest.map(|handle| OpenedManifest {
        handle,
        path: path.clone(),
        file: file.clone(),
    });
    let model = ViewedModel {
        name: file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        handle,
        manifest,
        file,
        path,
        problem: None,
        failure: None,
    };
    row.selected = row.models.len();
    let transform = Transform::from_rotation(Quat::from_rotation_y(yaw));
    let mut model = commands.spawn((model, transform));
    if is_alo {
        model.insert((AssignedClips::default(), ClipList::default()));
    }
    row.models.push(model.id());
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
    let message = explain(error).replacen(&model.path.to_string(), &model.name, 1);
    match line_of(error, &model.file) {
        Some(line) => format!("{message}\n{line}"),
        None => message,
    }
}
