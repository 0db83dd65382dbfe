//! Whole texts of UFO: Aftermath models: what is read from them, and from whatever is left of them when any byte
//! or bit is lost.

use classic_model_formats::lgw::{AlphaMode, GroupKind, Tolerance, parse, write};
use classic_model_formats::read::ErrorKind;
use classic_models_fixtures::lgw::{BICYCLE, EVERYTHING, FLAWED, check_sound, everything};

const TOLERANCES: [Tolerance; 3] = [Tolerance::Strict, Tolerance::Normal, Tolerance::Lenient];

#[test]
fn the_example_of_the_format_is_read() {
    let file = parse(BICYCLE.as_bytes(), Tolerance::Strict).unwrap();
    assert_eq!(file.warnings, []);
    assert_eq!(file.name, "01T01bicykle01");
    assert_eq!(file.version, Some(4));
    let source = r"Q:\WorkData\Tactical\MaxModels\human\cars\01_kola-final_exp.max";
    assert_eq!(file.source.as_deref(), Some(source));
    let names: Vec<_> = file
        .materials
        .iter()
        .map(|of| (of.id, of.name.as_ref()))
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
fn everything_is_read() {
    for tolerance in TOLERANCES {
        assert_eq!(
            parse(EVERYTHING.as_bytes(), tolerance).unwrap(),
            everything()
        );
    }
    let triangles: Vec<_> = everything().meshes[0].triangles().collect();
    let list = [[0, 1, 2], [0, 2, 3]];
    // The strip's triangles 1 to 4 have two equal corners but the last, which is the sixth.
    let strip = [[0, 1, 2], [4, 3, 0], [4, 0, 1]];
    let fan = [[4, 3, 2], [4, 2, 1], [4, 1, 0]];
    assert_eq!(triangles, [&list[..], &strip, &fan].concat());
}

#[test]
fn every_flaw_is_told_once_where_it_is() {
    let file = parse(FLAWED.as_bytes(), Tolerance::Normal).unwrap();
    let told: Vec<_> = file.warnings.iter().map(ToString::to_string).collect();
    let expected = [
        "1:1: there is no EXPORT_VERSION; 4 is what is known",
        "3:21: material 3 \"skin\": \"SHININESS\" means nothing here, and is passed over",
        "4:15: material 3 \"skin\" / texture 0: the picture is in the file (RAW_IMAGE), where it cannot be read",
        "5:5: material 3 \"skin\": there are several TEXTURE 0, of which the last is used",
        "5:26: material 3 \"skin\" / texture 0: ALPHA_MODE 4 is neither 0, 1 nor 8, and taken as 8",
        "5:33: material 3 \"skin\" / texture 0: MODE \"SUBTRACT\" is unknown, and passed over",
        "5:52: material 3 \"skin\" / texture 0: SPHERE_MAP makes no third coordinate, and is passed over",
        "5:63: material 3 \"skin\" / texture 0: there is no FILE_NAME",
        "6:5: material 3 \"skin\": TEXTURE 5 is passed over, for there are but 0 and 1",
        "8:3: there are several materials 3, of which the first is used",
        "8:22: material 3 \"again\": TEXTURE 1 is the only one, and used as TEXTURE 0",
        "10:26: mesh 0 \"Hull\" refers to material 9, which is not there",
        "11:17: mesh 0 \"Hull\": a number of VERTS is not finite, and taken as 0",
        "14:29: mesh 0 \"Hull\": there are 3 groups, though 7 are announced",
        "15:27: mesh 0 \"Hull\" / group 0: a list of 4 indices: the last 1 are passed over",
        "15:50: mesh 0 \"Hull\" / group 0: END_OF_GROUP has the number 1",
        "16:3: mesh 0 \"Hull\": the groups are not numbered 0, 1, 2 …",
        "16:3: mesh 0 \"Hull\": there are 2 groups TYPE_LIST, where the game has one",
        "17:28: mesh 0 \"Hull\" / group 5: 2 indices make no triangle",
        "18:13: mesh 0 \"Hull\": END_OF_MESH names \"Hulk\"",
        "19:14: 4 bytes after END_OF_MODEL are passed over",
    ];
    assert_eq!(told, expected);
}

#[test]
fn texts_may_not_end_early() {
    for text in [BICYCLE, EVERYTHING, FLAWED] {
        let whole = text.find("END_OF_MODEL").unwrap() + "END_OF_MODEL".len();
        for tolerance in TOLERANCES {
            for end in 0..text.len() {
                let parsed = parse(&text.as_bytes()[..end], tolerance);
                assert_eq!(
                    parsed.is_ok(),
                    end >= whole && can_be_passed_over(text, tolerance)
                );
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

/// Whether a text is no error as a whole.
fn can_be_passed_over(text: &str, tolerance: Tolerance) -> bool {
    tolerance != Tolerance::Strict || text != FLAWED
}

#[test]
fn any_bit_may_be_wrong() {
    let mut refused = 0;
    for text in [BICYCLE, EVERYTHING, FLAWED] {
        let mut bytes = text.as_bytes().to_vec();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                for tolerance in TOLERANCES {
                    match parse(&bytes, tolerance) {
                        Ok(file) => check_sound(&file),
                        Err(error) => {
                            refused += 1;
                            assert!(error.offset <= bytes.len() as u64, "{error}");
                        }
                    }
                }
                bytes[at] ^= 1 << bit;
            }
        }
    }
    assert!(refused > 1000);
}

#[test]
fn what_is_written_is_read_again() {
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
fn what_no_text_can_say_is_not_written() {
    type Edit = fn(&mut classic_model_formats::lgw::LgwFile<'_>);
    let edits: [(Edit, &str); 15] = [
        (
            |file| file.name = "a \"b\"".into(),
            "MODEL exceeds a limit: strings are in quotes, and in one line",
        ),
        (
            |file| file.source = Some("a\nb".into()),
            "SOURCE_FILE exceeds a limit: strings are in quotes, and in one line",
        ),
        (
            |file| file.source = Some("a\0b".into()),
            "SOURCE_FILE exceeds a limit: text has no NUL",
        ),
        (
            |file| file.meshes[1].name = "\r".into(),
            "mesh 1 / name exceeds a limit: strings are in quotes, and in one line",
        ),
        (
            |file| file.materials[0].name = "\"".into(),
            "material 7 / name exceeds a limit: strings are in quotes, and in one line",
        ),
        (
            |file| file.materials[0].textures[1].file = Some("\"".into()),
            "material 7 / FILE_NAME exceeds a limit: strings are in quotes, and in one line",
        ),
        (
            |file| file.materials[0].textures[0].raw_image = true,
            "material 7 / RAW_IMAGE is 1, which is not supported, for its form is not known",
        ),
        (
            |file| file.materials[0].textures[1].number = 2,
            "material 7 / TEXTURE exceeds a limit: textures are numbered 0 and 1",
        ),
        (
            |file| file.materials[0].textures.reverse(),
            "material 7 / TEXTURE exceeds a limit: textures are numbered 0 and 1",
        ),
        (
            |file| {
                file.materials[0].textures[0].texgen[2] = file.materials[0].textures[0].texgen[0]
            },
            "material 7 / TEX_GEN_R is 1, which is not supported (SPHERE_MAP makes no third coordinate)",
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
            "mesh 0 / group 1 uses vertex 5 of 5",
        ),
        (
            |file| _ = file.meshes[0].vertices.uvs.pop(),
            "mesh 0 / VERTS has 4 uvs, but 5 were announced",
        ),
    ];
    for (edit, message) in edits {
        let mut file = everything();
        edit(&mut file);
        assert_eq!(write(&file).unwrap_err().to_string(), message);
    }
}

#[test]
fn kinds_of_errors_are_typed() {
    let kind = |text: &str| parse(text.as_bytes(), Tolerance::Normal).unwrap_err().kind;
    assert!(matches!(kind("\0"), ErrorKind::WrongMagic { .. }));
    assert_eq!(kind("MODEL \""), ErrorKind::UnterminatedString);
    assert_eq!(
        kind("MODEL \"\""),
        ErrorKind::Missing {
            what: "END_OF_MODEL"
        }
    );
    assert!(matches!(kind("MODEL 1"), ErrorKind::UnexpectedWord { .. }));
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
