//! Examples without a window: cameras render to an image, which is saved as a file or only timed.

use super::headless::Headless;
use super::pictures;
use bevy::prelude::*;
use bevy::render::render_resource::PollType;
use bevy::render::renderer::RenderDevice;
use bevy::ui::IsDefaultUiCamera;
use bevy_classic_models::prelude::*;
use std::path::Path;
use std::time::{Duration, Instant};

/// Frames after which everything that is loaded is drawn and texts are laid out.
const SETTLING_FRAMES: usize = 6;

/// Starts an app whose plugins have been added. Each camera that it spawns renders to an image, and so do its texts.
pub fn start(app: App, size: UVec2) -> Headless {
    let mut headless = Headless::start(app, size);
    let target = headless.render_target();
    headless
        .app
        .add_observer(move |camera: On<Add, Camera>, mut commands: Commands| {
            let target = (target.clone(), IsDefaultUiCamera);
            commands.entity(camera.entity).insert(target);
        });
    headless
}

/// Waits until all models are loaded with everything that they name, play their clips, and are drawn. No time passes.
pub fn wait_for_models(headless: &mut Headless) {
    headless.wait_until("all models are loaded", models_are_ready);
    settle(headless);
}

/// Saves what the cameras see as a PNG.
pub fn save(headless: &mut Headless, path: &Path) -> Result<(), String> {
    settle(headless);
    pictures::save(headless.capture(), path)
}

/// Waits until the GPU has finished all frames.
pub fn wait_for_gpu(headless: &Headless) {
    let device = headless.app.world().resource::<RenderDevice>();
    if let Err(error) = device.poll(PollType::wait_indefinitely()) {
        error!("the GPU does not finish: {error}");
    }
}

fn settle(headless: &mut Headless) {
    for _ in 0..SETTLING_FRAMES {
        headless.step(0.0);
    }
}

/// Whether all models are loaded with everything that they name, and play their clips.
pub fn models_are_ready(world: &mut World) -> bool {
    world.run_system_cached(are_models_ready).unwrap_or(false)
}

/// What tells whether a model is ready.
type Root = (
    Entity,
    Option<&'static WorldAssetRoot>,
    Has<PlayClip>,
    Option<&'static AloAnimator>,
    Option<&'static AbcAnimator>,
);

/// Roots of models of any kind.
type IsRoot = Or<(With<ClassicModel>, With<WorldAssetRoot>)>;

fn are_models_ready(server: Res<AssetServer>, models: Models, roots: Query<Root, IsRoot>) -> bool {
    roots.iter().all(|(root, scene, plays, alo, abc)| {
        // Models of the other formats play as soon as they are spawned.
        let has_no_clip = alo.is_some_and(|animator| animator.clip().is_none())
            || abc.is_some_and(|animator| animator.clip().is_none());
        scene.is_some_and(|scene| server.is_loaded_with_dependencies(&scene.0))
            && models.format(root).is_some()
            && !(plays && has_no_clip)
    })
}

/// What the cameras see once it has not changed for a second of real time: files that are loaded meanwhile show. No time
/// passes in the app.
pub fn still_picture(headless: &mut Headless) -> Image {
    let (mut picture, mut since) = (headless.capture(), Instant::now());
    while since.elapsed() < Duration::from_secs(1) {
        let next = headless.capture();
        if next.data != picture.data {
            (picture, since) = (next, Instant::now());
        }
    }
    picture
}
