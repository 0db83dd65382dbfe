//! Warnings about recoverable flaws: position, message, and the parsed values.

use super::Tolerance::{Lenient, Normal};
use super::*;
use crate::prelude::*;

/// The parts of a parsed file, as text.
fn parts(file: &LgwFile<'_>) -> String {
    let LgwFile {
        name,
        version,
        source,
        materials,
        meshes,
        ..
    } = file;
    let units = materials.first().map(|material| material.units());
    let units = units.map(|units| units.map(|unit| unit.map(|texture| texture.number)));
    let triangles: Vec<_> = meshes.iter().flat_map(|mesh| mesh.triangles()).collect();
    format!(
        "name: {name:?}, version: {version:?}, source: {source:?}, materials: {materials:?}, \
         meshes: {meshes:?}, units: {:?}, triangles: {triangles:?}",
        units.unwrap_or_default()
    )
}

#[test]
fn texts_of_the_table_have_one_warning() {
    for [block, body, message, expected] in rows(WARNINGS) {
        let (text, offset, position) = unmarked(&text_of(block, body));
        let tolerance = match block.starts_with("lenient") {
            true => Lenient,
            false => Normal,
        };
        let file = parse(text.as_bytes(), tolerance);
        let file = file.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let [warning] = &*file.warnings else {
            panic!("{:?}\n{text}", file.warnings);
        };
        let found = warning.to_string();
        assert_eq!(found, format!("{position}: {message}"), "{text}");
        assert_eq!(warning.offset, offset, "{text}");
        assert_eq!(warning.position, Some(position), "{text}");
        let found = parts(&file);
        for part in expected.split("; ") {
            match part.strip_prefix('!') {
                Some(part) => assert!(!found.contains(part), "{found}: {part}"),
                None => assert!(found.contains(part), "{found}: {part}"),
            }
        }
    }
}

#[test]
fn path_of_a_later_error_does_not_contain_the_group() {
    let text = group("TYPE_FAN COUNT 3 0 1 9");
    let text = text.replace("END_OF_MODEL", "MESH \"Next\" VERTS §-1");
    let (text, _, position) = unmarked(&text);
    let error = parse(text.as_bytes(), Lenient).unwrap_err();
    let message = "LGW: mesh 1 \"Next\" / VERTS is -1, but must be from 0 to 4294967295";
    assert_eq!(error.to_string(), format!("{position}: {message}"));
}

#[test]
fn file_names_that_leave_the_folder_are_reported() {
    let warnings = |name: &str| {
        let text = material(&format!("TEXTURE 0 FILE_NAME \"{name}\" END_OF_TEXTURE"));
        let file = parse(text.as_bytes(), Normal).unwrap_or_else(|error| panic!("{error}"));
        file.warnings.len()
    };
    for name in [
        r"C:\game\a.tga",
        "c:a.tga",
        "/a.tga",
        r"\a.tga",
        r"\\server\share\a.tga",
        "../a.tga",
        r"art\..\a.tga",
        r"art\.. \a.tga",
        "..",
    ] {
        assert_eq!(warnings(name), 1, "{name}");
    }
    for name in [
        r"art\a.tga",
        "./a.tga",
        "a..tga",
        "art//a.tga",
        "..a.tga",
        ".a.tga",
        "a. b.tga",
    ] {
        assert_eq!(warnings(name), 0, "{name}");
    }
}
