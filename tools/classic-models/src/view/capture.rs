//! `view` without a window: writes images. The same arguments give the same images.

use crate::archive_file::absolute;
use crate::file_format::is_texture;
use crate::messages;
use crate::view::alo_clips::clips_settled;
use crate::view::alo_pointer::Pointer;
use crate::view::arg_check::check_args;
use crate::view::args::Args;
use crate::view::framing::{Framing, FramingStyle};
use crate::view::lgw_models::ModelMaterials;
use crate::view::model_bounds::{SpawnState, all_spawned};
use crate::view::models::FilesToLoad;
use crate::view::orbit::Orbit;
use crate::view::overrides::overrides_applied;
use crate::view::particle_capture::{models_ready, play};
use crate::view::row::Row;
use crate::view::save_manifest::{ManifestWriter, exists};
use crate::view::sheet::{Sheet, SheetLayout, problem, show_nothing, show_only, write_name};
use crate::view::sheet_texture::draw_texture;
use crate::view::shown::Shown;
use crate::view::sweep::sweep;
use crate::view::turntable::turn;
use crate::view::turntable_args::Turntable;
use crate::view::viewed_model::ViewedModel;
use crate::view::viewer::ViewerPlugin;
use crate::view::window::LOG_FILTER;
use bevy::asset::UntypedAssetId;
use bevy::ecs::system::RunSystemOnce;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::ui::IsDefaultUiCamera;
use bevy_classic_models::alamo::{Alo, AloParticles};
use bevy_classic_models::lithtech::Abc;
use bevy_classic_models::texture::Pixels;
use classic_models_support::capture::mark_ready;
use classic_models_support::headless::{Headless, plugins};
use classic_models_support::images::save;
use std::path::Path;

/// Frames to render after the models are loaded, until all render assets are on the GPU.
const WARM_UP_FRAMES: usize = 5;

/// Writes the images or the manifest that the command line requests.
pub fn run(shown: &Shown) -> AppExit {
    let Args {
        turntable, sheet, ..
    } = &shown.args;
    let result = match (&turntable.0, sheet) {
        (Some(turntable), _) => write_turntable(shown, turntable),
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
    let mut headless = start(shown, args.size);
    open(&mut headless, args)?;
    aim(&mut headless, args);
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
    match &args.capture {
        Some(path) => save(headless.capture(), path),
        None => Ok(()),
    }
}

/// Writes views from all sides.
fn write_turntable(shown: &Shown, turntable: &Turntable) -> Result<(), String> {
    let args = &shown.args;
    let mut headless = start(shown, args.size);
    open(&mut headless, args)?;
    aim(&mut headless, args);
    turn(&mut headless, turntable)
}

/// Writes a picture of each file, with its name, into one image.
fn write_sheet(shown: &Shown, file: &Path) -> Result<(), String> {
    let layout = SheetLayout::new(shown.models.len(), shown.args.size.x);
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
        sheet.add(cell)?;
    }
    sheet.save(file)?;
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
    aim(headless, args);
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
    let Shown { args, folders, .. } = shown;
    let mut app = App::new();
    folders.register(&mut app);
    app.add_plugins((
        LogPlugin {
            filter: LOG_FILTER.replace("info", "warn"),
            ..default()
        },
        plugins(&folders.assets, false),
        ViewerPlugin {
            // A time pauses the clips; without `--time` they are paused at the start.
            args: Args {
                time: Some(args.time.unwrap_or_default()),
                ..args.clone()
            },
            has_window: false,
        },
    ))
    .insert_resource(FramingStyle::Bounds)
    .insert_resource(FilesToLoad::new(shown.models.clone()))
    .insert_resource(Pointer {
        at: args.probe,
        ..default()
    })
    .add_observer(mark_ready);
    Headless::start(app, size)
}

/// Waits until the models are loaded, and checks the arguments.
///
/// # Errors
/// If a model does not load, or no model has what the arguments name.
fn open(headless: &mut Headless, args: &Args) -> Result<(), String> {
    wait_for_models(headless);
    let checked = headless.app.world_mut().run_system_cached(check_args);
    checked.map_err(|error| error.to_string())??;
    if !args.bounds {
        sweep(headless);
    }
    Ok(())
}

/// Waits until all models are loaded with everything that they name, or have failed.
pub fn wait_for_models(headless: &mut Headless) {
    headless.wait_until("all models are loaded", |world| {
        let check = |files: Res<FilesToLoad>,
                     row: Res<Row>,
                     server: Res<AssetServer>,
                     alo: Res<Assets<Alo>>,
                     abc: Res<Assets<Abc>>,
                     particles: Res<Assets<AloParticles>>,
                     models: Query<SpawnState<'static>>,
                     materials: Query<&ModelMaterials>| {
            let mut all = models.iter();
            let images = materials.iter().flat_map(ModelMaterials::images);
            let emitters = particles.iter().flat_map(|(_, of)| &of.emitters);
            let textures = emitters.filter_map(|emitter| emitter.texture.as_ref());
            files.is_empty()
                && !row.models.is_empty()
                && all_spawned(&row, &models)
                && all.all(|(model, ..)| is_complete(&server, &alo, &abc, model))
                && images
                    .chain(textures)
                    .all(|image| is_done(&server, image.id().untyped()))
        };
        world.run_system_cached(check).is_ok_and(|done| done)
            && world
                .run_system_cached(clips_settled)
                .is_ok_and(|done| done)
            && world
                .run_system_cached(overrides_applied)
                .is_ok_and(|done| done)
            && world.run_system_cached(models_ready).is_ok_and(|done| done)
    });
}

/// Frames the models, and plays them to the time of the image.
fn aim(headless: &mut Headless, args: &Args) {
    let target = headless.render_target();
    let world = headless.app.world_mut();
    world.spawn((Orbit::new(args.view), IsDefaultUiCamera, target));
    world.insert_resource(Framing::All);

    // Frames the models. Particle systems that cannot be seen have no births.
    headless.step(0.0);
    // Animated skins and particles follow the app's clock, not the clip.
    play(headless, args.time.unwrap_or_default());
    for _ in 0..WARM_UP_FRAMES {
        headless.step(0.0);
    }
}

/// Whether a model and its textures are loaded or have failed.
fn is_complete(
    server: &AssetServer,
    alo: &Assets<Alo>,
    abc: &Assets<Abc>,
    model: &ViewedModel,
) -> bool {
    // If a dependency of a model fails, the model's state is `Failed` although other textures still load.
    let alo = model.asset(alo);
    let meshes = alo.iter().flat_map(|alo| &alo.meshes);
    let materials = meshes
        .flat_map(|mesh| &mesh.submeshes)
        .filter_map(|submesh| submesh.material.as_ref());
    let materials = materials.map(|material| material.id().untyped());
    let abc = model.asset(abc);
    let skins = abc.iter().flat_map(|abc| &abc.skins);
    let skins = skins.map(|skin| skin.image.id().untyped());
    let mut assets = materials.chain(skins);
    is_done(server, model.handle.id()) && assets.all(|asset| is_done(server, asset))
}

/// Whether an asset and its dependencies are loaded, or one of them has failed.
fn is_done(server: &AssetServer, asset: UntypedAssetId) -> bool {
    use bevy::asset::RecursiveDependencyLoadState as State;
    match server.recursive_dependency_load_state(asset) {
        State::Loaded | State::Failed(_) => true,
        State::NotLoaded | State::Loading => false,
    }
}
