//! LGW models: how they are loaded and spawned, what they wear, and how much room they take.

use crate::view::args::Args;
use crate::view::files::Folders;
use crate::view::models::{Standing, ViewedModel};
use crate::view::rooms::Room;
use bevy::prelude::*;
use bevy_classic_models::lgw::{Lgw, LgwInstance, LgwLoaderSettings, LgwMaterial};
use bevy_classic_models::prelude::*;
use classic_models_support::stage::corners;
use std::path::Path;

/// Units of Quake's that one of these is taken for, so that both kinds of models can stand in a row.
const SCALE: f32 = 0.3;

/// Spawns models, and keeps what is known of them.
pub struct LgwModelsPlugin;

impl Plugin for LgwModelsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Update, spawn)
            .add_systems(PostUpdate, (measure, keep_materials).before(Standing));
    }
}

/// How a model is loaded: any folder above it may be that of the game, which pictures are named from.
pub fn settings(
    file: &Path,
    folders: &Folders,
) -> impl Fn(&mut LgwLoaderSettings) + Send + Sync + 'static {
    let mut textures = folders.texture_folders();
    textures.extend(folders.above(file));
    move |settings| {
        settings.scale = SCALE;
        settings.texture_folders.extend(textures.iter().cloned());
    }
}

/// Spawns models that have been loaded.
fn spawn(
    mut commands: Commands,
    args: Res<Args>,
    assets: Res<Assets<Lgw>>,
    models: Query<(Entity, &ViewedModel), Without<WorldAssetRoot>>,
) {
    for (entity, model) in models.iter().filter(|(_, model)| model.manifest.is_none()) {
        let Some(lgw) = model.handle.lgw().and_then(|lgw| assets.get(lgw)) else {
            continue;
        };
        let scene = WorldAssetRoot(lgw.scene.clone());
        commands
            .entity(entity)
            .insert((scene, args.parts.applied_to(PartVisibility::default())));
        info!(
            "{}: {} materials, {} meshes",
            model.name,
            lgw.materials.len(),
            lgw.meshes.len()
        );
    }
}

/// Measures models that were spawned, or spawned anew.
fn measure(
    mut commands: Commands,
    models: Query<(Entity, &LgwInstance), Changed<LgwInstance>>,
    parents: Query<&ChildOf>,
    places: Query<&Transform>,
) {
    for (root, instance) in &models {
        // The scene's root turns and scales the file's space to Bevy's.
        let mesh = instance.meshes().first();
        let scene = mesh.and_then(|mesh| parents.get(*mesh).ok());
        let scene = scene.and_then(|scene| places.get(scene.parent()).ok());
        let scene = scene.copied().unwrap_or_default();
        let bounds = instance.model().bounds.into_iter();
        let corners = bounds.flat_map(|of| corners(of.min.into(), of.max.into()));
        let room = Room::around(corners.map(|corner| scene.transform_point(corner)));
        commands.entity(root).insert(room);
    }
}

/// The materials of a model, in file order. On its root.
#[derive(Component)]
pub struct ModelMaterials(pub Vec<LgwMaterial>);

impl ModelMaterials {
    /// The pictures that were found.
    pub fn pictures(&self) -> impl Iterator<Item = &Handle<Image>> {
        let pictures = self.0.iter().flat_map(|material| &material.pictures);
        // What stands for one that was not found is in no file.
        pictures
            .flatten()
            .filter(|picture| picture.path().is_some())
    }
}

/// Keeps the materials of models that were spawned, or spawned anew.
fn keep_materials(
    mut commands: Commands,
    models: Query<(Entity, &LgwInstance), Changed<LgwInstance>>,
    assets: Res<Assets<LgwMaterial>>,
) {
    for (root, instance) in &models {
        let materials = instance.model().materials.iter();
        let materials = materials.filter_map(|info| assets.get(&info.material).cloned());
        let materials = ModelMaterials(materials.collect());
        commands.entity(root).insert(materials);
    }
}
