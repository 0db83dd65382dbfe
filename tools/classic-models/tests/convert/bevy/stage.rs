//! The app in which original and converted models are shown.

use super::Case;
use bevy::asset::{LoadState, RecursiveDependencyLoadState};
use bevy::camera::Viewport;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::gltf::Gltf;
use bevy::image::ImageSampler;
use bevy::math::bounding::BoundingVolume;
use bevy::mesh::morph::MeshMorphWeights;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugins;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::lithtech::AbcDeformMaterial;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlMaterial;
use classic_models_support::capture;
use classic_models_support::headless::{self, Headless};
use core::f32::consts::PI;
use std::path::{Path, PathBuf};

/// The size of a view in pixels.
const VIEW: UVec2 = UVec2::new(320, 240);

/// The distance between two models in the world. Each has the radius 1, and cameras do not see the next one.
const SPACING: f32 = 16.0;

/// From a model to its camera.
const EYE: Vec3 = Vec3::new(1.1, 0.8, 1.8);

/// Frames after which everything that is loaded is drawn.
const SETTLING_FRAMES: usize = 3;

/// The color around the models, which they do not have.
pub const BACKGROUND: [u8; 3] = [255, 0, 255];

/// The pixels of a view: red, green, blue.
pub type View = Vec<[u8; 3]>;

/// An original model and the converted one.
pub struct Subject<'a> {
    pub case: &'a Case,
    /// The root of the original.
    pub original: Entity,
    /// The root of the converted model.
    pub converted: Entity,
    /// The file of the converted model.
    gltf: Handle<Gltf>,
}

/// The app, with a camera for each model.
pub struct Stage {
    pub headless: Headless,
    columns: usize,
}

/// The center of the model in a column of the image. Originals are in row 0.
fn center(column: usize, row: usize) -> Vec3 {
    Vec3::X * (2 * column + row) as f32 * SPACING
}

impl Stage {
    /// An app with two rows of cameras.
    pub fn new(columns: usize) -> Self {
        let mut app = App::new();
        app.add_plugins((
            headless::plugins(&crate::samples(), false),
            ClassicModelsPlugins,
        ));
        let [red, green, blue] = BACKGROUND;
        app.insert_resource(ClearColor(Color::srgb_u8(red, green, blue)));
        let size = VIEW * UVec2::new(columns as u32, 2);
        let mut headless = capture::start(app, size);
        for row in 0..2 {
            for column in 0..columns {
                let position = VIEW * UVec2::new(column as u32, row as u32);
                let center = center(column, row);
                headless.app.world_mut().spawn((
                    Camera3d::default(),
                    Camera {
                        order: (row * columns + column) as isize,
                        viewport: Some(Viewport {
                            physical_position: position,
                            physical_size: VIEW,
                            ..default()
                        }),
                        is_active: false,
                        ..default()
                    },
                    Msaa::Off,
                    Tonemapping::None,
                    Transform::from_translation(center + EYE).looking_at(center, Vec3::Y),
                ));
            }
        }
        Self { headless, columns }
    }

    /// Spawns both models of each case. `convert` returns the path of the converted model.
    pub fn spawn<'a>(
        &mut self,
        cases: &'a [Case],
        convert: impl Fn(&Case) -> PathBuf,
    ) -> Vec<Subject<'a>> {
        let mut subjects = Vec::new();
        for case in cases {
            let converted = convert(case);
            let world = self.headless.app.world_mut();
            let server = world.resource::<AssetServer>();
            let gltf = server.load(converted);
            let model = ClassicModel::new(format!("models/{}", case.sample));
            subjects.push(Subject {
                case,
                original: world.spawn(model).id(),
                converted: world.spawn(Transform::default()).id(),
                gltf,
            });
        }
        capture::wait_for_models(&mut self.headless);
        for subject in &subjects {
            self.spawn_converted(subject);
        }
        for (column, subject) in subjects.iter().enumerate() {
            self.place(subject, column);
        }
        self.simplify_materials();
        self.headless.step(0.0);
        subjects
    }

    /// Spawns the default scene of a converted model, and waits until it is complete.
    fn spawn_converted(&mut self, subject: &Subject<'_>) {
        let id = subject.gltf.id();
        let sample = subject.case.sample;
        self.headless
            .wait_until("a converted model is loaded", |world| {
                let server = world.resource::<AssetServer>();
                match server.recursive_dependency_load_state(id) {
                    RecursiveDependencyLoadState::Failed(error) => panic!("{sample}: {error}"),
                    state => state.is_loaded(),
                }
            });
        let world = self.headless.app.world_mut();
        let gltf = world.resource::<Assets<Gltf>>().get(id);
        let scene = gltf.and_then(|gltf| gltf.default_scene.clone()).unwrap();
        let root = subject.converted;
        world.entity_mut(root).insert(WorldAssetRoot(scene));
        self.headless
            .wait_until("a converted model is spawned", |world| {
                world.get::<Children>(root).is_some()
            });
    }

    /// Moves both models to their cameras, with the radius 1. Hides dazzles and
    /// particle systems, which converted models do not have.
    fn place(&mut self, subject: &Subject<'_>, column: usize) {
        let original = subject.original;
        let world = self.headless.app.world_mut();
        let bounds = world.run_system_cached_with(
            |In(root): In<Entity>, models: ModelQuery| models.bounds(root),
            original,
        );
        let bounds = bounds.unwrap().unwrap();
        let (middle, radius) = (bounds.center(), bounds.half_size().length());
        for (row, root) in [original, subject.converted].into_iter().enumerate() {
            let turn = match row == 1 && subject.case.is_turned {
                true => Quat::from_rotation_y(PI),
                false => Quat::IDENTITY,
            };
            let transform = Transform {
                translation: center(column, row) - Vec3::from(middle) / radius,
                rotation: turn,
                scale: Vec3::splat(1.0 / radius),
            };
            world.entity_mut(root).insert(transform);
        }
        if let Some(instance) = world.get::<AloInstance>(original) {
            let model = instance.model();
            let dazzles = model.dazzles.iter().map(|dazzle| &*dazzle.name);
            let proxies = model.proxies.iter().map(|proxy| &*proxy.proxy.name);
            let hidden = PartVisibility::hidden(dazzles.chain(proxies));
            world.entity_mut(original).insert(hidden);
        }
    }

    /// Shows all standard materials in their base color, so that the loaders' brightness of emissive light and their
    /// reflections have no effect. Removes the mip levels, which converted textures do not have.
    fn simplify_materials(&mut self) {
        let world = self.headless.app.world_mut();
        for (_, image) in world.resource_mut::<Assets<Image>>().iter_mut() {
            if let ImageSampler::Descriptor(sampler) = &mut image.sampler {
                sampler.lod_max_clamp = 0.0;
            }
        }
        for (_, material) in world.resource_mut::<Assets<StandardMaterial>>().iter_mut() {
            material.unlit = true;
        }
        for (_, material) in world.resource_mut::<Assets<MdlMaterial>>().iter_mut() {
            material.base.unlit = true;
        }
        for (_, material) in world.resource_mut::<Assets<AbcDeformMaterial>>().iter_mut() {
            material.base.unlit = true;
        }
    }

    /// Starts the clips of all models at their beginning.
    pub fn play(&mut self, subjects: &[Subject<'_>]) {
        let playing = subjects.iter().filter_map(|it| Some((it, it.case.clip?)));
        let playing: Vec<(&Subject<'_>, &str)> = playing.collect();
        let world = self.headless.app.world_mut();
        for (subject, clip) in &playing {
            let play = PlayClip::looping(*clip).starting_at(0.0);
            world.entity_mut(subject.original).insert(play);
        }
        self.headless.wait_until("all originals play", |world| {
            let mut is_playing = |root: Entity| {
                let pose = world.run_system_cached_with(
                    |In(root): In<Entity>, models: ModelQuery| models.pose(root),
                    root,
                );
                pose.unwrap().is_some()
            };
            playing
                .iter()
                .all(|(subject, _)| is_playing(subject.original))
        });
        for (subject, clip) in playing {
            self.play_converted(subject, clip);
        }
    }

    fn play_converted(&mut self, subject: &Subject<'_>, clip: &str) {
        let world = self.headless.app.world_mut();
        let gltf = world.resource::<Assets<Gltf>>().get(&subject.gltf).unwrap();
        let clip = gltf.named_animations[clip].clone();
        let (graph, node) = AnimationGraph::from_clip(clip);
        let graph = world.resource_mut::<Assets<AnimationGraph>>().add(graph);
        let below = descendants(world, subject.converted);
        let mut players = below
            .into_iter()
            .filter(|entity| world.get::<AnimationPlayer>(*entity).is_some());
        let player = players.next().unwrap();
        assert_eq!(players.next(), None, "one player per model");
        let mut player = world.entity_mut(player);
        player.insert(AnimationGraphHandle(graph));
        player
            .get_mut::<AnimationPlayer>()
            .unwrap()
            .play(node)
            .repeat();
        // Bevy evaluates graphs from the frame after they are added.
        self.headless.step(0.0);
    }

    /// The views of the original and the converted model of each case.
    pub fn views(&mut self) -> Vec<[View; 2]> {
        self.activate_cameras();
        self.refresh_morphed_meshes();
        let image = self.headless.capture();
        let width = VIEW.x as usize * self.columns;
        let data = image.data.unwrap();
        let (pixels, _) = data.as_chunks::<4>();
        let view = |column: usize, row: usize| -> View {
            let lines = pixels
                .chunks(width)
                .skip(row * VIEW.y as usize)
                .take(VIEW.y as usize);
            let lines = lines.map(|line| &line[column * VIEW.x as usize..][..VIEW.x as usize]);
            lines.flatten().map(|[r, g, b, _]| [*r, *g, *b]).collect()
        };
        (0..self.columns)
            .map(|column| [view(column, 0), view(column, 1)])
            .collect()
    }

    /// Cameras stay active: Bevy does not update the weights of meshes that become visible again.
    fn activate_cameras(&mut self) {
        let world = self.headless.app.world_mut();
        for mut camera in world.query::<&mut Camera>().iter_mut(world) {
            camera.is_active = true;
        }
        for _ in 0..SETTLING_FRAMES {
            self.headless.step(0.0);
        }
    }

    /// Bevy 0.19 stores where the weights of a mesh are one frame after the mesh becomes visible, but reads this only when
    /// the mesh changes. So a mesh that does not move would keep its rest shape.
    fn refresh_morphed_meshes(&mut self) {
        let world = self.headless.app.world_mut();
        let mut meshes = world.query_filtered::<&mut Mesh3d, With<MeshMorphWeights>>();
        for mut mesh in meshes.iter_mut(world) {
            mesh.set_changed();
        }
    }

    /// The error of Bevy's loader for a file. `None` if it can be loaded.
    pub fn load_error(&mut self, path: &Path) -> Option<String> {
        let world = self.headless.app.world_mut();
        let handle: Handle<Gltf> = world.resource::<AssetServer>().load(path.to_path_buf());
        let mut error = None;
        self.headless.wait_until("the load ends", |world| {
            let server = world.resource::<AssetServer>();
            let state = server.load_state(&handle);
            if let LoadState::Failed(failure) = &state {
                error = Some(failure.to_string());
            }
            state.is_loaded() || state.is_failed()
        });
        error
    }
}

/// All entities below another.
pub fn descendants(world: &World, root: Entity) -> Vec<Entity> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(entity) = open.pop() {
        let children = world.get::<Children>(entity).into_iter().flatten();
        open.extend(children.copied());
        found.push(entity);
    }
    found
}
