//! Brings along the models that proxies name.

use crate::alamo::asset::Alo;
use crate::alamo::components::{AloInstance, AloProxy};
use crate::alamo::settings::AloLoaderSettings;
use crate::scene::{ModelWarnings, same_name};
use bevy::asset::{AssetServer, Assets, Handle};
use bevy::ecs::component::{Component, Mutable};
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or, With, Without};
use bevy::ecs::system::{Commands, Query, Res, SystemParam};
use bevy::world_serialization::WorldAssetRoot;
use std::sync::Arc;

/// Models within models may be this many.
const MAX_DEPTH: usize = 4;

/// On a proxy: the model that it names. Of a file that changes and of which only the scene is held, Bevy forgets the
/// settings.
#[derive(Component)]
pub(super) struct ProxyModel(Handle<Alo>);

/// Begins to load what proxies name.
#[derive(SystemParam)]
pub(super) struct ProxyFollower<'w, 's> {
    server: Res<'w, AssetServer>,
    proxies: Query<'w, 's, &'static AloProxy>,
    roots: Query<'w, 's, &'static WorldAssetRoot>,
    parents: Query<'w, 's, &'static ChildOf>,
    models: Res<'w, Assets<Alo>>,
    told: ModelWarnings<'w, 's>,
}

impl ProxyFollower<'_, '_> {
    /// Whether an entity is a proxy, on which the scene of a model then stands.
    pub(super) fn is_proxy(&self, root: Entity) -> bool {
        self.proxies.contains(root)
    }

    /// Brings along a model on a proxy of the model of `root`, but none within itself, and not too many
    /// within each other.
    pub(super) fn follow(
        &mut self,
        commands: &mut Commands,
        root: Entity,
        proxy: Entity,
        path: &str,
        settings: &Arc<AloLoaderSettings>,
    ) {
        let above = || core::iter::once(root).chain(self.parents.iter_ancestors(root));
        if above().any(|ancestor| self.is_of(ancestor, path)) {
            let what =
                format!("has a proxy that names {path}, which contains it: it is not followed");
            self.told.warn_once(root, &what);
            return;
        }
        if above().filter(|ancestor| self.is_proxy(*ancestor)).count() >= MAX_DEPTH {
            let what = format!(
                "has a proxy that names {path} below {MAX_DEPTH} other proxies: it is not followed"
            );
            self.told.warn_once(root, &what);
            return;
        }
        let outer = settings.clone();
        let settings = move |settings: &mut AloLoaderSettings| *settings = (*outer).clone();
        let builder = self.server.load_builder().with_settings(settings);
        let model = builder.load(path.to_owned());
        // One that was there before a change of the outer model's file comes in the same frame as that.
        if let Some(model) = self.models.get(&model) {
            let scene = WorldAssetRoot(model.scene.clone());
            commands.entity(proxy).try_insert(scene);
        }
        commands.entity(proxy).try_insert(ProxyModel(model));
    }

    fn is_of(&self, entity: Entity, path: &str) -> bool {
        let root = self.roots.get(entity).ok();
        let root = root.and_then(|root| self.server.get_path(root.id()));
        root.is_some_and(|root| same_name(&root.without_label().to_string(), path))
    }
}

/// Spawns models of proxies once they are loaded.
pub(super) fn spawn_proxy_models(
    mut commands: Commands,
    models: Res<Assets<Alo>>,
    waiting: Query<(Entity, &ProxyModel), Without<WorldAssetRoot>>,
) {
    for (proxy, model) in &waiting {
        if let Some(model) = models.get(&model.0) {
            let scene = WorldAssetRoot(model.scene.clone());
            commands.entity(proxy).try_insert(scene);
        }
    }
}

type IsBrought = (With<AloProxy>, With<WorldAssetRoot>);

/// What decides which component the model of a proxy has.
type ChosenChanged<C> = Or<(
    Changed<C>,
    Changed<AloInstance>,
    (With<AloProxy>, Changed<WorldAssetRoot>),
)>;

/// Gives models that proxies brought along what was chosen for the model that they belong to.
pub(super) fn propagate_to_proxies<C: Component<Mutability = Mutable> + Clone + PartialEq>(
    mut commands: Commands,
    brought: Query<(Entity, Option<&C>), IsBrought>,
    changed: Query<(), ChosenChanged<C>>,
    mut removed: RemovedComponents<C>,
    parents: Query<&ChildOf>,
    roots: Query<Option<&C>, With<AloInstance>>,
) {
    let is_removed = removed.read().count() > 0;
    if brought.is_empty() || (changed.is_empty() && !is_removed) {
        return;
    }
    for (entity, has) in &brought {
        let mut above = parents.iter_ancestors(entity);
        let Some(chosen) = above.find_map(|ancestor| roots.get(ancestor).ok()) else {
            continue;
        };
        match chosen {
            Some(chosen) if has != Some(chosen) => {
                commands.entity(entity).try_insert(chosen.clone());
            }
            None if has.is_some() => {
                commands.entity(entity).try_remove::<C>();
            }
            _ => {}
        }
    }
}
