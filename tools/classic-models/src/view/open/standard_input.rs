//! A model from standard input, as a temporary file: loaders read files.

use crate::file_format::FileFormat;
use clap::ValueEnum;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

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

/// The temporary folder of a model, which is removed in the end.
pub struct StandardInput {
    folder: PathBuf,
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
        from.read_to_end(&mut bytes).map_err(text)?;
        let format = format.or_else(|| ModelFormat::detect(&bytes));
        let format = format
            .ok_or("standard input: not a model of a known format; --format states the format")?;
        let folder = format!("classic-models-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir(&folder).map_err(text)?;
        let file = folder.join("stdin").with_extension(format.extension());
        let input = Self { folder, file };
        fs::write(&input.file, bytes).map_err(text)?;
        Ok(input)
    }
}

impl Drop for StandardInput {
    fn drop(&mut self) {
        // Nothing can be done about a folder that stays.
        let _ = fs::remove_dir_all(&self.folder);
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
        let folder = given.folder.clone();
        drop(given);
        assert!(!folder.exists());
        let detected = StandardInput::read(&b"IDPO"[..], None).unwrap();
        assert!(detected.file.ends_with("stdin.mdl"));
        assert_eq!(std::fs::read(&detected.file).unwrap(), b"IDPO");
    }
}
