//! The viewer without a window: one picture, the same every time.

use crate::args::Args;
use crate::camera::{Orbit, OrbitPlugin, row_direction};
use crate::files::{Folders, files_or_samples};
use crate::models::{ModelsPlugin, Row, ViewedModel, settled};
use crate::overlay::{OverlayPlugin, Overlays};
use crate::support::headless::{Headless, plugins};
use crate::support::stage::StagePlugin;
use crate::window::LOG_FILTER;
use bevy::image::ImageFormat;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugin;
use bevy_classic_models::quake::{Mdl, MdlAnimator};
use std::path::Path;

/// Frames after the models are there, in which everything that is drawn reaches the GPU.
const SETTLING_FRAMES: usize = 5;

/// Writes the picture.
pub fn run(args: &Args) -> AppExit {
    match capture(args) {
        Ok(()) => AppExit::Success,
        Err(error) => {
            eprintln!("viewer: {error}");
            AppExit::error()
        }
    }
}

fn capture(args: &Args) -> Result<(), String> {
    if files_or_samples(&args.files).is_empty() {
        return Err("no file is given, and there are no samples in assets/models".to_owned());
    }
    let folders = Folders::of(&args.files);
    let mut app = App::new();
    folders.register(&mut app);
    app.add_plugins((
        LogPlugin {
            filter: LOG_FILTER.replace("info", "warn"),
            ..default()
        },
        plugins(&folders.assets, false),
        ClassicModelsPlugin::default(),
        (StagePlugin, ModelsPlugin, OrbitPlugin, OverlayPlugin),
    ))
    .insert_resource(Row::new(row_direction(args.view), !args.bounds))
    .insert_resource(Overlays {
        wireframe: args.wireframe,
        bounds: args.bounds,
        ..default()
    })
    // Nothing moves, and without a time nothing has moved yet.
    .insert_resource(Args {
        time: Some(args.time.unwrap_or_default()),
        ..args.clone()
    });

    let mut headless = Headless::start(app, args.size);
    let target = headless.render_target();
    let world = headless.app.world_mut();
    world.spawn((Orbit::new(args.view), target));
    headless.wait_until("all models are loaded", |world| {
        let check = |row: Res<Row>, models: Query<(&ViewedModel, Has<MdlAnimator>)>| {
            !row.models.is_empty() && settled(&row, &models)
        };
        world.run_system_cached(check).is_ok_and(|done| done)
    });
    let check = move |args: Res<Args>, models: Query<&ViewedModel>, assets: Res<Assets<Mdl>>| {
        complain(&args, &models, &assets)
    };
    let checked = headless.app.world_mut().run_system_cached(check);
    checked.map_err(|error| error.to_string())??;

    // The pictures of a skin follow the clock, not the clip.
    headless.step(args.time.unwrap_or_default());
    for _ in 0..SETTLING_FRAMES {
        headless.step(0.0);
    }
    match &args.capture {
        Some(path) => save(headless.capture(), path),
        None => Ok(()),
    }
}

/// What was asked for and is not there.
fn complain(args: &Args, models: &Query<&ViewedModel>, assets: &Assets<Mdl>) -> Result<(), String> {
    let problems: Vec<_> = models.iter().filter_map(|m| m.problem.clone()).collect();
    if !problems.is_empty() {
        return Err(problems.join("\nviewer: "));
    }
    let loaded: Vec<_> = models
        .iter()
        .filter_map(|model| Some((model, assets.get(&model.handle)?)))
        .collect();
    if let Some(clip) = &args.clip
        && !loaded
            .iter()
            .any(|(_, mdl)| mdl.named_clips.contains_key(clip.as_str()))
    {
        let clips = |mdl: &Mdl| {
            let names: Vec<_> = mdl.clips.iter().map(|clip| &*clip.name).collect();
            names.join(", ")
        };
        let lists: Vec<_> = loaded
            .iter()
            .map(|(model, mdl)| format!("{} has {}", model.name, clips(mdl)))
            .collect();
        return Err(format!("there is no clip \"{clip}\": {}", lists.join("; ")));
    }
    if let Some(skin) = args.skin
        && !loaded.iter().any(|(_, mdl)| skin < mdl.skins.len())
    {
        let most = loaded.iter().map(|(_, mdl)| mdl.skins.len()).max();
        let most = most.unwrap_or_default();
        return Err(format!(
            "there is no skin {skin}: {most} at most, counted from 0"
        ));
    }
    Ok(())
}

fn save(image: Image, path: &Path) -> Result<(), String> {
    let image = image
        .try_into_dynamic()
        .map_err(|error| error.to_string())?;
    let format = ImageFormat::Png.as_image_crate_format();
    let format = format.ok_or("Bevy was built without PNG")?;
    // The background is opaque.
    image
        .to_rgb8()
        .save_with_format(path, format)
        .map_err(|error| format!("{}: {error}", path.display()))
}
