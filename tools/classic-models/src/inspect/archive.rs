//! Describes archives.

use crate::engines::{self, Engine};
use crate::inspect::description::{Description, Failure, list};
use crate::messages::{counted, escaped_name};
use crate::paths::archive_file::{self, ArchiveError};
use classic_model_formats::archive::{Archive, Entry, ReadAt};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::Path;

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

/// Opens an archive, and describes all its entries.
pub fn describe(
    path: &Path,
    reader: impl ReadAt,
    engines: &[Engine],
) -> Result<Description, Failure> {
    let archive = archive_file::open(path, reader)?;
    let entries = archive.entries();
    let entries: Vec<_> = entries
        .map(|entry| EntryDescription::new(&archive, entry))
        .collect();
    let object = json!({
        "format": archive.format().to_string().to_lowercase(),
        "version": archive.version(),
        "entries": list(&entries, EntryDescription::to_json),
        "skipped": archive.skipped(),
    });
    let write = |text: &mut String| {
        let version = archive.version();
        let version = version.map_or_else(String::new, |version| format!(", version {version}"));
        let (format, files) = (archive.format(), counted(entries.len() as u64, "file"));
        writeln!(text, "  {format} archive{version}, {files}")?;
        match archive.skipped() {
            0 => {}
            1 => writeln!(text, "  1 entry is left out")?,
            count => writeln!(text, "  {count} entries are left out")?,
        }
        entries.iter().try_for_each(|entry| entry.write_text(text))
    };
    Ok(Description {
        limits: engines::of_archive(&archive, engines),
        ..Description::new(object, archive.warnings(), write)
    })
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
