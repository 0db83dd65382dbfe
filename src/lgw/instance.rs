//! A spawned model: its entities.

use crate::lgw::model::LgwModel;
use crate::scene::{HiddenParts, OwnScenes, SceneModel};
use bevy::camera::visibility::Visibility;
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::component::Component;
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::lifecycle::{Remove, RemovedComponents};
use bevy::ecs::observer::On;
use bevy::ecs::query::{Changed, Or, With};
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::system::{Commands, Query};
use bevy::reflect::Reflect;
use bevy::world_serialization::{WorldAssetRoot, WorldInstanceReady};
use std::sync::Arc;

/// On the root entity of a scene's own world: the model that it is of.
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(opaque, Component, Clone, Debug)]
pub(super) struct LgwScene(pub(super) Arc<LgwModel>);

/// On the entity of a mesh of a spawned model. Its `Visibility` is this crate's to set: see
/// [`HiddenParts`].
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct LgwMesh {
    /// Its index in the file.
    pub index: usize,
}

/// A spawned model of UFO: Aftermath. On the root entity, once its scene is there.
#[derive(Component, Debug)]
pub struct LgwInstance {
    model: Arc<LgwModel>,
    meshes: Vec<Entity>,
}

impl LgwInstance {
    /// The model, for its names, materials and all else.
    pub fn model(&self) -> &Arc<LgwModel> {
        &self.model
    }

    /// The entities of the meshes, in file order.
    pub fn meshes(&self) -> &[Entity] {
        &self.meshes
    }

    /// The entity of the first mesh of a name, in any case.
    pub fn mesh(&self, name: &str) -> Option<Entity> {
        let index = self.model.meshes_named(name).first()?;
        self.meshes.get(*index).copied()
    }
}

impl SceneModel for LgwScene {
    type Instance = LgwInstance;

    fn is_of(&self, instance: &LgwInstance) -> bool {
        Arc::ptr_eq(&self.0, &instance.model)
    }
}

/// Takes charge of a scene that was spawned, or spawned anew because its file changed.
pub(super) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: OwnScenes<'_, '_, LgwScene>,
    spawned: Query<(Option<&LgwScene>, Option<&LgwMesh>)>,
    instances: Query<&LgwInstance>,
) {
    let Some(entities) = scenes.entities(&ready) else {
        return;
    };
    let root = ready.entity;
    let mut model = None;
    let mut meshes = Vec::new();
    for entity in entities {
        let Ok((scene, mesh)) = spawned.get(entity) else {
            continue;
        };
        model = scene.map(|scene| &scene.0).or(model);
        meshes.extend(mesh.map(|mesh| (mesh.index, entity)));
    }
    let Some(model) = model else {
        if instances.contains(root) {
            commands.entity(root).try_remove::<LgwInstance>();
        }
        return;
    };
    meshes.sort_unstable();
    commands.entity(root).try_insert(LgwInstance {
        model: model.clone(),
        meshes: meshes.into_iter().map(|(_, entity)| entity).collect(),
    });
}

/// Without a scene there is no instance.
pub(super) fn on_root_removed(removed: On<Remove, WorldAssetRoot>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<LgwInstance>();
}

/// Roots of which a component changed that decides which meshes show.
type HiddenChanged = (
    With<LgwInstance>,
    Or<(Changed<LgwInstance>, Changed<HiddenParts>)>,
);

/// Shows and hides the meshes of models whose [`HiddenParts`] have changed.
pub(super) fn apply_hidden(
    changed: Query<Entity, HiddenChanged>,
    roots: Query<(&LgwInstance, Option<&HiddenParts>)>,
    mut removed: RemovedComponents<HiddenParts>,
    mut meshes: Query<&mut Visibility>,
) {
    let due: EntityHashSet = changed.iter().chain(removed.read()).collect();
    for root in due {
        let Ok((instance, hidden)) = roots.get(root) else {
            continue;
        };
        let names = instance.model.meshes.iter().map(|mesh| &mesh.name);
        for (name, mesh) in names.zip(&instance.meshes) {
            let is_hidden = hidden.and_then(|hidden| hidden.get(name));
            let visibility = match is_hidden {
                Some(true) => Visibility::Hidden,
                _ => Visibility::Inherited,
            };
            if let Ok(mut of_mesh) = meshes.get_mut(*mesh) {
                of_mesh.set_if_neq(visibility);
            }
        }
    }
}
