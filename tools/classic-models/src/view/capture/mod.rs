//! `view` without a window: writes images. The same arguments give the same images.

mod check;
pub mod sheet;
mod sweep;
pub mod texture;
pub mod thumbnail;
mod turntable;

use crate::file_format::is_texture;
use crate::log_buffer;
use crate::messages;
use crate::output_file::create_folder;
use crate::paths::archive_file::absolute;
use crate::view::actions::output::{ManifestWriter, exists};
use crate::view::actions::particles::STEP;
use crate::view::camera::framing::{Framing, FramingStyle};
use crate::view::camera::orbit::Orbit;
use crate::view::capture::check::check_args;
use crate::view::capture::sheet::{
    Sheet, SheetLayout, draw_texture, problem, show_nothing, show_only, write_name,
};
use crate::view::capture::sweep::sweep;
use crate::view::capture::turntable::turn;
use crate::view::draw::pointer::Pointer;
use crate::view::models::FilesToLoad;
use crate::view::models::bounds::WorldBounds;
use crate::view::models::clip_list::ClipList;
use crate::view::models::clips::clips_settled;
use crate::view::models::particle_systems::{ParticleFile, seconds as system_seconds};
use crate::view::models::spawn::overrides_applied;
use crate::view::models::viewed_model::ViewedModel;
use crate::view::open::args::{Args, Turntable};
use crate::view::open::image_args::AnimationArgs;
use crate::view::open::shown::Shown;
use crate::view::row::Row;
use crate::view::viewer::ViewerPlugin;
use crate::view::window::LOG_FILTER;
use bevy::app::PluginGroupBuilder;
use bevy::camera::Viewport;
use bevy::ecs::system::RunSystemOnce;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloParticles, ParticleEmission};
use bevy_classic_models::prelude::*;
use bevy_classic_models::texture::Pixels;
use classic_models_support::capture::{IsReady, mark_ready, save_animation};
use classic_models_support::headless::{Headless, plugins};
use classic_models_support::images::save;
use std::path::Path;

/// Frames to render after the models are loaded, until all render assets are on the GPU.
const WARM_UP_FRAMES: usize = 5;

/// The factor by which images are reduced in frames that are not kept.
const SMALL: u32 = 16;

/// The most frames. With more than this many steps, frames are longer than [`STEP`]. Births come at exact times in frames
/// of any length.
const MOST_FRAMES: f32 = 300.0;

/// Writes the images or the manifest that the command line requests.
pub fn run(shown: &Shown) -> AppExit {
    let turntable = shown.args.turntable().ok().flatten();
    let result = match (turntable, &shown.args.sheet) {
        (Some(turntable), _) => write_turntable(shown, &turntable),
        (_, Some(file)) => write_sheet(shown, file),
        _ => capture(shown),
    };
    match result {
        Ok(()) => AppExit::Success,
        Err(error) => {
            messages::error(error);
            AppExit::error()
        }
    }
}

/// Writes an image and a manifest.
fn capture(shown: &Shown) -> Result<(), String> {
    let args = &shown.args;
    if let Some(file) = &args.save_manifest
        && !args.force
        && file.exists()
    {
        return Err(exists(file));
    }
    let mut headless = open(shown)?;
    let hits = &headless.app.world().resource::<Pointer>().hits;
    for hit in hits {
        messages::line(hit).map_err(|error| error.to_string())?;
    }
    if args.probe.is_some() && hits.is_empty() {
        let text = "no part at this pixel; to find hulls that the file hides, add --tree-level";
        messages::line(text).map_err(|error| error.to_string())?;
    }
    if let Some(file) = args.save_manifest.clone() {
        let force = args.force;
        let write = move |writer: ManifestWriter| writer.write(&file, force);
        let world = headless.app.world_mut();
        world
            .run_system_once(write)
            .map_err(|error| error.to_string())??;
    }
    let alpha = args.stage.alpha();
    if let Some(path) = &args.capture {
        create_folder(path)?;
        save(headless.capture(), alpha, path)?;
    }
    let AnimationArgs { file, seconds, fps } = &args.animation;
    if let Some(path) = file {
        let seconds = match seconds {
            Some(seconds) => *seconds,
            None => {
                let world = headless.app.world_mut();
                let seconds = world.run_system_cached(pass_seconds);
                seconds.map_err(|error| error.to_string())??
            }
        };
        resume(headless.app.world_mut());
        create_folder(path)?;
        save_animation(&mut headless, seconds, *fps, alpha, path)?;
    }
    Ok(())
}

/// The least length of an animation, in seconds. A clip of one frame has no length.
const LEAST_SECONDS: f32 = 0.1;

/// The length of one pass of what plays first in the row: a clip, or the particle system of a file.
///
/// # Errors
/// If nothing plays.
fn pass_seconds(
    row: Res<Row>,
    models: Query<(&ClipList, Option<&PlayClip>, Option<&ParticleFile>)>,
    particles: Res<Assets<AloParticles>>,
) -> Result<f32, String> {
    let pass = |model: &Entity| {
        let (list, play, file) = models.get(*model).ok()?;
        let clip = play.and_then(|play| Some((list.ready(play)?.seconds, play.speed.abs())));
        let clip = clip.map(|(seconds, speed)| seconds / speed);
        let system = || particles.get(&file?.0).map(|it| system_seconds(it) as f32);
        clip.or_else(system).filter(|seconds| seconds.is_finite())
    };
    let seconds = row.models.iter().find_map(pass);
    let seconds = seconds.ok_or("no model plays a clip: --seconds sets the length")?;
    Ok(seconds.max(LEAST_SECONDS))
}

/// Writes views from all sides.
fn write_turntable(shown: &Shown, turntable: &Turntable) -> Result<(), String> {
    let mut headless = open(shown)?;
    turn(&mut headless, turntable, shown.args.stage.alpha())
}

/// Writes a picture of each file, with its name, into one image.
fn write_sheet(shown: &Shown, file: &Path) -> Result<(), String> {
    let layout = SheetLayout::new(shown.models.len(), shown.args.size);
    let mut headless = start(shown, layout.cell);
    headless.app.insert_resource(FilesToLoad::default());
    let mut sheet = Sheet::new(layout);
    let mut failed = 0;
    for model in &shown.models {
        let texture = match is_texture(model) {
            true => {
                show_nothing(&mut headless);
                read_texture(shown, model).map(Some)
            }
            false => show_model(&mut headless, model, &shown.args).map(|()| None),
        };
        if let Err(problem) = &texture {
            messages::message(format_args!("{}: {problem}", model.display()));
            failed += 1;
        }
        write_name(&mut headless, model, texture.is_err());
        for _ in 0..WARM_UP_FRAMES {
            headless.step(0.0);
        }
        let mut cell = headless.capture();
        if let Ok(Some(texture)) = &texture {
            draw_texture(&mut cell, texture);
        }
        sheet.add(&cell)?;
    }
    create_folder(file)?;
    sheet.save(file, shown.args.stage.alpha())?;
    match failed {
        0 => Ok(()),
        _ => Err(format!(
            "{failed} of {} files could not be loaded",
            shown.models.len()
        )),
    }
}

/// Shows one model of a sheet.
///
/// # Errors
/// If it cannot be loaded.
fn show_model(headless: &mut Headless, model: &Path, args: &Args) -> Result<(), String> {
    show_only(headless, model);
    wait_for_models(headless);
    if let Some(problem) = problem(headless) {
        return Err(problem);
    }
    sweep(headless);
    aim(headless, args, None, Framing::All);
    Ok(())
}

/// Reads a texture of a sheet.
fn read_texture(shown: &Shown, file: &Path) -> Result<Pixels, String> {
    let bytes = shown.folders.read(&absolute(file));
    let bytes = bytes.map_err(|error| error.to_string())?;
    Pixels::decode(&bytes, file).map_err(|error| error.to_string())
}

/// Starts the app, which loads the models. `size` is that of the image.
pub fn start(shown: &Shown, size: UVec2) -> Headless {
    let plugins = plugins(&shown.folders.assets, false);
    start_with(plugins, shown, size, FramingStyle::Bounds, "warn")
}

/// Starts the app with these plugins of Bevy. `severity` is the least one of messages that are printed.
fn start_with(
    plugins: PluginGroupBuilder,
    shown: &Shown,
    size: UVec2,
    style: FramingStyle,
    severity: &str,
) -> Headless {
    let Shown { args, folders, .. } = shown;
    // A time pauses the clips; without `--time` they are paused at the start.
    let mut paused = args.clone();
    paused.time.get_or_insert_default();
    let mut app = App::new();
    folders.register(&mut app);
    app.add_plugins((
        LogPlugin {
            filter: LOG_FILTER.replace("info", severity),
            fmt_layer: log_buffer::print_layer,
            ..default()
        },
        plugins,
        ViewerPlugin {
            args: paused,
            has_window: false,
        },
    ))
    .insert_resource(style)
    .insert_resource(FilesToLoad::new(shown.models.clone()))
    .insert_resource(Pointer {
        at: args.probe,
        ..default()
    })
    .add_observer(mark_ready);
    Headless::start(app, size)
}

/// Starts the app, waits until the models are loaded, checks the arguments, and frames the models.
///
/// # Errors
/// If a model does not load, or no model has what the arguments name.
fn open(shown: &Shown) -> Result<Headless, String> {
    let args = &shown.args;
    let mut headless = start(shown, args.size());
    wait_for_models(&mut headless);
    let checked = headless.app.world_mut().run_system_cached(check_args);
    checked.map_err(|error| error.to_string())??;
    if !args.bounds {
        sweep(&mut headless);
    }
    aim(&mut headless, args, None, Framing::Opened);
    Ok(headless)
}

/// Waits until all models are loaded with everything that they name, or have failed.
pub fn wait_for_models(headless: &mut Headless) {
    headless.wait_until("all models are loaded", |world| {
        let is_ready = |files: Res<FilesToLoad>,
                        row: Res<Row>,
                        bounds: WorldBounds,
                        models: Query<(&ViewedModel, Has<IsReady>)>| {
            let is_done =
                |(model, is_ready): (&ViewedModel, bool)| is_ready || model.problem.is_some();
            let is_loaded = files.is_empty() && !row.models.is_empty();
            is_loaded && bounds.all_spawned() && models.iter().all(is_done)
        };
        let checks = [
            world.run_system_cached(is_ready),
            world.run_system_cached(clips_settled),
            world.run_system_cached(overrides_applied),
        ];
        checks.into_iter().all(|is_done| is_done.unwrap_or(false))
    });
}

/// Frames the models in a viewport, and plays them to the time of the image.
fn aim(headless: &mut Headless, args: &Args, viewport: Option<Viewport>, framing: Framing) {
    let camera = Camera {
        viewport,
        ..default()
    };
    let target = headless.render_target();
    let world = headless.app.world_mut();
    world.spawn((Orbit::new(args.view()), IsDefaultUiCamera, camera, target));
    world.insert_resource(framing);

    // Frames the models, after a few frames with `FramingStyle::Visible`. Particle systems that cannot be seen have no births.
    headless.step(0.0);
    while *headless.app.world().resource::<Framing>() != Framing::Done {
        headless.step(0.0);
    }
    let world = headless.app.world_mut();
    for mut orbit in world.query::<&mut Orbit>().iter_mut(world) {
        orbit.distance /= args.zoom;
    }
    // Animated skins and particles follow the app's clock, not the clip.
    play(headless, args.time.unwrap_or_default());
    shrink_views(headless.app.world_mut(), true);
    for _ in 0..WARM_UP_FRAMES {
        headless.step(0.0);
    }
    shrink_views(headless.app.world_mut(), false);
}

/// Runs the app for `time` seconds, after the camera was spawned. If particle systems are loaded, they begin, and the
/// clips play from their start to `time`: where particles are depends on the poses before. Without, one frame is enough.
pub fn play(headless: &mut Headless, time: f32) {
    let world = headless.app.world();
    if world.resource::<Assets<AloParticles>>().is_empty() {
        return headless.step(time);
    }
    // Only visible systems are simulated. They are visible in a small image too, which is faster.
    shrink_views(headless.app.world_mut(), true);
    let clips = paused_clips(headless.app.world_mut());
    seek(headless.app.world_mut(), &clips, |_| 0.0);
    // Shows and hides proxies.
    headless.step(0.0);
    restart(headless.app.world_mut());
    headless.step(0.0);
    let steps = (time / STEP).ceil().min(MOST_FRAMES);
    for step in 1..=steps as u32 {
        let now = time * step as f32 / steps;
        seek(headless.app.world_mut(), &clips, |_| now);
        headless.step(time / steps);
    }
    seek(headless.app.world_mut(), &clips, |time| time);
    shrink_views(headless.app.world_mut(), false);
}

/// Renders a small image of the same view, or the whole image.
fn shrink_views(world: &mut World, shrinks: bool) {
    for mut camera in world.query::<&mut Camera>().iter_mut(world) {
        camera.viewport = None;
        if shrinks && let Some(size) = camera.physical_target_size() {
            camera.viewport = Some(Viewport {
                physical_size: (size / SMALL).max(UVec2::ONE),
                ..default()
            });
        }
    }
}

/// Plays the clips from the time of the image on.
fn resume(world: &mut World) {
    let mut models = world.query_filtered::<&mut PlayClip, With<ViewedModel>>();
    for mut play in models.iter_mut(world) {
        play.paused = false;
    }
}

/// The models whose clip is paused at the time of the image, and that time in seconds.
fn paused_clips(world: &mut World) -> Vec<(Entity, f32)> {
    let mut models = world.query_filtered::<(Entity, &PlayClip, &Playback), With<ViewedModel>>();
    let paused = models.iter(world).filter(|(_, play, _)| play.paused);
    let paused = paused.map(|(model, _, playback)| (model, playback.time));
    paused.collect()
}

/// Sets the times of clips. `to` maps the time of the image to that of this frame.
fn seek(world: &mut World, clips: &[(Entity, f32)], to: impl Fn(f32) -> f32) {
    let mut playbacks = world.query::<&mut Playback>();
    for (model, time) in clips {
        if let Ok(mut playback) = playbacks.get_mut(world, *model) {
            playback.time = to(*time);
        }
    }
}

/// Removes all particles. The systems of shown proxies begin again.
fn restart(world: &mut World) {
    for mut emission in world.query::<&mut ParticleEmission>().iter_mut(world) {
        match *emission {
            ParticleEmission::Stopped => *emission = ParticleEmission::Killed,
            _ => emission.restart(),
        }
    }
}
