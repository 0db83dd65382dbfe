//! The quick start of the README and the manual: one text everywhere, which draws what it promises.

use crate::headless::{self, Headless};
use crate::support::log;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use std::path::Path;

#[allow(dead_code, reason = "the test runs `setup` in an app without a window")]
mod program;

const SIZE: UVec2 = UVec2::new(960, 540);

/// The models, their heights in meters as seen from before them, and whether they move.
const MODELS: [(&str, core::ops::Range<f32>, bool); 4] = [
    ("sentry.mdl", 1.3..2.5, true),
    ("walker.alo", 4.5..6.5, true),
    ("warden.abc", 1.6..2.5, true),
    ("courier.lgw", 2.0..3.2, false),
];

/// A text file of the repository.
fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A source file without the comment at its beginning.
fn without_comment(source: &str) -> &str {
    source.split_once("\n\n").expect("a comment").1
}

/// The first Rust code block of a Markdown text that has a main function.
fn program_in(markdown: &str) -> &str {
    let blocks = markdown.split("```rust").skip(1).filter_map(|block| {
        let (_, code) = block.split_once('\n')?;
        code.split("```").next()
    });
    let mut programs = blocks.filter(|code| code.contains("fn main()"));
    programs.next().expect("a program")
}

#[test]
fn quick_starts_are_the_tested_program() {
    let program = include_str!("quick_start/program.rs");
    let program = without_comment(program);
    assert_eq!(program_in(&read("README.md")), program);
    assert_eq!(program_in(&read("docs/manual.md")), program);
    let example = read("examples/quick_start.rs");
    assert_eq!(without_comment(&example), program);
}

/// The lowest and the highest of some pixels, in meters above the ground, as if all were as far away as a root.
fn heights(world: &mut World, root: Entity, pixels: &[usize]) -> [f32; 2] {
    let depth = world.get::<Transform>(root).unwrap().translation.z;
    let rows = pixels.iter().map(|pixel| pixel / SIZE.x as usize);
    let (top, bottom) = (rows.clone().min().unwrap(), rows.max().unwrap() + 1);
    let mut cameras = world.query::<(&Camera, &GlobalTransform)>();
    let (camera, place) = cameras.single(world).unwrap();
    [bottom, top].map(|row| {
        let pixel = Vec2::new(SIZE.x as f32 / 2.0, row as f32);
        let ray = camera.viewport_to_world(place, pixel).unwrap();
        let steps = (depth - ray.origin.z) / ray.direction.z;
        ray.origin.y + steps * ray.direction.y
    })
}

/// Whether a pixel is at the edge of the picture.
fn is_at_edge(pixel: usize) -> bool {
    let (width, height) = (SIZE.x as usize, SIZE.y as usize);
    let (x, y) = (pixel % width, pixel / width);
    x == 0 || y == 0 || x + 1 == width || y + 1 == height
}

fn capture(stage: &mut Headless) -> Vec<[u8; 4]> {
    for _ in 0..3 {
        stage.step(0.0);
    }
    let image = stage.capture();
    let (texels, _) = image.data.as_ref().unwrap().as_chunks::<4>();
    texels.to_vec()
}

/// The pixels that differ clearly.
fn differing(a: &[[u8; 4]], b: &[[u8; 4]]) -> Vec<usize> {
    let differs = |(a, b): (&[u8; 4], &[u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 8);
    let pairs = a.iter().zip(b).map(differs).enumerate();
    pairs
        .filter_map(|(pixel, differs)| differs.then_some(pixel))
        .collect()
}

fn start() -> (Headless, Vec<Entity>) {
    log::listen();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let mut app = App::new();
    app.add_plugins((headless::plugins(&assets, false), ClassicModelsPlugins))
        .add_systems(Startup, program::setup);
    let mut stage = Headless::start(app, SIZE);
    stage.step(0.0);
    let target = stage.render_target();
    let world = stage.app.world_mut();
    let camera = world
        .query_filtered::<Entity, With<Camera3d>>()
        .single(world);
    world.entity_mut(camera.unwrap()).insert(target);
    let mut spawned = world.query::<(Entity, &ClassicModel)>();
    assert_eq!(spawned.iter(world).count(), MODELS.len());
    let root = |(name, ..): &(&str, _, _)| {
        let mut all = spawned.iter(world);
        let is_of = |model: &ClassicModel| model.0.path().unwrap().to_string().ends_with(name);
        all.find(|(_, model)| is_of(model)).expect(name).0
    };
    let roots: Vec<Entity> = MODELS.iter().map(root).collect();
    stage.wait_until("all models are loaded", |world| {
        let server = world.resource::<AssetServer>();
        roots.iter().all(|root| {
            let scene = world.get::<WorldAssetRoot>(*root);
            scene.is_some_and(|scene| server.is_loaded_with_dependencies(&scene.0))
                && world.get::<Children>(*root).is_some()
        })
    });
    (stage, roots)
}

#[test]
fn quick_start_draws_lit_animated_models_in_frame() {
    let (mut stage, roots) = start();
    // Not the first pose.
    stage.step(0.4);
    let all = capture(&mut stage);
    let mut shown = Vec::new();
    for (root, (name, expected, _)) in roots.iter().zip(MODELS) {
        let show = |stage: &mut Headless, visibility: Visibility| {
            stage.app.world_mut().entity_mut(*root).insert(visibility);
        };
        show(&mut stage, Visibility::Hidden);
        let pixels = differing(&all, &capture(&mut stage));
        show(&mut stage, Visibility::Visible);
        assert!(pixels.len() > 2_000, "{name} covers {}", pixels.len());
        let cut = pixels.iter().any(|pixel| is_at_edge(*pixel));
        assert!(!cut, "{name} is not all in frame");
        let [low, high] = heights(stage.app.world_mut(), *root, &pixels);
        let height = high - low;
        assert!(expected.contains(&height), "{name} is {height} m high");
        assert!(low.abs() < 0.6, "{name} stands at a height of {low} m");
        let bright = pixels
            .iter()
            .filter(|pixel| all[**pixel][..3].iter().any(|it| *it > 60));
        let share = bright.count() as f32 / pixels.len() as f32;
        assert!(share > 0.4, "of {name} {share} is lit");
        shown.push(pixels);
    }
    stage.step(0.25);
    let moved = differing(&all, &capture(&mut stage));
    for (pixels, (name, _, moves)) in shown.iter().zip(MODELS) {
        let count = pixels
            .iter()
            .filter(|pixel| moved.binary_search(pixel).is_ok())
            .count();
        assert_eq!(count > 100, moves, "{count} pixels of {name} change");
    }
    assert_eq!(log::errors_of(&log::RENDERER), Vec::<String>::new());
}
