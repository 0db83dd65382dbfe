//! What is said of a model or a manifest once, and not for each instance or frame.

use crate::scene::SpawnEarly;
use bevy::app::{App, SceneSpawnerSystems, SpawnScene};
use bevy::asset::{Asset, AssetEvent, AssetServer, UntypedAssetId};
use bevy::ecs::entity::Entity;
use bevy::ecs::message::MessageReader;
use bevy::ecs::resource::Resource;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::system::{Query, Res, ResMut, SystemParam};
use bevy::log::warn;
use bevy::platform::collections::{HashMap, HashSet};
use bevy::world_serialization::{WorldAsset, WorldAssetRoot};

/// All that was said of what is in use, by its name.
#[derive(Resource, Default)]
pub(crate) struct Said(HashMap<String, Topic>);

/// What was said of one thing.
#[derive(Default)]
struct Topic {
    /// The assets that it is.
    assets: HashSet<UntypedAssetId>,
    /// Since it last changed.
    now: HashSet<String>,
    /// Before that, since the change before.
    before: HashSet<String>,
}

impl Said {
    /// Warns of what is wrong with an asset; the text begins with its name and goes on with `what`. What was said
    /// already, and was wrong ever since, is no news.
    pub(crate) fn warn_once(&mut self, asset: Option<UntypedAssetId>, name: &str, what: &str) {
        let topic = self.0.entry(name.to_owned()).or_default();
        topic.assets.extend(asset);
        if topic.now.insert(what.to_owned()) && !topic.before.contains(what) {
            warn!("{name} {what}");
        }
    }

    /// Things changed: what is still wrong with them is found again.
    fn change(&mut self, assets: &HashSet<UntypedAssetId>) {
        for topic in self.0.values_mut() {
            if !topic.assets.is_disjoint(assets) {
                topic.before = core::mem::take(&mut topic.now);
            }
        }
    }

    fn forget(&mut self, assets: &HashSet<UntypedAssetId>) {
        self.0.retain(|_, topic| {
            let had = topic.assets.len();
            topic.assets.retain(|asset| !assets.contains(asset));
            topic.assets.len() == had || !topic.assets.is_empty()
        });
    }
}

/// Has it said once what is said of models.
pub(super) fn register(app: &mut App) {
    app.init_resource::<Said>().add_systems(
        SpawnScene,
        // Before models are spawned anew, of which the same may be said again.
        follow_said::<WorldAsset>
            .before(SpawnEarly)
            .before(SceneSpawnerSystems::WorldInstanceSpawn),
    );
}

/// Keeps up with assets that change or go.
pub(crate) fn follow_said<A: Asset>(
    mut events: MessageReader<AssetEvent<A>>,
    mut said: ResMut<Said>,
) {
    let (mut changed, mut gone) = (HashSet::default(), HashSet::default());
    for event in events.read() {
        match event {
            AssetEvent::Modified { id } => changed.insert(id.untyped()),
            AssetEvent::Removed { id } => gone.insert(id.untyped()),
            _ => false,
        };
    }
    let is_news = !changed.is_empty() || !gone.is_empty();
    if is_news {
        said.change(&changed);
        said.forget(&gone);
    }
}

/// Says things of models, each of them once for the file of a model.
#[derive(SystemParam)]
pub(crate) struct Told<'w, 's> {
    said: ResMut<'w, Said>,
    server: Res<'w, AssetServer>,
    roots: Query<'w, 's, &'static WorldAssetRoot>,
}

impl Told<'_, '_> {
    /// Says something that is wrong with the model of a root; `what` goes on from the model's path.
    pub(crate) fn warn_once(&mut self, root: Entity, what: &str) {
        let scene = self.roots.get(root).ok().map(|scene| scene.id());
        let path = scene.and_then(|scene| self.server.get_path(scene));
        let path = path.map(|path| path.without_label().to_string());
        let name = path.as_deref().unwrap_or("a model");
        self.said.warn_once(scene.map(Into::into), name, what);
    }
}
