//! Renders a sample model of each format, spawned through `ClassicModel` with `BevySpace`: visible, lit, animated, with the
//! expected height.

use crate::headless;
use crate::support::prelude::*;

const SIZE: UVec2 = UVec2::new(960, 540);

struct Sample {
    path: &'static str,
    /// The position of the root.
    position: Vec3,
    clip: Option<&'static str>,
    /// The accepted height as seen by the camera, in meters.
    height: Range<f32>,
}

const SAMPLES: [Sample; 4] = [
    Sample {
        path: "models/sentry.mdl",
        position: Vec3::new(3.6, 0.0, 0.0),
        clip: Some("walk"),
        height: 1.3..2.5,
    },
    Sample {
        path: "models/walker.alo",
        position: Vec3::new(1.0, 0.0, 2.5),
        // The file is walker_MOVE_00.ala.
        clip: Some("MOVE_00"),
        height: 4.5..6.5,
    },
    Sample {
        path: "models/warden.abc",
        position: Vec3::new(-1.2, 0.0, -0.5),
        clip: Some("walk"),
        height: 1.6..2.5,
    },
    // LGW models have no animations.
    Sample {
        path: "models/courier.lgw",
        position: Vec3::new(-3.8, 0.0, 0.5),
        clip: None,
        height: 2.0..3.2,
    },
];

fn spawn(world: &mut World, sample: &Sample) -> Entity {
    let mut root = world.spawn((
        ClassicModel::new(sample.path),
        BevySpace::default(),
        Transform::from_translation(sample.position),
    ));
    if let Some(clip) = sample.clip {
        root.insert(PlayClip::looping(clip));
    }
    root.id()
}

/// A stage with all samples, and their roots.
fn start() -> (Headless, Vec<Entity>) {
    log::listen();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let mut app = App::new();
    app.add_plugins((headless::plugins(&assets, false), ClassicModelsPlugins));
    let mut stage = Headless::start(app, SIZE);
    gpuless::run_on_one_thread(&mut stage.app);
    let target = stage.render_target();
    let world = stage.app.world_mut();
    world.spawn((
        Camera3d::default(),
        Transform::from_xyz(0.0, 3.0, -9.0).looking_at(Vec3::Y * 2.0, Vec3::Y),
        target,
    ));
    world.spawn((
        DirectionalLight::default(),
        Transform::from_xyz(3.0, 6.0, -5.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    let roots: Vec<Entity> = SAMPLES.iter().map(|sample| spawn(world, sample)).collect();
    stage.wait_until("all models are loaded", |world| {
        let server = world.resource::<AssetServer>();
        let mut roots = roots.iter().map(|root| world.entity(*root));
        roots.all(|root| {
            let Some(ClassicModel(source)) = root.get() else {
                return false;
            };
            let path = source.path().unwrap().clone();
            let mut ids = server.get_path_ids(path).into_iter();
            ids.all(|id| server.is_loaded_with_dependencies(id)) && root.contains::<Children>()
        })
    });
    (stage, roots)
}

fn capture(stage: &mut Headless) -> Vec<[u8; 4]> {
    for _ in 0..3 {
        stage.step(0.0);
    }
    let image = stage.capture();
    let (texels, _) = image.data.as_ref().unwrap().as_chunks::<4>();
    texels.to_vec()
}

/// The indices of the pixels that differ visibly.
fn differing(a: &[[u8; 4]], b: &[[u8; 4]]) -> Vec<usize> {
    let differs = |(a, b): (&[u8; 4], &[u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 8);
    let pairs = a.iter().zip(b).map(differs).enumerate();
    pairs
        .filter_map(|(pixel, differs)| differs.then_some(pixel))
        .collect()
}

/// The lowest and highest Y of some pixels, in meters. Assumes that all are at the depth of the root.
fn y_range(world: &mut World, root: Entity, pixels: &[usize]) -> [f32; 2] {
    let depth = world.get::<Transform>(root).unwrap().translation.z;
    let rows = pixels.iter().map(|pixel| pixel / SIZE.x as usize);
    let (top, bottom) = (rows.clone().min().unwrap(), rows.max().unwrap() + 1);
    let mut cameras = world.query::<(&Camera, &GlobalTransform)>();
    let (camera, transform) = cameras.single(world).unwrap();
    [bottom, top].map(|row| {
        let pixel = Vec2::new(SIZE.x as f32 / 2.0, row as f32);
        let ray = camera.viewport_to_world(transform, pixel).unwrap();
        let distance = (depth - ray.origin.z) / ray.direction.z;
        ray.origin.y + distance * ray.direction.y
    })
}

/// Whether a pixel is at the edge of the image.
fn is_at_edge(pixel: usize) -> bool {
    let (width, height) = (SIZE.x as usize, SIZE.y as usize);
    let (x, y) = (pixel % width, pixel / width);
    x == 0 || y == 0 || x + 1 == width || y + 1 == height
}

#[test]
fn samples_of_all_formats_are_lit_animated_and_in_meters() {
    let (mut stage, roots) = start();
    // Not at the first pose.
    stage.step(0.4);
    let all = capture(&mut stage);
    let mut visible = Vec::new();
    for (root, sample) in roots.iter().zip(&SAMPLES) {
        let path = sample.path;
        let set = |stage: &mut Headless, visibility: Visibility| {
            stage.app.insert(*root, visibility);
        };
        set(&mut stage, Visibility::Hidden);
        let pixels = differing(&all, &capture(&mut stage));
        set(&mut stage, Visibility::Visible);
        assert!(
            pixels.len() > 2_000,
            "{path} covers {} pixels",
            pixels.len()
        );
        let is_cut = pixels.iter().any(|pixel| is_at_edge(*pixel));
        assert!(!is_cut, "{path} is not completely in the image");
        let [low, high] = y_range(stage.app.world_mut(), *root, &pixels);
        let height = high - low;
        assert!(sample.height.contains(&height), "{path} is {height} m high");
        assert!(low.abs() < 0.6, "the lowest point of {path} is at {low} m");
        let is_lit = |pixel: &&usize| all[**pixel][..3].iter().any(|channel| *channel > 60);
        let share = pixels.iter().filter(is_lit).count() as f32 / pixels.len() as f32;
        assert!(share > 0.4, "the lit share of {path} is {share}");
        visible.push(pixels);
    }
    stage.step(0.25);
    let changed = differing(&all, &capture(&mut stage));
    for (pixels, sample) in visible.iter().zip(&SAMPLES) {
        let is_changed = |pixel: &&usize| changed.binary_search(pixel).is_ok();
        let count = pixels.iter().filter(is_changed).count();
        let path = sample.path;
        assert_eq!(
            count > 100,
            sample.clip.is_some(),
            "{count} changed pixels of {path}"
        );
    }
    assert_eq!(log::errors_of(&log::RENDERER), Vec::<String>::new());
}
