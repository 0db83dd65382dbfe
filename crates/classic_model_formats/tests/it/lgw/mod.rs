//! UFO: Aftermath models as text: parsing of valid and malformed texts, and writing.

mod accepted;
mod errors;
mod parse;
mod random;
mod time;
mod warnings;

use crate::prelude::*;
use classic_model_formats::lgw::parse;
use classic_model_formats::read::TextPosition;

/// Marks the expected position of a message in a text.
const MARK: char = '§';

/// Removes the mark from a text. Returns the text, and the offset and position of the mark.
fn unmarked(text: &str) -> (String, u64, TextPosition) {
    let (before, after) = text.split_once(MARK).expect("there is a mark");
    let line = before.rsplit('\n').next().unwrap_or_default();
    let position = TextPosition {
        line: before.matches('\n').count() as u32 + 1,
        // A byte order mark does not count as a character.
        column: line.trim_start_matches('\u{feff}').chars().count() as u32 + 1,
    };
    (format!("{before}{after}"), before.len() as u64, position)
}

fn model(body: &str) -> String {
    format!("MODEL \"bike\"\nEXPORT_VERSION 4\n{body}\nEND_OF_MODEL\n")
}

/// A model with a material that has this body.
fn material(body: &str) -> String {
    model(&format!(
        "MATERIAL_LIST\nMATERIAL 0 \"skin\"\n{body}\nEND_OF_MATERIAL\nEND_OF_MATERIAL_LIST"
    ))
}

/// A model with a material whose texture has this body.
fn texture(body: &str) -> String {
    material(&format!(
        "TEXTURE 0\nFILE_NAME \"a.tga\"\n{body}\nEND_OF_TEXTURE"
    ))
}

/// A model with a material, and a mesh that has this body.
fn mesh(body: &str) -> String {
    model(&format!(
        "MATERIAL_LIST MATERIAL 0 \"\" END_OF_MATERIAL END_OF_MATERIAL_LIST\n\
         MESH \"Hull\"\nMATERIAL_REF 0\n{body}\nEND_OF_MESH \"Hull\""
    ))
}

const FOUR_VERTICES: &str = "VERTS 4
0 0 0 0 0 0 0 1
1 0 0 1 0 0 0 1
1 1 0 1 1 0 0 1
0 1 0 0 1 0 0 1
";

/// A model whose mesh has four vertices and these groups.
fn groups(count: usize, groups: &str) -> String {
    mesh(&format!(
        "{FOUR_VERTICES}PRIMITIVE_GEOMETRY_GROUPS {count}\n{groups}"
    ))
}

/// A model whose mesh has four vertices and one group with this body.
fn group(body: &str) -> String {
    groups(1, &format!("GROUP 0 {body}\nEND_OF_GROUP 0"))
}

fn triangles(file: &LgwFile<'_>) -> Vec<[u32; 3]> {
    file.meshes[0].triangles().collect()
}

/// The cells of the rows of a table, without lines that begin with `#`.
fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    let rows = table.lines().filter(|row| !row.starts_with('#'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        cells.try_into().expect(row)
    })
}

/// A text of a table, with its escapes replaced.
fn unescaped(text: &str) -> String {
    let mut unescaped = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        let (character, length) = match after.as_bytes()[0] {
            b'n' => ('\n', 1),
            b'r' => ('\r', 1),
            b't' => ('\t', 1),
            b'0' => ('\0', 1),
            b'\\' => ('\\', 1),
            b'u' => ('\u{feff}', "u{feff}".len()),
            _ => (char::from(u8::from_str_radix(&after[1..3], 16).unwrap()), 3),
        };
        unescaped.extend(before.chars().chain([character]));
        rest = &after[length..];
    }
    unescaped + rest
}

/// The text of a row: a body of a block, or all of it.
fn text_of(block: &str, body: &str) -> String {
    let body = unescaped(body);
    match block.trim_start_matches("lenient ") {
        "model" => model(&body),
        "material" => material(&body),
        "texture" => texture(&body),
        "mesh" => mesh(&body),
        "vertices" => mesh(&format!("{FOUR_VERTICES}{body}")),
        "group" => group(&body),
        "groups 1" => groups(1, &body),
        "groups 2" => groups(2, &body),
        _ => body,
    }
}
