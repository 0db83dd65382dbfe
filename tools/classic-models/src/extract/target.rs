//! Writes files below a folder, and nowhere else. It must not read archives.

use crate::paths::entry_pattern::check_name;
use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The folder to write to.
pub struct Target<'a> {
    root: &'a Path,
    /// Whether to replace files that existed before.
    replaces: bool,
    /// Folders below the root that exist and are no links.
    folders: HashSet<PathBuf>,
    /// The files that were written, in lower case. They are never replaced: two entries can differ only in case.
    written: HashSet<String>,
}

impl<'a> Target<'a> {
    /// Writes below `root`, which is created when it is needed.
    pub fn new(root: &'a Path, replaces: bool) -> Self {
        Self {
            root,
            replaces,
            folders: HashSet::new(),
            written: HashSet::new(),
        }
    }

    /// Creates the root.
    ///
    /// # Errors
    /// If it is a file, or cannot be created.
    pub fn create(&self) -> Result<(), String> {
        let created = fs::create_dir_all(self.root);
        created.map_err(|error| format!("{}: {error}", self.root.display()))
    }

    /// The file below the root for the path of an entry.
    ///
    /// # Errors
    /// If the path is not relative, leads out of the root, or has names that are not valid on every system.
    pub fn check(&self, entry: &str) -> Result<PathBuf, String> {
        entry.split('/').try_for_each(check_name)?;
        Ok(entry.split('/').collect())
    }

    /// Writes a file. `file` is the result of [`check`](Self::check).
    ///
    /// # Errors
    /// If a folder in its path is a file or a symbolic link, if it exists, or if it cannot be written.
    pub fn write(&mut self, file: &Path, bytes: &[u8]) -> Result<(), String> {
        self.create_folders(file.parent().unwrap_or(Path::new("")))?;
        let path = self.root.join(file);
        let text = |error: io::Error| format!("{}: {error}", path.display());
        let is_new = self.written.insert(file.to_string_lossy().to_lowercase());
        if self.replaces && is_new {
            remove(&path)?;
        }
        // Fails for files and links that exist. So it never follows a link.
        let mut created = match fs::File::create_new(&path) {
            Ok(created) => created,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(match self.replaces {
                    true => "another entry was extracted to the same file".to_owned(),
                    false => exists(&path),
                });
            }
            Err(error) => return Err(text(error)),
        };
        created.write_all(bytes).map_err(|error| {
            drop(created);
            // A part of a file is no use. The write error is the one to report.
            let _ = fs::remove_file(&path);
            text(error)
        })
    }

    /// Creates the folders of a path below the root. Symbolic links are errors, because they can lead out of the root.
    fn create_folders(&mut self, folder: &Path) -> Result<(), String> {
        let named = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
        self.create()?;
        let mut path = PathBuf::new();
        for name in folder {
            path.push(name);
            if self.folders.contains(&path) {
                continue;
            }
            let on_disk = self.root.join(&path);
            let what = on_disk.display();
            match fs::symlink_metadata(&on_disk) {
                Ok(found) if found.is_dir() => {}
                Ok(found) if found.is_symlink() => {
                    return Err(format!("{what} is a symbolic link"));
                }
                Ok(_) => return Err(format!("{what} is a file, not a folder")),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    fs::create_dir(&on_disk).map_err(|error| named(&on_disk, error))?;
                }
                Err(error) => return Err(named(&on_disk, error)),
            }
            self.folders.insert(path.clone());
        }
        Ok(())
    }
}

/// The error of a path that exists.
fn exists(path: &Path) -> String {
    let what = path.display();
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => format!("{what} is a symbolic link"),
        Ok(found) if !found.is_file() => format!("{what} is not a file"),
        _ => format!("{what} exists; --force replaces it"),
    }
}

/// Removes a file, so that it can be replaced. Links and folders are errors.
fn remove(path: &Path) -> Result<(), String> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => fs::remove_file(path).map_err(|error| error.to_string()),
        Ok(found) if found.is_symlink() => Err(format!("{} is a symbolic link", path.display())),
        Ok(_) => Err(format!("{} is not a file", path.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::Target;
    use std::fs::{read, write};
    use std::path::Path;

    fn extract(target: &mut Target, entry: &str, bytes: &[u8]) -> Result<(), String> {
        let file = target.check(entry)?;
        target.write(&file, bytes)
    }

    #[test]
    fn paths_that_lead_out_are_errors() {
        let target = Target::new(Path::new("unused"), true);
        for entry in ["../a", "/a", "a//b", "C:/a", "C:a", "..", "", "a/", "a/./b"]
            .into_iter()
            .chain(["a/../../b", "\\\\host\\a"])
        {
            assert!(target.check(entry).is_err(), "{entry}");
        }
    }

    #[test]
    fn only_force_replaces_files_and_entries_never_replace_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("new/out");
        let mut target = Target::new(&root, false);
        extract(&mut target, "a/b.txt", b"one").unwrap();
        let error = extract(&mut Target::new(&root, false), "a/b.txt", b"two").unwrap_err();
        assert!(error.contains("--force"), "{error}");
        assert_eq!(read(root.join("a/b.txt")).unwrap(), b"one");
        let mut target = Target::new(&root, true);
        extract(&mut target, "a/b.txt", b"two").unwrap();
        assert!(extract(&mut target, "a/b.txt", b"three").is_err());
        assert_eq!(read(root.join("a/b.txt")).unwrap(), b"two");
        // A file and a folder of the same name.
        assert!(extract(&mut target, "a", b"file").is_err());
        let error = extract(&mut target, "a/b.txt/c", b"below").unwrap_err();
        assert!(error.contains("not a folder"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_in_the_folder_are_not_followed() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("out"), folder.path().join("outside"));
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(&outside).unwrap();
        write(outside.join("kept"), "kept").unwrap();
        symlink(&outside, root.join("folder")).unwrap();
        symlink(outside.join("kept"), root.join("file")).unwrap();
        symlink(outside.join("new"), root.join("dangling")).unwrap();
        for replaces in [false, true] {
            let mut target = Target::new(&root, replaces);
            // Only files are replaced.
            std::fs::create_dir_all(root.join("own")).unwrap();
            for entry in ["file", "dangling", "own"] {
                let error = extract(&mut target, entry, b"evil").unwrap_err();
                assert!(
                    error.contains(entry) && !error.contains("--force"),
                    "{error}"
                );
            }
            for entry in [
                "folder/kept",
                "folder/new",
                "folder/deep/new",
                "file",
                "dangling",
                "dangling/x",
            ] {
                assert!(extract(&mut target, entry, b"evil").is_err(), "{entry}");
            }
        }
        assert_eq!(read(outside.join("kept")).unwrap(), b"kept");
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn hard_links_are_replaced_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("out"), folder.path().join("kept"));
        std::fs::create_dir(&root).unwrap();
        write(&outside, "kept").unwrap();
        std::fs::hard_link(&outside, root.join("a")).unwrap();
        extract(&mut Target::new(&root, true), "a", b"new").unwrap();
        assert_eq!(read(&outside).unwrap(), b"kept");
        assert_eq!(read(root.join("a")).unwrap(), b"new");
    }
}
