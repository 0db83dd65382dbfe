//! Valid texts that differ from the layout of the game's exporter. They parse without warnings.

use super::*;
use crate::prelude::*;
use classic_model_formats::lgw::{Mesh, TexGen, Texture};

/// Parses a text with every tolerance, and asserts that there are no warnings.
#[track_caller]
fn accepted(text: &str) -> LgwFile<'_> {
    let [strict, normal, lenient] =
        [Tolerance::Strict, Tolerance::Normal, Tolerance::Lenient].map(|tolerance| {
            parse(text.as_bytes(), tolerance).unwrap_or_else(|error| panic!("{error}"))
        });
    assert_eq!(strict.warnings, [], "{text}");
    assert_eq!(strict, normal);
    assert_eq!(strict, lenient);
    strict
}

#[track_caller]
fn assert_same(text: &str, other: &str) {
    assert_eq!(accepted(text), accepted(other), "{text}");
}

#[test]
fn whitespace_comments_and_case_are_insignificant() {
    let plain = groups(
        2,
        "GROUP 0 TYPE_STRIP\nCOUNT 4\n0 1 2 3\nEND_OF_GROUP 0\n\
         GROUP 1 TYPE_FAN\nCOUNT 3\n0 2 3\nEND_OF_GROUP 1",
    );
    let file = accepted(&plain);
    assert_eq!(triangles(&file), [[0, 1, 2], [2, 1, 3], [0, 2, 3]]);
    assert_same(&plain.replace('\n', " "), &plain);
    assert_same(&plain.replace('\n', "\r\n"), &plain);
    assert_same(&plain.replace('\n', "\r"), &plain);
    assert_same(&plain.replace(' ', "\r\n \t\x0b\x0c"), &plain);
    assert_same(&plain.replace('\n', " // END_OF_MODEL \" (\n"), &plain);
    assert_same(&plain.replace(' ', " // č\r"), &plain);
    assert_same(&format!("\u{feff} // head\n{plain}// tail"), &plain);
    assert_same(&plain.replace("\" ", "\"").replace(" \"", "\""), &plain);
    let swapped = |letter: char| match letter {
        _ if letter.is_ascii_uppercase() => letter.to_ascii_lowercase(),
        _ => letter.to_ascii_uppercase(),
    };
    let swapped: String = plain.chars().map(swapped).collect();
    assert_same(
        &swapped.replace("hULL", "Hull").replace("BIKE", "bike"),
        &plain,
    );
}

#[test]
fn numbers_have_many_notations() {
    let text = mesh("VERTS 1\n+1 1. .5 1e-005 -1E2 -0 00.25 3.4028235e38");
    let vertices = &accepted(&text).meshes[0].vertices;
    assert_eq!(vertices.positions, [[1.0, 1.0, 0.5]]);
    assert_eq!(vertices.uvs, [[1e-5, -100.0]]);
    assert_eq!(vertices.normals, [[0.0, 0.25, f32::MAX]]);
    let text = mesh("MATERIAL_REF +000");
    assert_eq!(accepted(&text).meshes[0].material, Some(0));
}

#[test]
fn material_lists_may_follow_meshes_and_skip_numbers() {
    let list = |id: i64| {
        format!("MATERIAL_LIST MATERIAL {id} \"m{id}\" END_OF_MATERIAL END_OF_MATERIAL_LIST")
    };
    let mesh = |id: i64| format!("MESH \"\" MATERIAL_REF {id} END_OF_MESH \"\"");
    let text = model(&format!(
        "{} {} {} {} {}",
        mesh(7),
        mesh(-3),
        list(7),
        mesh(7),
        list(-3)
    ));
    let file = accepted(&text);
    assert_eq!(
        file.materials
            .iter()
            .map(|material| material.id)
            .collect::<Vec<_>>(),
        [7, -3]
    );
    assert_eq!(file.meshes.len(), 3);
    assert!(accepted(&model("")).meshes.is_empty());
    assert!(
        accepted(&model("MATERIAL_LIST END_OF_MATERIAL_LIST"))
            .materials
            .is_empty()
    );
}

#[test]
fn last_of_repeated_keys_is_used() {
    let text = model("EXPORT_VERSION 3 SOURCE_FILE \"a\" SOURCE_FILE \"b\" EXPORT_VERSION 4");
    let file = accepted(&text);
    assert_eq!((file.version, file.source.as_deref()), (Some(4), Some("b")));
    let text = texture(
        "FILE_NAME \"b.dds\" U_WRAP U_CLAMP V_CLAMP V_WRAP ALPHA_MODE 8 ALPHA_MODE 0 MIPMAP_OFF MIPMAP_ON \
         MUTABLE IMMUTABLE MODE ADD MODE BLEND TEX_GEN_S EYE_LINEAR TEX_GEN_S NORMAL_MAP TEX_GEN_S_KOEF 1 \
         TEX_GEN_S_KOE 2",
    );
    let mut texgen = [TexGen::default(); 3];
    texgen[0] = TexGen {
        kind: Some(TexGenKind::NormalMap),
        coefficient: 2.0,
    };
    let expected = Texture {
        file: Some("b.dds".into()),
        wrap: [false, true],
        mode: TextureMode::Blend,
        texgen,
        ..Texture::default()
    };
    assert_eq!(accepted(&text).materials[0].textures, [expected]);
    let text = material("DIFFUSE_COLOR 1 1 1 DIFFUSE_COLOR 0 .5 1");
    assert_eq!(
        accepted(&text).materials[0].diffuse_color,
        Some([0.0, 0.5, 1.0])
    );
    let text = mesh(
        "MATERIAL_REF 9 DEFAULT_COLOR 1 1 1 MATERIAL_REF 0 DEFAULT_COLOR 0 0 0 \
         PRIMITIVE_GEOMETRY_GROUPS 5 PRIMITIVE_GEOMETRY_GROUPS 0",
    );
    let file = accepted(&text);
    assert_eq!(file.meshes[0].material, Some(0));
    assert_eq!(file.meshes[0].default_color, Some([0.0; 3]));
    let text = group("TYPE_LIST TYPE_STRIP COUNT 4 0 1 2 3");
    assert_eq!(triangles(&accepted(&text)).len(), 2);
}

#[test]
fn names_may_be_empty_repeated_or_contain_keywords() {
    for name in [
        "",
        "Hull",
        " two  words ",
        r"Q:\Work\",
        "// no comment",
        "čaj 茶",
        "END_OF_MESH",
    ] {
        let block = format!("MESH \"{name}\" MATERIAL_REF 0 END_OF_MESH \"{name}\"\n");
        let first = "MESH \"Hull\"\n";
        let text = mesh("").replacen(first, &format!("{block}{block}{first}"), 1);
        let file = accepted(&text);
        let names: Vec<_> = file.meshes.iter().map(|mesh| mesh.name.as_ref()).collect();
        assert_eq!(names, [name, name, "Hull"]);
    }
}

#[test]
fn names_are_windows_1250_if_the_file_is_not_utf_8() {
    let text = b"MODEL \"kola \xe8\xe9\xbe\" EXPORT_VERSION 4 MESH \"\x9aroub\" END_OF_MESH \"\x9aroub\" END_OF_MODEL";
    let file = parse(text, Tolerance::Strict).unwrap();
    assert_eq!(file.name, "kola čéľ");
    assert_eq!(file.meshes[0].name, "šroub");
    let [only] = &*file.warnings else {
        panic!("{:?}", file.warnings);
    };
    assert!(only.message.contains("has no MATERIAL_REF"), "{only}");
    // Windows-1250 decodes every byte. One invalid byte makes the whole file Windows-1250.
    let all: Vec<u8> = (1..=255).filter(|byte| !b"\"\r\n".contains(byte)).collect();
    let text = [
        b"MODEL \"",
        &all[..],
        b"\" EXPORT_VERSION 4 SOURCE_FILE \"\xc3\xa9\" END_OF_MODEL",
    ]
    .concat();
    let file = parse(&text, Tolerance::Strict).unwrap();
    assert_eq!(file.name.chars().count(), all.len());
    assert_eq!(file.source.as_deref(), Some("Ă©"));
}

#[test]
fn keys_have_any_order() {
    let indices = "TYPE_FAN COUNT 3 0 1 2";
    let ordered = group(indices);
    assert_same(&group("COUNT 3 0 1 2 TYPE_FAN"), &ordered);
    let late = mesh(&format!(
        "GROUP 0 {indices} END_OF_GROUP 0 PRIMITIVE_GEOMETRY_GROUPS 1 {FOUR_VERTICES}"
    ));
    assert_same(&late, &ordered);
    let late = late.replace("MATERIAL_REF 0\n", "");
    assert_same(
        &late.replace("END_OF_MESH", "MATERIAL_REF 0 END_OF_MESH"),
        &ordered,
    );
    let head = model("SOURCE_FILE \"s\"");
    let tail = "MODEL \"bike\" SOURCE_FILE \"s\" EXPORT_VERSION 4 END_OF_MODEL";
    assert_same(tail, &head);
}

#[test]
fn meshes_may_be_empty() {
    let empty = Mesh {
        name: "Hull".into(),
        material: Some(0),
        ..Mesh::default()
    };
    for body in ["", "VERTS 0", "VERTS 0 PRIMITIVE_GEOMETRY_GROUPS 0"] {
        assert_eq!(accepted(&mesh(body)).meshes, core::slice::from_ref(&empty));
    }
    assert_eq!(
        accepted(&group("TYPE_LIST COUNT 0")).meshes[0]
            .vertices
            .len(),
        4
    );
    assert_eq!(accepted(&material("")).materials[0].units(), [None, None]);
}

#[test]
fn textures_are_sorted_by_number() {
    let text = material(
        "TEXTURE 1 FILE_NAME \"b\" END_OF_TEXTURE TEXTURE 0 FILE_NAME \"a\" END_OF_TEXTURE",
    );
    let file = accepted(&text);
    let units = file.materials[0].units().map(|unit| unit?.file.as_deref());
    assert_eq!(units, [Some("a"), Some("b")]);
}

#[test]
fn every_texgen_kind_and_texture_mode_is_parsed() {
    for (word, kind) in [
        ("EYE_LINEAR", TexGenKind::EyeLinear),
        ("SPHERE_MAP", TexGenKind::SphereMap),
        ("REFLECTION_MAP", TexGenKind::ReflectionMap),
        ("NORMAL_MAP", TexGenKind::NormalMap),
    ] {
        for (index, letter) in ["S", "T", "R"].into_iter().enumerate() {
            if (index, kind) == (2, TexGenKind::SphereMap) {
                continue;
            }
            let text = texture(&format!(
                "TEX_GEN_{letter} {word} TEX_GEN_{letter}_KOEF -2.5"
            ));
            let mut expected = [TexGen::default(); 3];
            expected[index] = TexGen {
                kind: Some(kind),
                coefficient: -2.5,
            };
            assert_eq!(accepted(&text).materials[0].textures[0].texgen, expected);
            assert_same(&text.replace("_KOEF", "_KOE"), &text);
        }
    }
    for (word, mode) in [
        ("REPLACE", TextureMode::Replace),
        ("MODULATE", TextureMode::Modulate),
        ("DECAL", TextureMode::Decal),
        ("BLEND", TextureMode::Blend),
        ("ADD", TextureMode::Add),
        ("DOT3BUMP", TextureMode::Dot3Bump),
    ] {
        let text = texture(&format!("MODE {word}"));
        assert_eq!(accepted(&text).materials[0].textures[0].mode, mode);
    }
}

#[test]
fn texture_flags_are_independent() {
    let plain = Texture {
        file: Some("a.tga".into()),
        ..Texture::default()
    };
    let assert_textures = |body: &str, expected: Texture<'_>| {
        assert_eq!(accepted(&texture(body)).materials[0].textures, [expected]);
    };
    type Change = fn(&mut Texture);
    let rows: [(&str, Change); 7] = [
        ("", |_| {}),
        (
            "U_CLAMP V_CLAMP MIPMAP_ON IMMUTABLE ALPHA_MODE 0 MODE MODULATE",
            |_| {},
        ),
        ("U_WRAP", |texture| texture.wrap = [true, false]),
        ("V_WRAP", |texture| texture.wrap = [false, true]),
        ("MIPMAP_OFF", |texture| texture.mipmaps = false),
        ("MUTABLE", |texture| texture.mutable = true),
        ("CUBE_MAP", |texture| texture.cube_map = true),
    ];
    for (body, edit) in rows {
        let mut expected = plain.clone();
        edit(&mut expected);
        assert_textures(body, expected);
    }
    for (bits, alpha_mode) in [
        (0, AlphaMode::Opaque),
        (1, AlphaMode::Mask),
        (8, AlphaMode::Blend),
    ] {
        let expected = Texture {
            alpha_mode,
            ..plain.clone()
        };
        assert_textures(&format!("ALPHA_MODE {bits}"), expected);
        assert_eq!(alpha_mode.bits(), bits);
    }
}
