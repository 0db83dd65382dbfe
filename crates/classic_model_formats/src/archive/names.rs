//! Names of entries: encodings, cleaning, and comparison without case. Independent of any format. It must not do I/O.

use std::borrow::Cow;

/// The reason why an entry with a name cannot be a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameFlaw {
    /// Nothing is left of the name.
    Empty,
    /// The name has a control character.
    Control,
    /// The name leads to a parent folder.
    Parent,
}

/// A name as a relative path: `/` for `\`, no drive, no leading or doubled slashes, no `.`. True if a drive,
/// slashes or `.` were removed.
pub(crate) fn clean(name: &str) -> Result<(Cow<'_, str>, bool), NameFlaw> {
    if has(name.bytes(), is_control) {
        return Err(NameFlaw::Control);
    }
    let name = with_slashes(name);
    if is_plain(&name) {
        return Ok((name, false));
    }
    let rest = without_root(&name);
    let mut is_clean = rest.len() == name.len();
    let mut is_empty = true;
    for part in rest.split('/') {
        if part.trim_end_matches(['.', ' ']).is_empty() && part.starts_with("..") {
            return Err(NameFlaw::Parent);
        }
        let is_dropped = is_dropped(part);
        is_clean &= !is_dropped;
        is_empty &= is_dropped;
    }
    if is_empty {
        return Err(NameFlaw::Empty);
    }
    if is_clean {
        return Ok((name, false));
    }
    let mut cleaned = String::with_capacity(rest.len());
    for part in rest.split('/').filter(|part| !is_dropped(part)) {
        if !cleaned.is_empty() {
            cleaned.push('/');
        }
        cleaned.push_str(part);
    }
    Ok((Cow::Owned(cleaned), true))
}

/// Like [`clean`] for names that are clean at first sight, as nearly all are. `None` for others. The result is in `buffer`, so
/// that many names need no memory each.
pub(crate) fn plain<'b>(name: &str, buffer: &'b mut Vec<u8>) -> Option<&'b str> {
    buffer.clear();
    buffer.extend(name.bytes().map(slash_for_backslash));
    // It is UTF-8, because one ASCII character replaced another.
    let name = core::str::from_utf8(buffer).ok()?;
    (!has(name.bytes(), is_control) && is_plain(name)).then_some(name)
}

/// Whether a name is clean at first sight, as nearly all are: no part is empty or begins with a dot, and there is no drive.
/// Splitting the name takes far longer.
fn is_plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    let begins_part = |byte: u8| !matches!(byte, b'/' | b'.');
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let is_any_special = has(pairs, |(before, byte)| {
        *before == b'/' && !begins_part(*byte)
    });
    begins_part(*first) && *last != b'/' && bytes.get(1) != Some(&b':') && !is_any_special
}

/// Like `any`, but visits all items, so that it is compiled to vector instructions.
fn has<T>(items: impl Iterator<Item = T>, is: impl Fn(T) -> bool) -> bool {
    items.fold(false, |found, item| found | is(item))
}

/// A name with `/` for `\`.
fn with_slashes(name: &str) -> Cow<'_, str> {
    if !name.as_bytes().contains(&b'\\') {
        return Cow::Borrowed(name);
    }
    let bytes = name.bytes().map(slash_for_backslash).collect();
    // It is UTF-8, because one ASCII character replaced another. This is faster than `str::replace`.
    Cow::Owned(String::from_utf8(bytes).unwrap_or_default())
}

fn slash_for_backslash(byte: u8) -> u8 {
    if byte == b'\\' { b'/' } else { byte }
}

fn is_control(byte: u8) -> bool {
    byte < b' ' || byte == 0x7F
}

fn is_dropped(part: &str) -> bool {
    part.is_empty() || part == "."
}

/// A path without leading slashes and drives.
fn without_root(mut path: &str) -> &str {
    loop {
        let rest = path.trim_start_matches('/');
        let rest = match rest.as_bytes() {
            [letter, b':', ..] if letter.is_ascii_alphabetic() => rest.get(2..).unwrap_or_default(),
            _ => rest,
        };
        if rest.len() == path.len() {
            return rest;
        }
        path = rest;
    }
}

/// Decodes a name in Windows-1252. Every byte is a character.
pub(crate) fn decode_1252(bytes: &[u8]) -> Cow<'_, str> {
    encoding_rs::WINDOWS_1252
        .decode_without_bom_handling(bytes)
        .0
}

/// Decodes a name of a Quake archive. The games store ASCII; tools store UTF-8 or Windows-1252.
pub(crate) fn decode_utf8_or_1252(bytes: &[u8]) -> Cow<'_, str> {
    match core::str::from_utf8(bytes) {
        Ok(name) => Cow::Borrowed(name),
        Err(_) => decode_1252(bytes),
    }
}

/// Decodes a name in Windows-1250. Every byte is a character.
pub(crate) fn decode_1250(bytes: &[u8]) -> Cow<'_, str> {
    encoding_rs::WINDOWS_1250
        .decode_without_bom_handling(bytes)
        .0
}

/// The bytes before the first NUL.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// A character for comparison without case, as Windows compares file names: each character on its own. ASCII characters
/// and others never equal each other.
fn fold_char(letter: char) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    let upper = single(letter, letter.to_uppercase());
    single(upper, upper.to_lowercase())
}

/// The letter in the other case, if that is a single character of the same kind.
fn single(letter: char, mut other: impl Iterator<Item = char>) -> char {
    match (other.next(), other.next()) {
        (Some(other), None) if other.is_ascii() == letter.is_ascii() => other,
        _ => letter,
    }
}

/// Appends a name in lower case.
pub(crate) fn push_folded(out: &mut String, name: &str) {
    if name.is_ascii() {
        let start = out.len();
        out.push_str(name);
        out.get_mut(start..)
            .unwrap_or_default()
            .make_ascii_lowercase();
    } else {
        out.extend(name.chars().map(fold_char));
    }
}

/// A name in lower case.
pub(crate) fn folded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    push_folded(&mut out, name);
    out
}

/// Whether [`folded`] returns `folded_name` for a name. Does not allocate for ASCII names.
pub(crate) fn equals_folded(name: &str, folded_name: &str) -> bool {
    match name.is_ascii() {
        true => name.eq_ignore_ascii_case(folded_name),
        false => folded(name) == folded_name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_names_are_relative_paths() {
        for (name, expected) in [
            ("a", Ok(("a", false))),
            ("DATA\\ART\\a b.alo", Ok(("DATA/ART/a b.alo", false))),
            ("C:\\a/b", Ok(("a/b", true))),
            ("c:d:\\\\x", Ok(("x", true))),
            ("/a//b/./c", Ok(("a/b/c", true))),
            ("a/", Ok(("a", true))),
            ("a/C:/b", Ok(("a/C:/b", false))),
            (".hidden/..a/a..", Ok((".hidden/..a/a..", false))),
            ("ü:x", Ok(("ü:x", false))),
            ("a/../b", Err(NameFlaw::Parent)),
            ("..", Err(NameFlaw::Parent)),
            ("a/.. /b", Err(NameFlaw::Parent)),
            ("a\\...", Err(NameFlaw::Parent)),
            ("", Err(NameFlaw::Empty)),
            ("\\/", Err(NameFlaw::Empty)),
            ("C:", Err(NameFlaw::Empty)),
            ("a\0b", Err(NameFlaw::Control)),
            ("a\x7F", Err(NameFlaw::Control)),
        ] {
            let found = clean(name);
            let found = found.as_ref().map(|(name, changed)| (&**name, *changed));
            assert_eq!(found, expected.as_ref().map(|it| *it), "{name:?}");
            let mut buffer = b"x".to_vec();
            if let Some(plain) = plain(name, &mut buffer) {
                assert_eq!(found, Ok((plain, false)), "{name:?}");
            }
        }
    }

    #[test]
    fn names_are_compared_without_case() {
        let names = [
            "", "a", "A", "ab", "Z", "[", "_", "z", "É", "é", "ß", "ẞ", "č", "Čaj", "\u{212a}",
            "k", "ΟΔΟΣ", "οδος", "aé", "aÉb", "a/b", "a.b", "\u{17f}", "ŉ", "DATA/É", "data/z",
        ];
        for a in names {
            for b in names {
                let expected = folded(a) == folded(b);
                assert_eq!(equals_folded(a, &folded(b)), expected, "{a:?} {b:?}");
            }
        }
        assert_eq!(folded("ΟΔΟΣ"), folded("οδος"));
        assert_eq!(folded("DATA/É"), "data/é");
        assert_ne!(folded("\u{212a}"), "k");
    }
}
