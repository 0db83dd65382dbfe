//! The base folder of Quake and of games like it. It must not open archives.

use crate::file_format::has_extension;
use crate::paths::archive_file::absolute;
use crate::paths::disk::below;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

/// The names of base folders: that of Quake, and that of LibreQuake.
const BASES: [&str; 2] = ["id1", "lq1"];

/// The folders of a game.
#[derive(Debug, PartialEq, Eq)]
pub struct QuakeFolders {
    /// The folder that contains the base folder and those of mods.
    pub game: PathBuf,
    /// The name of the base folder.
    pub base: PathBuf,
}

impl QuakeFolders {
    /// The folders of the game at a path: of the folder that contains `id1` or `lq1`, or of a base folder with any name.
    ///
    /// # Errors
    /// If the path is neither.
    pub fn of(path: &Path) -> Result<Self, String> {
        let own = |name: &&str| below(path, name).is_some();
        if let Some(base) = BASES.iter().find(|name| own(name)) {
            return Ok(Self {
                game: path.to_path_buf(),
                base: base.into(),
            });
        }
        let whole = absolute(path);
        match (whole.parent(), whole.file_name()) {
            (Some(game), Some(base)) if is_base(path) => Ok(Self {
                game: game.to_path_buf(),
                base: base.into(),
            }),
            _ => Err(format!(
                "{}: no folder id1 or lq1, and no pak0.pak, .pk3 archive or folder progs: give the folder that contains \
                 id1, or the base folder of the game",
                path.display()
            )),
        }
    }
}

/// Whether a folder has the files of a game.
fn is_base(folder: &Path) -> bool {
    let is_of_game = |entry: DirEntry| {
        let path = entry.path();
        let is_named = |name: &str| entry.file_name().eq_ignore_ascii_case(name);
        let is_zip = || ["pk3", "kpf"].iter().any(|it| has_extension(&path, it));
        match path.is_dir() {
            true => is_named("progs"),
            false => is_named("pak0.pak") || is_zip(),
        }
    };
    let entries = folder.read_dir().into_iter().flatten();
    entries.flatten().any(is_of_game)
}

#[cfg(test)]
mod tests {
    use super::QuakeFolders;
    use crate::paths::folder_with;
    use std::path::Path;

    #[test]
    fn base_folders_are_found() {
        let folder = folder_with(&[
            ("quake/ID1/notes.txt", b"x"),
            ("quake/hipnotic/pak0.pak", b"x"),
            ("libre/lq1/pak0.pak", b"x"),
            ("paks/base/PAK0.PAK", b"x"),
            ("zips/base/a.PK3", b"x"),
            ("rerelease/base/QuakeEX.kpf", b"x"),
            ("loose/base/Progs/a.mdl", b"x"),
            ("other/textures/a.tga", b"x"),
        ]);
        let root = folder.path().canonicalize().unwrap();
        for (path, game, base) in [
            ("quake", "quake", "id1"),
            ("quake/ID1/..", "quake/ID1/..", "id1"),
            ("quake/hipnotic", "quake", "hipnotic"),
            ("libre", "libre", "lq1"),
            ("libre/lq1", "libre", "lq1"),
            ("paks/base", "paks", "base"),
            ("zips/base", "zips", "base"),
            ("rerelease/base", "rerelease", "base"),
            ("loose/base", "loose", "base"),
        ] {
            let found = QuakeFolders::of(&root.join(path));
            let (game, base) = (root.join(game), base.into());
            assert_eq!(found, Ok(QuakeFolders { game, base }), "{path}");
        }
        for path in ["other", "missing", ""] {
            let error = QuakeFolders::of(Path::new(&root.join(path))).unwrap_err();
            assert!(error.contains("no folder id1 or lq1"), "{error}");
        }
    }
}
