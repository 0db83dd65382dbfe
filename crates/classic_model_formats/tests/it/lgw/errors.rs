//! Errors: which texts are rejected, with the position and the message.

use super::Tolerance::{Lenient, Normal, Strict};
use super::*;

/// Asserts the error of a text that has a mark at the expected position.
#[track_caller]
fn assert_rejected(tolerances: &[Tolerance], text: &str, message: &str) {
    let (text, offset, position) = unmarked(text);
    for tolerance in tolerances {
        let error = parse(text.as_bytes(), *tolerance).expect_err(&text);
        assert_eq!(
            error.to_string(),
            format!("{position}: LGW: {message}"),
            "{text}"
        );
        assert_eq!(error.offset, offset, "{text}");
        assert_eq!(error.position, Some(position), "{text}");
    }
}

const ALL: &[Tolerance] = &[Strict, Normal, Lenient];

#[test]
fn texts_of_the_table_are_rejected() {
    let mut last = "";
    for [tolerances, block, body, message] in rows(ERRORS) {
        let tolerances = match tolerances {
            "all" => ALL,
            "strict" => &[Strict],
            "not strict" => &[Normal, Lenient],
            _ => &[Strict, Normal],
        };
        let text = text_of(block, body);
        last = if message == "\"" { last } else { message };
        assert_rejected(tolerances, &text, last);
        if tolerances == [Strict] {
            let (text, ..) = unmarked(&text);
            assert_eq!(parse(text.as_bytes(), Normal).unwrap().warnings.len(), 1);
        }
    }
    for bom in [b"\xFF\xFEM\0", b"\xFE\xFF\0M"] {
        let error = parse(bom, Normal).unwrap_err().to_string();
        let expected = "1:1: LGW: file is not recognized: the file is UTF-16: save it as UTF-8";
        assert_eq!(error, expected);
    }
}

#[test]
fn group_count_is_limited_by_the_length_of_the_file() {
    let declared = |count: usize| mesh(&format!("PRIMITIVE_GEOMETRY_GROUPS §{count:04}"));
    let length = declared(0).len() - MARK.len_utf8();
    let (possible, ..) = unmarked(&declared(length));
    assert!(parse(possible.as_bytes(), Strict).is_ok());
    let count = length + 1;
    let message = format!(
        "mesh 0 \"Hull\" / PRIMITIVE_GEOMETRY_GROUPS is {count}, but must be from 0 to {length}"
    );
    assert_rejected(ALL, &declared(count), &message);
}

#[test]
fn block_count_is_limited_by_the_length_of_the_file() {
    let meshes = |count: usize| model(&"MESH \"\"END_OF_MESH\"\"".repeat(count));
    assert!(parse(meshes(1024).as_bytes(), Normal).is_ok());
    let text = meshes(4000);
    let allowed = 1024 + text.len() / 64;
    let begin = "MODEL \"bike\"\nEXPORT_VERSION 4\n".len() + 20 * allowed;
    let text = format!("{}{MARK}{}", &text[..begin], &text[begin..]);
    let limit = "MESH exceeds a limit: too many blocks of this kind for the length of the file";
    assert_rejected(ALL, &text, limit);

    let block = "MATERIAL 0\"\"END_OF_MATERIAL\n";
    let text = model(&format!("MATERIAL_LIST\n{}", block.repeat(20_000)));
    let allowed = 1024 + text.len() / 32;
    let begin = text.find(block).unwrap() + block.len() * allowed;
    let text = format!("{}{MARK}{}", &text[..begin], &text[begin..]);
    let limit = "MATERIAL exceeds a limit: too many blocks of this kind for the length of the file";
    assert_rejected(ALL, &text, limit);
}

#[test]
fn columns_count_characters_in_utf_8_and_bytes_otherwise() {
    let text = "MODEL \"čaj\" §;";
    let message = "the next token is \";\", but must be a key of a model, or END_OF_MODEL";
    assert_rejected(ALL, text, message);
    for (text, line, column) in [
        (&b"MODEL \"\xe8aj\xfe\" ;"[..], 1, 14),
        (b"MODEL\r\"\xe8\xe8\"\r\n\r\n\r ;", 5, 2),
    ] {
        let error = parse(text, Normal).unwrap_err();
        assert_eq!(error.position, Some(TextPosition { line, column }));
        assert_eq!(error.offset, text.len() as u64 - 1);
    }
}

#[test]
fn errors_name_unknown_keys_and_lines_as_possible_causes() {
    let of = |text: &str| parse(text.as_bytes(), Normal).unwrap_err().to_string();
    let misspelled = model("MEHS \"Hull\"\nGROUP 0 TYPE_FAN");
    let expected = "4:1: LGW: after the unknown key \"MEHS\" at 3:1: the next token is \"GROUP\"";
    assert!(of(&misspelled).starts_with(expected), "{}", of(&misspelled));

    let row = "0 0 0 0 0 0 0 1";
    let verts = |rows: &[&str]| {
        model(&format!(
            "MESH \"Hull\" VERTS 3\n{}\nEND_OF_MESH",
            rows.join("\n")
        ))
    };
    let short = "0 0 0 0 0 0 1 // seven";
    let blame = "VERTS (line 5 has 7 numbers instead of 8) has 23 numbers";
    assert!(of(&verts(&[row, short, row])).contains(blame));
    let long = "0 0 0 0 0 0 0 0 1";
    let blame = "VERTS (line 6 has 9 numbers instead of 8) has 25 numbers";
    assert!(of(&verts(&[row, row, long])).contains(blame));
    // Without one line per vertex, no line is named.
    assert!(of(&verts(&[&format!("{row} {row}"), short])).contains("VERTS has 23 numbers"));
    assert!(of(&verts(&[row, row])).contains("VERTS has 16 numbers"));
}
