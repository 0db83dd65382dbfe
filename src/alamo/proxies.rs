//! Brings along the models that proxies name.

use crate::alamo::spawn::AloProxy;
use bevy::asset::AssetServer;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::lifecycle::Insert;
use bevy::ecs::observer::On;
use bevy::ecs::system::{Commands, Query, Res};
use bevy::log::warn;
use bevy::world_serialization::WorldAssetRoot;

/// Spawns the model of a proxy below it, unless the proxy is within that same model.
pub(super) fn follow_proxies(
    inserted: On<Insert, AloProxy>,
    mut commands: Commands,
    server: Res<AssetServer>,
    proxies: Query<&AloProxy>,
    roots: Query<&WorldAssetRoot>,
    parents: Query<&ChildOf>,
) {
    let entity = inserted.entity;
    let Some(path) = proxies
        .get(entity)
        .ok()
        .and_then(|proxy| proxy.model.as_ref())
    else {
        return;
    };
    let is_same = |ancestor: Entity| {
        let root = roots.get(ancestor).ok();
        let root = root.and_then(|root| server.get_path(root.id()));
        root.is_some_and(|root| root.without_label().to_string() == *path)
    };
    if parents.iter_ancestors(entity).any(is_same) {
        warn!("a proxy names {path}, in which it is itself: it is not followed");
        return;
    }
    let scene = server.load(format!("{path}#Scene"));
    commands.entity(entity).insert(WorldAssetRoot(scene));
}
