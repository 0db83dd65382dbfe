//! The root of the asset source of a manifest, and the names of asset paths on the command line.

use crate::paths;
use bevy::asset::AssetPath;
use std::path::{Path, PathBuf};

/// The root of an asset source.
pub struct AssetRoot {
    /// Absolute.
    pub folder: PathBuf,
    /// As messages name it: relative if the file was given so.
    shown: PathBuf,
    /// The path of the manifest.
    pub manifest: AssetPath<'static>,
}

impl AssetRoot {
    /// The root of a manifest: the given folder, otherwise the nearest folder `assets`, otherwise that of the manifest.
    ///
    /// # Errors
    /// A message if the manifest is not in the folder, or the current folder is not known.
    pub fn of(file: &Path, given: Option<&Path>) -> Result<Self, String> {
        let absolute = |path: &Path| paths::absolute(path).map_err(|error| error.to_string());
        let path = absolute(file)?;
        let own = path.parent().unwrap_or(&path);
        let is_assets = |folder: &&Path| {
            let name = folder.file_name().unwrap_or_default();
            name.eq_ignore_ascii_case("assets")
        };
        let folder = match given {
            Some(folder) => absolute(folder)?,
            None => own.ancestors().find(is_assets).unwrap_or(own).to_path_buf(),
        };
        let Ok(within) = path.strip_prefix(&folder) else {
            return Err(format!("is not in {}", folder.display()));
        };
        let depth = within.components().count();
        let shown = given.or_else(|| file.ancestors().nth(depth));
        Ok(Self {
            manifest: AssetPath::from_path_buf(within.to_path_buf()),
            shown: shown.unwrap_or(&folder).to_path_buf(),
            folder,
        })
    }

    /// The name of a file of the asset source, at the beginning of a message.
    pub fn show(&self, message: &str) -> String {
        self.shown.join(message).display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::AssetRoot;
    use std::path::Path;

    #[track_caller]
    fn assert_root(file: &str, given: Option<&str>, manifest: &str, shown: &str) {
        let root = AssetRoot::of(Path::new(file), given.map(Path::new)).unwrap();
        assert_eq!(root.manifest.to_string(), manifest);
        assert_eq!(root.show(manifest), shown);
        assert!(root.folder.is_absolute());
    }

    #[test]
    fn roots_are_the_nearest_folders_of_assets() {
        assert_root(
            "assets/a/b.model.ron",
            None,
            "a/b.model.ron",
            "assets/a/b.model.ron",
        );
        assert_root(
            "x/Assets/b.model.ron",
            None,
            "b.model.ron",
            "x/Assets/b.model.ron",
        );
        assert_root("/x/a/b.model.ron", None, "b.model.ron", "/x/a/b.model.ron");
        assert_root(
            "x/a/b.model.ron",
            Some("x"),
            "a/b.model.ron",
            "x/a/b.model.ron",
        );
    }

    #[test]
    fn manifests_outside_of_the_given_root_are_errors() {
        let root = AssetRoot::of(Path::new("a/b.model.ron"), Some(Path::new("c")));
        assert!(root.err().unwrap().starts_with("is not in "));
    }
}
