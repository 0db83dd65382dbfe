//! What becomes of texts, most of them with a flaw: every row of what the format leaves open.

mod accepted;
mod errors;
mod heap;
mod parse;
mod random;
mod warnings;

use classic_model_formats::lgw::{LgwFile, Tolerance, parse};
use classic_model_formats::read::TextPosition;

/// Marks the place in a text that a message is to tell.
const MARK: char = '§';

/// A text without its mark, and where that was.
fn unmarked(text: &str) -> (String, u64, TextPosition) {
    let (before, after) = text.split_once(MARK).expect("there is a mark");
    let line = before.rsplit('\n').next().unwrap_or_default();
    let position = TextPosition {
        line: before.matches('\n').count() as u32 + 1,
        // The mark of UTF-8 is no letter.
        column: line.trim_start_matches('\u{feff}').chars().count() as u32 + 1,
    };
    (format!("{before}{after}"), before.len() as u64, position)
}

fn model(body: &str) -> String {
    format!("MODEL \"bike\"\nEXPORT_VERSION 4\n{body}\nEND_OF_MODEL\n")
}

/// A model of a material.
fn material(body: &str) -> String {
    model(&format!(
        "MATERIAL_LIST\nMATERIAL 0 \"skin\"\n{body}\nEND_OF_MATERIAL\nEND_OF_MATERIAL_LIST"
    ))
}

/// A model of a material that has a texture.
fn texture(body: &str) -> String {
    material(&format!(
        "TEXTURE 0\nFILE_NAME \"a.tga\"\n{body}\nEND_OF_TEXTURE"
    ))
}

/// A model of a mesh and its material.
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

/// A model of a mesh with four vertices and these groups.
fn groups(count: usize, groups: &str) -> String {
    mesh(&format!(
        "{FOUR_VERTICES}PRIMITIVE_GEOMETRY_GROUPS {count}\n{groups}"
    ))
}

/// A model of a mesh with four vertices and this group.
fn group(body: &str) -> String {
    groups(1, &format!("GROUP 0 {body}\nEND_OF_GROUP 0"))
}

fn triangles(file: &LgwFile<'_>) -> Vec<[u32; 3]> {
    file.meshes[0].triangles().collect()
}
