//! Which names the games find. What a format cannot store, its writer reports.

use crate::pack::files::Found;
use crate::pack::format::ArchiveFormat;
use crate::paths::entry_pattern::check_name;

/// The paths with errors, and the errors. The files are sorted by their paths without case.
pub fn errors(format: ArchiveFormat, files: &[Found]) -> Vec<(String, String)> {
    let invalid = files.iter().filter_map(|file| {
        let error = check(format, &file.path).err()?;
        Some((file.path.clone(), error))
    });
    let pairs = files.iter().zip(files.iter().skip(1));
    let repeated = pairs.filter(|(a, b)| a.path.to_lowercase() == b.path.to_lowercase());
    let repeated = repeated.map(|(other, file)| {
        let error = format!("differs only in case from {:?}", other.path);
        (file.path.clone(), error)
    });
    invalid.chain(repeated).collect()
}

/// Checks that `extract` writes a file of this path on every system, and that the game finds it.
fn check(format: ArchiveFormat, path: &str) -> Result<(), String> {
    path.split('/').try_for_each(check_name)?;
    let longest = match format {
        ArchiveFormat::Meg => 259,
        ArchiveFormat::Pak => 55,
        // DarkPlaces has 128 bytes for a name, with its end.
        ArchiveFormat::Pk3 => 127,
        // The writers check the characters and lengths of names.
        ArchiveFormat::Rez | ArchiveFormat::Vfs => return Ok(()),
    };
    if !path.is_ascii() {
        return Err("the games do not find names with characters other than ASCII".to_owned());
    }
    if path.len() > longest {
        let length = path.len();
        return Err(format!(
            "the path has {length} bytes, the games find at most {longest}"
        ));
    }
    Ok(())
}

/// The warning about names that are legal, but that the game may not find.
pub fn warning(format: ArchiveFormat, files: &[Found]) -> Option<String> {
    let (letter, reason): (fn(char) -> bool, _) = match format {
        ArchiveFormat::Pak => (
            |letter| letter.is_ascii_uppercase(),
            "upper-case letters: Quake finds files by the exact name, and asks for lower case",
        ),
        ArchiveFormat::Meg => (
            |letter| letter == ' ',
            "blanks, which separate names in the XML files of the games",
        ),
        ArchiveFormat::Pk3 | ArchiveFormat::Rez | ArchiveFormat::Vfs => return None,
    };
    let mut names = files.iter().filter(|file| file.path.contains(letter));
    let name = &names.next()?.path;
    Some(match names.count() {
        0 => format!("{name:?} has {reason}"),
        count => format!("{name:?} and {count} more have {reason}"),
    })
}
