//! Quotes the line of a text file that contains an error, as compilers do.

use crate::archive_file;
use bevy::asset::AssetLoadError;
use bevy_classic_models::load::ModelLoadError;
use bevy_classic_models::read::ParseError;
use std::path::Path;

/// Characters that are shown before the error and from the error on, as many as fit in the panel.
const BEFORE: usize = 18;
const AFTER: usize = 10;

/// The line of an error and a mark below its column, if the file is text.
pub fn line_of(error: &AssetLoadError, file: &Path) -> Option<String> {
    let AssetLoadError::AssetLoaderError(error) = error else {
        return None;
    };
    let ModelLoadError::Parse { source, .. } = error.error().downcast_ref()? else {
        return None;
    };
    quote(&archive_file::read(file).ok()?, source)
}

fn quote(text: &[u8], error: &ParseError) -> Option<String> {
    let position = error.position?;
    let offset = usize::try_from(error.offset).ok()?.min(text.len());
    let (before, after) = text.split_at(offset);
    // The byte order mark is not visible.
    let before = before.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(before);
    let ends_line = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let begin = before.iter().rposition(ends_line).map_or(0, |end| end + 1);
    let end = after.iter().position(ends_line).unwrap_or(after.len());
    // The parser counts columns in characters if the text is UTF-8, otherwise in bytes.
    let is_utf8 = core::str::from_utf8(text).is_ok();
    let before = letters(&before[begin..], is_utf8);
    let after = letters(&after[..end], is_utf8);

    let cut = before.len().saturating_sub(BEFORE);
    let shown = before[cut..].iter().collect::<String>();
    // Omits the indentation.
    let shown = if cut == 0 { shown.trim_start() } else { &shown };
    let rest: String = after.iter().take(AFTER).collect();
    let [from, to] = [cut > 0, after.len() > AFTER].map(|is_cut| if is_cut { "..." } else { "" });
    let number = position.line.to_string();
    let margin = " ".repeat(number.len());
    let indent = " ".repeat(from.chars().count() + shown.chars().count());
    Some(format!(
        "{number} | {from}{shown}{rest}{to}\n{margin} | {indent}^"
    ))
}

fn letters(line: &[u8], is_utf8: bool) -> Vec<char> {
    let printed = |letter: char| if letter.is_control() { ' ' } else { letter };
    match is_utf8 {
        true => String::from_utf8_lossy(line).chars().map(printed).collect(),
        false => line.iter().copied().map(char::from).map(printed).collect(),
    }
}
