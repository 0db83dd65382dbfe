//! Brings along the models that proxies name.

use crate::alamo::spawn::AloProxy;
use bevy::asset::AssetServer;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::observer::On;
use bevy::ecs::system::{Commands, Query, Res};
use bevy::log::warn;
use bevy::world_serialization::{WorldAssetRoot, WorldInstanceReady, WorldInstanceSpawner};

/// Spawns the models that a model's proxies name below them, but no model within itself.
pub(super) fn follow_proxies(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    spawner: Res<WorldInstanceSpawner>,
    server: Res<AssetServer>,
    proxies: Query<&AloProxy>,
    roots: Query<&WorldAssetRoot>,
    parents: Query<&ChildOf>,
) {
    let is_of = |ancestor: Entity, path: &str| {
        let root = roots.get(ancestor).ok();
        let root = root.and_then(|root| server.get_path(root.id()));
        root.is_some_and(|root| root.without_label().to_string() == path)
    };
    for entity in spawner.iter_instance_entities(ready.instance_id) {
        let proxy = proxies.get(entity).ok();
        let Some(path) = proxy.and_then(|proxy| proxy.model.as_ref()) else {
            continue;
        };
        let mut above = parents.iter_ancestors(ready.entity);
        if is_of(ready.entity, path) || above.any(|ancestor| is_of(ancestor, path)) {
            warn!("a proxy names {path}, in which it is itself: it is not followed");
            continue;
        }
        let scene = server.load(format!("{path}#Scene"));
        commands.entity(entity).insert(WorldAssetRoot(scene));
    }
}
