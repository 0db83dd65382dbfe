//! `view` with a window.

use crate::paths::archive_file::absolute;
use crate::view::actions::action::{Action, read_keys};
use crate::view::actions::appearance::{act_on_appearance, act_on_view};
use crate::view::actions::clips::act_on_clip;
use crate::view::actions::files::{act_on_files, first_list, take_dropped};
use crate::view::actions::output::{act_on_image, act_on_manifest};
use crate::view::actions::particles::{act_on_particles, particle_player_plugin};
use crate::view::camera::framing::{FramingStyle, fit_viewport};
use crate::view::camera::orbit::{Orbit, follow_mouse};
use crate::view::draw::pointer::{focus_on_click, follow};
use crate::view::model_events::{EventLog, log_event};
use crate::view::models::FilesToLoad;
use crate::view::models::clips::ManifestClipFiles;
use crate::view::models::file_data::ModelMaterials;
use crate::view::models::shown_model::{ShownModel, ShownModelItem};
use crate::view::open::files::Folders;
use crate::view::open::recent::Recent;
use crate::view::open::shown::Shown;
use crate::view::panels::panels_plugin;
use crate::view::viewer::ViewerPlugin;
use crate::{log_buffer, messages};
use bevy::asset::io::AssetSourceId;
use bevy::asset::{AssetPath, UnapprovedPathMode};
use bevy::log::LogPlugin;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::time::common_conditions::on_timer;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// The log filter: messages of the library and `view`, and errors of other crates. The asset server's messages are off,
/// because the panel shows load errors.
pub const LOG_FILTER: &str =
    "error,bevy_asset=off,wgpu=off,naga=off,bevy_classic_models=info,classic_models=info";

/// Shows the window until it is closed.
pub fn run(shown: Shown) -> AppExit {
    let Shown {
        args,
        folders,
        models,
        browser,
        listed,
        input: _input,
    } = shown;
    let listed = listed.as_deref();
    let browser = browser.map_or_else(|| first_list(listed, &models, &folders), Ok);
    let browser = match browser.and_then(|browser| {
        check_display()?;
        Ok(browser)
    }) {
        Ok(browser) => browser,
        Err(error) => {
            messages::error(error);
            return AppExit::error();
        }
    };
    let mut recent = Recent::of_user();
    if let Some(archive) = listed.filter(|listed| listed.is_file()) {
        recent.add(&absolute(archive));
    }
    // The samples are not files of the user, and models of a game can be opened only with the game.
    let is_of_user = !args.files.is_empty() && args.game.is_none();
    for file in models.iter().filter(|_| is_of_user) {
        recent.add(&absolute(file));
    }
    let mut app = App::new();
    folders.register(&mut app);
    app.add_plugins((
        DefaultPlugins
            .set(LogPlugin {
                filter: LOG_FILTER.to_owned(),
                custom_layer: log_buffer::layer,
                fmt_layer: log_buffer::print_layer,
                ..default()
            })
            .set(AssetPlugin {
                file_path: folders.assets.to_string_lossy().into_owned(),
                // Dropped files may be in any folder.
                unapproved_path_mode: UnapprovedPathMode::Allow,
                watch_for_changes_override: Some(true),
                ..default()
            })
            .set(WindowPlugin {
                primary_window: Some(Window {
                    title: "Classic models".to_owned(),
                    resolution: args.size().into(),
                    ..default()
                }),
                ..default()
            }),
        ViewerPlugin {
            args: args.clone(),
            has_window: true,
        },
        particle_player_plugin,
        panels_plugin,
    ))
    .insert_resource(FramingStyle::Visible)
    .insert_resource(browser)
    .insert_resource(recent)
    .init_resource::<EventLog>()
    .add_observer(log_event)
    .add_message::<Action>()
    .add_systems(
        Update,
        (
            (
                read_keys,
                take_dropped,
                act_on_files,
                act_on_view,
                act_on_appearance,
                act_on_clip,
                act_on_particles,
                act_on_manifest,
                act_on_image,
            )
                .chain(),
            (fit_viewport, log_actions),
            (follow_mouse, follow, focus_on_click).chain(),
            reload_changed.run_if(on_timer(Duration::from_millis(500))),
        ),
    );
    let orbit = Orbit::new(args.view());
    app.add_systems(Startup, move |mut commands: Commands| {
        commands.spawn(orbit);
    });
    app.insert_resource(FilesToLoad::new(models));
    if let Some(frames) = args.frames {
        app.add_systems(
            Last,
            move |mut exit: MessageWriter<AppExit>, mut shown: Local<u32>| {
                *shown += 1;
                if *shown >= frames {
                    exit.write(AppExit::Success);
                }
            },
        );
    }
    app.run()
}

/// Writes all actions to the log, for tests and reports of defects: `RUST_LOG=classic_models=debug`.
fn log_actions(mut actions: MessageReader<Action>) {
    for action in actions.read() {
        debug!("action {action:?}");
    }
}

/// Reloads changed files outside of the assets folder, which the asset server does not watch. Compares modification
/// times, because a watcher would watch all subfolders of their folders too.
fn reload_changed(
    models: Query<(ShownModel, Option<&ManifestClipFiles>)>,
    folders: Res<Folders>,
    server: Res<AssetServer>,
    mut times: Local<HashMap<AssetPath<'static>, SystemTime>>,
) {
    for (path, file) in models
        .iter()
        .flat_map(|(model, named)| files(&model, named, &folders))
    {
        if *path.source() == AssetSourceId::Default && file.starts_with(&folders.assets) {
            continue;
        }
        let modified = std::fs::metadata(&file).and_then(|data| data.modified());
        let Ok(modified) = modified else {
            continue;
        };
        let previous = times.insert(path.clone(), modified);
        if previous.is_some_and(|previous| previous != modified) {
            info!("{} changed: reloading", file.display());
            server.reload(path);
        }
    }
}

/// Checks that a window can be opened. Otherwise, Bevy's window plugin panics.
#[cfg(all(unix, not(target_os = "macos")))]
fn check_display() -> Result<(), String> {
    const WITHOUT: &str = "--capture OUT.png writes an image without a window";
    let display = std::env::var_os("DISPLAY").filter(|display| !display.is_empty());
    let Some(display) = display else {
        return Err(format!(
            "no display for a window: DISPLAY is not set; {WITHOUT}"
        ));
    };
    let connected = x11rb::connect(None);
    connected.map(drop).map_err(|error| {
        let display = display.display();
        format!("cannot open the display {display} of DISPLAY: {error}; {WITHOUT}")
    })
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn check_display() -> Result<(), String> {
    Ok(())
}

/// The files of a model, of its manifest, of its clips, and of its skins or textures.
fn files(
    of: &ShownModelItem<'_, '_>,
    named: Option<&ManifestClipFiles>,
    folders: &Folders,
) -> Vec<(AssetPath<'static>, PathBuf)> {
    let clips = of.list.iter().flat_map(|clips| &clips.0);
    let clips = clips.filter_map(|clip| clip.ala.as_ref()?.path());
    let skins = of.abc.iter().flat_map(|(abc, _)| &abc.model().skins);
    let skins = skins.map(|skin| &skin.image);
    let materials = of.lgw.and_then(|(_, materials)| materials);
    let images = materials.into_iter().flat_map(ModelMaterials::images);
    let images = skins.chain(images).filter_map(Handle::path);
    let named = named.into_iter().flat_map(|named| &named.0);
    let clips = clips.chain(named.filter_map(Handle::path));
    let file = |path: &AssetPath<'static>| {
        let whole = path.clone().without_label().clone_owned();
        let file = folders.file_of(&whole)?;
        Some((whole, file))
    };
    let manifest = of.model.manifest.iter();
    let manifest = manifest.map(|opened| (opened.path.clone(), opened.file.clone()));
    [(of.model.path.clone(), of.model.file.clone())]
        .into_iter()
        .chain(manifest)
        .chain(clips.chain(images).filter_map(file))
        .collect()
}
