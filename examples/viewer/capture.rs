//! The viewer without a window: one picture, the same every time.

use crate::alo_gizmos::AloGizmosPlugin;
use crate::alo_panel::parts;
use crate::args::Args;
use crate::camera::{Orbit, OrbitPlugin, row_direction};
use crate::files::{Folders, files_or_samples};
use crate::models::{ModelsPlugin, Row, ViewedModel};
use crate::overlay::{OverlayPlugin, Overlays};
use crate::rooms::{Presence, settled};
use crate::support::headless::{Headless, plugins};
use crate::support::stage::StagePlugin;
use crate::window::LOG_FILTER;
use bevy::image::ImageFormat;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugin;
use bevy_classic_models::prelude::{Alo, Mdl, NightTime};
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
    let folders = Folders::of(&args.files, &args.texture_folders);
    let mut app = App::new();
    folders.register(&mut app);
    app.add_plugins((
        LogPlugin {
            filter: LOG_FILTER.replace("info", "warn"),
            ..default()
        },
        plugins(&folders.assets, false),
        ClassicModelsPlugin::default(),
        (
            StagePlugin,
            ModelsPlugin,
            OrbitPlugin,
            OverlayPlugin,
            AloGizmosPlugin,
        ),
    ))
    .insert_resource(Row::new(row_direction(args.view), !args.bounds))
    .insert_resource(Overlays::of(args))
    .insert_resource(NightTime(args.night))
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
        let check = |row: Res<Row>, server: Res<AssetServer>, models: Query<Presence<'static>>| {
            !row.models.is_empty()
                && settled(&row, &models)
                && models.iter().all(|(model, ..)| is_complete(&server, model))
        };
        world.run_system_cached(check).is_ok_and(|done| done)
    });
    let checked = headless.app.world_mut().run_system_cached(complain);
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

/// Whether all that a model wears is there or never will be.
fn is_complete(server: &AssetServer, model: &ViewedModel) -> bool {
    use bevy::asset::RecursiveDependencyLoadState as State;
    match server.recursive_dependency_load_state(model.handle.id()) {
        State::Loaded | State::Failed(_) => true,
        State::NotLoaded | State::Loading => false,
    }
}

/// What was asked for and is not there.
fn complain(
    args: Res<Args>,
    models: Query<&ViewedModel>,
    mdl: Res<Assets<Mdl>>,
    alo: Res<Assets<Alo>>,
) -> Result<(), String> {
    let problems: Vec<_> = models.iter().filter_map(|m| m.problem.clone()).collect();
    if !problems.is_empty() {
        return Err(problems.join("\nviewer: "));
    }
    let mdl: Vec<(&ViewedModel, &Mdl)> = models
        .iter()
        .filter_map(|model| Some((model, mdl.get(model.handle.mdl()?)?)))
        .collect();
    let alo: Vec<(&ViewedModel, &Alo)> = models
        .iter()
        .filter_map(|model| Some((model, alo.get(model.handle.alo()?)?)))
        .collect();
    complain_of_mdl(&args, &mdl, &alo)?;
    complain_of_alo(&args, &alo)
}

fn complain_of_mdl(
    args: &Args,
    mdl: &[(&ViewedModel, &Mdl)],
    alo: &[(&ViewedModel, &Alo)],
) -> Result<(), String> {
    if let Some(clip) = &args.clip
        && !mdl
            .iter()
            .any(|(_, mdl)| mdl.named_clips.contains_key(clip.as_str()))
    {
        let clips = |mdl: &Mdl| {
            let names: Vec<_> = mdl.clips.iter().map(|clip| &*clip.name).collect();
            names.join(", ")
        };
        let lists = mdl
            .iter()
            .map(|(model, mdl)| format!("{} has {}", model.name, clips(mdl)));
        let none = alo
            .iter()
            .map(|(model, _)| format!("{} has none", model.name));
        let lists: Vec<_> = lists.chain(none).collect();
        return Err(format!("there is no clip \"{clip}\": {}", lists.join("; ")));
    }
    if let Some(skin) = args.skin
        && !mdl.iter().any(|(_, mdl)| skin < mdl.skins.len())
    {
        let most = mdl.iter().map(|(_, mdl)| mdl.skins.len()).max();
        let most = most.unwrap_or_default();
        return Err(format!(
            "there is no skin {skin}: {most} at most, counted from 0"
        ));
    }
    Ok(())
}

fn complain_of_alo(args: &Args, alo: &[(&ViewedModel, &Alo)]) -> Result<(), String> {
    for (name, _) in &args.parts {
        let has = |model: &Alo| {
            parts(model)
                .iter()
                .any(|p| p.name.eq_ignore_ascii_case(name))
        };
        if !alo.iter().any(|(_, model)| has(model)) {
            let lists = alo.iter().map(|(model, alo)| {
                let names: Vec<_> = parts(alo).into_iter().map(|part| part.name).collect();
                format!("{} has {}", model.name, names.join(", "))
            });
            let lists: Vec<_> = lists.collect();
            return Err(format!("there is no part \"{name}\": {}", lists.join("; ")));
        }
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
