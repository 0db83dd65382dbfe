//! Models that follow their files: `cargo run --example hot_reload`.
//!
//! You should see a model of each format in a row. The example copies the bundled samples to a temporary folder and
//! edits the copies, as an artist would while the game runs. The text at the top names the file that was edited last,
//! and the models follow the edit within about a second, without a flicker.
//!
//! An edit follows every four seconds; Space makes the next one at once.
//!
//! `--capture FOLDER` makes all edits without a window, saves a picture after each, and fails if an edit does not
//! change what is drawn, or if a broken file does.

use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use classic_models_support::{capture, headless, pictures};
use lexopt::prelude::*;
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
        text: "another picture",
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
    let (mut arguments, mut pictures) = (lexopt::Parser::from_env(), None);
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("capture") => pictures = Some(PathBuf::from(arguments.value()?)),
            other => return Err(other.unexpected().into()),
        }
    }
    let folder = tempfile::tempdir()?;
    copy_samples(folder.path())?;
    let mut app = App::new();
    if let Some(pictures) = pictures {
        app.add_plugins(headless::plugins(folder.path(), true));
        app.add_plugins(ClassicModelsPlugins);
        app.add_systems(Startup, setup);
        return save_pictures(app, folder.path(), &pictures);
    }
    let assets = AssetPlugin {
        file_path: folder.path().to_string_lossy().into_owned(),
        watch_for_changes_override: Some(true),
        ..default()
    };
    app.add_plugins((DefaultPlugins.set(assets), ClassicModelsPlugins))
        .insert_resource(Folder(folder.path().into()))
        .add_systems(Startup, setup)
        .add_systems(Update, make_next_edit)
        .run();
    Ok(())
}

/// Spawns the models, a camera, a light and the text.
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
    commands.spawn((
        Camera3d::default(),
        Transform::from_xyz(0.0, 3.0, -9.0).looking_at(Vec3::Y * 2.0, Vec3::Y),
    ));
    commands.spawn((
        DirectionalLight::default(),
        Transform::from_xyz(3.0, 6.0, -5.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn(Text::default());
}

#[derive(Resource)]
struct Folder(PathBuf);

fn make_next_edit(
    folder: Res<Folder>,
    keys: Res<ButtonInput<KeyCode>>,
    time: Res<Time>,
    mut text: Single<&mut Text>,
    mut next: Local<usize>,
    mut waited: Local<f32>,
) -> Result {
    *waited += time.delta_secs();
    if *waited < 4.0 && !keys.just_pressed(KeyCode::Space) {
        return Ok(());
    }
    let edit = EDITS.get(*next % (EDITS.len() + 1));
    (*next, *waited) = (*next + 1, 0.0);
    if let Some(edit) = edit {
        fs::write(folder.0.join(edit.file), (edit.content)()?)?;
        text.0 = format!("{}: {}", edit.file, edit.text);
    } else {
        copy_samples(&folder.0)?;
        text.0 = "all files as they were".into();
    }
    Ok(())
}

/// Makes all edits. No time passes between two pictures, so only the edit can change what is drawn.
fn save_pictures(app: App, folder: &Path, pictures: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(pictures)?;
    let mut headless = capture::start(app, UVec2::new(960, 540));
    capture::wait_for_models(&mut headless);
    headless.step(0.5);
    let mut before = capture::still_picture(&mut headless);
    for (number, edit) in EDITS.iter().enumerate() {
        fs::write(folder.join(edit.file), (edit.content)()?)?;
        let after = if edit.shows {
            capture::changed_picture(&mut headless, &before)
                .ok_or_else(|| format!("{}, {}: nothing changes", edit.file, edit.text))?
        } else {
            capture::wait_for_failed_load(&mut headless, Path::new(edit.file));
            capture::still_picture(&mut headless)
        };
        if !edit.shows && after.data != before.data {
            return Err(format!("{}, {}: the models change", edit.file, edit.text).into());
        }
        before = after.clone();
        pictures::save(after, &pictures.join(format!("{:02}.png", number + 1)))?;
    }
    Ok(())
}
