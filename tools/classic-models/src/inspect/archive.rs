//! Describes archives.

use crate::engines::{self, Engine};
use crate::inspect::description::{Description, Failure};
use crate::messages::{counted, escaped_name};
use crate::paths::archive_file::{self, ArchiveError};
use classic_model_formats::archive::{Archive, Entry, ReadAt};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::Path;

/// Opens an archive, and describes all its entries.
pub fn describe(
    path: &Path,
    reader: impl ReadAt,
    engines: &[Engine],
) -> Result<Description, Failure> {
    let archive = archive_file::open(path, reader)?;
    let entries = archive.entries();
    let (entries, lines): (Vec<Value>, Vec<String>) =
        entries.map(|entry| describe_entry(&archive, entry)).unzip();
    let files = counted(entries.len() as u64, "file");
    let is_faulty = entries.iter().any(|entry| entry.get("error").is_some());
    let object = json!({
        "format": archive.format().to_string().to_lowercase(),
        "version": archive.version(),
        "entries": entries,
        "skipped": archive.skipped(),
    });
    let write = |text: &mut String| {
        let version = archive.version();
        let version = version.map_or_else(String::new, |version| format!(", version {version}"));
        writeln!(text, "  {} archive{version}, {files}", archive.format())?;
        match archive.skipped() {
            0 => {}
            1 => writeln!(text, "  1 entry is left out")?,
            count => writeln!(text, "  {count} entries are left out")?,
        }
        lines.iter().try_for_each(|line| writeln!(text, "{line}"))
    };
    Ok(Description {
        is_faulty,
        limits: engines::of_archive(&archive, engines),
        ..Description::new(object, archive.warnings(), write)
    })
}

/// The description of an entry as JSON and as a line of text, with the hash of its bytes in hexadecimal digits.
fn describe_entry<R: ReadAt>(archive: &Archive<R>, entry: Entry<'_>) -> (Value, String) {
    let (name, size) = (entry.path(), entry.size());
    let mut object = json!({ "name": name, "size": size, "offset": entry.offset() });
    let mut line = format!("  {size:>10}  {}", escaped_name(&name));
    if entry.is_compressed() {
        let stored = entry.stored_size();
        object["stored"] = stored.into();
        line += &format!(", compressed to {stored}");
    }
    if entry.is_shadowed() {
        object["shadowed"] = true.into();
        line += ", an earlier entry of the same name is used";
    }
    match archive.read(entry).map_err(Failure::from) {
        Ok(bytes) => object["sha256"] = format!("{:x}", Sha256::digest(bytes)).into(),
        Err(failure) => {
            object["error"] = failure.error_json();
            line += &format!(", error: {}", failure.message);
        }
    }
    (object, line)
}

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Parse(error) => error.into(),
            error => Self::new(error),
        }
    }
}
