//! An app without a GPU, with its files in memory or in a folder.

use crate::gpuless;
use crate::support::prelude::*;

/// Keeps an asset loaded.
#[derive(Component)]
pub struct KeepLoaded(
    #[expect(dead_code, reason = "only keeps the asset loaded")] pub UntypedHandle,
);

fn in_memory(files: &[(&str, Vec<u8>)]) -> Dir {
    let root = Dir::default();
    for (path, bytes) in files {
        root.insert_asset(Path::new(path), bytes.clone());
    }
    root
}

pub struct TestApp {
    pub app: App,
    pub files: Dir,
    /// None if a test has registered the asset source itself.
    loads: Option<Loads>,
}

/// The events of one kind that were sent and not yet taken.
#[derive(Resource)]
pub struct Sent<E>(pub Vec<E>);

fn keep_sent<E: EntityEvent + Clone>(app: &mut App) {
    app.insert_resource(Sent::<E>(Vec::new()))
        .add_observer(|event: On<E>, mut sent: ResMut<Sent<E>>| sent.0.push(event.clone()));
}

fn finish(app: &mut App) {
    keep_sent::<ClipFinished>(app);
    keep_sent::<LayerFinished>(app);
    gpuless::finish(app);
    gpuless::run_on_one_thread(app);
}

impl TestApp {
    pub fn new(files: &[(&str, Vec<u8>)]) -> Self {
        Self::with_plugin(files, ClassicModelsPlugins)
    }

    /// An app whose reads of files can be held.
    pub fn with_held_files(files: &[(&str, Vec<u8>)]) -> (Self, HeldFiles) {
        let root = in_memory(files);
        let held = HeldFiles::new(&root);
        let mut app = App::new();
        let loads = Loads::from_reader(&mut app, held.clone());
        let plugins = gpuless::plugins(Path::new("unused"), false);
        (Self::with_loads(app, root, loads, plugins), held)
    }

    pub fn with_plugin<M>(files: &[(&str, Vec<u8>)], plugin: impl Plugins<M>) -> Self {
        let root = in_memory(files);
        let mut app = App::new();
        let loads = Loads::from_memory(&mut app, &root);
        Self::finished(app, root, loads, Path::new("unused"), plugin)
    }

    /// An app with the files of a folder, and none in memory.
    pub fn in_folder(folder: &Path) -> Self {
        let mut app = App::new();
        let loads = Loads::from_folder(&mut app, folder, false);
        let plugin = ClassicModelsPlugins;
        Self::finished(app, Dir::default(), loads, folder, plugin)
    }

    /// An app whose asset sources are registered already, with the given plugins of Bevy.
    pub fn with_sources(mut app: App, bevy: PluginGroupBuilder) -> Self {
        app.add_plugins(bevy).add_plugins(ClassicModelsPlugins);
        finish(&mut app);
        Self {
            app,
            files: Dir::default(),
            loads: None,
        }
    }

    /// The same, with `loads` of the default source, and its files.
    pub fn with_loads(mut app: App, files: Dir, loads: Loads, bevy: PluginGroupBuilder) -> Self {
        app.add_plugins(bevy).add_plugins(ClassicModelsPlugins);
        finish(&mut app);
        let loads = Some(loads);
        Self { app, files, loads }
    }

    fn finished<M>(
        mut app: App,
        files: Dir,
        loads: Loads,
        folder: &Path,
        plugin: impl Plugins<M>,
    ) -> Self {
        app.add_plugins(gpuless::plugins(folder, false))
            .add_plugins(plugin);
        finish(&mut app);
        let loads = Some(loads);
        Self { app, files, loads }
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

    /// Waits until an asset is loaded with its dependencies.
    #[track_caller]
    pub fn wait_loaded<A: Asset>(&mut self, handle: &Handle<A>) {
        let state = self.finish_load(handle);
        assert!(matches!(state, LoadState::Loaded), "{state:?}");
    }

    /// Waits until an asset is loaded with its dependencies, or has failed.
    #[must_use = "a load may fail"]
    pub fn finish_load<A: Asset>(&mut self, handle: &Handle<A>) -> LoadState {
        self.finish_loads(core::slice::from_ref(handle)).remove(0)
    }

    /// Waits until all assets are loaded with their dependencies, or have failed.
    #[must_use = "a load may fail"]
    pub fn finish_loads<A: Asset>(&mut self, handles: &[Handle<A>]) -> Vec<LoadState> {
        let mut states = vec![LoadState::NotLoaded; handles.len()];
        let done = gpuless::wait_until(&mut self.app, |world| {
            let server = world.resource::<AssetServer>();
            let mut are_done = true;
            for (handle, state) in handles.iter().zip(&mut states) {
                // In this order, because the load may end between the two calls.
                let is_loaded = server.is_loaded_with_dependencies(handle);
                *state = server.load_state(handle);
                are_done &= matches!(state, LoadState::Failed(_)) || is_loaded;
            }
            are_done
        });
        assert!(done, "neither loaded nor failed: {states:?}");
        states
    }

    /// The loads of the default asset source.
    #[track_caller]
    pub fn loads(&self) -> &Loads {
        self.loads.as_ref().expect("an app with `Loads`")
    }

    /// Replaces a file in use. Returns when the reload has begun, and runs no frame.
    #[track_caller]
    pub fn begin_replace(&mut self, path: &'static str, bytes: Vec<u8>) {
        self.files.insert_asset(Path::new(path), bytes);
        self.loads().begin_reload(&self.app, path);
    }

    /// Replaces a file in use, and waits until its dependents are reloaded.
    #[track_caller]
    pub fn replace(&mut self, path: &'static str, bytes: Vec<u8>) {
        self.begin_replace(path, bytes);
        self.wait_until_idle();
    }

    /// Waits until all loads have ended. No time passes.
    #[track_caller]
    pub fn wait_until_idle(&mut self) {
        self.run_until_idle(0.0, |_| {});
    }

    /// Runs frames of `seconds` each until all loads have ended, and calls `check` in each frame.
    #[track_caller]
    pub fn run_until_idle(&mut self, seconds: f32, mut check: impl FnMut(&mut World)) {
        let loads = self.loads.as_mut().expect("an app with `Loads`");
        loads.run_until_idle(&mut self.app, seconds, |world| {
            check(world);
            false
        });
    }

    /// Keeps a model loaded, because files without handles are not reloaded.
    pub fn keep_loaded(&mut self, path: &'static str) {
        let server = self.world().resource::<AssetServer>().clone();
        let model = match path.rsplit_once('.').unwrap().1 {
            "alo" => server.load::<Alo>(path).untyped(),
            "abc" => server.load::<Abc>(path).untyped(),
            "lgw" => server.load::<Lgw>(path).untyped(),
            _ => server.load::<Mdl>(path).untyped(),
        };
        self.wait(path, |_| server.is_loaded_with_dependencies(&model));
        self.world().spawn(KeepLoaded(model));
    }

    /// Spawns a model without waiting for it.
    pub fn spawn(&mut self, scene: &'static str, bundle: impl Bundle) -> Entity {
        let scene = self.load(scene);
        self.world().spawn((WorldAssetRoot(scene), bundle)).id()
    }

    /// Spawns a model and waits until its instance exists.
    pub fn spawn_ready(&mut self, scene: &'static str, bundle: impl Bundle) -> Entity {
        let entity = self.spawn(scene, bundle);
        self.wait(scene, |world| world.get::<ModelInstance>(entity).is_some());
        entity
    }

    /// Waits until an Alamo or LithTech model plays a clip. Its files of animations may be loaded after its scene is
    /// spawned.
    pub fn wait_for_clip(&mut self, root: Entity) {
        let mut patience = gpuless::Patience::new(gpuless::PATIENCE);
        while !self.plays_clip(root) {
            assert!(!patience.is_exhausted(), "the model plays no clip");
            self.step(0.0);
            patience.wait();
        }
    }

    /// Waits until models are spawned.
    pub fn wait_for(&mut self, roots: &[Entity]) {
        self.wait("the models", |world| {
            roots.iter().all(|root| is_spawned(world, *root))
        });
    }

    pub fn animator(&mut self, root: Entity) -> &MdlInstance {
        self.world().get::<MdlInstance>(root).unwrap()
    }
}

/// Starts loading a manifest or a model of any format.
pub fn load_model(server: &AssetServer, path: impl Into<AssetPath<'static>>) -> UntypedHandle {
    let path = path.into();
    let extension = path.get_full_extension().unwrap_or_default();
    match extension.to_lowercase().as_str() {
        "abc" => server.load::<Abc>(path).untyped(),
        "alo" => server.load::<Alo>(path).untyped(),
        "lgw" => server.load::<Lgw>(path).untyped(),
        "mdl" => server.load::<Mdl>(path).untyped(),
        _ => server.load::<ModelManifest>(path).untyped(),
    }
}
