//! Loads and spawns LGW models, and keeps their materials and bounds.

use crate::view::args::Args;
use crate::view::files::Folders;
use crate::view::model_bounds::ModelBounds;
use crate::view::row::RowLayout;
use crate::view::viewed_model::ViewedModel;
use bevy::prelude::*;
use bevy_classic_models::lgw::{Lgw, LgwInstance, LgwLoaderSettings, LgwMaterial};
use bevy_classic_models::prelude::*;
use classic_models_support::stage::corners;
use std::path::Path;

/// Quake units per LGW unit, so that models of both formats have similar sizes in the row.
const SCALE: f32 = 0.3;

/// Spawns LGW models, and keeps their materials and bounds up to date.
pub struct LgwModelsPlugin;

impl Plugin for LgwModelsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Update, spawn)
            .add_systems(PostUpdate, (measure, keep_materials).before(RowLayout));
    }
}

/// The loader settings of a model. Texture paths are relative to the game's folder, which may be any folder above the
/// model.
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
        let Some(lgw) = model.asset(&assets) else {
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

/// Computes the bounds of models that were spawned or respawned.
fn measure(
    mut commands: Commands,
    models: Query<(Entity, &LgwInstance), Changed<LgwInstance>>,
    parents: Query<&ChildOf>,
    transforms: Query<&Transform>,
) {
    for (root, instance) in &models {
        // The scene's root converts the file's space to Bevy's.
        let mesh = instance.meshes().first();
        let scene = mesh.and_then(|mesh| parents.get(*mesh).ok());
        let scene = scene.and_then(|scene| transforms.get(scene.parent()).ok());
        let scene = scene.copied().unwrap_or_default();
        let bounds = instance.model().bounds.into_iter();
        let corners = bounds.flat_map(|of| corners(of.min.into(), of.max.into()));
        let bounds = ModelBounds::around(corners.map(|corner| scene.transform_point(corner)));
        commands.entity(root).insert(bounds);
    }
}

/// The materials of a model, in file order. On its root.
#[derive(Component)]
pub struct ModelMaterials(pub Vec<LgwMaterial>);

impl ModelMaterials {
    /// The textures that were found.
    pub fn images(&self) -> impl Iterator<Item = &Handle<Image>> {
        let images = self.0.iter().flat_map(|material| &material.textures);
        // The placeholder of a missing texture has no path.
        images.flatten().filter(|image| image.path().is_some())
    }
}

/// Sets [`ModelMaterials`] of models that were spawned or respawned.
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
