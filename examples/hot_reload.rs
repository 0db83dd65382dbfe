//! Models that follow edits of their files: `cargo run --example hot_reload`.
//!
//! You should see a model of each format in a row. The example copies the bundled samples to a temporary folder and
//! edits the copies every four seconds, as an artist would while the game runs. The text at the bottom names the file
//! that was edited last, and the models follow the edit within about a second, without a flicker.
//!
//! ```text
//! N              makes the next edit at once
//! Space          pauses
//! left, right    turn the camera
//! ```
//!
//! `--capture FILE --time SECONDS` makes all edits at that moment without a window, and saves a picture. It fails if an
//! edit does not change what is drawn, or if a broken file does.

use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use classic_models_support::headless::Headless;
use classic_models_support::options::Options;
use classic_models_support::studio::{Caption, StudioPlugin};
use classic_models_support::{capture, headless, pictures};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fs, io};

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");

/// An edit of a file: its new content, and whether a model changes.
struct Edit {
    file: &'static str,
    text: &'static str,
    content: fn() -> io::Result<Vec<u8>>,
    shows: bool,
}

const EDITS: [Edit; 6] = [
    Edit {
        file: "skins/warden.dtx",
        text: "another texture",
        content: || sample("skins/warden_frost.dtx"),
        shows: true,
    },
    Edit {
        file: "models/walker_MOVE_00.ala",
        text: "another animation",
        content: || sample("models/walker_ATTACK_00.ala"),
        shows: true,
    },
    Edit {
        file: "models/patrol.model.ron",
        text: "another team color",
        content: || {
            let text = sample("models/patrol.model.ron")?;
            let text = String::from_utf8_lossy(&text);
            Ok(text.replace("#2C68B0", "#C8A020").into_bytes())
        },
        shows: true,
    },
    Edit {
        file: "models/sentry.mdl",
        text: "another model",
        content: || sample("models/crystal.mdl"),
        shows: true,
    },
    Edit {
        file: "models/courier.lgw",
        text: "half of the file; an error is logged, and the model stays as it is",
        content: || sample("models/courier.lgw").map(|text| text[..text.len() / 2].to_vec()),
        shows: false,
    },
    Edit {
        file: "models/courier.lgw",
        text: "all of the file, without the tarpaulin",
        content: || {
            let text = sample("models/courier.lgw")?;
            let text = String::from_utf8_lossy(&text);
            let place = |mesh| text.find(mesh).unwrap_or(text.len());
            let (start, end) = (place("MESH \"Tarpaulin\""), place("MESH \"Tyres\""));
            Ok([&text[..start], &text[end..]].concat().into_bytes())
        },
        shows: true,
    },
];

fn sample(file: &str) -> io::Result<Vec<u8>> {
    fs::read(Path::new(SAMPLES).join(file))
}

fn copy_samples(folder: &Path) -> io::Result<()> {
    for name in ["models", "skins", "textures"] {
        fs::create_dir_all(folder.join(name))?;
        for file in fs::read_dir(Path::new(SAMPLES).join(name))? {
            let file = file?;
            fs::copy(file.path(), folder.join(name).join(file.file_name()))?;
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::from_env(&["capture", "time"]);
    let folder = tempfile::tempdir()?;
    copy_samples(folder.path())?;
    let mut app = App::new();
    match options.get::<PathBuf>("capture") {
        Some(file) => {
            app.add_plugins(headless::plugins(folder.path(), true));
            add_contents(&mut app, folder.path());
            let mut headless = capture::start(app, UVec2::new(640, 360));
            capture::wait_for_models(&mut headless);
            headless.step(options.get("time").unwrap_or(0.0));
            save_picture(&mut headless, folder.path(), &file)
        }
        None => {
            app.add_plugins(DefaultPlugins.set(AssetPlugin {
                file_path: folder.path().to_string_lossy().into_owned(),
                watch_for_changes_override: Some(true),
                ..default()
            }));
            add_contents(&mut app, folder.path());
            app.add_systems(Update, make_next_edit).run();
            Ok(())
        }
    }
}

fn add_contents(app: &mut App, folder: &Path) {
    let studio = StudioPlugin {
        keys: "N: next edit",
        // They take long without a GPU, and many pictures are compared.
        shadows: false,
        ..default()
    };
    app.add_plugins((ClassicModelsPlugins, studio))
        .insert_resource(Folder(folder.into()))
        .add_systems(Startup, setup);
}

fn setup(mut commands: Commands, assets: Res<AssetServer>) {
    let mut spawn = |file: &'static str, x, z| {
        let transform = Transform::from_xyz(x, 0.0, z);
        let model = ClassicModel(assets.load(file));
        commands
            .spawn((model, BevySpace::default(), transform))
            .id()
    };
    let sentry = spawn("models/sentry.mdl", 3.6, 0.0);
    let warden = spawn("models/warden.abc", -1.2, -0.5);
    spawn("models/patrol.model.ron", 1.0, 2.5);
    spawn("models/courier.lgw", -3.8, 0.5);
    commands.entity(sentry).insert(PlayClip::looping(0));
    commands.entity(warden).insert(PlayClip::looping("walk"));
}

/// The copy of the samples.
#[derive(Resource)]
struct Folder(PathBuf);

fn make_next_edit(
    folder: Res<Folder>,
    keys: Res<ButtonInput<KeyCode>>,
    time: Res<Time>,
    mut caption: Single<&mut Text, With<Caption>>,
    mut next: Local<usize>,
    mut waited: Local<f32>,
) -> Result {
    *waited += time.delta_secs();
    if *waited < 4.0 && !keys.just_pressed(KeyCode::KeyN) {
        return Ok(());
    }
    let edit = EDITS.get(*next % (EDITS.len() + 1));
    (*next, *waited) = (*next + 1, 0.0);
    if let Some(edit) = edit {
        fs::write(folder.0.join(edit.file), (edit.content)()?)?;
        caption.0 = format!("{}: {}", edit.file, edit.text);
    } else {
        copy_samples(&folder.0)?;
        caption.0 = "all files as they were".into();
    }
    Ok(())
}

/// Makes all edits. No time passes, so only the edit can change what is drawn.
fn save_picture(headless: &mut Headless, folder: &Path, file: &Path) -> Result<(), Box<dyn Error>> {
    let mut before = capture::still_picture(headless);
    for edit in &EDITS {
        let name = format!("{}, {}", edit.file, edit.text);
        fs::write(folder.join(edit.file), (edit.content)()?)?;
        if edit.shows {
            let after = capture::changed_picture(headless, &before);
            before = after.ok_or_else(|| format!("{name}: nothing changes"))?;
        } else {
            capture::wait_for_failed_load(headless, Path::new(edit.file));
            if capture::still_picture(headless).data != before.data {
                return Err(format!("{name}: the models change").into());
            }
        }
    }
    Ok(pictures::save(before, file)?)
}
