//! Frame times with a renderer: scenes of both sides, and crowds.

use crate::Model;
use crate::sides::{Classic, GltfScenes, ReadyCount, Side, wait_for};
use bevy::asset::io::memory::Dir;
use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;
use classic_models_support::bench_models::median;
use classic_models_support::capture::wait_for_gpu;
use classic_models_support::headless::Headless;
use std::time::Instant;

const SIZE: UVec2 = UVec2::new(1280, 720);
const WARM_UP: usize = 10;
const FRAMES: usize = 40;

/// Seconds of animation time between frames.
const STEP: f32 = 1.0 / 60.0;

/// Prints a table of milliseconds per frame, from the update of the app until the GPU has finished. `most` is the largest count
/// of models.
pub fn compare(models: &[Model], most: usize) {
    println!("\nrendered at {} × {}, ms per frame", SIZE.x, SIZE.y);
    for model in models {
        let ours = Classic::new(&model.file, true);
        let gltf = GltfScenes::new(&model.gltf[1]);
        for (count, as_crowd) in [(1_000, false), (10_000, true), (100_000, true)] {
            let is_mdl = model.name.ends_with(".mdl");
            if count > most {
                continue;
            }
            // The GPU poses Quake models anyway.
            let Some(time) = frame_time(&ours, count, as_crowd && !is_mdl) else {
                continue;
            };
            let kind = match (is_mdl, as_crowd) {
                (true, _) => "models",
                (false, true) => "in a crowd",
                (false, false) => "scenes",
            };
            print!("{:12} {count:7} {kind:10} {time:9.2}", model.name);
            match (count == 1_000).then(|| frame_time(&gltf, count, false)) {
                Some(Some(theirs)) => println!(", glTF {theirs:9.2}: {:.1} ×", theirs / time),
                _ => println!(),
            }
        }
    }
}

/// The median time of a frame with so many animated models. `None` if the model has no clips.
fn frame_time(side: &impl Side, count: usize, as_crowd: bool) -> Option<f64> {
    let files = Dir::default();
    side.add_files(&files, "0");
    let mut app = side.app(files, true);
    app.init_resource::<ReadyCount>();
    let mut headless = Headless::start(app, SIZE);
    let target = headless.render_target();
    let world = headless.app.world_mut();
    static ADAPTER: std::sync::Once = std::sync::Once::new();
    ADAPTER.call_once(|| {
        let adapter = world.resource::<RenderAdapterInfo>();
        println!("adapter: {}, {}", adapter.name, adapter.driver_info);
    });
    let width = (count as f32).sqrt() * 4.0;
    let eye = Transform::from_xyz(0.0, width * 0.9, width * 1.2).looking_at(Vec3::ZERO, Vec3::Y);
    world.spawn((Camera3d::default(), target, eye));
    let sun = Transform::from_xyz(1.0, 2.0, 1.5).looking_at(Vec3::ZERO, Vec3::Y);
    world.spawn((DirectionalLight::default(), sun));
    side.spawn(world, "0");
    wait_for(&mut headless.app, 1);
    if !side.spawn_animated(&mut headless.app, count, as_crowd) {
        return None;
    }
    let mut frame = || {
        let start = Instant::now();
        headless.step(STEP);
        wait_for_gpu(&headless);
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..WARM_UP).for_each(|_| {
        frame();
    });
    Some(median((0..FRAMES).map(|_| frame()).collect()))
}
