//! Checks the files of the command line before they are opened.

use crate::archive_file::{check_exists, is_archive};
use crate::file_format::{is_manifest, is_model, is_picture, is_texture};
use crate::view::files::{files_of_sheet, is_ala, is_dtx, models_to_show};
use std::path::{Path, PathBuf};

/// Returns an error if a file does not exist or is an archive, or if none of the files can be shown. A sheet can show textures.
pub fn check(files: &[PathBuf], is_sheet: bool) -> Result<(), String> {
    for file in files {
        if let Err(error) = check_exists(file) {
            return Err(format!("{}: {error}", file.display()));
        }
        if !has_known_extension(file) && is_archive(file) {
            return Err(whole_archive(file));
        }
        if is_picture(file) && !is_sheet {
            return Err(picture(file));
        }
    }
    let shown = match is_sheet {
        true => files_of_sheet(files),
        false => models_to_show(files),
    };
    match shown.is_empty() {
        true => Err(no_model(files)),
        false => Ok(()),
    }
}

/// Takes the folder or the archive out of the files, which a window lists. Returns it with the other files.
///
/// # Errors
/// If there are several.
pub fn take_listed(files: &[PathBuf]) -> Result<(Option<PathBuf>, Vec<PathBuf>), String> {
    let is_listed = |file: &Path| {
        // Reading a pipe could block.
        file.is_dir() || file.is_file() && !has_known_extension(file) && is_archive(file)
    };
    let (mut listed, others): (Vec<PathBuf>, Vec<PathBuf>) =
        files.iter().cloned().partition(|file| is_listed(file));
    if let Some(second) = listed.get(1) {
        let name = second.display();
        return Err(format!("{name}: only one folder or archive can be listed"));
    }
    Ok((listed.pop(), others))
}

fn has_known_extension(file: &Path) -> bool {
    is_model(file) || is_ala(file) || is_texture(file) || is_manifest(file)
}

fn picture(file: &Path) -> String {
    let name = file.display();
    format!(
        "{name}: a texture cannot be shown alone: `view --sheet` shows textures, and `convert {name} OUT.png` converts them"
    )
}

fn whole_archive(file: &Path) -> String {
    let name = file.display();
    format!(
        "{name}: an archive: name a model in it, as in {name}/PATH; `classic-models list {name}` prints the paths"
    )
}

fn no_model(files: &[PathBuf]) -> String {
    match files.first() {
        None => "no file is given, and there are no samples in assets/models".to_owned(),
        Some(skin) if is_dtx(skin) => format!(
            "{}: a texture cannot be shown alone: also give the .abc file that uses it; `view --sheet` shows textures",
            skin.display()
        ),
        Some(clip) => format!(
            "{}: no .alo file for this animation in its folder: also give the .alo file",
            clip.display()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{check, files_of_sheet, models_to_show};
    use std::path::PathBuf;

    /// The error for files with these names in one folder. Files whose names begin with `-` do not exist.
    fn error(names: &[&str]) -> Option<String> {
        error_of(names, false)
    }

    fn error_of(names: &[&str], is_sheet: bool) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let paths = names.iter().map(|name| match name.strip_prefix('-') {
            Some(missing) => folder.path().join(missing),
            None => {
                let path = folder.path().join(name);
                std::fs::write(&path, "").unwrap();
                path
            }
        });
        let paths: Vec<PathBuf> = paths.collect();
        check(&paths, is_sheet).err()
    }

    #[test]
    fn models_with_their_textures_and_animations_are_accepted() {
        assert_eq!(error(&[]), None, "the samples");
        let samples = models_to_show(&[]);
        let has = |name| samples.iter().any(|sample| sample.ends_with(name));
        assert!(has("walker.alo") && has("courier.lgw"), "{samples:?}");
        // A particle system.
        assert!(!has("p_explosion.alo"), "{samples:?}");
        assert_eq!(error(&["a.mdl"]), None);
        assert_eq!(error(&["a.dtx", "a.abc"]), None);
        assert_eq!(error(&["a_MOVE_00.ala", "b.alo"]), None);
        assert_eq!(error(&["a.model.ron"]), None);
    }

    #[test]
    fn a_missing_file_is_an_error() {
        let error = error(&["a.mdl", "-b.mdl"]).unwrap();
        assert!(error.contains("b.mdl: "), "{error}");
    }

    #[test]
    fn textures_and_animations_alone_are_errors() {
        let texture = error(&["a.dtx"]).unwrap();
        assert!(texture.contains("give the .abc file"), "{texture}");
        let animation = error(&["a_MOVE_00.ala"]).unwrap();
        assert!(animation.contains("give the .alo file"), "{animation}");
    }
    #[test]
    fn textures_are_only_in_sheets() {
        let files = ["a.mdl", "b.DDS"];
        let error = error_of(&files, false).unwrap();
        assert!(error.contains("b.DDS: a texture"), "{error}");
        for files in [&files[..], &["a.dtx"], &["a.tga"], &["a.dtx", "b.abc"]] {
            assert_eq!(error_of(files, true), None, "{files:?}");
        }
        assert!(error_of(&["a_MOVE_00.ala"], true).is_some());
        let skin = ["a.dtx", "b.abc"].map(PathBuf::from);
        assert_eq!(files_of_sheet(&skin), ["b.abc"].map(PathBuf::from));
    }
}
