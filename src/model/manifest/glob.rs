//! Names with `*` and `?` in them.

use crate::scene::{FileSearch, folded};
use bevy::asset::AssetPath;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Whether a name stands for others.
pub(super) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// Whether a name fits a pattern, in any case: `*` stands for any letters, also none, and `?` for one.
fn fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = folded(pattern).chars().collect();
    let name: Vec<char> = folded(name).chars().collect();
    let (mut in_pattern, mut in_name) = (0, 0);
    // Behind the last star, and the first letter that is not its own.
    let mut star = None;
    while in_name < name.len() {
        match pattern.get(in_pattern) {
            Some('*') => {
                in_pattern += 1;
                star = Some((in_pattern, in_name));
            }
            Some(letter) if *letter == '?' || *letter == name[in_name] => {
                in_pattern += 1;
                in_name += 1;
            }
            _ => {
                let Some((behind, own)) = star else {
                    return false;
                };
                star = Some((behind, own + 1));
                (in_pattern, in_name) = (behind, own + 1);
            }
        }
    }
    pattern[in_pattern..].iter().all(|letter| *letter == '*')
}

/// The files that fit a pattern, whose folders may have stars as well, by name: those below `folder`, and if there
/// are none, those below the root of the asset source. No more than `limit` and one.
pub(super) async fn matching(
    search: &mut FileSearch<'_>,
    folder: &Path,
    pattern: &str,
    limit: usize,
) -> Vec<AssetPath<'static>> {
    let parts = pattern.split(['/', '\\']);
    let parts: Vec<&str> = parts
        .filter(|part| !matches!(*part, "" | "." | ".."))
        .collect();
    for begin in [folder, Path::new("")] {
        let mut found = vec![begin.to_path_buf()];
        for part in &parts {
            found = entries(search, &found, part, limit).await;
        }
        if !found.is_empty() && !parts.is_empty() {
            let asset = |path| search.asset(path);
            return found.into_iter().map(asset).collect();
        }
    }
    Vec::new()
}

/// What in some folders fits a part of a pattern.
async fn entries(
    search: &mut FileSearch<'_>,
    folders: &[PathBuf],
    part: &str,
    limit: usize,
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    // Where none but files of one extension fit, those that come later are known by it.
    let extension = Path::new(part).extension().and_then(OsStr::to_str);
    let extension = extension.filter(|extension| !is_glob(extension));
    let prefix = part.split(['*', '?']).next().unwrap_or_default();
    for folder in folders {
        if let Some(extension) = extension {
            search.awaits(folder, prefix, extension);
        }
        for entry in search.entries(folder).await {
            let name = entry.file_name().unwrap_or_default();
            if found.len() <= limit && fits(part, &name.to_string_lossy()) {
                found.push(entry);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_stand_for_letters() {
        for (pattern, name) in [
            ("*", ""),
            ("*", "a.b"),
            ("*.ala", "WALK.ALA"),
            ("w?lk*", "walk"),
            ("*a*b*c", "xxaxxbxxbxxc"),
            ("č?j", "Čáj"),
            ("a**", "a"),
            ("", ""),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("?", ""),
            ("*.ala", "walk.alo"),
            ("w?lk", "wlk"),
            ("*a*b*c", "xxaxxbxxbxx"),
            ("a", "aa"),
            ("", "a"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
        // What tries every star against every letter would not end.
        assert!(!fits(&"*a".repeat(500), &"a".repeat(100_000)[..499]));
        assert!(!fits("*a*a*a*a*a*a*a*b", &"a".repeat(1000)));
    }
}
