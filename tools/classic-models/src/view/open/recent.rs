//! The list of files that were opened last, in a file of the user's settings.

use bevy::prelude::*;
use std::path::{Path, PathBuf};

/// The maximum count of files.
const MOST: usize = 12;

/// The files that were opened last, the latest first.
#[derive(Resource, Default, Debug)]
pub struct Recent {
    files: Vec<PathBuf>,
    /// The file of the list. `None` if the user has no folder for settings.
    list: Option<PathBuf>,
}

impl Recent {
    /// Reads the list of the user. It is empty if the file is missing or is not text.
    pub fn of_user() -> Self {
        match settings_folder() {
            Some(folder) => Self::read(folder.join("classic-models").join("recent.txt")),
            None => Self::default(),
        }
    }

    /// Reads a list.
    fn read(list: PathBuf) -> Self {
        let text = std::fs::read_to_string(&list).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.is_empty());
        Self {
            files: lines.take(MOST).map(PathBuf::from).collect(),
            list: Some(list),
        }
    }

    /// The files, the latest first.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Adds a file as the latest, and writes the list.
    pub fn add(&mut self, file: &Path) {
        // The list has a path per line.
        let is_line = file
            .to_str()
            .is_some_and(|path| !path.contains(['\n', '\r']));
        if !is_line || self.files.first().is_some_and(|first| first == file) {
            return;
        }
        self.files.retain(|other| other != file);
        self.files.insert(0, file.to_path_buf());
        self.files.truncate(MOST);
        if let Err(error) = self.write() {
            warn!("the list of recent files was not written: {error}");
            // Says it once.
            self.list = None;
        }
    }

    fn write(&self) -> std::io::Result<()> {
        let Some(list) = &self.list else {
            return Ok(());
        };
        if let Some(folder) = list.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let lines = self.files.iter().filter_map(|file| file.to_str());
        let lines: Vec<&str> = lines.collect();
        std::fs::write(list, lines.join("\n") + "\n")
    }
}

/// The folder of the user's settings on this system.
fn settings_folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty());
    let home = || folder("HOME").map(PathBuf::from);
    if cfg!(windows) {
        return folder("APPDATA").map(PathBuf::from);
    }
    if cfg!(target_os = "macos") {
        return home().map(|home| home.join("Library").join("Application Support"));
    }
    let xdg = folder("XDG_CONFIG_HOME").map(PathBuf::from);
    // The specification ignores relative paths.
    let xdg = xdg.filter(|path| path.is_absolute());
    xdg.or_else(|| home().map(|home| home.join(".config")))
}

#[cfg(test)]
mod tests {
    use super::{MOST, Recent};
    use std::path::{Path, PathBuf};

    #[test]
    fn the_latest_files_come_first_and_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("a/b/recent.txt");
        let mut recent = Recent::read(list.clone());
        assert!(recent.files().is_empty());
        for index in 0..MOST + 2 {
            recent.add(Path::new(&format!("/models/{index}.mdl")));
        }
        recent.add(Path::new("/models/5.mdl"));
        recent.add(Path::new("/models/line\nbreak.mdl"));
        let read = Recent::read(list);
        assert_eq!(read.files(), recent.files());
        assert_eq!(read.files().len(), MOST);
        let first = [
            PathBuf::from("/models/5.mdl"),
            PathBuf::from("/models/13.mdl"),
        ];
        assert_eq!(read.files()[..2], first);
    }

    #[test]
    fn lists_that_are_no_text_or_cannot_be_written_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("recent.txt");
        std::fs::write(&list, [0xff, 0xfe, 0]).unwrap();
        assert!(Recent::read(list.clone()).files().is_empty());
        // A folder cannot be overwritten.
        let mut recent = Recent::read(folder.path().to_path_buf());
        recent.add(Path::new("/a.mdl"));
        assert_eq!(recent.files(), [PathBuf::from("/a.mdl")]);
        assert!(folder.path().is_dir());
    }
}
