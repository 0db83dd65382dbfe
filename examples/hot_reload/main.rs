//! Files that change while they are in use: `cargo run --example hot_reload`.
//!
//! You should see a model of each format in a row. The example copies the bundled samples to a folder of its own
//! and edits the files there as people do: it saves over them, renames over them, breaks, deletes and
//! restores them: models, textures, a palette, an animation, a `.meta` file, manifests. A line at the top says
//! what it does now, the line below it what came of that, and how soon: how long after the edit, and
//! how many frames after the watcher of files had told of it. Below each model stands what was looked at.
//!
//! There is a step every few seconds; space takes the next one at once.
//!
//! `--capture DIR` opens no window, but writes a picture of each step into DIR, and prints what happened. Time
//! stands still between the pictures before and after a step, so that what changed is what the step did:
//! the example fails if a step changed nothing that is drawn, or if a broken file did.

mod captions;
mod edits;
mod events;
mod folder;
mod headless;
mod looks;
mod row;
mod show;
mod steps;

use bevy::asset::AssetPlugin;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugin;
use classic_models_support as support;
use folder::Folder;
use lexopt::prelude::*;
use show::Show;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: hot_reload [OPTIONS]

  --capture DIR       takes all steps without a window, and writes a picture of each into DIR
";

fn main() -> ExitCode {
    let capture = match parse() {
        Ok(Some(capture)) => capture,
        Ok(None) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("hot_reload: {error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let folder = match Folder::new() {
        Ok(folder) => folder,
        Err(error) => {
            eprintln!("hot_reload: the samples could not be copied: {error}");
            return ExitCode::FAILURE;
        }
    };
    let Some(pictures) = capture else {
        return match window(folder) {
            AppExit::Success => ExitCode::SUCCESS,
            AppExit::Error(_) => ExitCode::FAILURE,
        };
    };
    match headless::run(folder, &pictures) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hot_reload: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Where to write pictures, if anywhere; `None` if help is asked for.
#[expect(clippy::option_option, reason = "the outer one says whether to go on")]
fn parse() -> Result<Option<Option<PathBuf>>, lexopt::Error> {
    let mut capture = None;
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("capture") => capture = Some(parser.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(capture))
}

/// What is the same with and without a window, but for Bevy's own plugins.
fn add_contents(app: &mut App, folder: Folder) {
    app.add_plugins((
        ClassicModelsPlugin::default(),
        support::stage::StagePlugin,
        events::EventsPlugin,
        row::RowPlugin,
        captions::CaptionsPlugin,
    ))
    .insert_resource(Show::new(folder));
}

fn window(folder: Folder) -> AppExit {
    let mut app = App::new();
    events::watch(&mut app, folder.path());
    app.add_plugins(
        DefaultPlugins
            .set(WindowPlugin {
                primary_window: Some(Window {
                    title: "hot reload".to_owned(),
                    ..default()
                }),
                ..default()
            })
            .set(AssetPlugin {
                file_path: folder.path().to_string_lossy().into_owned(),
                watch_for_changes_override: Some(true),
                ..default()
            }),
    );
    add_contents(&mut app, folder);
    app.add_systems(Update, show::play);
    app.run()
}
