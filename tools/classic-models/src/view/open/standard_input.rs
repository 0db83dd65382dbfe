//! A model from standard input, as a temporary file: loaders read files.

use crate::file_format::FileFormat;
use clap::ValueEnum;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The path argument of standard input.
pub const STANDARD_INPUT: &str = "-";

/// A format of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModelFormat {
    Abc,
    Alo,
    Lgw,
    Mdl,
}

impl ModelFormat {
    /// The format of a model that begins with these bytes.
    fn detect(bytes: &[u8]) -> Option<Self> {
        Some(match FileFormat::known(Path::new(""), bytes)? {
            FileFormat::Abc => Self::Abc,
            FileFormat::Alo | FileFormat::Particles => Self::Alo,
            FileFormat::Lgw => Self::Lgw,
            FileFormat::Mdl => Self::Mdl,
            FileFormat::Ala | FileFormat::Dtx => return None,
        })
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Abc => "abc",
            Self::Alo => "alo",
            Self::Lgw => "lgw",
            Self::Mdl => "mdl",
        }
    }
}

/// How many bytes decide about the format.
const START: u64 = 1 << 16;

/// The temporary folder of a model, which is removed in the end.
pub struct StandardInput {
    _folder: TempDir,
    pub file: PathBuf,
}

impl StandardInput {
    /// Reads a model. Its format is detected unless it is given.
    ///
    /// # Errors
    /// If it cannot be read or written, or if its format is unknown.
    pub fn read(mut from: impl Read, format: Option<ModelFormat>) -> Result<Self, String> {
        let text = |error: std::io::Error| format!("standard input: {error}");
        let mut bytes = Vec::new();
        let start = from.by_ref().take(START);
        { start }.read_to_end(&mut bytes).map_err(text)?;
        if bytes.is_empty() {
            return Err("standard input: empty".to_owned());
        }
        let format = format.or_else(|| ModelFormat::detect(&bytes));
        let format = format
            .ok_or("standard input: not a model of a known format; --format states the format")?;
        from.read_to_end(&mut bytes).map_err(text)?;
        let folder = tempfile::Builder::new().prefix("classic-models-").tempdir();
        let folder = folder.map_err(text)?;
        // Textures are also searched for in folders beside that of the model.
        let models = folder.path().join("models");
        fs::create_dir(&models).map_err(text)?;
        let file = models.join("stdin").with_extension(format.extension());
        fs::write(&file, bytes).map_err(text)?;
        Ok(Self {
            _folder: folder,
            file,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ModelFormat, StandardInput};

    #[test]
    fn models_are_temporary_files_of_their_format() {
        assert!(StandardInput::read(&b"junk"[..], None).is_err());
        let given = StandardInput::read(&b"junk"[..], Some(ModelFormat::Lgw)).unwrap();
        assert!(given.file.ends_with("stdin.lgw"));
        let file = given.file.clone();
        assert!(file.exists());
        drop(given);
        assert!(!file.exists());
        assert!(StandardInput::read(&b""[..], Some(ModelFormat::Lgw)).is_err());
        let detected = StandardInput::read(&b"IDPO"[..], None).unwrap();
        assert!(detected.file.ends_with("stdin.mdl"));
        assert_eq!(std::fs::read(&detected.file).unwrap(), b"IDPO");
    }
}
