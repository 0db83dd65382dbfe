//! What is said of a model once, and not for each instance or frame.

use bevy::asset::AssetServer;
use bevy::ecs::entity::Entity;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Query, Res, ResMut, SystemParam};
use bevy::log::warn;
use bevy::platform::collections::HashSet;
use bevy::world_serialization::WorldAssetRoot;

/// All that was said.
#[derive(Resource, Default)]
pub(super) struct Said(HashSet<String>);

/// Says things of models, each of them once for the file of a model.
#[derive(SystemParam)]
pub(super) struct Told<'w, 's> {
    said: ResMut<'w, Said>,
    server: Res<'w, AssetServer>,
    roots: Query<'w, 's, &'static WorldAssetRoot>,
}

impl Told<'_, '_> {
    /// Says something that is wrong with the model of a root; `what` goes on from the model's path.
    pub(super) fn warn_once(&mut self, root: Entity, what: &str) {
        let scene = self.roots.get(root).ok();
        let path = scene.and_then(|scene| self.server.get_path(scene.id()));
        let path = path.map(|path| path.without_label().to_string());
        let text = format!("{} {what}", path.as_deref().unwrap_or("a model"));
        if !self.said.0.contains(&text) {
            warn!("{text}");
            self.said.0.insert(text);
        }
    }
}
