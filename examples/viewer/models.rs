//! The models that are shown, and how they stand side by side.

use crate::args::Args;
use crate::files::{Folders, absolute, files_or_samples};
use crate::support::stage::corners;
use bevy::asset::{AssetLoadError, AssetPath, LoadState};
use bevy::camera::primitives::Aabb;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{MdlAnimator, MdlLoaderError, MdlModel};
use bevy_classic_models::scene::ClassicModelsSystems;
use std::path::{Path, PathBuf};

/// A model that is shown, on its root entity.
#[derive(Component)]
pub struct ViewedModel {
    pub name: String,
    pub file: PathBuf,
    pub path: AssetPath<'static>,
    pub handle: Handle<Mdl>,
    /// Why it, or its newest version, is not there.
    pub problem: Option<String>,
}

/// All models from left to right, and which of them the panel is about.
#[derive(Resource)]
pub struct Row {
    pub models: Vec<Entity>,
    pub selected: usize,
    /// The direction of the row.
    pub right: Vec3,
    /// Whether the room that a model needs is that of its clip, not that of all its poses.
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
        app.add_systems(Startup, load_all)
            .add_systems(Update, settle)
            .add_systems(PostUpdate, stand_side_by_side.in_set(Standing));
        app.configure_sets(
            PostUpdate,
            Standing
                .after(ClassicModelsSystems::Play)
                .before(TransformSystems::Propagate),
        );
    }
}

/// When models take their places.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Standing;

fn load_all(
    mut commands: Commands,
    args: Res<Args>,
    folders: Res<Folders>,
    server: Res<AssetServer>,
    mut row: ResMut<Row>,
) {
    for file in files_or_samples(&args.files) {
        add(&file, &mut commands, &folders, &server, &mut row);
    }
    row.selected = 0;
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
    let model = ViewedModel {
        name: file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        handle: server.load(path.clone()),
        file,
        path,
        problem: None,
    };
    row.selected = row.models.len();
    row.models
        .push(commands.spawn((model, Transform::default())).id());
}

/// Spawns what has been loaded, and keeps the reasons of what could not be.
fn settle(
    mut commands: Commands,
    args: Res<Args>,
    server: Res<AssetServer>,
    assets: Res<Assets<Mdl>>,
    mut models: Query<(Entity, &mut ViewedModel, Has<WorldAssetRoot>)>,
) {
    for (entity, mut model, spawned) in &mut models {
        let problem = match server.load_state(&model.handle) {
            LoadState::Failed(error) => Some(explain(&error)),
            _ => None,
        };
        if model.problem != problem {
            model.problem = problem;
        }
        let Some(mdl) = assets.get(&model.handle).filter(|_| !spawned) else {
            continue;
        };
        let clip = args.clip.as_deref();
        let clip = clip.filter(|name| mdl.named_clips.contains_key(*name));
        let mut play = PlayClip::looping(clip.map_or(ClipRef::Index(0), ClipRef::from));
        play.start = args.time;
        play.paused = args.time.is_some();
        let mut entity = commands.entity(entity);
        entity.insert((WorldAssetRoot(mdl.scene.clone()), play));
        if let Some(skin) = args.skin {
            entity.insert(ModelSkin(skin));
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

/// What the loader said, without what Bevy says around it.
fn explain(error: &AssetLoadError) -> String {
    let AssetLoadError::AssetLoaderError(error) = error else {
        return error.to_string();
    };
    let own = error.error().downcast_ref::<MdlLoaderError>();
    own.map_or_else(|| error.to_string(), ToString::to_string)
}

/// Whether every model of the row is there or never will be.
pub fn settled(row: &Row, models: &Query<(&ViewedModel, Has<MdlAnimator>)>) -> bool {
    let done = |entity: &Entity| {
        models
            .get(*entity)
            .is_ok_and(|(model, there)| there || model.problem.is_some())
    };
    row.models.iter().all(done)
}

/// The box around all that a model may show, in the space of its root.
pub fn room(
    animator: &MdlAnimator,
    by_clip: bool,
    meshes: &Query<(&Aabb, &Transform), Without<ViewedModel>>,
) -> Option<(Vec3, Vec3)> {
    let (aabb, mesh) = meshes.get(animator.mesh()).ok()?;
    let (min, max) = if by_clip {
        clip_bounds(animator.model(), animator)
    } else {
        (aabb.min().into(), aabb.max().into())
    };
    // Boxes stay boxes: the axes are exchanged, never tilted.
    let (a, b) = (mesh.transform_point(min), mesh.transform_point(max));
    Some((a.min(b), a.max(b)))
}

fn clip_bounds(model: &MdlModel, animator: &MdlAnimator) -> (Vec3, Vec3) {
    let sequence = animator.sequence();
    let poses = sequence.first_pose..sequence.first_pose + sequence.pose_count;
    let positions = poses.flat_map(|pose| model.poses.pose(pose).map(|(position, _)| position));
    positions.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(min, max), at| {
        (min.min(at), max.max(at))
    })
}

/// The first model stays where its file says, the others follow; all stand on the ground.
fn stand_side_by_side(
    row: Res<Row>,
    mut models: Query<(&MdlAnimator, &mut Transform), With<ViewedModel>>,
    meshes: Query<(&Aabb, &Transform), Without<ViewedModel>>,
) {
    let mut end = None;
    for entity in &row.models {
        let Ok((animator, mut transform)) = models.get_mut(*entity) else {
            continue;
        };
        let Some((min, max)) = room(animator, row.by_clip, &meshes) else {
            continue;
        };
        let places = corners(min, max).map(|corner| corner.dot(row.right));
        let left = places.into_iter().fold(f32::INFINITY, f32::min);
        let right = places.into_iter().fold(f32::NEG_INFINITY, f32::max);
        let gap = 0.15 * (right - left);
        let place = end.map_or(0.0, |end| end + gap - left);
        end = Some(place + right + gap);
        let translation = row.right * place - Vec3::Y * min.y;
        if transform.translation != translation {
            transform.translation = translation;
        }
    }
}
