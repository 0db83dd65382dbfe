//! The skins of models: which one is active, and files that may be skins of a model without one.

use crate::file_format::has_extension;
use crate::paths::archive_file::siblings;
use bevy_classic_models::prelude::*;
use std::path::{Path, PathBuf};

/// The index of the active skin, if it is a skin of the model itself.
pub fn active_skin(skin: Option<&ModelSkin>) -> Option<usize> {
    match skin {
        None => Some(0),
        Some(ModelSkin::Index(index)) => Some(*index),
        Some(_) => None,
    }
}

/// Files that may be the skin of a LithTech model: the textures of the games' folder `Skins` and those beside the model.
/// Names that have more of their beginning in common with that of the model come first.
pub fn candidates(model: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in skin_folders(model) {
        // Any name in the folder lists it.
        found.extend(siblings(&folder.join("a.dtx")));
    }
    found.retain(|file| has_extension(file, "dtx"));
    let own = stem(model);
    found.sort_by_cached_key(|file| {
        let name = stem(file);
        let letters = own.chars().zip(name.chars());
        let common = letters.take_while(|(a, b)| a == b).count();
        (std::cmp::Reverse(common), name, file.clone())
    });
    found.dedup();
    found
}

fn stem(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    stem.to_string_lossy().to_lowercase()
}

/// The folder of a model with `Models` replaced by `Skins`, the folders above that one up to `Skins`, and the folder of
/// the model.
fn skin_folders(model: &Path) -> Vec<PathBuf> {
    let folder = model.parent().unwrap_or(Path::new(""));
    let is_models = |folder: &&Path| {
        let name = folder.file_name();
        name.is_some_and(|name| name.eq_ignore_ascii_case("models"))
    };
    let mut folders = Vec::new();
    if let Some(models) = folder.ancestors().find(is_models)
        && let Some(root) = models.parent()
        && let Ok(inside) = folder.strip_prefix(models)
    {
        for name in ["Skins", "skins", "SKINS"] {
            let skins = root.join(name);
            folders.extend(inside.ancestors().map(|inside| skins.join(inside)));
        }
    }
    folders.push(folder.to_path_buf());
    // On disks that ignore case, the three are the same.
    folders.sort_by_cached_key(|folder| folder.to_string_lossy().to_lowercase());
    folders.dedup_by(|a, b| same_folder(a, b));
    folders
}

fn same_folder(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::candidates;
    use crate::paths::folder_with;

    #[test]
    fn skins_of_the_games_folder_are_candidates_by_similarity() {
        let root = folder_with(&[
            ("Skins/wall.dtx", b""),
            ("Skins/Chars/Hero2.DTX", b""),
            ("Skins/Chars/herald.dtx", b""),
            ("Skins/Chars/notes.txt", b""),
            ("Models/Chars/hero_old.dtx", b""),
        ]);
        let root = root.path();
        let found = candidates(&root.join("Models/Chars/HERO.abc"));
        let names: Vec<_> = found
            .iter()
            .map(|file| file.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(
            names,
            ["Hero2.DTX", "hero_old.dtx", "herald.dtx", "wall.dtx"]
        );
    }
}
