//! Writes whole files: a file that cannot be written completely is not written at all.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes a file. With `force`, an existing file is replaced.
///
/// # Errors
/// If the file exists, or cannot be written. Nothing is left then.
pub fn write(path: &Path, bytes: &[u8], force: bool) -> Result<(), String> {
    check(path, force)?;
    let temporary = temporary(path);
    let written = fs::File::create(&temporary).and_then(|mut file| file.write_all(bytes));
    let renamed = written.and_then(|()| fs::rename(&temporary, path));
    renamed.map_err(|error| {
        // The write error is the one to report.
        let _ = fs::remove_file(&temporary);
        format!("{}: {error}", path.display())
    })
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

/// The temporary file: of this process only, so that two runs do not write to the same file.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::write;
    use std::fs;

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
        assert!(write(&folder.path().join("missing/a.glb"), b"", true).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
