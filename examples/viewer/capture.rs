//! The viewer without a window: one picture, the same every time.

use crate::alo_clips::{AloClipsPlugin, ClipList, ClipState, Inbox, clips_settled};
use crate::alo_gizmos::AloGizmosPlugin;
use crate::alo_panel::parts;
use crate::alo_pointer::{AloPointerPlugin, Pointer};
use crate::alo_trees::AloTreesPlugin;
use crate::args::Args;
use crate::camera::{Framing, Orbit, OrbitPlugin, row_direction};
use crate::files::{Folders, models_to_show};
use crate::models::{ModelsPlugin, Row, ViewedModel};
use crate::overlay::{OverlayPlugin, Overlays};
use crate::rooms::{Presence, settled};
use crate::support::headless::{Headless, plugins};
use crate::support::pictures::save;
use crate::support::stage::StagePlugin;
use crate::sweep::sweep;
use crate::window::LOG_FILTER;
use bevy::asset::UntypedAssetId;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugin;
use bevy_classic_models::prelude::{Alo, Mdl, NightTime};

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
    if models_to_show(&args.files).is_empty() {
        return Err(no_model(args));
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
            AloClipsPlugin,
            OrbitPlugin,
            OverlayPlugin,
            (AloGizmosPlugin, AloTreesPlugin, AloPointerPlugin),
        ),
    ))
    .insert_resource(Row::new(row_direction(args.view), !args.bounds))
    .insert_resource(Overlays::of(args))
    .insert_resource(NightTime(args.night))
    .insert_resource(Pointer {
        at: args.probe,
        ..default()
    })
    // Nothing moves, and without a time nothing has moved yet.
    .insert_resource(Args {
        time: Some(args.time.unwrap_or_default()),
        ..args.clone()
    });

    let mut headless = Headless::start(app, args.size);
    headless.wait_until("all models are loaded", |world| {
        let check = |row: Res<Row>,
                     server: Res<AssetServer>,
                     alo: Res<Assets<Alo>>,
                     models: Query<Presence<'static>>| {
            let mut all = models.iter();
            !row.models.is_empty()
                && settled(&row, &models)
                && all.all(|(model, ..)| is_complete(&server, &alo, model))
        };
        world.run_system_cached(check).is_ok_and(|done| done)
            && world
                .run_system_cached(clips_settled)
                .is_ok_and(|done| done)
    });
    let checked = headless.app.world_mut().run_system_cached(complain);
    checked.map_err(|error| error.to_string())??;
    if !args.bounds {
        sweep(&mut headless);
    }
    let target = headless.render_target();
    let world = headless.app.world_mut();
    world.spawn((Orbit::new(args.view), target));
    world.insert_resource(Framing::All);

    // The pictures of a skin follow the clock, not the clip.
    headless.step(args.time.unwrap_or_default());
    for _ in 0..SETTLING_FRAMES {
        headless.step(0.0);
    }
    for met in &headless.app.world().resource::<Pointer>().met {
        println!("{met}");
    }
    match &args.capture {
        Some(path) => save(headless.capture(), path),
        None => Ok(()),
    }
}

fn no_model(args: &Args) -> String {
    match args.files.first() {
        None => "no file is given, and there are no samples in assets/models".to_owned(),
        Some(clip) => format!(
            "{}: there is no model beside it whose name its own begins with",
            clip.display()
        ),
    }
}

/// Whether all that a model wears is there or never will be.
fn is_complete(server: &AssetServer, models: &Assets<Alo>, model: &ViewedModel) -> bool {
    let is_done = |asset: UntypedAssetId| {
        use bevy::asset::RecursiveDependencyLoadState as State;
        match server.recursive_dependency_load_state(asset) {
            State::Loaded | State::Failed(_) => true,
            State::NotLoaded | State::Loading => false,
        }
    };
    // A model whose clips are broken counts as failed while its pictures still load.
    let alo = model.handle.alo().and_then(|alo| models.get(alo));
    let meshes = alo.iter().flat_map(|alo| &alo.meshes);
    let materials = meshes
        .flat_map(|mesh| &mesh.submeshes)
        .filter_map(|submesh| submesh.material.as_ref());
    is_done(model.handle.id()) && materials.map(|m| m.id().untyped()).all(is_done)
}

/// What was asked for and is not there.
fn complain(
    args: Res<Args>,
    models: Query<&ViewedModel>,
    mdl: Res<Assets<Mdl>>,
    alo: Res<Assets<Alo>>,
    inbox: Res<Inbox>,
    clips: Query<(&ViewedModel, &ClipList)>,
) -> Result<(), String> {
    let problems = models.iter().filter_map(|m| m.problem.clone());
    let problems: Vec<_> = problems.chain(inbox.problems.iter().cloned()).collect();
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
    let clips: Vec<_> = clips.iter().collect();
    complain_of_clips(&args, &mdl, &clips)?;
    complain_of_skins(&args, &mdl)?;
    complain_of_alo(&args, &alo)
}

fn complain_of_clips(
    args: &Args,
    mdl: &[(&ViewedModel, &Mdl)],
    alo: &[(&ViewedModel, &ClipList)],
) -> Result<(), String> {
    let is_given = |name: &str| {
        let mut files = args.files.iter().filter_map(|file| file.file_stem());
        let name = name.to_lowercase();
        files.any(|file| file.to_string_lossy().to_lowercase().ends_with(&name))
    };
    for (model, list) in alo {
        for clip in &list.0 {
            let ClipState::Broken(why) = &clip.state else {
                continue;
            };
            let asked = args.clip.as_deref().and_then(|name| list.named(name));
            let problem = format!("{}, clip {}: {why}", model.name, clip.name);
            if is_given(clip.name.trim_end_matches(".ala")) || asked == Some(clip) {
                return Err(problem);
            }
            warn!("{problem}");
        }
    }
    let Some(name) = &args.clip else {
        return Ok(());
    };
    let of_mdl = |mdl: &Mdl| mdl.named_clips.contains_key(name.as_str());
    if mdl.iter().any(|(_, mdl)| of_mdl(mdl)) || alo.iter().any(|(_, l)| l.named(name).is_some()) {
        return Ok(());
    }
    let told = |model: &ViewedModel, names: Vec<&str>| match names.len() {
        0 => format!("{} has none", model.name),
        _ => format!("{} has {}", model.name, names.join(", ")),
    };
    let lists = mdl.iter().map(|(model, mdl)| {
        let names = mdl.clips.iter().map(|clip| &*clip.name);
        told(model, names.collect())
    });
    let lists = lists.chain(alo.iter().map(|(model, list)| {
        let names = list.0.iter().map(|clip| &*clip.name);
        told(model, names.collect())
    }));
    let lists: Vec<_> = lists.collect();
    Err(format!("there is no clip \"{name}\": {}", lists.join("; ")))
}

fn complain_of_skins(args: &Args, mdl: &[(&ViewedModel, &Mdl)]) -> Result<(), String> {
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
