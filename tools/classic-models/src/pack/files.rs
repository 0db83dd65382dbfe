//! Finds the files of a folder. It must not know formats of archives.

use crate::paths::archive_file::absolute;
use crate::paths::disk::is_hidden;
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

/// A file, or what is left out of an archive, such as a link to a folder.
#[derive(Clone, Debug)]
pub struct Found {
    /// The path from the folder, with `/`.
    pub path: String,
    /// The absolute path, with symbolic links resolved.
    pub disk: PathBuf,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    /// A regular file with its size in bytes.
    File { size: u64 },
    /// Left out, with the reason.
    LeftOut(&'static str),
    /// It cannot be read, with the error.
    Unreadable(String),
}

/// Finds the files in a folder and its folders, without `out`, in no order. Links to folders are not followed, because they
/// can be cyclic. Links to files outside of the folder are not followed, so that no file is published by mistake.
///
/// # Errors
/// If the folder or one of its folders cannot be read.
pub fn find(folder: &Path, out: &Path) -> Result<Vec<Found>, String> {
    let text = |path: &str, error: io::Error| match path {
        "" => format!("{}: {error}", folder.display()),
        path => format!("{}: {error}", folder.join(path).display()),
    };
    let root = dunce::canonicalize(folder).map_err(|error| text("", error))?;
    let out = absolute(out);
    let mut files = Vec::new();
    let mut folders = vec![(String::new(), root.clone())];
    while let Some((below, folder)) = folders.pop() {
        let entries = folder.read_dir();
        let entries = entries.and_then(|it| it.collect::<io::Result<Vec<_>>>());
        for entry in entries.map_err(|error| text(&below, error))? {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path = match &*below {
                "" => name.into_owned(),
                below => format!("{below}/{name}"),
            };
            let (disk, kind) = match resolve(&entry, &root) {
                Ok((folder, None)) => {
                    folders.push((path, folder));
                    continue;
                }
                Ok((disk, _)) if disk == out => continue,
                Ok((disk, Some(kind))) => (disk, kind),
                Err(error) => (entry.path(), Kind::Unreadable(error.to_string())),
            };
            files.push(Found { path, disk, kind });
        }
    }
    Ok(files)
}

/// The absolute path and the kind of an entry. No kind for a folder to search.
fn resolve(entry: &DirEntry, root: &Path) -> io::Result<(PathBuf, Option<Kind>)> {
    let name = entry.file_name();
    if is_hidden(Path::new(&name)) {
        return Ok((entry.path(), Some(Kind::LeftOut("it is hidden"))));
    }
    if name.to_str().is_none() {
        return Err(io::Error::other("the name is not valid UTF-8"));
    }
    let is_link = entry.file_type()?.is_symlink();
    let disk = match is_link {
        true => dunce::canonicalize(entry.path())?,
        false => entry.path(),
    };
    let metadata = disk.metadata()?;
    let kind = if is_link && metadata.is_dir() {
        Kind::LeftOut("it is a symbolic link to a folder")
    } else if !disk.starts_with(root) {
        Kind::LeftOut("it is a symbolic link out of the folder")
    } else if metadata.is_dir() {
        return Ok((disk, None));
    } else if metadata.is_file() {
        let size = metadata.len();
        Kind::File { size }
    } else {
        Kind::LeftOut("it is not a regular file")
    };
    Ok((disk, Some(kind)))
}
