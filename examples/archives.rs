//! Models from archives of the games: `cargo run --example archives`.
//!
//! You should see four models, each from an archive of another format: a crate (`.meg`), a crystal (`.pak`), a guard
//! (`.rez`) and a van (`.vfs`). All archives are layers of one asset source. Two more layers override textures of the
//! samples: a folder has other sides of the crate, and a second archive has another skin of the guard. The text at the
//! bottom names the layer of each file.
//!
//! ```text
//! F              removes the file in the folder, or writes it again; the crate follows in a second
//! A              replaces the second archive by one without the skin, or with it
//! Space          pauses
//! left, right    turn the camera
//! ```
//!
//! `--capture FILE --time SECONDS` saves an image of that moment without a window.

use bevy::prelude::*;
use bevy_classic_models::archive::{ArchiveFile, ArchiveSource, rez};
use bevy_classic_models::prelude::*;
use classic_models_support::example::ExamplePlugins;
use classic_models_support::samples;
use classic_models_support::studio::{Caption, StudioPlugin};
use std::path::PathBuf;
use tempfile::TempDir;

/// The archives, lowest first. The models and their files are at the paths of the games.
const ARCHIVES: [&str; 4] = ["supply.meg", "pak0.pak", "warden.rez", "gamedata.vfs"];

/// The models: the path, the position, and the clip.
const MODELS: [(&str, Vec3, &str); 4] = [
    ("data/art/models/crate.alo", Vec3::new(3.4, 0.0, 0.0), ""),
    ("progs/crystal.mdl", Vec3::new(1.4, 0.0, -1.0), ""),
    ("models/warden.abc", Vec3::new(-0.6, 0.0, -1.0), "walk"),
    ("models/courier.lgw", Vec3::new(-3.2, 0.0, 0.5), ""),
];

/// The textures that are overridden, and one that is not.
const TEXTURES: [&str; 3] = [
    "data/art/textures/crate.dds",
    "skins/warden.dtx",
    "textures/courier_paint.dds",
];

/// The source, and the folder with the layers that override files.
#[derive(Resource)]
struct Game {
    source: ArchiveSource,
    folder: TempDir,
}

impl Game {
    fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut game = Self {
            source: ArchiveSource::new(),
            folder,
        };
        game.write_loose_file()?;
        game.write_second_archive(true)?;
        let mut source = ArchiveSource::new();
        for archive in ARCHIVES {
            source = source.archive(samples().join("archives").join(archive))?;
        }
        game.source = source
            .folder(game.folder.path().join("loose"))
            .archive(game.second_archive())?;
        Ok(game)
    }

    /// The file that overrides the crate's texture, spelled in another case than in the archive.
    fn loose_file(&self) -> PathBuf {
        self.folder.path().join("loose/Data/Art/Textures/Crate.dds")
    }

    fn write_loose_file(&self) -> Result {
        let file = self.loose_file();
        std::fs::create_dir_all(file.with_file_name(""))?;
        std::fs::copy(samples().join("textures/courier_planks.tga"), file)?;
        Ok(())
    }

    fn second_archive(&self) -> PathBuf {
        self.folder.path().join("patch.rez")
    }

    fn write_second_archive(&self, has_skin: bool) -> Result {
        let skin = std::fs::read(samples().join("skins/warden_frost.dtx"))?;
        let name = if has_skin {
            "SKINS/WARDEN.DTX"
        } else {
            "SKINS/UNUSED.DTX"
        };
        let archive = rez::write::write(&[ArchiveFile::new(name, skin)])?;
        std::fs::write(self.second_archive(), archive)?;
        Ok(())
    }
}

fn main() -> Result<AppExit> {
    let game = Game::new()?;
    let exit = App::new()
        // Before `DefaultPlugins`, which are a part of `ExamplePlugins`.
        .register_asset_source("game", game.source.clone().into_builder())
        .add_plugins((
            ExamplePlugins::from_env(),
            ClassicModelsPlugins,
            StudioPlugin {
                eye: Vec3::new(0.0, 3.2, -9.0),
                target: Vec3::Y * 1.0,
                keys: "F: remove or write the file in the folder   A: replace the second archive",
                ..default()
            },
        ))
        .insert_resource(game)
        .add_systems(Startup, setup)
        .add_systems(Update, (change_layers, show_layers))
        .run();
    Ok(exit)
}

fn setup(mut commands: Commands) {
    for (path, position, clip) in MODELS {
        let mut model = commands.spawn((
            ClassicModel::new(format!("game://{path}")),
            BevySpace::default(),
            Transform::from_translation(position).with_rotation(Quat::from_rotation_y(0.4)),
        ));
        if !clip.is_empty() {
            model.insert(PlayClip::looping(clip));
        }
    }
}

/// The models follow, because the source is watched.
fn change_layers(keys: Res<ButtonInput<KeyCode>>, game: Res<Game>) -> Result {
    if keys.just_pressed(KeyCode::KeyF) {
        match game.loose_file().exists() {
            true => std::fs::remove_file(game.loose_file())?,
            false => game.write_loose_file()?,
        }
    }
    if keys.just_pressed(KeyCode::KeyA) {
        let has_skin = game.source.locate("skins/unused.dtx").is_some();
        game.write_second_archive(has_skin)?;
    }
    Ok(())
}

fn show_layers(game: Res<Game>, mut caption: Single<&mut Text, With<Caption>>) {
    let models = MODELS.map(|(path, ..)| path);
    let lines = models.iter().chain(&TEXTURES).map(|path| {
        let Some(file) = game.source.locate(path) else {
            return format!("{path} is missing");
        };
        let layer = file.layer_path.file_name().unwrap_or_default();
        format!("{path:<29} {:<13} {}", layer.to_string_lossy(), file.path)
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    caption.set_if_neq(Text(text));
}
