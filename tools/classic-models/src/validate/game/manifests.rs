//! Checks the manifests with one app for all that have the same root, which loads and spawns them.

use crate::file_format::is_manifest;
use crate::validate::checker::{AssetRoot, Checker};
use crate::validate::game::problem::{Kind, Problem, shown};
use crate::validate::game::selection::{Checked, Selection};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};

/// The problems of the selected manifests. `assets` is the root of files on the disk.
pub fn problems(
    selection: &Selection,
    assets: Option<&Path>,
    progress: &ProgressBar,
) -> Vec<Problem> {
    let manifests = selection.checked.iter();
    let manifests = manifests.filter(|file| file.is_selected && is_manifest(&file.path));
    let mut checker: Option<(PathBuf, Checker)> = None;
    let mut problems = Vec::new();
    for file in manifests {
        match root(selection, file, assets) {
            Ok(root) => {
                let of_root = checker.take().filter(|(folder, _)| *folder == root.folder);
                let (_, checker) = checker.insert(of_root.unwrap_or_else(|| {
                    let source = selection.game.as_ref().map(|game| &game.game.source);
                    (root.folder.clone(), Checker::new(&root.folder, source))
                }));
                let found = checker.problems(&root).0;
                problems.extend(found.iter().filter_map(|line| problem(line)));
            }
            Err(error) => problems.push(Problem::new(Kind::Manifest, &file.shown, error)),
        }
        progress.inc(1);
    }
    problems
}

fn root(selection: &Selection, file: &Checked, assets: Option<&Path>) -> Result<AssetRoot, String> {
    match &selection.game {
        Some(game) => Ok(AssetRoot::of_game(&game.game.root, &file.shown)),
        None => AssetRoot::of(&file.path, assets),
    }
}

/// The problem of a line `FILE:LINE:COLUMN: MESSAGE`. `None` if the file is no manifest: the files that manifests name are
/// checked themselves.
fn problem(line: &str) -> Option<Problem> {
    let (place, message) = line.split_once(": ").unwrap_or((line, ""));
    let position = || {
        let (rest, column) = place.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        Some((file, (line.parse().ok()?, column.parse().ok()?)))
    };
    let (file, position) = match position() {
        Some((file, position)) => (file, Some(position)),
        None => (place, None),
    };
    let file = Path::new(file);
    is_manifest(file).then(|| Problem {
        position,
        ..Problem::new(Kind::Manifest, &shown(file), message)
    })
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn lines_are_split_at_the_position() {
        let found = problem("C:/a/b.model.ron:2:9: scale: is 0").unwrap();
        assert_eq!(found.place(), "C:/a/b.model.ron:2:9");
        assert_eq!(found.message, "scale: is 0");
        let found = problem("b.model.ron: is not in a").unwrap();
        assert_eq!((found.position, &*found.file), (None, "b.model.ron"));
        assert_eq!(problem("models/a.alo: texture"), None);
    }
}
