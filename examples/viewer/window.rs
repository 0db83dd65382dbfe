//! The viewer with a window.

use crate::actions::{Action, act_on_model, act_on_view, read_keys};
use crate::alo_actions::act_on_alo;
use crate::alo_clips::{AloClipsPlugin, ClipList, Inbox};
use crate::alo_gizmos::AloGizmosPlugin;
use crate::alo_playback::act_on_alo_clip;
use crate::alo_pointer::{AloPointerPlugin, PointerLabelPlugin};
use crate::alo_trees::AloTreesPlugin;
use crate::args::Args;
use crate::camera::{Framing, Orbit, OrbitPlugin, fit_viewport, follow_mouse, row_direction};
use crate::files::{Folders, is_ala};
use crate::models::{ModelsPlugin, Row, ViewedModel, add};
use crate::overlay::{OverlayPlugin, Overlays};
use crate::panel::PanelPlugin;
use crate::support::stage::StagePlugin;
use bevy::asset::io::AssetSourceId;
use bevy::asset::{AssetPath, UnapprovedPathMode};
use bevy::log::LogPlugin;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::time::common_conditions::on_timer;
use bevy_classic_models::ClassicModelsPlugin;
use bevy_classic_models::prelude::NightTime;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// What is logged: what this crate and the viewer say, and what goes wrong elsewhere. The panel
/// shows what the asset server would say.
pub const LOG_FILTER: &str =
    "error,bevy_asset=off,wgpu=off,naga=off,bevy_classic_models=info,viewer=info";

/// Shows the window until it is closed.
pub fn run(args: Args) -> AppExit {
    let folders = Folders::of(&args.files, &args.texture_folders);
    let mut app = App::new();
    folders.register(&mut app);
    app.add_plugins((
        DefaultPlugins
            .set(LogPlugin {
                filter: LOG_FILTER.to_owned(),
                ..default()
            })
            .set(AssetPlugin {
                file_path: folders.assets.to_string_lossy().into_owned(),
                // Files may be dropped from anywhere.
                unapproved_path_mode: UnapprovedPathMode::Allow,
                watch_for_changes_override: Some(true),
                ..default()
            })
            .set(WindowPlugin {
                primary_window: Some(Window {
                    title: "Classic models".to_owned(),
                    resolution: args.size.into(),
                    ..default()
                }),
                ..default()
            }),
        ClassicModelsPlugin::default(),
        (
            StagePlugin,
            ModelsPlugin,
            AloClipsPlugin,
            OrbitPlugin,
            OverlayPlugin,
            (AloGizmosPlugin, AloTreesPlugin, AloPointerPlugin),
            (PanelPlugin, PointerLabelPlugin),
        ),
    ))
    .insert_resource(Row::new(row_direction(args.view), false))
    .insert_resource(Overlays {
        grid: true,
        ..Overlays::of(&args)
    })
    .insert_resource(NightTime(args.night))
    .add_message::<Action>()
    .add_systems(
        Update,
        (
            (
                read_keys,
                act_on_view,
                act_on_model,
                act_on_alo,
                act_on_alo_clip,
            )
                .chain(),
            fit_viewport,
            follow_mouse,
            take_dropped,
            reload_changed.run_if(on_timer(Duration::from_millis(500))),
        ),
    );
    let orbit = Orbit::new(args.view);
    app.add_systems(Startup, move |mut commands: Commands| {
        commands.spawn(orbit);
    });
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
    app.insert_resource(args).run()
}

/// Adds the files that are dropped on the window.
fn take_dropped(
    mut drops: MessageReader<FileDragAndDrop>,
    mut commands: Commands,
    folders: Res<Folders>,
    server: Res<AssetServer>,
    mut row: ResMut<Row>,
    mut inbox: ResMut<Inbox>,
    mut framing: ResMut<Framing>,
) {
    for drop in drops.read() {
        if let FileDragAndDrop::DroppedFile { path_buf, .. } = drop {
            if is_ala(path_buf) {
                inbox.waiting.push(path_buf.clone());
                continue;
            }
            add(path_buf, &mut commands, &folders, &server, &mut row);
            *framing = Framing::All;
        }
    }
}

/// Loads files anew that changed outside of the assets' folder, where the asset server's watcher
/// does not look. To watch their folders would be to watch everything below them.
fn reload_changed(
    models: Query<(&ViewedModel, Option<&ClipList>)>,
    folders: Res<Folders>,
    server: Res<AssetServer>,
    mut known: Local<HashMap<AssetPath<'static>, SystemTime>>,
) {
    for (path, file) in models.iter().flat_map(|model| files(model, &folders)) {
        if *path.source() == AssetSourceId::Default && file.starts_with(&folders.assets) {
            continue;
        }
        let modified = std::fs::metadata(&file).and_then(|data| data.modified());
        let Ok(modified) = modified else {
            continue;
        };
        let before = known.insert(path.clone(), modified);
        if before.is_some_and(|before| before != modified) {
            info!("{} changed", file.display());
            server.reload(path);
        }
    }
}

/// The files of a model and of its clips.
fn files(
    (model, clips): (&ViewedModel, Option<&ClipList>),
    folders: &Folders,
) -> Vec<(AssetPath<'static>, PathBuf)> {
    let mut files = vec![(model.path.clone(), model.file.clone())];
    for clip in clips.iter().flat_map(|clips| &clips.0) {
        if let Some(path) = clip.ala.path()
            && let Some(file) = folders.file_of(path)
        {
            files.push((path.clone(), file));
        }
    }
    files
}
