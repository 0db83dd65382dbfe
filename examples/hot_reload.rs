//! Models that follow their files: `cargo run --example hot_reload`.
//!
//! You should see a model of each format in a row. The example copies the bundled samples to a temporary folder and
//! edits the copies every four seconds, as an artist would while the game runs. The text at the bottom names the file
//! that was edited last. The models follow an edit within about a second, without a flicker.
//!
//! ```text
//! Enter          makes the next edit at once
//! Space          pauses
//! left, right    turn the camera
//! ```
//!
//! `--capture FOLDER` makes all edits without a window, and saves an image after each. It fails if an edit does not
//! change the image, or if a broken file does.

use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use classic_models_support::example::ExamplePlugins;
use classic_models_support::headless::Headless;
use classic_models_support::images::Alpha;
use classic_models_support::studio::{Caption, StudioPlugin};
use classic_models_support::{capture, images, samples};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Seconds between two edits.
const INTERVAL: f32 = 4.0;

/// An edit of a file. The models change if the new content is valid.
struct Edit {
    file: &'static str,
    text: &'static str,
    content: fn() -> io::Result<Vec<u8>>,
    is_valid: bool,
}

const EDITS: [Edit; 6] = [
    Edit {
        file: "skins/warden.dtx",
        text: "another image",
        content: || sample("skins/warden_frost.dtx"),
        is_valid: true,
    },
    Edit {
        file: "models/walker_MOVE_00.ala",
        text: "another animation",
        content: || sample("models/walker_ATTACK_00.ala"),
        is_valid: true,
    },
    Edit {
        file: "models/patrol.model.ron",
        text: "another team color",
        content: || {
            let text = sample("models/patrol.model.ron")?;
            let text = String::from_utf8_lossy(&text);
            Ok(text.replace("#2C68B0", "#C8A020").into_bytes())
        },
        is_valid: true,
    },
    Edit {
        file: "models/sentry.mdl",
        text: "another model",
        content: || sample("models/crystal.mdl"),
        is_valid: true,
    },
    Edit {
        file: "models/courier.lgw",
        text: "half of the file; an error is logged, and the model stays as it is",
        content: || sample("models/courier.lgw").map(|text| text[..text.len() / 2].to_vec()),
        is_valid: false,
    },
    Edit {
        file: "models/courier.lgw",
        text: "all of the file, without the tarpaulin",
        content: || {
            let text = sample("models/courier.lgw")?;
            let text = String::from_utf8_lossy(&text);
            let offset = |mesh| text.find(mesh).unwrap_or(text.len());
            let (start, end) = (offset("MESH \"Tarpaulin\""), offset("MESH \"Tyres\""));
            Ok([&text[..start], &text[end..]].concat().into_bytes())
        },
        is_valid: true,
    },
];

fn sample(file: &str) -> io::Result<Vec<u8>> {
    fs::read(samples().join(file))
}

fn copy_samples(folder: &Path) -> io::Result<()> {
    for name in ["models", "skins", "textures"] {
        fs::create_dir_all(folder.join(name))?;
        for file in fs::read_dir(samples().join(name))? {
            let file = file?;
            fs::copy(file.path(), folder.join(name).join(file.file_name()))?;
        }
    }
    Ok(())
}

/// The folder of the copies.
#[derive(Resource)]
struct Folder(PathBuf);

fn main() -> Result<AppExit, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    copy_samples(folder.path())?;
    let exit = App::new()
        .add_plugins((
            ExamplePlugins::with_edits(folder.path(), capture_edits),
            ClassicModelsPlugins,
            StudioPlugin {
                keys: "Enter: next edit",
                ..default()
            },
        ))
        .insert_resource(Folder(folder.path().into()))
        .add_systems(Startup, setup)
        .add_systems(Update, make_next_edit)
        .run();
    Ok(exit)
}

fn setup(mut commands: Commands) {
    let mut spawn = |file: &'static str, x, z| {
        let transform = Transform::from_xyz(x, 0.0, z);
        let model = ClassicModel::new(file);
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

fn make_next_edit(
    folder: Res<Folder>,
    keys: Res<ButtonInput<KeyCode>>,
    time: Res<Time>,
    mut caption: Single<&mut Text, With<Caption>>,
    mut next: Local<usize>,
    mut waited: Local<f32>,
) -> Result {
    *waited += time.delta_secs();
    if *waited < INTERVAL && !keys.just_pressed(KeyCode::Enter) {
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

/// Makes all edits. No time passes in the app, so only an edit can change the image.
fn capture_edits(app: &mut Headless, folder: &Path, images: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(images)?;
    app.step(0.5);
    let mut before = capture::image(app);
    for (number, edit) in EDITS.iter().enumerate() {
        fs::write(folder.join(edit.file), (edit.content)()?)?;
        match edit.is_valid {
            true => capture::wait_for_reload(app, Path::new(edit.file)),
            false => capture::wait_for_failed_load(app, Path::new(edit.file)),
        }
        let after = capture::image(app);
        match (edit.is_valid, after.data != before.data) {
            (true, false) => return Err(format!("{}: no model changes", edit.text).into()),
            (false, true) => return Err(format!("{}: a model changes", edit.text).into()),
            _ => {}
        }
        images::save(
            after.clone(),
            Alpha::Opaque,
            &images.join(format!("{:02}.png", number + 1)),
        )?;
        before = after;
    }
    Ok(())
}
