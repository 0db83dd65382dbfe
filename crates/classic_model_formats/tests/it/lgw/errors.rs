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

/// Texts that are rejected with these tolerances. The message is expected of the texts that follow.
struct Rejected {
    tolerances: &'static [Tolerance],
    message: &'static str,
}

impl Rejected {
    fn with(tolerances: &'static [Tolerance]) -> Self {
        let message = "";
        Self {
            tolerances,
            message,
        }
    }

    fn expect(&mut self, message: &'static str) {
        self.message = message;
    }

    #[track_caller]
    fn add(&self, text: impl AsRef<str>) {
        assert_rejected(self.tolerances, text.as_ref(), self.message);
    }
}

const ALL: &[Tolerance] = &[Strict, Normal, Lenient];

#[test]
fn other_formats_are_recognized() {
    let is = |what: &'static str| -> &'static str {
        format!("file is not recognized: the file {what}").leak()
    };
    let binary =
        is("looks like a binary LGW file: convert it to text with the game's tool UFObintxt");
    let text = is("is text that does not start with the key MODEL");
    let utf_16 = is("is UTF-16: save it as UTF-8");
    let mdl = is("is a Quake model (MDL)");
    let nothing = "file lacks the key MODEL (it is empty)";
    let mut texts = Rejected::with(ALL);
    texts.expect(nothing);
    texts.add("§");
    texts.add("\u{feff}§");
    texts.add(" // MODEL \"m\"\r\n\t§");
    texts.expect(binary);
    texts.add("§\x01\x02\x03\x04abcd");
    texts.add("§MODEL\0\0\0");
    texts.add("§LGW4 and a NUL behind it \0");
    texts.expect(utf_16);
    texts.add("§M\0O\0D\0E\0L\0");
    texts.add("§\0M\0O\0D\0E\0L");
    texts.expect(mdl);
    texts.add("§IDPO\x06\0\0\0");
    texts.expect(is("is a PulseWaves file of a laser scanner"));
    texts.add("§PulseWaves\0\0");
    texts.expect(is(
        "is a Git LFS pointer in place of the file: install Git LFS and run `git lfs pull`",
    ));
    texts.add("§version https://git-lfs.github.com/spec/v1\noid");
    texts.expect(text);
    texts.add("§MESH \"a\"");
    texts.add("// a comment\n  §v 1 2\nf");
    texts.add("§#\nv");
    texts.add("§\"MODEL\"");
    texts.add("§MODELS \"a\"");
    texts.add("§{");
    for bom in [b"\xFF\xFEM\0", b"\xFE\xFF\0M"] {
        let error = parse(bom, Normal).unwrap_err();
        assert_eq!(error.to_string(), format!("1:1: LGW: {utf_16}"));
    }
}

#[test]
fn file_with_nul_is_reported_as_binary() {
    let binary = "file is not recognized: the file looks like a binary LGW file: convert it to text \
                  with the game's tool UFObintxt";
    let rows = [
        model("SOURCE_FILE \"a§\0b\""),
        model("// a comment with a §\0"),
        model("SOURCE_FILE \"a\"§\0"),
        texture("FILE_NAME \"§\0.tga\" RAW_IMAGE \0"),
        texture("MODE REPLACE RAW_IMAGE \0 END_OF_TEXTURE §\0"),
        mesh("VERTS 1 0 0 0 §\0 0 0 0 1"),
        mesh("VERTS 1 0 0 0§\0"),
        // The error before NUL is replaced.
        model("BONES \"§\0\" MESH 3"),
    ];
    for text in rows {
        assert_rejected(ALL, &text, binary);
    }
}

#[test]
fn missing_end_keys_are_errors() {
    let mut texts = Rejected::with(ALL);
    texts.expect("model lacks END_OF_MODEL");
    texts.add("MODEL \"m\"§");
    texts.add("MODEL \"m\" // END_OF_MODEL\n§");
    texts.expect("model lacks END_OF_MATERIAL_LIST");
    texts.add("MODEL \"m\" MATERIAL_LIST §END_OF_MODEL");
    texts.add("MODEL \"m\" MATERIAL_LIST\n§MESH \"a\"");
    texts.add("MODEL \"m\" MATERIAL_LIST\n§MATERIAL_LIST");
    texts.expect("material 3 \"a\" lacks END_OF_MATERIAL");
    texts.add("MODEL \"m\" MATERIAL_LIST MATERIAL 3 \"a\"\n  §MATERIAL 4 \"b\"");
    texts.add("MODEL \"m\" MATERIAL_LIST MATERIAL 3 \"a\" §END_OF_MATERIAL_LIST");
    texts.expect("material 3 \"a\" / texture 1 lacks END_OF_TEXTURE");
    texts.add("MODEL \"m\" MATERIAL_LIST MATERIAL 3 \"a\" TEXTURE 1 §TEXTURE 0");
    texts.add("MODEL \"m\" MATERIAL_LIST MATERIAL 3 \"a\" TEXTURE 1 §END_OF_MATERIAL");
    texts.add("MODEL \"m\" MATERIAL_LIST MATERIAL 3 \"a\" TEXTURE 1 §MESH \"a\"");
    texts.add("MODEL \"m\" MATERIAL_LIST MATERIAL 3 \"a\" TEXTURE 1 RAW_IMAGE \"\0\n\x01§");
    texts.expect("mesh 0 \"a\" lacks END_OF_MESH");
    texts.add("MODEL \"m\" MESH \"a\"\n§MESH \"b\"");
    texts.add("MODEL \"m\" MESH \"a\"\n§END_OF_MODEL");
    texts.add("MODEL \"m\" MESH \"a\"\n§MATERIAL_LIST");
    texts.expect("mesh 0 \"a\" / group 2 lacks END_OF_GROUP");
    texts.add("MODEL \"m\" MESH \"a\" GROUP 2 TYPE_FAN COUNT 0\n§END_OF_MESH \"a\"");
    texts.add("MODEL \"m\" MESH \"a\" GROUP 2 TYPE_FAN COUNT 0\n§GROUP 3");
    texts.add("MODEL \"m\" MESH \"a\" GROUP 2 TYPE_FAN COUNT 0 §END_OF_MODEL");
}

#[test]
fn keys_of_other_blocks_and_stray_values_are_errors() {
    let mut texts = Rejected::with(&[Normal, Lenient]);
    texts
        .expect("the next token is \"END_OF_MESH\", but must be a key of a model, or END_OF_MODEL");
    texts.add(model("§END_OF_MESH \"a\""));
    texts.expect("the next token is \"GROUP\", but must be a key of a model, or END_OF_MODEL");
    texts.add(model("§GROUP 0"));
    texts.expect("the next token is \"MODEL\", but must be a key of a model, or END_OF_MODEL");
    texts.add(model("§MODEL \"again\""));
    texts.expect("the next token is \"TEXTURE\", but must be MATERIAL or END_OF_MATERIAL_LIST");
    texts.add(model("MATERIAL_LIST §TEXTURE 0"));
    texts.expect("material 0 \"skin\" / the next token is \"END_OF_MESH\", but must be a key of a material, or \
             END_OF_MATERIAL");
    texts.add(material("§END_OF_MESH"));
    texts.expect(
        "material 0 \"skin\" / texture 0 / the next token is \"GROUP\", but must be a key of a \
             texture, or END_OF_TEXTURE",
    );
    texts.add(texture("§GROUP"));
    texts.expect(
        "mesh 0 \"Hull\" / the next token is \"END_OF_GROUP\", but must be a key of a mesh, or \
             END_OF_MESH",
    );
    texts.add(mesh("§END_OF_GROUP 0"));
    texts.expect(
        "mesh 0 \"Hull\" / group 0 / the next token is \"MODEL\", but must be a key of a group, or \
             END_OF_GROUP",
    );
    texts.add(group("TYPE_LIST COUNT 0 §MODEL"));
    texts.expect("the next token is \"...\", but must be a key of a model, or END_OF_MODEL");
    texts.add(model("§..."));
    texts.expect("after the unknown key \"UNKNOWN\" at 7:1: material 0 \"skin\" / texture 0 / the next token is \"...\", but must be a key of a \
             texture, or END_OF_TEXTURE");
    texts.add(texture("UNKNOWN 1 §..."));
    texts.expect(
        "mesh 0 \"Hull\" / the next token is \"7\", but must be a key of a mesh, or END_OF_MESH",
    );
    texts.add(mesh("MATERIAL_REF 0 §7"));
    texts.expect(
        "mesh 0 \"Hull\" / the next token is the string \"text\", but must be a key of a mesh, or \
             END_OF_MESH",
    );
    texts.add(mesh("§\"text\""));
    texts.expect(
        "mesh 0 \"Hull\" / the next token is \";\", but must be a key of a mesh, or END_OF_MESH",
    );
    texts.add(mesh("§;"));
}

#[test]
fn missing_and_unterminated_strings_are_errors() {
    let mut texts = Rejected::with(&[Normal, Lenient]);
    texts.expect("MODEL has no closing quote on its line");
    texts.add("MODEL §\"m\nEND_OF_MODEL");
    texts.add("MODEL §\"m\rEND_OF_MODEL\"");
    texts.add("MODEL §\"");
    texts.expect("MODEL is \"bike\", but must be a string in quotes");
    texts.add("MODEL §bike END_OF_MODEL");
    texts.expect("MODEL is the end of the file, but must be a string in quotes");
    texts.add("MODEL §");
    texts.expect("SOURCE_FILE is \"4\", but must be a string in quotes");
    texts.add(model("SOURCE_FILE §4"));
    texts.expect("MATERIAL is \"END_OF_MATERIAL\", but must be a string in quotes");
    texts.add(model("MATERIAL_LIST MATERIAL 0 §END_OF_MATERIAL"));
    texts.expect("material 0 \"skin\" / texture 0 / FILE_NAME has no closing quote on its line");
    texts.add(texture("FILE_NAME §\"a.tga\nU_WRAP"));
    texts.expect(
        "mesh 0 \"a \" / the next token is the string \"quoted\", but must be a key of a mesh, or \
             END_OF_MESH",
    );
    texts.add(model("MESH \"a \"§\"quoted\"\" name\""));
    texts.expect("after the unknown key \"UNKNOWN\" at 6:1: mesh 0 \"Hull\" / the next token has no closing quote on its line");
    texts.add(mesh("UNKNOWN 1 \"a\" §\"b\n"));
    texts.expect("the next token has no closing quote on its line");
    texts.add(model("MESH \"a\" MATERIAL_REF 0 END_OF_MESH §\"a\n"));
}

#[test]
fn invalid_numbers_are_errors() {
    let mut texts = Rejected::with(ALL);
    texts.expect("EXPORT_VERSION is \"4.0\", but must be a whole number");
    texts.add(model("EXPORT_VERSION §4.0"));
    texts.expect("EXPORT_VERSION is the string \"4\", but must be a whole number");
    texts.add(model("EXPORT_VERSION §\"4\""));
    texts.expect("MATERIAL is the string \"skin\", but must be a whole number");
    texts.add(model("MATERIAL_LIST MATERIAL §\"skin\" 0"));
    texts.expect("material 0 \"skin\" / DIFFUSE_COLOR is \"0,5\", but must be a number with a decimal point instead of the comma");
    texts.add(material("DIFFUSE_COLOR 0.5 §0,5 0.5"));
    texts.expect("material 0 \"skin\" / DIFFUSE_COLOR is \"TEXTURE\", but must be a number");
    texts.add(material("DIFFUSE_COLOR 0.5 0.5 §TEXTURE 0"));
    texts.expect("material 0 \"skin\" / TEXTURE is \"FILE_NAME\", but must be a whole number");
    texts.add(material("TEXTURE §FILE_NAME"));
    texts.expect(
        "material 0 \"skin\" / texture 0 / ALPHA_MODE is \"U_WRAP\", but must be a whole number",
    );
    texts.add(texture("ALPHA_MODE §U_WRAP"));
    texts
        .expect("material 0 \"skin\" / texture 0 / TEX_GEN_S_KOE is \"EYE\", but must be a number");
    texts.add(texture("TEX_GEN_S_KOE §EYE"));
    texts.expect("material 0 \"skin\" / texture 0 / MODE is \"U_WRAP\", but must be a mode, such as MODULATE");
    texts.add(texture("MODE §U_WRAP"));
    texts.expect("material 0 \"skin\" / texture 0 / TEX_GEN_T is \"END_OF_TEXTURE\", but must be a kind of texture coordinate generation, such as SPHERE_MAP");
    texts.add(texture("TEX_GEN_T §END_OF_TEXTURE"));
    texts.expect("material 0 \"skin\" / texture 0 / TEX_GEN_T is \"1\", but must be a kind of texture coordinate generation, such as SPHERE_MAP");
    texts.add(texture("TEX_GEN_T §1"));
    texts.expect(
        "mesh 0 \"Hull\" / MATERIAL_REF is the string \"skin\", but must be a whole number",
    );
    texts.add(mesh("MATERIAL_REF §\"skin\""));
    texts.expect("mesh 0 \"Hull\" / VERTS is \"0x1\", but must be a number");
    texts.add(mesh("VERTS 1\n0 0 0 0 0 §0x1 0 0"));
    texts.expect("mesh 0 \"Hull\" / VERTS is \"...\", but must be a number");
    texts.add(mesh("VERTS 1\n0 0 0 0 0 §... 0 0"));
    texts.expect("mesh 0 \"Hull\" / VERTS is \"-87,154\", but must be a number with a decimal point instead of the comma");
    texts.add(mesh("VERTS 1\n0 0 0 0 0 §-87,154 0 0"));
    texts.expect("mesh 0 \"Hull\" / VERTS is the string \"1\", but must be a number");
    texts.add(mesh("VERTS 1\n0 0 0 0 0 §\"1\" 0 0"));
    texts.expect("mesh 0 \"Hull\" / VERTS is \"1.#ABC\", but must be a number");
    texts.add(mesh("VERTS 1\n0 0 0 0 0 §1.#ABC 0 0"));
    texts.expect("mesh 0 \"Hull\" / group 0 / COUNT is \"1.0\", but must be a whole number");
    texts.add(group("TYPE_LIST COUNT 3 0 §1.0 2"));
    texts.expect("mesh 0 \"Hull\" / GROUP is \"TYPE_LIST\", but must be a whole number");
    texts.add(mesh("GROUP §TYPE_LIST"));
}

#[test]
fn wrong_counts_are_errors() {
    let mut texts = Rejected::with(ALL);
    texts.expect("mesh 0 \"Hull\" / VERTS has 8 numbers (8 for each vertex), expected 16");
    texts.add(mesh(
        "VERTS 2\n0 0 0 0 0 0 0 1\n§PRIMITIVE_GEOMETRY_GROUPS 0",
    ));
    texts.expect("mesh 0 \"Hull\" / VERTS has 7 numbers (8 for each vertex), expected 8");
    texts.add("MODEL \"m\" MESH \"Hull\" VERTS 1\n0 0 0 0 0 0 0 // 1\n§");
    texts.expect("mesh 0 \"Hull\" / VERTS has 10 numbers (8 for each vertex), expected 8");
    texts.add(mesh("VERTS 1\n0 0 0 0 0 0 0 1 §2 3"));
    texts.expect("mesh 0 \"Hull\" / VERTS has 0 numbers (8 for each vertex), expected 34359738360");
    texts.add(mesh("VERTS 4294967295 §MATERIAL_REF 0"));
    texts.expect("mesh 0 \"Hull\" / VERTS is -1, but must be from 0 to 4294967295");
    texts.add(mesh("VERTS §-1"));
    texts.expect("mesh 0 \"Hull\" / VERTS is 1000000000000, but must be from 0 to 4294967295");
    texts.add(mesh("VERTS §1000000000000"));
    texts
        .expect("mesh 0 \"Hull\" / VERTS is 9223372036854775807, but must be from 0 to 4294967295");
    texts.add(mesh("VERTS §99999999999999999999999"));
    texts.expect("mesh 0 \"Hull\" / group 0 / COUNT has 3 indices, expected 6");
    texts.add(group("TYPE_LIST COUNT 6 0 1 2\n §TYPE_FAN"));
    texts.expect("mesh 0 \"Hull\" / group 0 / COUNT has 4 indices, expected 3");
    texts.add(group("TYPE_LIST COUNT 3 0 1 2 §3"));
    texts.expect(
        "mesh 0 \"Hull\" / group 0 / COUNT is 1000000000000, but must be from 0 to 4294967295",
    );
    texts.add(group("TYPE_LIST COUNT §1000000000000"));
    texts.expect("mesh 0 \"Hull\" / group 0 / COUNT is -3, but must be from 0 to 4294967295");
    texts.add(group("TYPE_LIST COUNT §-3 0 1 2"));
    texts.expect(
        "mesh 0 \"Hull\" / PRIMITIVE_GEOMETRY_GROUPS is -1, but must be from 0 to 4294967295",
    );
    texts.add(mesh("PRIMITIVE_GEOMETRY_GROUPS §-1"));
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
fn repeated_and_missing_parts_of_blocks_are_errors() {
    let mut texts = Rejected::with(ALL);
    texts.expect("mesh 0 \"Hull\" / VERTS appears twice");
    texts.add(mesh("VERTS 0\n§VERTS 0"));
    texts.expect("mesh 0 \"Hull\" / group 0 / COUNT appears twice");
    texts.add(group("TYPE_LIST COUNT 0 §COUNT 0"));
    texts.expect("mesh 0 \"Hull\" / group 0 lacks COUNT");
    texts.add(groups(1, "GROUP 0 TYPE_FAN\n§END_OF_GROUP 0"));
    texts.expect("mesh 0 \"Hull\" / group 0 lacks TYPE_LIST, TYPE_STRIP or TYPE_FAN");
    texts.add(groups(1, "GROUP 0 COUNT 0\n§END_OF_GROUP 0"));
}

#[test]
fn invalid_vertex_indices_are_errors_unless_lenient() {
    let mut texts = Rejected::with(&[Strict, Normal]);
    texts.expect("mesh 0 \"Hull\" / group 0 / index 5 uses vertex 4, but only 4 exist");
    texts.add(group("TYPE_LIST COUNT 6 0 1 2 1 2 §4"));
    texts.expect("mesh 0 \"Hull\" / group 0 / index 1 uses vertex -1, but only 4 exist");
    texts.add(group("TYPE_STRIP COUNT 3 0 // zero\n §-1 2"));
    texts.expect("mesh 0 \"Hull\" / group 0 / index 0 uses vertex 4294967295, but only 4 exist");
    texts.add(group("TYPE_FAN COUNT 3 §4294967295 1 2"));
    texts.expect(
        "mesh 0 \"Hull\" / group 0 / index 2 uses vertex 9223372036854775807, but only 4 exist",
    );
    texts.add(group("TYPE_FAN COUNT 3 0 1 §99999999999999999999"));
    texts.expect("mesh 0 \"Hull\" / group 0 / index 0 uses vertex 0, but only 0 exist");
    texts.add(mesh(
        "PRIMITIVE_GEOMETRY_GROUPS 1 GROUP 0 TYPE_LIST COUNT 3 §0 0 0 END_OF_GROUP 0",
    ));
    texts.expect("mesh 0 \"Hull\" / group 1 / index 2 uses vertex 1000, but only 4 exist");
    texts.add(groups(
        2,
        "GROUP 0 TYPE_FAN COUNT 3 0 1 2 END_OF_GROUP 0\n\
                 GROUP 1 TYPE_STRIP COUNT 3 3 2 §1000 END_OF_GROUP 1",
    ));
}

#[test]
fn strict_rejects_unknown_keys_and_non_finite_numbers() {
    let rows = vec![
        (
            model("§BONES 3"),
            "the next token is \"BONES\", but must be a key of a model, or END_OF_MODEL",
        ),
        (
            material("§VERTS 1"),
            "material 0 \"skin\" / the next token is \"VERTS\", but must be a key of a material, or \
             END_OF_MATERIAL",
        ),
        (
            texture("MODE §SUBTRACT"),
            "material 0 \"skin\" / texture 0 / MODE is \"SUBTRACT\", but must be a mode, such as \
             MODULATE",
        ),
        (
            texture("TEX_GEN_S §MIRROR"),
            "material 0 \"skin\" / texture 0 / TEX_GEN_S is \"MIRROR\", but must be a kind of texture coordinate generation, such as SPHERE_MAP",
        ),
        (
            mesh("VERTS 1\n0 0 0 §-1.#IND 0 0 0 1"),
            "mesh 0 \"Hull\" / VERTS is not a finite number",
        ),
        (
            texture("TEX_GEN_S_KOEF §1e99"),
            "material 0 \"skin\" / texture 0 / TEX_GEN_S_KOEF is not a finite number",
        ),
        (
            mesh("DEFAULT_COLOR §nan 0 0"),
            "mesh 0 \"Hull\" / DEFAULT_COLOR is not a finite number",
        ),
    ];
    for (text, message) in rows {
        assert_rejected(&[Strict], &text, message);
        let (text, ..) = unmarked(&text);
        assert_eq!(parse(text.as_bytes(), Normal).unwrap().warnings.len(), 1);
    }
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
