//! Parsing of whole UFO: Aftermath models, truncated and with flipped bits, and writing.

use crate::prelude::*;
use classic_model_formats::lgw::{parse, write};
use classic_models_fixtures::lgw::{BICYCLE, EVERYTHING, FLAWED, everything};

const TOLERANCES: [Tolerance; 3] = [Tolerance::Strict, Tolerance::Normal, Tolerance::Lenient];

#[test]
fn example_of_the_format_description_is_parsed() {
    let file = parse(BICYCLE.as_bytes(), Tolerance::Strict).unwrap();
    assert_eq!(file.warnings, []);
    assert_eq!(file.name, "01T01bicykle01");
    assert_eq!(file.version, Some(4));
    let source = r"Q:\WorkData\Tactical\MaxModels\human\cars\01_kola-final_exp.max";
    assert_eq!(file.source.as_deref(), Some(source));
    let names: Vec<_> = file
        .materials
        .iter()
        .map(|material| (material.id, material.name.as_ref()))
        .collect();
    assert_eq!(names, [(0, "1 - Default"), (1, "draty")]);
    let [texture] = &*file.materials[0].textures else {
        panic!("{:?}", file.materials[0]);
    };
    let path = "tactical/textures/human/cars/riksa+kolo.tga";
    assert_eq!(texture.file.as_deref(), Some(path));
    assert_eq!(
        (texture.wrap, texture.alpha_mode),
        ([true; 2], AlphaMode::Mask)
    );
    let [mesh, _] = &*file.meshes else {
        panic!("{:?}", file.meshes);
    };
    assert_eq!(mesh.default_color, Some([0.878, 0.776, 0.341]));
    assert_eq!(mesh.vertices.len(), 10);
    let position = ["-86.991096", "82.610558", "3.704437"];
    let position = position.map(|number| number.parse::<f32>().unwrap());
    assert_eq!(mesh.vertices.positions[2], position);
    assert_eq!(mesh.vertices.uvs[4], [0.581584, 0.197750]);
    assert_eq!(mesh.vertices.normals[1], [0.962625, -0.257407, 0.084226]);
    assert_eq!(mesh.groups[0].kind, GroupKind::List);
    let triangles: Vec<_> = mesh.triangles().collect();
    assert_eq!(triangles, [[0, 2, 8], [0, 8, 6], [1, 7, 9], [1, 9, 3]]);
}

#[test]
fn every_feature_is_parsed() {
    for tolerance in TOLERANCES {
        assert_eq!(
            parse(EVERYTHING.as_bytes(), tolerance).unwrap(),
            everything()
        );
    }
    let triangles: Vec<_> = everything().meshes[0].triangles().collect();
    let list = [[0, 1, 2], [0, 2, 3]];
    // Triangles 1 to 4 of the strip have two equal indices.
    let strip = [[0, 1, 2], [4, 3, 0], [4, 0, 1]];
    let fan = [[4, 3, 2], [4, 2, 1], [4, 1, 0]];
    assert_eq!(triangles, [&list[..], &strip, &fan].concat());
}

#[test]
fn every_flaw_is_reported_once_with_its_position() {
    let file = parse(FLAWED.as_bytes(), Tolerance::Normal).unwrap();
    let warnings: Vec<_> = file.warnings.iter().map(ToString::to_string).collect();
    let expected = [
        "1:1: EXPORT_VERSION is missing, expected 4",
        "3:21: material 3 \"skin\": \"SHININESS\" is not a key of this block and is ignored",
        "4:15: material 3 \"skin\" / texture 0: RAW_IMAGE (an embedded image) is not supported",
        "5:5: material 3 \"skin\": TEXTURE 0 is defined more than once: the last is used",
        "5:26: material 3 \"skin\" / texture 0: ALPHA_MODE is 4, but must be 0, 1 or 8: 8 is used",
        "5:33: material 3 \"skin\" / texture 0: MODE \"SUBTRACT\" is unknown and ignored",
        "5:52: material 3 \"skin\" / texture 0: TEX_GEN_R SPHERE_MAP is ignored: SPHERE_MAP has no R coordinate",
        "5:63: material 3 \"skin\" / texture 0: FILE_NAME is missing",
        "6:5: material 3 \"skin\": TEXTURE 5 is ignored: only 0 and 1 are valid",
        "8:3: material 3 is defined more than once: the first is used",
        "8:22: material 3 \"again\": TEXTURE 0 is missing: TEXTURE 1 is used for it",
        "10:26: mesh 0 \"Hull\" refers to material 9, which does not exist",
        "11:17: mesh 0 \"Hull\": a number of VERTS is not finite: 0 is used",
        "14:29: mesh 0 \"Hull\": PRIMITIVE_GEOMETRY_GROUPS is 7, but the count of groups is 3",
        "15:27: mesh 0 \"Hull\" / group 0: TYPE_LIST has 4 indices, not a multiple of 3: the last 1 are ignored",
        "15:50: mesh 0 \"Hull\" / group 0: END_OF_GROUP has the number 1, expected 0",
        "16:3: mesh 0 \"Hull\": the groups are not numbered 0, 1, 2 …",
        "16:3: mesh 0 \"Hull\": 2 groups have TYPE_LIST, but the game's files have one per mesh",
        "17:28: mesh 0 \"Hull\" / group 5: 2 indices form no triangle, at least 3 are needed",
        "18:13: mesh 0 \"Hull\": END_OF_MESH names \"Hulk\", expected \"Hull\"",
        "19:14: 4 bytes after END_OF_MODEL are ignored",
    ];
    assert_eq!(warnings, expected);
}

#[test]
fn truncated_texts_are_errors() {
    for text in [BICYCLE, EVERYTHING, FLAWED] {
        let whole = text.find("END_OF_MODEL").unwrap() + "END_OF_MODEL".len();
        for tolerance in TOLERANCES {
            for end in 0..text.len() {
                let parsed = parse(&text.as_bytes()[..end], tolerance);
                assert_eq!(parsed.is_ok(), end >= whole && is_accepted(text, tolerance));
                if let Err(error) = parsed
                    && end < whole
                {
                    assert!(error.offset <= end as u64, "{end}: {error}");
                    assert!(error.position.is_some(), "{end}: {error}");
                }
            }
        }
    }
}

/// Whether the whole text is accepted.
fn is_accepted(text: &str, tolerance: Tolerance) -> bool {
    tolerance != Tolerance::Strict || text != FLAWED
}

#[test]
fn flipped_bits_give_valid_values_or_errors() {
    let mut rejected = 0;
    for text in [BICYCLE, EVERYTHING, FLAWED] {
        let mut bytes = text.as_bytes().to_vec();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                for tolerance in TOLERANCES {
                    match parse(&bytes, tolerance) {
                        Ok(file) => assert_valid(&file),
                        Err(error) => {
                            rejected += 1;
                            assert!(error.offset <= bytes.len() as u64, "{error}");
                        }
                    }
                }
                bytes[at] ^= 1 << bit;
            }
        }
    }
    assert!(rejected > 1000);
}

#[test]
fn written_texts_parse_to_the_same_values() {
    for text in [BICYCLE, EVERYTHING] {
        let file = parse(text.as_bytes(), Tolerance::Strict).unwrap();
        let written = write(&file).unwrap();
        assert_eq!(parse(&written, Tolerance::Strict).unwrap(), file);
        assert_eq!(
            write(&parse(&written, Tolerance::Strict).unwrap()).unwrap(),
            written
        );
    }
}

#[test]
fn writing_rejects_values_that_the_format_cannot_store() {
    type Edit = fn(&mut classic_model_formats::lgw::LgwFile<'_>);
    let edits: [(Edit, &str); 15] = [
        (
            |file| file.name = "a \"b\"".into(),
            "MODEL cannot be stored: a string must not contain quotes or line ends",
        ),
        (
            |file| file.source = Some("a\nb".into()),
            "SOURCE_FILE cannot be stored: a string must not contain quotes or line ends",
        ),
        (
            |file| file.source = Some("a\0b".into()),
            "SOURCE_FILE cannot be stored: a string must not contain NUL",
        ),
        (
            |file| file.meshes[1].name = "\r".into(),
            "mesh 1 / name cannot be stored: a string must not contain quotes or line ends",
        ),
        (
            |file| file.materials[0].name = "\"".into(),
            "material 7 / name cannot be stored: a string must not contain quotes or line ends",
        ),
        (
            |file| file.materials[0].textures[1].file = Some("\"".into()),
            "material 7 / FILE_NAME cannot be stored: a string must not contain quotes or line ends",
        ),
        (
            |file| file.materials[0].textures[0].raw_image = true,
            "material 7 / RAW_IMAGE is 1, which is not supported (the format of embedded images is unknown)",
        ),
        (
            |file| file.materials[0].textures[1].number = 2,
            "material 7 / TEXTURE cannot be stored: texture numbers are 0 and 1, in this order",
        ),
        (
            |file| file.materials[0].textures.reverse(),
            "material 7 / TEXTURE cannot be stored: texture numbers are 0 and 1, in this order",
        ),
        (
            |file| {
                file.materials[0].textures[0].texgen[2] = file.materials[0].textures[0].texgen[0]
            },
            "material 7 / TEX_GEN_R cannot be stored: SPHERE_MAP has no R coordinate",
        ),
        (
            |file| file.materials[0].textures[0].texgen[0].coefficient = f32::NAN,
            "material 7 / TEX_GEN is not a finite number",
        ),
        (
            |file| file.materials[0].diffuse_color = Some([f32::INFINITY; 3]),
            "material 7 / DIFFUSE_COLOR is not a finite number",
        ),
        (
            |file| file.meshes[0].vertices.normals[2][1] = f32::NAN,
            "mesh 0 / VERTS is not a finite number",
        ),
        (
            |file| file.meshes[0].groups[1].indices[3] = 5,
            "mesh 0 / group 1 uses vertex 5, but only 5 exist",
        ),
        (
            |file| _ = file.meshes[0].vertices.uvs.pop(),
            "mesh 0 / VERTS has 4 uvs, expected 5",
        ),
    ];
    for (edit, message) in edits {
        let mut file = everything();
        edit(&mut file);
        assert_eq!(write(&file).unwrap_err().to_string(), message);
    }
}

#[test]
fn errors_have_kinds() {
    let kind = |text: &str| parse(text.as_bytes(), Tolerance::Normal).unwrap_err().kind;
    assert!(matches!(kind("\0"), ErrorKind::WrongMagic { .. }));
    assert_eq!(kind("MODEL \""), ErrorKind::UnterminatedString);
    assert_eq!(
        kind("MODEL \"\""),
        ErrorKind::Missing {
            what: "END_OF_MODEL"
        }
    );
    assert!(matches!(kind("MODEL 1"), ErrorKind::UnexpectedToken { .. }));
    let mesh = |body: &str| {
        kind(&format!(
            "MODEL \"\" MESH \"\" {body} END_OF_MESH \"\" END_OF_MODEL"
        ))
    };
    assert!(matches!(
        mesh("VERTS 1"),
        ErrorKind::CountMismatch {
            found: 0,
            expected: 8,
            ..
        }
    ));
    assert!(matches!(
        mesh("VERTS -1"),
        ErrorKind::BadCount { value: -1, .. }
    ));
    assert_eq!(mesh("VERTS 0 VERTS 0"), ErrorKind::Repeated);
    assert_eq!(
        mesh("GROUP 0 TYPE_LIST COUNT 1 7 END_OF_GROUP 0"),
        ErrorKind::IndexOutOfRange {
            element: "vertex",
            index: 7,
            count: 0
        }
    );
}
