//! Warnings about recoverable flaws: position, message, and the parsed values.

use super::Tolerance::{Lenient, Normal};
use super::*;
use classic_model_formats::lgw::{AlphaMode, TexGenKind, TextureMode};

/// A text with a mark at the expected position of its only warning, the expected message, and a check of the values.
type Row = (String, &'static str, fn(&LgwFile<'_>) -> bool);

#[track_caller]
fn assert_warned(tolerance: Tolerance, rows: Vec<Row>) {
    for (text, message, is_expected) in rows {
        let (text, offset, position) = unmarked(&text);
        let file =
            parse(text.as_bytes(), tolerance).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let [warning] = &*file.warnings else {
            panic!("{:?}\n{text}", file.warnings);
        };
        assert_eq!(
            warning.to_string(),
            format!("{position}: {message}"),
            "{text}"
        );
        assert_eq!(warning.offset, offset, "{text}");
        assert_eq!(warning.position, Some(position), "{text}");
        assert!(is_expected(&file), "{file:#?}\n{text}");
    }
}

#[test]
fn model_flaws_are_warnings() {
    let rows: Vec<Row> = vec![
        (
            model("EXPORT_VERSION §5"),
            "EXPORT_VERSION is 5, expected 4",
            |file| file.version == Some(5),
        ),
        (
            model("EXPORT_VERSION §3"),
            "EXPORT_VERSION is 3, expected 4",
            |file| file.version == Some(3),
        ),
        (
            "§MODEL \"a\" END_OF_MODEL".into(),
            "EXPORT_VERSION is missing, expected 4",
            |file| file.version.is_none() && file.name == "a",
        ),
        (
            format!("{}  §MODEL\n\0\"", model("SOURCE_FILE \"a b.max\"")),
            "8 bytes after END_OF_MODEL are ignored",
            |file| file.source.as_deref() == Some("a b.max"),
        ),
        (
            model("§BONES 3 -1.5e3 \"a\" \"b\" // c\n4\nSOURCE_FILE \"s\""),
            "\"BONES\" is not a key of this block and is ignored",
            |file| file.source.is_some(),
        ),
        (
            model("§Count 3 0 1 2 SOURCE_FILE \"s\""),
            "\"COUNT\" is not a key of this block and is ignored",
            |file| file.source.is_some(),
        ),
        (
            model("§BONES 3 BONE \"a\" END_OF_BONES"),
            "\"BONES\" is not a key of this block and is ignored (and 2 more like it)",
            |file| file.version == Some(4),
        ),
    ];
    assert_warned(Normal, rows);
}

#[test]
fn material_flaws_are_warnings() {
    let rows: Vec<Row> = vec![
        (
            model(
                "MATERIAL_LIST MATERIAL 7 \"a\" END_OF_MATERIAL\n\
                 §MATERIAL 7 \"b\" END_OF_MATERIAL END_OF_MATERIAL_LIST",
            ),
            "material 7 is defined more than once: the first is used",
            |file| matches!(&*file.materials, [a, b] if a.name == "a" && b.name == "b"),
        ),
        (
            model("MATERIAL_LIST §COLOR 7 END_OF_MATERIAL_LIST SOURCE_FILE \"s\""),
            "\"COLOR\" is not a key of this block and is ignored",
            |file| file.source.is_some(),
        ),
        (
            material("§SHININESS 7\nDIFFUSE_COLOR 1 2 3"),
            "material 0 \"skin\": \"SHININESS\" is not a key of this block and is ignored",
            |file| file.materials[0].diffuse_color == Some([1.0, 2.0, 3.0]),
        ),
        (
            material("DIFFUSE_COLOR 1 §1.#INF 3"),
            "material 0 \"skin\": a number of DIFFUSE_COLOR is not finite: 0 is used",
            |file| file.materials[0].diffuse_color == Some([1.0, 0.0, 3.0]),
        ),
        (
            material("§TEXTURE 1 FILE_NAME \"b\" END_OF_TEXTURE"),
            "material 0 \"skin\": TEXTURE 0 is missing: TEXTURE 1 is used for it",
            |file| {
                let [first, second] = file.materials[0].units();
                first.is_some_and(|texture| texture.number == 1) && second.is_none()
            },
        ),
        (
            texture("END_OF_TEXTURE §TEXTURE 2 FILE_NAME \"b\""),
            "material 0 \"skin\": TEXTURE 2 is ignored: only 0 and 1 are valid",
            |file| matches!(&*file.materials[0].textures, [only] if only.number == 0),
        ),
        (
            texture("END_OF_TEXTURE §TEXTURE -1 FILE_NAME \"b\""),
            "material 0 \"skin\": TEXTURE -1 is ignored: only 0 and 1 are valid",
            |file| matches!(&*file.materials[0].textures, [only] if only.number == 0),
        ),
        (
            texture("END_OF_TEXTURE §TEXTURE 0 FILE_NAME \"b\""),
            "material 0 \"skin\": TEXTURE 0 is defined more than once: the last is used",
            |file| {
                let [only] = &*file.materials[0].textures else {
                    return false;
                };
                only.file.as_deref() == Some("b")
            },
        ),
    ];
    assert_warned(Normal, rows);
}

#[test]
fn texture_flaws_are_warnings() {
    let rows: Vec<Row> = vec![
        (
            material("TEXTURE 0 U_WRAP §END_OF_TEXTURE"),
            "material 0 \"skin\" / texture 0: FILE_NAME is missing",
            |file| file.materials[0].textures[0].file.is_none(),
        ),
        (
            texture("§RAW_IMAGE 3 2 FF00 \"\n ( end_of_textur END_OF_MESH\0\u{1}"),
            "material 0 \"skin\" / texture 0: RAW_IMAGE (an embedded image) is not supported",
            |file| file.materials[0].textures[0].raw_image,
        ),
        (
            texture("§MIRROR 3\nU_WRAP"),
            "material 0 \"skin\" / texture 0: \"MIRROR\" is not a key of this block and is ignored",
            |file| file.materials[0].textures[0].wrap == [true, false],
        ),
        (
            material("TEXTURE 0 FILE_NAME §\"Q:\\art\\a.tga\" END_OF_TEXTURE"),
            "material 0 \"skin\" / texture 0: FILE_NAME \"Q:\\\\art\\\\a.tga\" is not inside the game's \
             folder: it is searched for there",
            |file| file.materials[0].textures[0].file.as_deref() == Some(r"Q:\art\a.tga"),
        ),
        (
            texture("ALPHA_MODE §4"),
            "material 0 \"skin\" / texture 0: ALPHA_MODE is 4, but must be 0, 1 or 8: 8 is used",
            |file| file.materials[0].textures[0].alpha_mode == AlphaMode::Blend,
        ),
        (
            texture("ALPHA_MODE 1 ALPHA_MODE §-8"),
            "material 0 \"skin\" / texture 0: ALPHA_MODE is -8, but must be 0, 1 or 8: 0 is used",
            |file| file.materials[0].textures[0].alpha_mode == AlphaMode::Opaque,
        ),
        (
            texture("MODE DECAL MODE §SUBTRACT U_WRAP"),
            "material 0 \"skin\" / texture 0: MODE \"SUBTRACT\" is unknown and ignored",
            |file| {
                let texture = &file.materials[0].textures[0];
                texture.mode == TextureMode::Decal && texture.wrap[0]
            },
        ),
        (
            texture("TEX_GEN_S NORMAL_MAP TEX_GEN_S §OBJECT_LINEAR"),
            "material 0 \"skin\" / texture 0: TEX_GEN_S \"OBJECT_LINEAR\" is unknown and ignored",
            |file| file.materials[0].textures[0].texgen[0].kind == Some(TexGenKind::NormalMap),
        ),
        (
            texture("TEX_GEN_R NORMAL_MAP TEX_GEN_R §SPHERE_MAP"),
            "material 0 \"skin\" / texture 0: TEX_GEN_R SPHERE_MAP is ignored: SPHERE_MAP has no R coordinate",
            |file| file.materials[0].textures[0].texgen[2].kind == Some(TexGenKind::NormalMap),
        ),
        (
            texture("TEX_GEN_R_KOEF §-1.#IND00"),
            "material 0 \"skin\" / texture 0: a number of TEX_GEN_R_KOEF is not finite: 0 is used",
            |file| file.materials[0].textures[0].texgen[2].coefficient == 0.0,
        ),
    ];
    assert_warned(Normal, rows);
}

#[test]
fn mesh_flaws_are_warnings() {
    let rows: Vec<Row> = vec![
        (
            mesh("MATERIAL_REF §9"),
            "mesh 0 \"Hull\" refers to material 9, which does not exist",
            |file| file.meshes[0].material == Some(9),
        ),
        (
            model("MESH \"Hull\"\n§END_OF_MESH \"Hull\""),
            "mesh 0 \"Hull\" has no MATERIAL_REF",
            |file| file.meshes[0].material.is_none(),
        ),
        (
            mesh("DEFAULT_COLOR 0 0 0").replace("H \"Hull\"\nE", "H §\"Hulk\"\nE"),
            "mesh 0 \"Hull\": END_OF_MESH names \"Hulk\", expected \"Hull\"",
            |file| file.meshes[0].name == "Hull",
        ),
        (
            mesh("DEFAULT_COLOR 0 0 0").replace("END_OF_MESH \"Hull\"", "§END_OF_MESH"),
            "mesh 0 \"Hull\": END_OF_MESH has no mesh name",
            |file| file.meshes[0].name == "Hull",
        ),
        (
            mesh("§BONES 2\nDEFAULT_COLOR 0 0 0"),
            "mesh 0 \"Hull\": \"BONES\" is not a key of this block and is ignored",
            |file| file.meshes[0].default_color == Some([0.0; 3]),
        ),
        (
            mesh("VERTS 2\n1 2 3 4 5 6 7 8 9\n§1.#QNAN -1.#IND nan -inf 1e99 7 8"),
            "mesh 0 \"Hull\": a number of VERTS is not finite: 0 is used (and 4 more like it)",
            |file| {
                let vertices = &file.meshes[0].vertices;
                vertices.positions == [[1.0, 2.0, 3.0], [9.0, 0.0, 0.0]]
                    && vertices.uvs == [[4.0, 5.0], [0.0; 2]]
                    && vertices.normals == [[6.0, 7.0, 8.0], [0.0, 7.0, 8.0]]
            },
        ),
    ];
    assert_warned(Normal, rows);
}

#[test]
fn group_flaws_are_warnings() {
    let fan = "GROUP 0 TYPE_FAN COUNT 3 0 1 2";
    let two = |first: &str, second: &str| format!("{first}\n{second}");
    let rows: Vec<Row> = vec![
        (
            groups(1, &format!("{fan} END_OF_GROUP §1")),
            "mesh 0 \"Hull\" / group 0: END_OF_GROUP has the number 1, expected 0",
            |file| triangles(file) == [[0, 1, 2]],
        ),
        (
            groups(1, &format!("{fan} §END_OF_GROUP")),
            "mesh 0 \"Hull\" / group 0: END_OF_GROUP has no number",
            |file| triangles(file) == [[0, 1, 2]],
        ),
        (
            groups(3, &format!("{fan} END_OF_GROUP 0")).replace(" 3\n", " §3\n"),
            "mesh 0 \"Hull\": PRIMITIVE_GEOMETRY_GROUPS is 3, but the count of groups is 1",
            |file| triangles(file) == [[0, 1, 2]],
        ),
        (
            groups(0, &format!("{fan} END_OF_GROUP 0")).replace("GROUPS 0", "GROUPS §0"),
            "mesh 0 \"Hull\": PRIMITIVE_GEOMETRY_GROUPS is 0, but the count of groups is 1",
            |file| triangles(file) == [[0, 1, 2]],
        ),
        (
            mesh(&format!("{FOUR_VERTICES}§{fan} END_OF_GROUP 0")),
            "mesh 0 \"Hull\": PRIMITIVE_GEOMETRY_GROUPS is missing, the count of groups is 1",
            |file| triangles(file) == [[0, 1, 2]],
        ),
        (
            groups(
                2,
                &two(
                    "GROUP 0 TYPE_FAN COUNT 3 2 1 0 END_OF_GROUP 0",
                    "§GROUP 2 TYPE_LIST COUNT 3 0 1 2 END_OF_GROUP 2",
                ),
            ),
            "mesh 0 \"Hull\": the groups are not numbered 0, 1, 2 …",
            |file| triangles(file) == [[2, 1, 0], [0, 1, 2]] && file.meshes[0].groups[1].id == 2,
        ),
        (
            groups(
                2,
                &two(
                    "GROUP 0 TYPE_LIST COUNT 3 2 1 0 END_OF_GROUP 0",
                    "§GROUP 1 TYPE_LIST COUNT 3 0 1 2 END_OF_GROUP 1",
                ),
            ),
            "mesh 0 \"Hull\": 2 groups have TYPE_LIST, but the game's files have one per mesh",
            |file| triangles(file) == [[2, 1, 0], [0, 1, 2]],
        ),
        (
            group("TYPE_LIST COUNT §5 0 1 2 1 2"),
            "mesh 0 \"Hull\" / group 0: TYPE_LIST has 5 indices, not a multiple of 3: the last 2 are ignored",
            |file| triangles(file) == [[0, 1, 2]],
        ),
        (
            group("TYPE_LIST COUNT §1 0"),
            "mesh 0 \"Hull\" / group 0: TYPE_LIST has 1 indices, not a multiple of 3: the last 1 are ignored",
            |file| triangles(file).is_empty(),
        ),
        (
            group("TYPE_STRIP COUNT §2 0 1"),
            "mesh 0 \"Hull\" / group 0: 2 indices form no triangle, at least 3 are needed",
            |file| triangles(file).is_empty(),
        ),
        (
            group("TYPE_FAN COUNT §0"),
            "mesh 0 \"Hull\" / group 0: 0 indices form no triangle, at least 3 are needed",
            |file| triangles(file).is_empty(),
        ),
        (
            group("TYPE_FAN §SIDES 3 COUNT 3 0 1 2"),
            "mesh 0 \"Hull\" / group 0: \"SIDES\" is not a key of this block and is ignored",
            |file| triangles(file) == [[0, 1, 2]],
        ),
    ];
    assert_warned(Normal, rows);
}

#[test]
fn invalid_vertex_indices_are_warnings_if_lenient() {
    let rows: Vec<Row> = vec![
        (
            group("TYPE_LIST COUNT 6 0 1 §-7 1 2 3"),
            "mesh 0 \"Hull\" / group 0: index 2 uses vertex -7, but only 4 exist: its triangles are dropped",
            |file| triangles(file) == [[1, 2, 3]],
        ),
        (
            // Dropped triangles count for the alternating winding of the strip.
            group("TYPE_STRIP COUNT 6 §4 0 1 2 3 0"),
            "mesh 0 \"Hull\" / group 0: index 0 uses vertex 4, but only 4 exist: its triangles are dropped",
            |file| triangles(file) == [[1, 0, 2], [1, 2, 3], [3, 2, 0]],
        ),
        (
            groups(
                2,
                "GROUP 0 TYPE_FAN COUNT 4 0 1 §4294967295 3 END_OF_GROUP 0\n\
                 GROUP 1 TYPE_FAN COUNT 4 9 1 2 3 END_OF_GROUP 1",
            ),
            "mesh 0 \"Hull\" / group 0: index 2 uses vertex 4294967295, but only 4 exist: its triangles are dropped \
             (and 1 more like it)",
            |file| triangles(file).is_empty(),
        ),
    ];
    assert_warned(Lenient, rows);
    // The path of a later error does not contain the group.
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
