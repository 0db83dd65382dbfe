//! Examples without a window: cameras render to an image, which is saved as a file or only timed.

use super::headless::Headless;
use super::images::{self, Alpha};
use super::studio::LoadingScreen;
use bevy::asset::{LoadState, RecursiveDependencyLoadState, UntypedAssetLoadFailedEvent};
use bevy::prelude::*;
use bevy::render::render_resource::PollType;
use bevy::render::renderer::RenderDevice;
use bevy_classic_models::alamo::AloAnimator;
use bevy_classic_models::lithtech::AbcAnimator;
use bevy_classic_models::manifest::{ModelManifest, ModelReady};
use bevy_classic_models::prelude::*;
use std::path::Path;

/// Frames after which everything that is loaded is drawn and texts are laid out.
const SETTLING_FRAMES: usize = 6;

/// Starts an app whose plugins have been added. Each camera that it spawns renders to an image, and so do its texts.
pub fn start(app: App, size: UVec2) -> Headless {
    let mut headless = Headless::start(app, size);
    headless.app.add_observer(mark_ready);
    let target = headless.render_target();
    headless
        .app
        .add_observer(move |camera: On<Add, Camera>, mut commands: Commands| {
            let target = (target.clone(), IsDefaultUiCamera);
            commands.entity(camera.entity).insert(target);
        });
    headless
}

/// On a root to which a [`ModelReady`] was sent.
#[derive(Component)]
pub struct IsReady;

/// Inserts [`IsReady`].
pub fn mark_ready(ready: On<ModelReady>, mut commands: Commands) {
    commands.entity(ready.entity).try_insert(IsReady);
}

/// Waits until all models are loaded with everything that they name, play their clips, and are drawn. No time passes.
///
/// # Panics
/// If a file cannot be loaded, with the error, or if a model never plays its clip.
pub fn wait_for_models(headless: &mut Headless) {
    headless.wait_until("all models are loaded and play their clips", |world| {
        if let Ok(Some(error)) = world.run_system_cached(load_error) {
            panic!("a model cannot be loaded: {error}");
        }
        models_are_ready(world)
    });
    settle(headless);
}

/// Pauses all cameras between images: a frame takes about a second without a GPU. Call it before [`start`].
pub fn pause_cameras(app: &mut App) {
    app.add_observer(|camera: On<Add, Camera>, mut cameras: Query<&mut Camera>| {
        if let Ok(mut camera) = cameras.get_mut(camera.entity) {
            camera.is_active = false;
        }
    });
}

/// What the cameras see once everything that is loaded is drawn. No time passes in the app.
///
/// Afterwards the cameras are paused.
pub fn image(headless: &mut Headless) -> Image {
    activate_cameras(headless, true);
    settle(headless);
    let image = headless.capture();
    activate_cameras(headless, false);
    image
}

/// Saves an animation of so many seconds, which begins now, with at most `rate` frames per second: a GIF, an animated PNG or
/// a sequence of images, as [`images::save_animation`] does.
///
/// # Errors
/// A message if a file cannot be written.
pub fn save_animation(
    headless: &mut Headless,
    seconds: f32,
    rate: f32,
    alpha: Alpha,
    path: &Path,
) -> Result<(), String> {
    activate_cameras(headless, true);
    settle(headless);
    // A whole count, so that a clip of this length loops without a jump. Rounding must not drop a frame.
    let count = (seconds * rate + 1e-3).floor().max(1.0);
    let frame = || headless.capture_after(seconds / count);
    let saved = images::save_animation(count as u32, frame, seconds, alpha, path);
    activate_cameras(headless, false);
    saved
}

/// Saves [`image`] as a PNG.
pub fn save(headless: &mut Headless, path: &Path) -> Result<(), String> {
    images::save(image(headless), Alpha::Opaque, path)
}

fn activate_cameras(headless: &mut Headless, is_active: bool) {
    let world = headless.app.world_mut();
    for mut camera in world.query::<&mut Camera>().iter_mut(world) {
        camera.is_active = is_active;
    }
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

/// Whether all models are loaded with everything that they name, and play their clips, and no loading screen is shown.
pub fn models_are_ready(world: &mut World) -> bool {
    world.run_system_cached(are_models_ready).unwrap_or(false)
}

/// The components that show whether a model is ready.
type Root = (
    Entity,
    Has<PlayClip>,
    Option<&'static AloAnimator>,
    Option<&'static AbcAnimator>,
    Option<&'static ModelSkin>,
    Has<IsReady>,
    Has<ChildOf>,
);

/// Roots of models of any kind.
type IsRoot = Or<(With<ClassicModel>, With<WorldAssetRoot>)>;

fn are_models_ready(
    server: Res<AssetServer>,
    models: ModelQuery,
    roots: Query<Root, IsRoot>,
    loading_screens: Query<(), With<LoadingScreen>>,
) -> bool {
    if !loading_screens.is_empty() {
        return false;
    }
    roots
        .iter()
        .all(|(root, plays, alo, abc, skin, is_ready, is_child)| {
            // Models of the other formats play as soon as they are spawned.
            let has_no_clip = alo.is_some_and(|animator| animator.clip().is_none())
                || abc.is_some_and(|animator| animator.clip().is_none());
            // A child may be the model of a proxy, which belongs to the model of the proxy.
            (is_ready || is_child)
                && models.format(root).is_some()
                && !(plays && has_no_clip)
                && skin.is_none_or(|skin| is_skin_loaded(&server, skin))
        })
}

/// Whether the image of a skin is loaded, if it is not one of the model's own or of a manifest.
fn is_skin_loaded(server: &AssetServer, skin: &ModelSkin) -> bool {
    let path = match skin {
        ModelSkin::Path(path) => path.clone(),
        ModelSkin::Name(name) if name.contains('.') => name.clone().into(),
        ModelSkin::Image(image) => return server.is_loaded_with_dependencies(image),
        _ => return true,
    };
    let handle = server.get_handle::<Image>(path);
    handle.is_some_and(|image| server.is_loaded_with_dependencies(&image))
}

/// The first error of a file that a model needs.
fn load_error(
    server: Res<AssetServer>,
    roots: Query<(Option<&ClassicModel>, Option<&WorldAssetRoot>)>,
) -> Option<String> {
    roots.iter().find_map(|(model, scene)| {
        let path = model.and_then(|ClassicModel(source)| source.path());
        let mut assets = path.into_iter().flat_map(|path| server.get_path_ids(path));
        let failed = assets.find_map(|asset| match server.get_load_state(asset)? {
            LoadState::Failed(error) => Some(error.to_string()),
            _ => None,
        });
        if failed.is_some() {
            return failed;
        }
        match server.get_recursive_dependency_load_state(&scene?.0)? {
            RecursiveDependencyLoadState::Failed(error) => Some(error.to_string()),
            _ => None,
        }
    })
}

/// Waits until a changed file is reloaded, with everything that it names, and all models are ready. Call it after the
/// change and before any frame. No time passes in the app.
///
/// # Panics
/// If no model, image, animation clip or manifest of this file is reloaded.
pub fn wait_for_reload(headless: &mut Headless, path: &Path) {
    let world = headless.app.world();
    let mut reloads = [
        reloads::<WorldAsset>(world),
        reloads::<Image>(world),
        reloads::<AnimationClip>(world),
        reloads::<ModelManifest>(world),
    ];
    headless.wait_until("a changed file is reloaded", |world| {
        reloads.iter_mut().any(|reloads| reloads(world, path))
    });
    headless.wait_until("all models are ready", models_are_ready);
}

/// Returns whether a file is an asset of a type, and was loaded since the previous call.
type Reloads = Box<dyn FnMut(&World, &Path) -> bool>;

fn reloads<A: Asset>(world: &World) -> Reloads {
    let mut events = world
        .resource::<Messages<AssetEvent<A>>>()
        .get_cursor_current();
    Box::new(move |world, path| {
        let server = world.resource::<AssetServer>();
        let messages = world.resource::<Messages<AssetEvent<A>>>();
        events.read(messages).any(|event| match event {
            AssetEvent::LoadedWithDependencies { id } => {
                server.get_path(*id).is_some_and(|of| of.path() == path)
            }
            _ => false,
        })
    })
}

/// Waits until a load of a changed file has failed. Call it after the change and before any frame. No time passes in
/// the app.
///
/// # Panics
/// If no load of the file fails.
pub fn wait_for_failed_load(headless: &mut Headless, path: &Path) {
    let messages = headless
        .app
        .world()
        .resource::<Messages<UntypedAssetLoadFailedEvent>>();
    let mut failures = messages.get_cursor_current();
    headless.wait_until("the load of a broken file fails", |world| {
        let messages = world.resource::<Messages<UntypedAssetLoadFailedEvent>>();
        failures.read(messages).any(|of| of.path.path() == path)
    });
}
