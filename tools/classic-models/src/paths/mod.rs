//! Files of the command line: on the disk, in archives and in games. Models and their formats do not belong here.

pub mod archive_file;
pub mod disk;
pub mod disk_source;
pub mod entry_pattern;
pub mod game;
pub mod path_args;
pub mod quake_folders;

/// A temporary folder with files.
#[cfg(test)]
pub fn folder_with(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    folder
}
