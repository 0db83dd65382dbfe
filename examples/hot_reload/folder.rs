//! A folder with copies of the samples, whose files are edited as people and programs do.

use bevy_classic_models::quake::Palette;
use std::io::Result;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The bundled samples, wherever the example is started.
const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");

/// The folder. It goes when this goes.
pub struct Folder(TempDir);

/// Manifests of models that are larger or smaller than the others.
const MANIFESTS: [(&str, &str); 4] = [
    (
        "models/sentry.model.ron",
        r#"(model: "sentry.mdl", scale: 0.052, palette: "palette.lmp", play: "walk")"#,
    ),
    ("models/walker.model.ron", WALKER),
    ("models/warden.model.ron", WARDEN),
    (
        "models/courier.model.ron",
        r#"(model: "courier.lgw", scale: 0.011)"#,
    ),
];

/// The walker's manifest.
pub const WALKER: &str = r##"(
    model: "walker.alo",
    scale: 0.25,
    play: "MOVE_00",
    team_color: "#a33620",
)
"##;

/// The warden's manifest.
pub const WARDEN: &str = r#"(
    model: "warden.abc",
    scale: 0.044,
    skins: {"usual": "skins/warden.dtx", "frost": "skins/warden_frost.dtx"},
    skin: "usual",
    play: "walk",
)
"#;

impl Folder {
    /// Makes it.
    pub fn new() -> Result<Self> {
        let folder = Self(TempDir::with_prefix("hot_reload")?);
        for name in ["models", "skins", "textures"] {
            std::fs::create_dir(folder.file(name))?;
            for entry in std::fs::read_dir(Path::new(SAMPLES).join(name))? {
                let from = entry?.path();
                let file = from.file_name().unwrap_or_default();
                std::fs::copy(&from, folder.file(name).join(file))?;
            }
        }
        for (name, text) in MANIFESTS {
            folder.write(name, text)?;
        }
        let palette = Palette::default();
        folder.write("models/palette.lmp", palette.0.as_flattened())?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// What is in a file now.
    pub fn read(&self, name: &str) -> Result<Vec<u8>> {
        std::fs::read(self.file(name))
    }

    /// What the bundled file says.
    pub fn original(&self, name: &str) -> Result<Vec<u8>> {
        std::fs::read(Path::new(SAMPLES).join(name))
    }

    /// Saves over a file, as simple programs do.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<()> {
        std::fs::write(self.file(name), bytes)
    }

    /// Writes beside a file and renames that over it, as careful programs do.
    pub fn rename_over(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<()> {
        let beside = self.file(name).with_added_extension("part");
        std::fs::write(&beside, bytes)?;
        std::fs::rename(beside, self.file(name))
    }

    /// Deletes a file.
    pub fn delete(&self, name: &str) -> Result<()> {
        std::fs::remove_file(self.file(name))
    }
}
