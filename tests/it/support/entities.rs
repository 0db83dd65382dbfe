//! Short access to the entities, assets, files and models of tests.

use super::app::TestApp;
use super::stage::Stage;
use crate::gpuless;
use bevy::asset::meta::Settings;
use bevy::asset::{AssetPath, LoadState};
use bevy::ecs::component::Mutable;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use std::path::Path;

/// Entities, components and assets of the world of an app.
pub trait TestWorld {
    fn app(&self) -> &App;
    fn app_mut(&mut self) -> &mut App;

    fn spawn_entity(&mut self, bundle: impl Bundle) -> Entity {
        self.app_mut().world_mut().spawn(bundle).id()
    }

    fn despawn(&mut self, entity: Entity) {
        self.app_mut().world_mut().entity_mut(entity).despawn();
    }

    fn exists(&self, entity: Entity) -> bool {
        self.app().world().get_entity(entity).is_ok()
    }

    fn insert(&mut self, entity: Entity, bundle: impl Bundle) {
        let mut entity = self.app_mut().world_mut().entity_mut(entity);
        entity.insert(bundle);
    }

    fn remove<B: Bundle>(&mut self, entity: Entity) {
        let mut entity = self.app_mut().world_mut().entity_mut(entity);
        entity.remove::<B>();
    }

    #[track_caller]
    fn get<C: Component>(&self, entity: Entity) -> &C {
        self.find(entity).expect("the component")
    }

    fn find<C: Component>(&self, entity: Entity) -> Option<&C> {
        self.app().world().get(entity)
    }

    #[track_caller]
    fn get_mut<C: Component<Mutability = Mutable>>(&mut self, entity: Entity) -> Mut<'_, C> {
        let component = self.app_mut().world_mut().get_mut(entity);
        component.expect("the component")
    }

    /// The count of entities with a component.
    fn count<C: Component>(&mut self) -> usize {
        let world = self.app_mut().world_mut();
        world.query::<&C>().iter(world).count()
    }

    fn server(&self) -> AssetServer {
        self.app().world().resource::<AssetServer>().clone()
    }

    /// Starts to load a file with loader settings.
    fn load_with<A: Asset, S: Settings>(
        &self,
        path: impl Into<AssetPath<'static>>,
        set: impl Fn(&mut S) + Send + Sync + 'static,
    ) -> Handle<A> {
        let server = self.server();
        server.load_builder().with_settings(set).load(path)
    }

    fn assets<A: Asset>(&self) -> &Assets<A> {
        self.app().world().resource()
    }

    #[track_caller]
    fn asset<A: Asset>(&self, handle: impl Into<AssetId<A>>) -> &A {
        self.assets().get(handle).expect("a loaded asset")
    }

    fn add_asset<A: Asset>(&mut self, asset: A) -> Handle<A> {
        let mut assets = self.app_mut().world_mut().resource_mut::<Assets<A>>();
        assets.add(asset)
    }

    fn reload(&self, path: impl Into<AssetPath<'static>>) {
        self.server().reload(path);
    }

    #[track_caller]
    fn wait(&mut self, what: &str, done: impl FnMut(&mut World) -> bool) {
        let done = gpuless::wait_until(self.app_mut(), done);
        assert!(done, "timeout: {what}");
    }

    #[track_caller]
    fn wait_until(&mut self, done: impl FnMut(&mut World) -> bool) {
        self.wait("the condition", done);
    }
}

impl TestWorld for App {
    fn app(&self) -> &App {
        self
    }

    fn app_mut(&mut self) -> &mut App {
        self
    }
}

impl TestWorld for TestApp {
    fn app(&self) -> &App {
        &self.app
    }

    fn app_mut(&mut self) -> &mut App {
        &mut self.app
    }
}

impl TestWorld for Stage {
    fn app(&self) -> &App {
        &self.headless.app
    }

    fn app_mut(&mut self) -> &mut App {
        &mut self.headless.app
    }
}

/// Files.
impl TestApp {
    /// The error of an asset that fails to load.
    #[track_caller]
    pub fn load_error<A: Asset>(&mut self, handle: &Handle<A>) -> String {
        match self.finish_load(handle) {
            LoadState::Failed(error) => error.to_string(),
            state => panic!("{:?}: {state:?}", handle.path()),
        }
    }

    /// Replaces a file without a reload.
    pub fn save(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref().to_vec();
        self.files.insert_asset(Path::new(path), bytes);
    }
}

/// Frames.
impl TestApp {
    pub fn steps(&mut self, count: usize, seconds: f32) {
        for _ in 0..count {
            self.step(seconds);
        }
    }
}

/// Models.
impl TestApp {
    /// Inserts components and runs a frame in which no time passes.
    pub fn apply(&mut self, entity: Entity, bundle: impl Bundle) {
        self.insert(entity, bundle);
        self.step(0.0);
    }

    /// Takes the messages of finished clips.
    pub fn finished_clips(&mut self) -> Vec<ClipFinished> {
        let mut messages = self.world().resource_mut::<Messages<ClipFinished>>();
        messages.drain().collect()
    }
}
