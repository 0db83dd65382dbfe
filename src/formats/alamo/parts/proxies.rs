//! Loads and spawns the models that proxies name.

use crate::formats::alamo::asset::Alo;
use crate::formats::alamo::components::{AloInstance, AloProxy};
use crate::formats::alamo::particles::simulate::proxies::ProxyParticles;
use crate::formats::alamo::settings::AloLoaderSettings;
use crate::load::names::same_name;
use crate::load::reloads::is_asset_loading;
use crate::load::warnings::ModelWarnings;
use crate::root::spawning::ModelScene;
use crate::spawn::instance::RandomSeed;
use bevy::ecs::component::Mutable;
use bevy::ecs::system::SystemParam;
use bevy::platform::hash::FixedHasher;
use bevy::prelude::*;
use core::hash::BuildHasher;
use std::sync::Arc;

/// The most proxies that a model may be nested in.
const MAX_DEPTH: usize = 4;

/// On a proxy: the model that it names.
///
/// The handle keeps the asset loaded. If only the scene's handle were kept, a reload would lose the loader settings.
#[derive(Component)]
pub(crate) struct ProxyModel(Handle<Alo>);

/// A proxy that names a file.
#[derive(Debug)]
pub(crate) struct SpawnedProxy {
    pub(crate) entity: Entity,
    pub(crate) model: Option<String>,
    pub(crate) particles: Option<String>,
}

/// Starts to load the files that the proxies of a model name. The input is its root, and the settings of its file.
pub(crate) fn load_proxies(
    In((root, proxies, settings)): In<(Entity, Vec<SpawnedProxy>, Arc<AloLoaderSettings>)>,
    mut commands: Commands,
    mut loader: ProxyLoader,
) {
    for proxy in proxies {
        if let Some(path) = &proxy.model {
            loader.load(&mut commands, root, proxy.entity, path, &settings);
        }
        if let Some(path) = &proxy.particles {
            loader.load_particles(&mut commands, root, proxy.entity, path, &settings);
        }
    }
}

/// Starts to load the models that proxies name.
#[derive(SystemParam)]
pub(crate) struct ProxyLoader<'w, 's> {
    server: Res<'w, AssetServer>,
    proxies: Query<'w, 's, &'static AloProxy>,
    roots: Query<'w, 's, &'static ModelScene>,
    parents: Query<'w, 's, &'static ChildOf>,
    models: Res<'w, Assets<Alo>>,
    seeds: Query<'w, 's, &'static RandomSeed>,
    warnings: ModelWarnings<'w, 's>,
}

impl ProxyLoader<'_, '_> {
    /// Whether an entity is a proxy. If it is also the root of a scene, the proxy has loaded that model.
    pub(crate) fn is_proxy(&self, root: Entity) -> bool {
        self.proxies.contains(root)
    }

    /// Starts to load the model at `path` for a proxy of the model of `root`. Warns and skips it if it is recursive, or
    /// nested in too many proxies.
    pub(crate) fn load(
        &mut self,
        commands: &mut Commands,
        root: Entity,
        proxy: Entity,
        path: &str,
        settings: &Arc<AloLoaderSettings>,
    ) {
        let ancestors = || core::iter::once(root).chain(self.parents.iter_ancestors(root));
        if ancestors().any(|ancestor| self.is_root_of(ancestor, path)) {
            let warning = format!("has a recursive proxy for {path}; it is skipped");
            self.warnings.warn_once(root, &warning);
            return;
        }
        let depth = ancestors()
            .filter(|ancestor| self.is_proxy(*ancestor))
            .count();
        if depth >= MAX_DEPTH {
            let warning = format!(
                "has a proxy for {path} nested in {MAX_DEPTH} proxies, which is the maximum; it is skipped"
            );
            self.warnings.warn_once(root, &warning);
            return;
        }
        let model = self.load_file(path, settings);
        // After a reload of the outer model, this model is still loaded, and is spawned in the same frame.
        if let Some(model) = self.models.get(&model) {
            let scene = ModelScene::from(model.scene.clone());
            commands.entity(proxy).try_insert(scene);
        }
        commands.entity(proxy).try_insert(ProxyModel(model));
    }

    /// Starts to load the particle system at `path` for a proxy of the model of `root`.
    pub(crate) fn load_particles(
        &self,
        commands: &mut Commands,
        root: Entity,
        proxy: Entity,
        path: &str,
        settings: &Arc<AloLoaderSettings>,
    ) {
        // The models that named each other by proxies, from the inside out.
        let mut outermost = root;
        let mut indices: Vec<usize> = self.index(proxy).into_iter().collect();
        while let Some(index) = self.index(outermost)
            && let mut ancestors = self.parents.iter_ancestors(outermost)
            && let Some(outer) = ancestors.find(|ancestor| self.roots.contains(*ancestor))
        {
            indices.push(index);
            outermost = outer;
        }
        let file = self.load_file(path, settings);
        // The same in each run of an app, whatever is loaded first, unlike the ids of entities below the root.
        let of_root = RandomSeed::of_root(self.seeds.get(outermost).ok(), 0);
        let seed = FixedHasher.hash_one((of_root, indices));
        let particles = ProxyParticles::new(file, root, outermost, seed);
        commands.entity(proxy).try_insert(particles);
    }

    /// The index of a proxy in its model.
    fn index(&self, proxy: Entity) -> Option<usize> {
        self.proxies.get(proxy).ok().map(|proxy| proxy.index)
    }

    fn load_file(&self, path: &str, settings: &Arc<AloLoaderSettings>) -> Handle<Alo> {
        let outer = settings.clone();
        let settings = move |settings: &mut AloLoaderSettings| *settings = (*outer).clone();
        let builder = self.server.load_builder().with_settings(settings);
        builder.load(path.to_owned())
    }

    /// Whether an entity is the root of the model at a path.
    fn is_root_of(&self, entity: Entity, path: &str) -> bool {
        let root = self.roots.get(entity).ok();
        let root = root.and_then(|root| self.server.get_path(root.scene.id()));
        root.is_some_and(|root| same_name(&root.without_label().to_string(), path))
    }
}

/// Whether the model of a proxy is loading.
pub(crate) fn is_proxy_loading(world: &World, entity: EntityRef<'_>) -> bool {
    let (Some(ProxyModel(model)), Some(server)) = (
        entity.get::<ProxyModel>(),
        world.get_resource::<AssetServer>(),
    ) else {
        return false;
    };
    // A loaded model is spawned in the next frame.
    let is_spawned = entity.contains::<ModelScene>();
    !is_spawned && (server.is_loaded(model) || is_asset_loading(server, model))
}

/// Spawns the models of proxies once they are loaded.
pub(crate) fn spawn_proxy_models(
    mut commands: Commands,
    models: Res<Assets<Alo>>,
    waiting: Query<(Entity, &ProxyModel), Without<ModelScene>>,
) {
    for (proxy, model) in &waiting {
        if let Some(model) = models.get(&model.0) {
            let scene = ModelScene::from(model.scene.clone());
            commands.entity(proxy).try_insert(scene);
        }
    }
}

type HasProxyModel = (With<AloProxy>, With<ModelScene>);

/// Matches entities if a change may require copying `C` to the models of proxies.
type SourceChanged<C> = Or<(
    Changed<C>,
    Changed<AloInstance>,
    (With<AloProxy>, Changed<ModelScene>),
)>;

/// Copies a component from a model's root to the models that its proxies loaded.
pub(crate) fn propagate_to_proxies<C: Component<Mutability = Mutable> + Clone + PartialEq>(
    mut commands: Commands,
    proxies: Query<(Entity, Option<&C>), HasProxyModel>,
    changed: Query<(), SourceChanged<C>>,
    mut removed: RemovedComponents<C>,
    parents: Query<&ChildOf>,
    roots: Query<Option<&C>, With<AloInstance>>,
) {
    let is_removed = removed.read().count() > 0;
    if proxies.is_empty() || (changed.is_empty() && !is_removed) {
        return;
    }
    for (entity, current) in &proxies {
        let mut ancestors = parents.iter_ancestors(entity);
        let Some(source) = ancestors.find_map(|ancestor| roots.get(ancestor).ok()) else {
            continue;
        };
        match source {
            Some(source) if current != Some(source) => {
                commands.entity(entity).try_insert(source.clone());
            }
            None if current.is_some() => {
                commands.entity(entity).try_remove::<C>();
            }
            _ => {}
        }
    }
}
