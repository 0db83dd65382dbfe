//! An app without a GPU whose files are in memory, or in a folder.

use crate::gpuless;
use bevy::app::{PluginGroupBuilder, Plugins};
use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::asset::{AssetPath, LoadState};
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;
use std::path::Path;

pub struct TestApp {
    pub app: App,
    pub files: Dir,
}

impl TestApp {
    pub fn new(files: &[(&str, Vec<u8>)]) -> Self {
        Self::with_plugin(files, ClassicModelsPlugin::default())
    }

    pub fn with_plugin<M>(files: &[(&str, Vec<u8>)], plugin: impl Plugins<M>) -> Self {
        let root = Dir::default();
        for (path, bytes) in files {
            root.insert_asset(Path::new(path), bytes.clone());
        }
        let files = root.clone();
        let mut app = App::new();
        app.register_asset_source(
            AssetSourceId::Default,
            AssetSourceBuilder::new(move || Box::new(MemoryAssetReader { root: root.clone() })),
        );
        Self::finished(app, files, Path::new("unused"), plugin)
    }

    /// With the files of a folder, and none in memory.
    pub fn in_folder(folder: &Path) -> Self {
        let plugin = ClassicModelsPlugin::default();
        Self::finished(App::new(), Dir::default(), folder, plugin)
    }

    /// An app that knows its asset sources, with Bevy's plugins as they are given, and no files in memory.
    pub fn with_sources(mut app: App, bevy: PluginGroupBuilder) -> Self {
        app.add_plugins(bevy)
            .add_plugins(ClassicModelsPlugin::default());
        gpuless::finish(&mut app);
        Self {
            app,
            files: Dir::default(),
        }
    }

    fn finished<M>(mut app: App, files: Dir, folder: &Path, plugin: impl Plugins<M>) -> Self {
        app.add_plugins(gpuless::plugins(folder, false))
            .add_plugins(plugin);
        gpuless::finish(&mut app);
        Self { app, files }
    }

    pub fn world(&mut self) -> &mut World {
        self.app.world_mut()
    }

    pub fn step(&mut self, seconds: f32) {
        gpuless::step(&mut self.app, seconds);
    }

    pub fn load<A: Asset>(&mut self, path: impl Into<AssetPath<'static>>) -> Handle<A> {
        self.world().resource::<AssetServer>().load(path.into())
    }

    /// Waits until a file is loaded or has failed.
    pub fn finish_load<A: Asset>(&mut self, handle: &Handle<A>) -> LoadState {
        let mut state = LoadState::NotLoaded;
        let done = gpuless::wait_until(&mut self.app, |world| {
            let server = world.resource::<AssetServer>();
            // Asked in this order, because it may be loaded between the two.
            let is_loaded = server.is_loaded_with_dependencies(handle);
            state = server.load_state(handle);
            matches!(state, LoadState::Failed(_)) || is_loaded
        });
        assert!(done, "neither loaded nor failed: {state:?}");
        state
    }

    /// Spawns a model without waiting for it.
    pub fn spawn(&mut self, scene: &'static str, bundle: impl Bundle) -> Entity {
        let scene = self.load(scene);
        self.world().spawn((WorldAssetRoot(scene), bundle)).id()
    }

    /// Spawns a model and waits until it shows its first pose.
    pub fn spawn_ready(&mut self, scene: &'static str, bundle: impl Bundle) -> Entity {
        let entity = self.spawn(scene, bundle);
        let ready = gpuless::wait_until(&mut self.app, |world| {
            let root = world.entity(entity);
            root.contains::<MdlAnimator>()
                || root.contains::<AloInstance>()
                || root.contains::<AbcInstance>()
        });
        assert!(ready, "{scene} was not spawned");
        entity
    }

    /// Waits until models that were spawned are there, and where they are.
    pub fn wait_for(&mut self, roots: &[Entity]) {
        let ready = gpuless::wait_until(&mut self.app, |world| {
            let is_there = |root: &Entity| world.get::<AloInstance>(*root).is_some();
            roots.iter().all(is_there)
        });
        assert!(ready, "not all were spawned");
    }

    /// Waits until a LithTech model that was spawned is there.
    pub fn wait_for_abc(&mut self, root: Entity) {
        let ready = gpuless::wait_until(&mut self.app, |world| {
            world.get::<AbcInstance>(root).is_some()
        });
        assert!(ready, "it was not spawned");
    }

    pub fn animator(&mut self, root: Entity) -> &MdlAnimator {
        self.world().get::<MdlAnimator>(root).unwrap()
    }
}
