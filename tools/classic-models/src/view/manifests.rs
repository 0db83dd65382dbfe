//! Opens manifests: loads their models and applies their settings.

use crate::view::alo_clips::AssignedClips;
use crate::view::clips::ClipList;
use crate::view::files::Folders;
use crate::view::load_model::{load, yaw};
use crate::view::viewed_model::{ViewedModel, is};
use bevy::prelude::*;
use bevy_classic_models::alamo::Alo;
use bevy_classic_models::lithtech::Abc;
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::prelude::*;

/// Loads the models of manifests that have been loaded, and spawns them with the manifests' settings. If a manifest
/// changes to another model, that model replaces the previous one.
pub fn open_manifests(
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
        let path = manifests
            .get(&opened.handle)
            .and_then(|manifest| manifest.files.model());
        let Some(path) = path.filter(|path| **path != model.path) else {
            continue;
        };
        let Some(file) = folders.file_of(path) else {
            continue;
        };
        let is_first = is::<ModelManifest>(&model.handle);
        let spawned = ClassicModel(opened.handle.clone());
        model.handle = load(&file, path, &folders, &server);
        model.path = path.clone();
        model.file = file;
        transform.rotation = Quat::from_rotation_y(yaw(&model.handle));
        let mut entity = commands.entity(entity);
        if is::<Alo>(&model.handle) {
            entity.insert((AssignedClips::started(), ClipList::default()));
        } else if is::<Abc>(&model.handle) {
            entity.insert(ClipList::default());
        }
        if is_first {
            entity.insert(spawned);
        }
    }
}
