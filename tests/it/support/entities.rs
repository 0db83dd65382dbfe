//! Short access to the entities, assets, files and models of tests.

use crate::gpuless;
use crate::support::app::Sent;
use crate::support::prelude::*;
use bevy::asset::meta::Settings;
use bevy::ecs::component::Mutable;

/// Whether the scene of a model is spawned.
pub fn is_spawned(world: &World, root: Entity) -> bool {
    let root = world.entity(root);
    root.contains::<MdlInstance>()
        || root.contains::<AloInstance>()
        || root.contains::<AbcInstance>()
        || root.contains::<LgwInstance>()
}

/// A blend that shows one pair of poses.
pub fn pose_blend(a: u32, b: u32, towards_b: f32) -> PoseBlend {
    PoseBlend {
        to: PosePair { a, b, towards_b },
        ..default()
    }
}

/// A looping clip that stands still at a time.
pub fn still(clip: impl Into<ClipRef>, time: f32) -> PlayClip {
    PlayClip::looping(clip).starting_at(time).with_speed(0.0)
}

/// The events that an observer has received.
#[derive(Clone)]
pub struct Recorded<E>(Arc<Mutex<Vec<E>>>);

impl<E> Recorded<E> {
    pub fn take(&self) -> Vec<E> {
        core::mem::take(&mut *self.0.lock().unwrap())
    }
}

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

    /// Respawns the scene of a root, as a change of its file does.
    #[track_caller]
    fn respawn(&mut self, root: Entity) {
        self.get_mut::<WorldAssetRoot>(root).set_changed();
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

    fn cloned<C: Component + Clone>(&self, entity: Entity) -> Option<C> {
        self.find(entity).cloned()
    }

    #[track_caller]
    fn get_mut<C: Component<Mutability = Mutable>>(&mut self, entity: Entity) -> Mut<'_, C> {
        let component = self.app_mut().world_mut().get_mut(entity);
        component.expect("the component")
    }

    #[track_caller]
    fn children(&self, entity: Entity) -> Vec<Entity> {
        self.get::<Children>(entity).to_vec()
    }

    /// The transform of a bone of an Alamo or LithTech model.
    #[track_caller]
    fn bone_transform(&self, root: Entity, index: usize) -> Transform {
        let bones = self.find(root).map(AloInstance::bones);
        let nodes = self.find(root).map(AbcInstance::nodes);
        *self.get(bones.or(nodes).unwrap()[index])
    }

    /// The count of entities with a component.
    fn count<C: Component>(&mut self) -> usize {
        let world = self.app_mut().world_mut();
        world.query::<&C>().iter(world).count()
    }

    fn ask<T>(&mut self, ask: impl FnOnce(&ModelQuery) -> T) -> T {
        let world = self.app_mut().world_mut();
        let mut state = SystemState::<ModelQuery>::new(world);
        ask(&state.get(world).unwrap())
    }

    fn insert_resource(&mut self, resource: impl Resource) {
        self.app_mut().world_mut().insert_resource(resource);
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

    /// Records all events of a type.
    fn record<E: Event + Clone>(&mut self) -> Recorded<E> {
        let events = Arc::new(Mutex::new(Vec::new()));
        let recorded = Recorded(events.clone());
        self.app_mut().add_observer(move |event: On<E>| {
            events.lock().unwrap().push(event.event().clone());
        });
        recorded
    }

    #[track_caller]
    fn wait(&mut self, what: &str, done: impl FnMut(&mut World) -> bool) {
        let done = gpuless::wait_until(self.app_mut(), done);
        assert!(done, "timeout: {what}");
    }

    /// Waits until the component of a root has a value.
    #[track_caller]
    fn wait_for_component<C: Component + PartialEq>(&mut self, root: Entity, value: C) {
        let what = core::any::type_name::<C>();
        self.wait(what, |world| world.get(root) == Some(&value));
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

impl Stage {
    #[track_caller]
    pub fn wait_for(&mut self, what: &str, done: impl FnMut(&mut World) -> bool) {
        self.headless.wait_until(what, done);
    }

    /// Asserts that the next image matches an expected one.
    #[track_caller]
    pub fn assert_shows(&mut self, expected: &Picture, what: &str) {
        self.capture().assert_matches(expected, what);
    }
}

/// Files.
impl TestApp {
    /// An app with `watch_for_changes`: Bevy reloads assets of which only labels are in use.
    pub fn watching(files: &[(&str, Vec<u8>)]) -> Self {
        let root = Dir::default();
        for (path, bytes) in files {
            root.insert_asset(Path::new(path), bytes.clone());
        }
        let mut app = App::new();
        let loads = Loads::from_memory(&mut app, &root);
        let bevy = gpuless::plugins(Path::new("unused"), true);
        Self::with_loads(app, root, loads, bevy)
    }

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

    /// Replaces a file and reloads it, without waiting.
    pub fn edit(&self, path: &'static str, bytes: impl AsRef<[u8]>) {
        self.save(path, bytes);
        self.reload(path);
    }
}

/// Frames.
impl TestApp {
    pub fn steps(&mut self, count: usize, seconds: f32) {
        for _ in 0..count {
            self.step(seconds);
        }
    }

    /// Runs frames until all loads have ended and their results are visible. No time passes.
    #[track_caller]
    pub fn settle(&mut self) {
        self.wait_until_idle();
        self.steps(3, 0.0);
    }
}

/// Models.
impl TestApp {
    /// Inserts components and runs a frame in which no time passes.
    pub fn apply(&mut self, entity: Entity, bundle: impl Bundle) {
        self.insert(entity, bundle);
        self.step(0.0);
    }

    /// Spawns a model or a manifest without waiting for it.
    pub fn spawn_model(&mut self, path: &'static str, bundle: impl Bundle) -> Entity {
        let model = ClassicModel::new(path);
        self.spawn_entity((model, bundle))
    }

    /// Spawns a model or a manifest, and waits until its scene is spawned.
    #[track_caller]
    pub fn spawn_model_ready(&mut self, path: &'static str, bundle: impl Bundle) -> Entity {
        let root = self.spawn_model(path, bundle);
        self.wait_for_model(root);
        root
    }

    /// Spawns a scene, and runs a frame in which no time passes, so that it shows the start of its clip.
    pub fn spawn_shown(&mut self, scene: &'static str, bundle: impl Bundle) -> Entity {
        let root = self.spawn_ready(scene, bundle);
        self.step(0.0);
        root
    }

    /// Waits until the scene of a model is spawned.
    #[track_caller]
    pub fn wait_for_model(&mut self, root: Entity) {
        self.wait("the scene", |world| is_spawned(world, root));
        self.step(0.0);
    }

    /// The transform of the scene below a root.
    #[track_caller]
    pub fn scene(&self, root: Entity) -> Transform {
        let children = self.children(root);
        assert_eq!(children.len(), 1);
        *self.get(children[0])
    }

    #[track_caller]
    pub fn model_path(&mut self, root: Entity) -> String {
        model_path(self.world(), root).unwrap()
    }

    /// The attachments of a root, sorted by bone.
    pub fn attachments(&mut self, root: Entity) -> Vec<(String, Entity)> {
        let world = self.world();
        let mut all = world.query::<(Entity, &AttachedToBone)>();
        let all = all.iter(world).filter(|(_, attached)| attached.to == root);
        let mut all: Vec<_> = all
            .map(|(entity, attached)| (attached.bone.clone(), entity))
            .collect();
        all.sort();
        all
    }

    #[track_caller]
    pub fn assert_time(&self, root: Entity, expected: f32) {
        let time = self.get::<Playback>(root).time;
        let is_near = (time - expected).abs() < 1e-4;
        assert!(is_near, "{time} instead of {expected}");
    }

    /// The clips that have finished since the last call.
    pub fn finished_clips(&mut self) -> Vec<ClipFinished> {
        self.take_sent()
    }

    /// The clips of layers that have finished since the last call.
    pub fn finished_layers(&mut self) -> Vec<LayerFinished> {
        self.take_sent()
    }

    fn take_sent<E: EntityEvent>(&mut self) -> Vec<E> {
        let mut sent = self.world().resource_mut::<Sent<E>>();
        core::mem::take(&mut sent.0)
    }

    /// The weight of a layer, on the formats that have layers.
    pub fn layer_weight(&self, root: Entity, layer: LayerId) -> Option<f32> {
        let alo = self.find::<AloAnimator>(root);
        let abc = self.find::<AbcAnimator>(root);
        alo.and_then(|animator| animator.layer_weight(layer))
            .or_else(|| abc?.layer_weight(layer))
    }

    /// The weight of the selected clip in its cross-fade.
    pub fn clip_weight(&self, root: Entity) -> f32 {
        let alo = self.find(root).map(AloAnimator::weight);
        let abc = self.find(root).map(AbcAnimator::weight);
        let mdl = self.find::<MdlInstance>(root);
        let mdl = mdl.map(|instance| 1.0 - instance.shown().from_weight);
        alo.or(abc).or(mdl).unwrap()
    }

    /// Whether a clip plays on an Alamo or LithTech model.
    pub fn plays_clip(&self, root: Entity) -> bool {
        let alo = self.find::<AloAnimator>(root);
        let abc = self.find::<AbcAnimator>(root);
        alo.is_some_and(|animator| animator.clip().is_some())
            || abc.is_some_and(|animator| animator.clip().is_some())
    }
}

/// The path of the file of a root's model, once it is spawned.
pub fn model_path(world: &mut World, root: Entity) -> Option<String> {
    let mut state = SystemState::<ModelQuery>::new(world);
    let path = state.get(world).unwrap().path(root);
    path.map(|path| path.to_string())
}
