//! The two sides: models of this crate, and scenes of Bevy's glTF loader.

use crate::gltf_scenes;
use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId, ErasedAssetReader};
use bevy::gltf::{Gltf, GltfPlugin};
use bevy::prelude::*;
use bevy::world_serialization::WorldInstanceReady;
use bevy_classic_models::ClassicModelsPlugins;
use bevy_classic_models::alamo::{AlamoPlugin, AloInstance};
use bevy_classic_models::lgw::LgwPlugin;
use bevy_classic_models::lithtech::{AbcInstance, LithTechPlugin};
use bevy_classic_models::manifest::ModelReady;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlInstance;
use classic_models_support::bench_models::median;
use classic_models_support::dice::Dice;
use classic_models_support::{gpuless, grid, headless};
use peak_alloc::PeakAlloc;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Frames that are measured, and those before them.
const FRAMES: usize = 40;
const WARM_UP: usize = 10;

/// Seconds of animation time between frames.
const STEP: f32 = 1.0 / 60.0;

/// Times that scenes are spawned and despawned.
const SPAWNS: usize = 5;

/// What loads and spawns a model.
pub trait Side {
    /// An app that reads files from memory, with a renderer or without.
    fn app(&self, files: Dir, is_rendered: bool) -> App;

    /// Adds the files of a model to a folder.
    fn add_files(&self, files: &Dir, folder: &str);

    /// Loads and spawns the model in a folder.
    fn spawn(&self, world: &mut World, folder: &str);

    /// The count of bytes of the model's own file and of its clips.
    fn file_size(&self) -> u64;

    /// Spawns animated scenes. Returns false if the model has no clips.
    fn spawn_animated(&self, app: &mut App, count: usize, as_crowd: bool) -> bool;
}

/// The count of roots that are complete.
#[derive(Resource, Default)]
pub struct ReadyCount(pub usize);

/// The costs of one loaded model.
#[derive(Clone, Copy)]
pub struct Loaded {
    /// Bytes of the files.
    pub file: f64,
    /// The time until it is spawned, with all that it refers to.
    pub seconds: f64,
    /// Bytes on the heap.
    pub heap: f64,
    /// Bytes of vertices, indices, morph targets and texels, which are uploaded.
    pub buffers: f64,
}

impl Loaded {
    pub fn median(all: &[Self]) -> Self {
        let of = |value: fn(&Self) -> f64| median(all.iter().map(value).collect());
        Self {
            file: of(|it| it.file),
            seconds: of(|it| it.seconds),
            heap: of(|it| it.heap),
            buffers: of(|it| it.buffers),
        }
    }
}

/// Copies of a model that are loaded at once. Bevy's glTF loader waits for textures by running other loads on the same
/// stack, which overflows at a few dozen.
pub const COPIES: usize = 8;

/// Loads copies of a model, which are separate assets. The first is not measured: it makes what all share.
pub fn load(side: &impl Side, copies: usize, heap: &PeakAlloc) -> Loaded {
    let files = Dir::default();
    for copy in 0..=copies {
        side.add_files(&files, &copy.to_string());
    }
    let mut app = side.app(files, false);
    app.init_resource::<ReadyCount>();
    gpuless::finish(&mut app);
    side.spawn(app.world_mut(), "0");
    wait_for(&mut app, 1);
    let (used, buffers) = (heap.current_usage(), buffer_bytes(app.world()));
    let start = Instant::now();
    for copy in 1..=copies {
        side.spawn(app.world_mut(), &copy.to_string());
    }
    wait_for(&mut app, copies + 1);
    let seconds = start.elapsed().as_secs_f64();
    // Loads end in other threads.
    for _ in 0..WARM_UP {
        gpuless::step(&mut app, 0.0);
    }
    let per_copy = |value: usize| value as f64 / copies as f64;
    Loaded {
        file: side.file_size() as f64,
        seconds: seconds / copies as f64,
        heap: per_copy(heap.current_usage().saturating_sub(used)),
        buffers: per_copy(buffer_bytes(app.world()).saturating_sub(buffers)),
    }
}

/// Runs frames without a pause until so many models are complete.
pub fn wait_for(app: &mut App, count: usize) {
    let start = Instant::now();
    while app.world().resource::<ReadyCount>().0 < count {
        gpuless::step(app, 0.0);
        std::thread::yield_now();
        assert!(start.elapsed().as_secs() < 600, "a model did not load");
    }
}

/// The bytes of meshes and images, as they are uploaded.
fn buffer_bytes(world: &World) -> usize {
    let meshes = world.resource::<Assets<Mesh>>().iter();
    let meshes = meshes.map(|(_, mesh)| {
        let indices = mesh.get_index_buffer_bytes().map_or(0, <[u8]>::len);
        let morphs = mesh.get_morph_targets().map_or(0, size_of_val);
        mesh.get_vertex_buffer_size() + indices + morphs
    });
    let images = world.resource::<Assets<Image>>().iter();
    let images = images.map(|(_, image)| image.data.as_ref().map_or(0, Vec::len));
    meshes.sum::<usize>() + images.sum::<usize>()
}

/// Microseconds per model.
pub struct Scenes {
    /// Of a frame with animated scenes, without the time of a frame without them. `None` without clips.
    pub frame: Option<f64>,
    /// The same as a crowd.
    pub crowd: Option<f64>,
    /// To spawn and despawn a scene that is loaded.
    pub spawn: f64,
}

pub fn scenes(side: &impl Side, count: usize) -> Scenes {
    Scenes {
        frame: frame(side, count, false),
        crowd: frame(side, count, true),
        spawn: spawn_time(side, count) * 1e6 / count as f64,
    }
}

/// The time of a frame with animated scenes, without the time of a frame without them, in microseconds per model. `None` if
/// the model has no clips.
pub fn frame(side: &impl Side, count: usize, as_crowd: bool) -> Option<f64> {
    let mut app = app_with_model(side);
    let idle = frame_time(&mut app);
    if !side.spawn_animated(&mut app, count, as_crowd) {
        return None;
    }
    Some((frame_time(&mut app) - idle) * 1e6 / count as f64)
}

/// The shortest time of a frame in seconds.
fn frame_time(app: &mut App) -> f64 {
    for _ in 0..WARM_UP {
        gpuless::step(app, STEP);
    }
    let times = (0..FRAMES).map(|_| {
        let start = Instant::now();
        gpuless::step(app, STEP);
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

/// An app in which the model is loaded.
fn app_with_model(side: &impl Side) -> App {
    let files = Dir::default();
    side.add_files(&files, "0");
    let mut app = side.app(files, false);
    app.init_resource::<ReadyCount>();
    gpuless::finish(&mut app);
    side.spawn(app.world_mut(), "0");
    wait_for(&mut app, 1);
    app
}

/// The shortest time to spawn and despawn so many scenes of a loaded model.
pub fn spawn_time(side: &impl Side, count: usize) -> f64 {
    let mut app = app_with_model(side);
    let mut shortest = f64::INFINITY;
    for _ in 0..SPAWNS {
        let before: Vec<Entity> = roots(app.world_mut());
        app.world_mut().resource_mut::<ReadyCount>().0 = 0;
        let start = Instant::now();
        for _ in 0..count {
            side.spawn(app.world_mut(), "0");
        }
        wait_for(&mut app, count);
        for root in roots(app.world_mut()) {
            if !before.contains(&root) {
                app.world_mut().despawn(root);
            }
        }
        gpuless::step(&mut app, 0.0);
        shortest = shortest.min(start.elapsed().as_secs_f64());
    }
    shortest
}

#[derive(Component)]
struct Root;

fn roots(world: &mut World) -> Vec<Entity> {
    let mut roots = world.query_filtered::<Entity, With<Root>>();
    roots.iter(world).collect()
}

fn memory_app(files: Dir, is_rendered: bool) -> App {
    let mut app = App::new();
    let reader = move || -> Box<dyn ErasedAssetReader> {
        Box::new(MemoryAssetReader {
            root: files.clone(),
        })
    };
    app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader));
    app.add_plugins(if is_rendered {
        headless::plugins(Path::new("unused"), false)
    } else {
        gpuless::plugins(Path::new("unused"), false)
    });
    app
}

/// A model of this crate, with the textures and clips beside it.
pub struct Classic {
    name: String,
    with_textures: bool,
    /// Paths below the folder, and the contents.
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Classic {
    pub fn new(file: &Path, with_textures: bool) -> Self {
        let name = file
            .file_name()
            .expect("a file")
            .to_string_lossy()
            .into_owned();
        let stem = file
            .file_stem()
            .expect("a file")
            .to_string_lossy()
            .into_owned();
        let models = file.parent().unwrap_or(Path::new("."));
        let mut files = Vec::new();
        let own = |name: &str| name.split(['.', '_']).next() == stem.split(['.', '_']).next();
        add_folder(&mut files, models, "models", own);
        if with_textures {
            for folder in ["textures", "skins"] {
                add_folder(&mut files, &models.join("..").join(folder), folder, |_| {
                    true
                });
            }
        }
        Self {
            name,
            with_textures,
            files,
        }
    }

    fn path(&self, folder: &str) -> String {
        format!("{folder}/models/{}", self.name)
    }

    fn clips(&self, app: &App) -> Vec<ClipRef> {
        let world = app.world();
        let count = |entity: EntityRef| {
            let alo = entity.get::<AloInstance>();
            let abc = entity.get::<AbcInstance>();
            let mdl = entity.get::<MdlInstance>();
            None.or_else(|| Some(alo?.model().animations.len()))
                .or_else(|| Some(abc?.model().animations.len()))
                .or_else(|| Some(mdl?.model().clips.len()))
        };
        let counts = world.iter_entities().filter_map(count);
        (0..counts.max().unwrap_or_default())
            .map(ClipRef::Index)
            .collect()
    }
}

fn add_folder(
    files: &mut Vec<(PathBuf, Vec<u8>)>,
    from: &Path,
    to: &str,
    is_wanted: impl Fn(&str) -> bool,
) {
    for entry in from.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_file() && is_wanted(&name) {
            let bytes = std::fs::read(entry.path()).expect("a readable file");
            files.push((Path::new(to).join(name), bytes));
        }
    }
}

impl Side for Classic {
    fn app(&self, files: Dir, is_rendered: bool) -> App {
        let mut app = memory_app(files, is_rendered);
        let (mut alamo, mut lithtech, mut lgw) = (
            AlamoPlugin::default(),
            LithTechPlugin::default(),
            LgwPlugin::default(),
        );
        alamo.defaults.load_textures = self.with_textures;
        lithtech.defaults.load_textures = self.with_textures;
        lgw.defaults.load_textures = self.with_textures;
        app.add_plugins(ClassicModelsPlugins.set(alamo).set(lithtech).set(lgw))
            .add_observer(|_: On<ModelReady>, mut count: ResMut<ReadyCount>| count.0 += 1);
        app
    }

    fn add_files(&self, files: &Dir, folder: &str) {
        for (path, bytes) in &self.files {
            files.insert_asset(&Path::new(folder).join(path), bytes.clone());
        }
    }

    fn spawn(&self, world: &mut World, folder: &str) {
        world.spawn((ClassicModel::new(self.path(folder)), Root));
    }

    fn file_size(&self) -> u64 {
        let models = self
            .files
            .iter()
            .filter(|(path, _)| path.starts_with("models"));
        models.map(|(_, bytes)| bytes.len() as u64).sum()
    }

    fn spawn_animated(&self, app: &mut App, count: usize, as_crowd: bool) -> bool {
        let clips = self.clips(app);
        if clips.is_empty() || as_crowd && self.name.ends_with(".mdl") {
            return false;
        }
        app.world_mut().resource_mut::<ReadyCount>().0 = 0;
        for (index, position) in grid::square(count, 4.0).enumerate() {
            let mut dice = Dice::new(index as u32);
            let play = PlayClip::looping(clips[dice.choose(clips.len())].clone())
                .starting_at(dice.roll())
                .with_speed(dice.between(0.75, 1.25));
            let transform = Transform::from_translation(position).with_scale(Vec3::splat(0.4));
            let model = ClassicModel::new(self.path("0"));
            let mut root = app.world_mut().spawn((model, play, transform));
            if as_crowd {
                root.insert(Crowd);
            }
        }
        wait_for(app, count);
        true
    }
}

/// A glTF file.
pub struct GltfScenes {
    bytes: Vec<u8>,
}

impl GltfScenes {
    pub fn new(path: &Path) -> Self {
        Self {
            bytes: std::fs::read(path).expect("the converted file"),
        }
    }
}

/// The glTF file of a root, which keeps its clips.
#[derive(Component)]
struct OfGltf(#[expect(dead_code, reason = "keeps the asset")] Handle<Gltf>);

impl Side for GltfScenes {
    fn app(&self, files: Dir, is_rendered: bool) -> App {
        let mut app = memory_app(files, is_rendered);
        // The plugins of this crate bring those of Bevy that both sides need.
        app.add_plugins(ClassicModelsPlugins);
        if !is_rendered {
            app.add_plugins(GltfPlugin::default());
        }
        app.add_observer(|_: On<WorldInstanceReady>, mut count: ResMut<ReadyCount>| count.0 += 1);
        app
    }

    fn add_files(&self, files: &Dir, folder: &str) {
        files.insert_asset(&Path::new(folder).join("model.glb"), self.bytes.clone());
    }

    fn spawn(&self, world: &mut World, folder: &str) {
        let server = world.resource::<AssetServer>();
        let path = format!("{folder}/model.glb");
        let gltf = server.load(path.clone());
        let scene = server.load(GltfAssetLabel::Scene(0).from_asset(path));
        world.spawn((WorldAssetRoot(scene), OfGltf(gltf), Root));
    }

    fn file_size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn spawn_animated(&self, app: &mut App, count: usize, as_crowd: bool) -> bool {
        let world = app.world();
        let gltfs = world.resource::<Assets<Gltf>>();
        let is_animated = gltfs.iter().any(|(_, gltf)| !gltf.animations.is_empty());
        if is_animated && !as_crowd {
            gltf_scenes::spawn(app, Path::new("0/model.glb"), grid::square(count, 4.0));
        }
        is_animated && !as_crowd
    }
}
