//! Checks that names of entries are file names on every system. It must not access the disk.

/// Names of devices on Windows. They are devices in every folder, with any extension.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// Returns an error if a name of a file or folder is not valid on Windows. The same names are errors on all systems, so
/// that an archive gives the same files everywhere.
pub fn check(name: &str) -> Result<(), String> {
    let is_forbidden = |letter: &char| {
        letter.is_control()
            || matches!(letter, '<' | '>' | ':' | '"' | '|' | '?' | '*' | '/' | '\\')
    };
    if let Some(letter) = name.chars().find(is_forbidden) {
        return Err(format!(
            "the name {name:?} has {letter:?}, which file names must not have"
        ));
    }
    if name.is_empty() {
        return Err("a name is empty".to_owned());
    }
    // Windows removes them, so `..` and other names could result.
    if name.ends_with(['.', ' ']) {
        return Err(format!(
            "the name {name:?} must not end with a dot or a space"
        ));
    }
    if is_device(name) {
        return Err(format!("the name {name:?} is a device on Windows"));
    }
    Ok(())
}

/// Whether Windows opens a device instead of a file.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.trim_end_matches(' ').to_uppercase();
    if DEVICES.contains(&stem.as_str()) {
        return true;
    }
    let number = stem
        .strip_prefix("COM")
        .or_else(|| stem.strip_prefix("LPT"));
    let mut number = number.unwrap_or_default().chars();
    let is_digit = matches!(number.next(), Some('0'..='9' | '¹' | '²' | '³'));
    is_digit && number.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn names_that_windows_does_not_accept_are_errors() {
        for name in [
            "", ".", "..", "...", "a.", "a ", "C:", "a:b", "a\\b", "a/b", "a\0", "a\n", "a\u{85}",
            "a?", "*", "<a>", "\"", "a|b", "CON", "con", "Con.txt", "AUX ", "aux .txt", "PRN",
            "COM1", "com0.dat", "LPT9", "COM¹", "lpt³.x", "CONIN$", "conout$",
        ]
        .into_iter()
        .chain(["nul.tar.gz"])
        {
            assert!(check(name).is_err(), "{name:?}");
        }
        for name in [
            "a", "a.b", ".hidden", "console", "CON1", "COM", "COM10", "LPTX", "nul_", "škoda",
            "a b", "~1", "%TEMP%", "$x", "..a",
        ]
        .into_iter()
        .chain(["h_eq-tnt#h.txt", "com1x.txt"])
        {
            assert_eq!(check(name), Ok(()), "{name:?}");
        }
    }
}
