//! Writes whole files: a file that cannot be written completely is not written at all.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Writes a file, and creates its folder. With `force`, an existing file is replaced.
///
/// # Errors
/// If the file exists, or cannot be written. No file is left then.
pub fn write(path: &Path, bytes: &[u8], force: bool) -> Result<(), String> {
    check(path, force)?;
    write_all([(path, bytes)])
}

/// Writes files, creates their folders, and replaces existing files: none of them unless all can be written.
///
/// # Errors
/// If a file cannot be written.
pub fn write_all<'a>(files: impl IntoIterator<Item = (&'a Path, &'a [u8])>) -> Result<(), String> {
    let complete = files
        .into_iter()
        .map(|(path, bytes)| Complete::new(path, bytes));
    let complete: Vec<_> = complete.collect::<Result<_, _>>()?;
    complete.iter().try_for_each(Complete::rename)
}

/// A complete file with a temporary name, which is deleted in the end unless it was renamed.
struct Complete {
    temporary: PathBuf,
    path: PathBuf,
}

impl Complete {
    fn new(path: &Path, bytes: &[u8]) -> Result<Self, String> {
        // Two runs, and two files of a run, never have the same name.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("classic-models-{}-{count}.tmp", std::process::id());
        let complete = Self {
            temporary: path.with_file_name(name),
            path: path.to_owned(),
        };
        create_folder(path)?;
        let file = fs::File::create(&complete.temporary);
        let written = file.and_then(|mut file| file.write_all(bytes));
        complete.result(written)?;
        Ok(complete)
    }

    fn rename(&self) -> Result<(), String> {
        self.result(fs::rename(&self.temporary, &self.path))
    }

    fn result(&self, result: io::Result<()>) -> Result<(), String> {
        result.map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

impl Drop for Complete {
    fn drop(&mut self) {
        // It does not exist if it was renamed. The write error is the one to report.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Creates the folder of a file.
///
/// # Errors
/// If it cannot be created.
pub fn create_folder(path: &Path) -> Result<(), String> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let created = folder.map_or(Ok(()), fs::create_dir_all);
    created.map_err(|error| format!("{}: {error}", path.display()))
}

/// Checks that a file may be written.
///
/// # Errors
/// If it exists and may not be replaced, or if it is not a regular file.
pub fn check(path: &Path, force: bool) -> Result<(), String> {
    let what = path.display();
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => Err(format!("{what} exists and is not a regular file")),
        Ok(_) if !force => Err(format!("{what} exists; --force replaces it")),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(format!("{what}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{write, write_all};
    use std::fs;
    use std::path::Path;

    #[test]
    fn only_force_replaces_files_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.glb");
        write(&path, b"one", false).unwrap();
        let error = write(&path, b"two", false).unwrap_err();
        assert!(error.contains("--force"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write(&path, b"two", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        let error = write(folder.path(), b"two", true).unwrap_err();
        assert!(error.contains("not a regular file"), "{error}");
        assert!(write(&path.join("b.glb"), b"", true).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let below = folder.path().join("new/folder/a.glb");
        write(&below, b"three", false).unwrap();
        assert_eq!(fs::read(below).unwrap(), b"three");
    }

    #[test]
    fn all_files_are_written_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let within = file.join("c");
        let files: [(&Path, &[u8]); 2] = [(&a, b"a"), (&within, b"c")];
        let error = write_all(files).unwrap_err();
        assert!(error.contains("file"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::remove_file(file).unwrap();
        // A name that is as long as the system allows.
        let long = folder.path().join("n".repeat(255));
        let files: [(&Path, &[u8]); 3] = [(&a, b"a"), (&b, b"b"), (&long, b"c")];
        write_all(files).unwrap();
        assert_eq!(fs::read(long).unwrap(), b"c");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
