//! Describes archives.

use crate::archive_file::{self, ArchiveError};
use crate::engines::{self, BrokenLimit, Engine};
use crate::inspect::failure::Failure;
use crate::inspect::output::{write_limits, write_warnings};
use crate::messages::{counted, escaped_name};
use bevy_classic_models::read::Format;
use classic_model_formats::archive::{Archive, Entry, ReadAt};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::Path;

/// The description of an archive.
pub struct ArchiveDescription {
    format: Format,
    version: Option<u32>,
    entries: Vec<EntryDescription>,
    skipped: u64,
    /// The limits of engines that the archive exceeds.
    pub limits: Vec<BrokenLimit>,
    warnings: Vec<String>,
}

/// The description of a file in an archive.
struct EntryDescription {
    name: String,
    size: u64,
    offset: u64,
    /// The size in the archive, if it is compressed.
    stored: Option<u64>,
    is_shadowed: bool,
    /// The hash of the bytes in hexadecimal digits.
    sha256: Result<String, Failure>,
}

impl ArchiveDescription {
    /// Opens an archive and reads all entries.
    pub fn load<R: ReadAt>(path: &Path, reader: R, engines: &[Engine]) -> Result<Self, Failure> {
        let archive = archive_file::open(path, reader)?;
        let warnings = archive.warnings().iter();
        Ok(Self {
            format: archive.format(),
            version: archive.version(),
            entries: archive
                .entries()
                .map(|entry| EntryDescription::new(&archive, entry))
                .collect(),
            skipped: archive.skipped(),
            limits: engines::of_archive(&archive, engines),
            warnings: warnings.map(ToString::to_string).collect(),
        })
    }

    pub fn to_json(&self) -> Value {
        let entries = self.entries.iter().map(EntryDescription::to_json);
        json!({
            "format": self.format.to_string().to_lowercase(),
            "version": self.version,
            "entries": entries.collect::<Vec<_>>(),
            "skipped": self.skipped,
            "warnings": self.warnings,
        })
    }

    pub fn write_text(&self, text: &mut String) -> std::fmt::Result {
        let version = self.version.map(|version| format!(", version {version}"));
        let version = version.unwrap_or_default();
        let files = counted(self.entries.len() as u64, "file");
        writeln!(text, "  {} archive{version}, {files}", self.format)?;
        match self.skipped {
            0 => {}
            1 => writeln!(text, "  1 entry is left out")?,
            count => writeln!(text, "  {count} entries are left out")?,
        }
        for entry in &self.entries {
            entry.write_text(text)?;
        }
        write_limits(&self.limits, text)?;
        write_warnings(&self.warnings, text)
    }
}

impl EntryDescription {
    fn new<R: ReadAt>(archive: &Archive<R>, entry: Entry<'_>) -> Self {
        let hash = |bytes: Vec<u8>| format!("{:x}", Sha256::digest(bytes));
        Self {
            name: entry.path().into_owned(),
            size: entry.size(),
            offset: entry.offset(),
            stored: entry.is_compressed().then(|| entry.stored_size()),
            is_shadowed: entry.is_shadowed(),
            sha256: archive.read(entry).map(hash).map_err(Failure::from),
        }
    }

    fn to_json(&self) -> Value {
        let mut object = json!({
            "name": self.name,
            "size": self.size,
            "offset": self.offset,
        });
        if let Some(stored) = self.stored {
            object["stored"] = stored.into();
        }
        if self.is_shadowed {
            object["shadowed"] = true.into();
        }
        match &self.sha256 {
            Ok(hash) => object["sha256"] = hash.as_str().into(),
            Err(failure) => object["error"] = failure.error_json(),
        }
        object
    }

    fn write_text(&self, text: &mut String) -> std::fmt::Result {
        write!(text, "  {:>10}  {}", self.size, escaped_name(&self.name))?;
        if let Some(stored) = self.stored {
            write!(text, ", compressed to {stored}")?;
        }
        if self.is_shadowed {
            write!(text, ", an earlier entry of the same name is used")?;
        }
        if let Err(failure) = &self.sha256 {
            write!(text, ", error: {}", failure.message)?;
        }
        writeln!(text)
    }
}

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Parse(error) => error.into(),
            error => Self::new(error),
        }
    }
}
