//! Archives of games on the disk, and paths of the form `ARCHIVE/entry`. It must not print or write files.

use crate::file_format::has_extension;
use bevy_classic_models::read::{Format, ParseError};
use classic_model_formats::archive::{Archive, Entry, ReadAt, detect};
use classic_model_formats::{meg, pak, pk3, rez, vfs};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

// The paths of all entries together may have this many bytes for each byte of the archive, and so many more. A damaged archive
// can repeat a long name of a folder in the paths of many entries.
const PATHS_FACTOR: u64 = 16;
const PATHS_CONSTANT: u64 = 1 << 20;

/// The error of an archive or of one of its entries.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The archive is damaged or has another format. The offset is in the archive.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The path of an entry that the archive does not have.
    #[error("the archive has no entry {0:?}")]
    NoEntry(String),
    /// The file is not an archive of a known format.
    #[error(
        "not an archive: expected the first bytes or the extension of a MEG, PAK, PK3, REZ or VFS archive"
    )]
    NoArchive,
    /// The path is within this archive, but an archive was expected.
    #[error("a path in the archive {path}: give {path} alone, and the path as the pattern after it", path = .0.display())]
    WithinArchive(PathBuf),
    /// The path is that of an archive in an archive, or within it.
    #[error("an archive in an archive is not opened: extract {0:?} first")]
    Nested(String),
    /// The paths of the entries have this length together, which is far more than the archive has.
    #[error("the paths of the entries have {0} bytes, far more than the archive: it is damaged")]
    PathsTooLong(u64),
    /// The pattern for the entries is not valid, with the message.
    #[error("{0}")]
    Pattern(String),
}

/// What a path refers to.
#[derive(Debug, PartialEq, Eq)]
pub enum Location {
    /// A file on the disk.
    File,
    /// A path within a file on the disk, with `/`.
    Entry {
        /// The archive.
        archive: PathBuf,
        /// The path from its root.
        entry: String,
    },
}

/// Splits a path of the form `ARCHIVE/entry`. The archive must be a regular file.
///
/// # Errors
/// If the path does not exist, or is not a regular file. Pipes and devices are errors, because they may have no end.
pub fn locate(path: &Path) -> io::Result<Location> {
    let error = match path.metadata() {
        Ok(file) if file.is_file() => return Ok(Location::File),
        Ok(_) => return Err(io::Error::other("is not a regular file")),
        Err(error) => error,
    };
    let archive = path.ancestors().skip(1).find(|path| path.is_file());
    let entry = archive.and_then(|archive| path.strip_prefix(archive).ok());
    let entry = entry.and_then(Path::to_str);
    let (Some(archive), Some(entry)) = (archive, entry) else {
        return Err(error);
    };
    Ok(Location::Entry {
        archive: archive.to_path_buf(),
        entry: entry.replace('\\', "/"),
    })
}

/// The absolute path of a file or an entry, with symbolic links resolved in the part that exists.
pub fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let resolved = path.ancestors().find_map(|existing| {
        let rest = path.strip_prefix(existing).ok()?;
        let existing = dunce::canonicalize(existing).ok()?;
        // Collected, because joining an empty path would add a separator.
        Some(existing.iter().chain(rest).collect())
    });
    resolved.unwrap_or(path)
}

/// Reads a file, or an entry of an archive.
///
/// # Errors
/// If it does not exist or cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, ArchiveError> {
    match locate(path)? {
        Location::File => Ok(std::fs::read(path)?),
        Location::Entry { archive, entry } => read_entry(&open_file(&archive)?, &entry),
    }
}

/// Whether a file is an archive, which has entries.
pub fn is_archive(path: &Path) -> bool {
    let format = File::open(path).and_then(|file| detect(&file, path));
    matches!(format, Ok(Some(_)))
}

/// Whether a file has the extension of an archive. For folders, which can have many files, so that none is read.
pub fn has_archive_extension(path: &Path) -> bool {
    ["meg", "pak", "pk3", "kpf", "rez", "vfs"]
        .iter()
        .any(|it| has_extension(path, it))
}

/// Checks that a file, or an entry of an archive, exists.
///
/// # Errors
/// If it does not, or if its archive cannot be opened.
pub fn check_exists(path: &Path) -> Result<(), ArchiveError> {
    match locate(path)? {
        Location::File => Ok(()),
        Location::Entry { archive, entry } => find(&open_file(&archive)?, &entry).map(drop),
    }
}

/// The files beside a file or an entry, itself included.
pub fn siblings(path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let Ok(Location::Entry { archive, entry }) = locate(path) else {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        return entries.map(|entry| entry.path()).collect();
    };
    let Ok(opened) = open_file(&archive) else {
        return Vec::new();
    };
    let folder_of = |path: &str| {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        folder.to_lowercase()
    };
    let folder = folder_of(&entry);
    let paths = opened.entries().map(|entry| entry.path().into_owned());
    let beside = paths.filter(|path| folder_of(path) == folder);
    beside.map(|path| archive.join(path)).collect()
}

/// Opens an archive of any format.
///
/// # Errors
/// If it is not an archive, is damaged, or cannot be read.
pub fn open<R: ReadAt>(path: &Path, reader: R) -> Result<Archive<R>, ArchiveError> {
    let limit = reader.length()?.saturating_mul(PATHS_FACTOR) + PATHS_CONSTANT;
    let archive = match detect(&reader, path)? {
        Some(Format::Meg) => meg::open(reader)?,
        Some(Format::Pak) => pak::open(reader)?,
        Some(Format::Pk3) => pk3::open(reader)?,
        Some(Format::Rez) => rez::open(reader)?,
        Some(Format::Vfs) => vfs::open(reader)?,
        _ => return Err(ArchiveError::NoArchive),
    };
    let paths: u64 = archive.entries().map(|entry| entry.path_len() as u64).sum();
    if paths > limit {
        return Err(ArchiveError::PathsTooLong(paths));
    }
    Ok(archive)
}

/// Opens an archive on the disk.
///
/// # Errors
/// As [`open`], and if the path is not a regular file.
pub fn open_file(path: &Path) -> Result<Archive<File>, ArchiveError> {
    match locate(path)? {
        Location::File => open(path, File::open(path)?),
        Location::Entry { archive, entry } => Err(match nested(&entry) {
            Some(nested) => ArchiveError::Nested(nested),
            None => ArchiveError::WithinArchive(archive),
        }),
    }
}

/// The path of the first archive in the path of an entry.
fn nested(entry: &str) -> Option<String> {
    let above: Vec<&Path> = Path::new(entry).ancestors().collect();
    let mut above = above.into_iter().rev();
    let nested = above.find(|path| has_archive_extension(path))?;
    Some(nested.to_string_lossy().into_owned())
}

/// The entry with a path: found by the game's rule, otherwise in any case.
fn find<'a, R: ReadAt>(archive: &'a Archive<R>, path: &str) -> Result<Entry<'a>, ArchiveError> {
    let entry = archive.find(path).or_else(|| archive.find_any_case(path));
    entry.ok_or_else(|| match nested(path) {
        // Another name than that of the whole path.
        Some(nested) if archive.find_any_case(&nested).is_some() => ArchiveError::Nested(nested),
        _ => ArchiveError::NoEntry(path.to_owned()),
    })
}

/// The bytes of an entry.
///
/// # Errors
/// If the archive does not have the entry, or it cannot be read.
pub fn read_entry<R: ReadAt>(archive: &Archive<R>, path: &str) -> Result<Vec<u8>, ArchiveError> {
    Ok(archive.read(find(archive, path)?)?)
}

#[cfg(test)]
mod tests {
    use super::{Location, locate, open_file, read};
    use crate::paths::folder_with;
    use classic_models_fixtures::archives::pak;

    #[test]
    fn paths_are_split_behind_the_archive() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("pak0.pak"), "").unwrap();
        let entry = |path: &str| match locate(&folder.join(path)).unwrap() {
            Location::Entry { archive, entry } => {
                assert_eq!(archive, folder.join("pak0.pak"));
                entry
            }
            Location::File => panic!("{path}"),
        };
        assert_eq!(entry("pak0.pak/a/b.mdl"), "a/b.mdl");
        assert_eq!(entry("pak0.pak/a"), "a");
        assert_eq!(locate(&folder.join("pak0.pak")).unwrap(), Location::File);
        for missing in ["pak1.pak/a", "missing", ""] {
            assert!(locate(&folder.join(missing)).is_err(), "{missing}");
        }
    }

    #[test]
    fn archives_in_archives_are_to_be_extracted() {
        let inner = pak(&[(b"progs/a.mdl", b"IDPO")], 0).bytes;
        let outer = pak(&[(b"b.mdl", b"IDPO"), (b"sub/inner.pak", &inner)], 0).bytes;
        let folder = folder_with(&[("outer.pak", &outer)]);
        let error = |path: &str| {
            let path = folder.path().join("outer.pak").join(path);
            let error = read(&path).err().or_else(|| open_file(&path).err());
            error.unwrap().to_string()
        };
        let expected = "an archive in an archive is not opened: extract \"sub/inner.pak\" first";
        assert_eq!(error("sub/inner.pak"), expected);
        assert_eq!(error("sub/inner.pak/progs/a.mdl"), expected);
        assert_eq!(
            error("none.pak/a.mdl"),
            "the archive has no entry \"none.pak/a.mdl\""
        );
        assert!(error("b.mdl").starts_with("a path in the archive"));
    }
}
