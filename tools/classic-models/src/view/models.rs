//! Loads and spawns the models that are shown.

use crate::view::abc_models;
use crate::view::alo_bounds::measure_alo;
use crate::view::alo_clips::AssignedClips;
use crate::view::args::Args;
use crate::view::clips::ClipList;
use crate::view::files::{Folders, absolute, is_abc, is_alo, is_lgw, is_manifest, models_to_show};
use crate::view::lgw_models;
use crate::view::manifest_clips::load_clip_files;
use crate::view::manifests::{OpenedManifest, open_manifests};
use crate::view::model_bounds::arrange_row;
use crate::view::overrides::apply_overrides;
use crate::view::quote::line_of;
use bevy::asset::{AssetLoadError, AssetPath, LoadState, UntypedAssetId};
use bevy::prelude::*;
use bevy_classic_models::alamo::{Alo, AloLoaderSettings};
use bevy_classic_models::lgw::Lgw;
use bevy_classic_models::lithtech::Abc;
use bevy_classic_models::model::ModelManifest;
use bevy_classic_models::model::manifest::ManifestLoaderError;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Mdl;
use bevy_classic_models::scene::{ClassicModelsSystems, ModelLoadError};
use std::collections::VecDeque;
use std::f32::consts::PI;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model that is shown. On its root entity.
#[derive(Component)]
pub struct ViewedModel {
    pub name: String,
    pub file: PathBuf,
    pub path: AssetPath<'static>,
    pub handle: ModelHandle,
    /// The manifest that the model was opened by, if any.
    pub manifest: Option<OpenedManifest>,
    /// The error message, if the model or its newest version did not load.
    pub problem: Option<String>,
    /// The error that `problem` describes.
    failure: Option<Arc<AssetLoadError>>,
}

/// A model's asset.
#[derive(Clone, Debug)]
pub enum ModelHandle {
    Mdl(Handle<Mdl>),
    Alo(Handle<Alo>),
    Abc(Handle<Abc>),
    Lgw(Handle<Lgw>),
    /// A manifest whose model is not known before it is loaded.
    Manifest(Handle<ModelManifest>),
}

impl ModelHandle {
    pub fn id(&self) -> UntypedAssetId {
        match self {
            Self::Mdl(handle) => handle.id().untyped(),
            Self::Alo(handle) => handle.id().untyped(),
            Self::Abc(handle) => handle.id().untyped(),
            Self::Lgw(handle) => handle.id().untyped(),
            Self::Manifest(handle) => handle.id().untyped(),
        }
    }

    pub fn mdl(&self) -> Option<&Handle<Mdl>> {
        match self {
            Self::Mdl(handle) => Some(handle),
            _ => None,
        }
    }

    pub fn alo(&self) -> Option<&Handle<Alo>> {
        match self {
            Self::Alo(handle) => Some(handle),
            _ => None,
        }
    }

    pub fn abc(&self) -> Option<&Handle<Abc>> {
        match self {
            Self::Abc(handle) => Some(handle),
            _ => None,
        }
    }

    pub fn lgw(&self) -> Option<&Handle<Lgw>> {
        match self {
            Self::Lgw(handle) => Some(handle),
            _ => None,
        }
    }
}

/// All models from left to right.
#[derive(Resource)]
pub struct Row {
    pub models: Vec<Entity>,
    /// The index of the model that the panel shows.
    pub selected: usize,
    /// The direction of the row, a unit vector.
    pub right: Vec3,
    /// Whether the bounds of a Quake model contain only its current clip, not all its poses.
    pub by_clip: bool,
}

impl Row {
    pub fn new(right: Vec3, by_clip: bool) -> Self {
        Self {
            models: Vec::new(),
            selected: 0,
            right,
            by_clip,
        }
    }

    pub fn selected(&self) -> Option<Entity> {
        self.models.get(self.selected).copied()
    }
}

/// Loads and spawns models. Needs [`Args`], [`Folders`] and [`Row`].
pub struct ModelsPlugin;

impl Plugin for ModelsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<FilesToLoad>()
            .add_systems(Startup, list_files)
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

/// The systems that position the models in a row.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowLayout;

/// The files of the command line that are not loaded yet.
#[derive(Resource, Default)]
pub struct FilesToLoad(VecDeque<PathBuf>);

impl FilesToLoad {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn list_files(args: Res<Args>, mut files: ResMut<FilesToLoad>) {
    files.0 = models_to_show(&args.files).into();
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

/// Quake units per Alamo unit, so that models of both formats have similar sizes in the row.
const ALO_SCALE: f32 = 4.0;

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
    let is_alo = handle.alo().is_some();
    let yaw = yaw(&handle);
    let manifest = match &handle {
        ModelHandle::Manifest(handle) => Some(OpenedManifest {
            handle: handle.clone(),
            path: path.clone(),
            file: file.clone(),
        }),
        _ => None,
    };
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

/// The rotation of a model about Y, in radians. Alamo models face the opposite direction of the others.
pub fn yaw(handle: &ModelHandle) -> f32 {
    if handle.alo().is_some() { PI } else { 0.0 }
}

/// Loads a model with the loader of its extension.
pub fn load(
    file: &Path,
    path: &AssetPath<'static>,
    folders: &Folders,
    server: &AssetServer,
) -> ModelHandle {
    let builder = server.load_builder();
    if is_alo(file) {
        let textures = folders.texture_folders();
        let settings = move |settings: &mut AloLoaderSettings| {
            settings.scale = ALO_SCALE;
            settings.texture_folders.extend(textures.iter().cloned());
        };
        ModelHandle::Alo(builder.with_settings(settings).load(path.clone()))
    } else if is_abc(file) {
        let settings = abc_models::settings(folders);
        ModelHandle::Abc(builder.with_settings(settings).load(path.clone()))
    } else if is_lgw(file) {
        let settings = lgw_models::settings(file, folders);
        ModelHandle::Lgw(builder.with_settings(settings).load(path.clone()))
    } else if is_manifest(file) {
        ModelHandle::Manifest(builder.load(path.clone()))
    } else {
        ModelHandle::Mdl(builder.load(path.clone()))
    }
}

/// Sets the error messages of models that failed to load, and clears those of models that loaded since.
fn update_problems(server: Res<AssetServer>, mut models: Query<&mut ViewedModel>) {
    for mut model in &mut models {
        let manifest = model.manifest.as_ref().map(|opened| &opened.handle);
        let of_manifest = manifest.map(|manifest| server.load_state(manifest));
        let failure = match (of_manifest, server.load_state(model.handle.id())) {
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

/// Spawns Quake models that have been loaded.
fn spawn_mdl(
    mut commands: Commands,
    args: Res<Args>,
    assets: Res<Assets<Mdl>>,
    models: Query<(Entity, &ViewedModel), Without<WorldAssetRoot>>,
) {
    for (entity, model) in models.iter().filter(|(_, model)| model.manifest.is_none()) {
        let Some(mdl) = model.handle.mdl().and_then(|mdl| assets.get(mdl)) else {
            continue;
        };
        let clip = args.clip.as_deref().and_then(|name| mdl_clip(mdl, name));
        let play = args.play(clip.unwrap_or(ClipRef::Index(0)));
        let mut entity = commands.entity(entity);
        entity.insert((WorldAssetRoot(mdl.scene.clone()), play));
        if let Some(skin) = &args.skin {
            entity.insert(skin.clone());
        }
        if let Some(colors) = args.colors {
            entity.insert(colors);
        }
        info!(
            "{}: {} vertices, {} poses, {} clips, {} skins",
            model.name,
            mdl.poses.vertex_count(),
            mdl.poses.pose_count(),
            mdl.clips.len(),
            mdl.skins.len()
        );
    }
}

/// A clip of a Quake model by its name, otherwise by its index.
pub fn mdl_clip(mdl: &Mdl, name: &str) -> Option<ClipRef> {
    if mdl.named_clips.contains_key(name) {
        return Some(name.into());
    }
    let index = name.parse::<usize>().ok();
    let index = index.filter(|index| *index < mdl.clips.len());
    index.map(ClipRef::from)
}

/// Spawns Alamo models that have been loaded.
fn spawn_alo(
    mut commands: Commands,
    args: Res<Args>,
    assets: Res<Assets<Alo>>,
    models: Query<(Entity, &ViewedModel), Without<WorldAssetRoot>>,
) {
    for (entity, model) in models.iter().filter(|(_, model)| model.manifest.is_none()) {
        let Some(alo) = model.handle.alo().and_then(|alo| assets.get(alo)) else {
            continue;
        };
        let mut entity = commands.entity(entity);
        entity.insert((
            WorldAssetRoot(alo.scene.clone()),
            ModelLod(args.lod.unwrap_or_default()),
            DamageStage(args.damage_stage.unwrap_or_default()),
            args.parts.applied_to(PartVisibility::default()),
        ));
        if let Some(team) = args.team {
            entity.insert(TeamColor(team));
        }
        info!(
            "{}: {} bones, {} meshes, {} lights, {} proxies, {} dazzles, {} clips",
            model.name,
            alo.bones.len(),
            alo.meshes.len(),
            alo.lights.len(),
            alo.proxies.len(),
            alo.dazzles.len(),
            alo.animations.len()
        );
    }
}

/// The loader's error message, without Bevy's text around it.
pub fn explain(error: &AssetLoadError) -> String {
    let AssetLoadError::AssetLoaderError(error) = error else {
        return error.to_string();
    };
    let own = error.error();
    None.or_else(|| Some(own.downcast_ref::<ModelLoadError>()?.to_string()))
        .or_else(|| Some(own.downcast_ref::<ManifestLoaderError>()?.to_string()))
        .unwrap_or_else(|| error.to_string())
}
