//! What is passed over, and told of once: where, in which words, and what is left.

use super::Tolerance::{Lenient, Normal};
use super::*;
use classic_model_formats::lgw::{AlphaMode, TexGenKind, TextureMode};

/// A text with a mark where its only flaw is told, how it is told, and whether the rest was loaded.
type Row = (String, &'static str, fn(&LgwFile<'_>) -> bool);

#[track_caller]
fn told(tolerance: Tolerance, rows: Vec<Row>) {
    for (text, message, is_loaded) in rows {
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
        assert!(is_loaded(&file), "{file:#?}\n{text}");
    }
}

#[test]
fn of_models() {
    let rows: Vec<Row> = vec![
        (
            model("EXPORT_VERSION §5"),
            "EXPORT_VERSION is 5, but 4 is what is known",
            |file| file.version == Some(5),
        ),
        (
            model("EXPORT_VERSION §3"),
            "EXPORT_VERSION is 3, but 4 is what is known",
            |file| file.version == Some(3),
        ),
        (
            "§MODEL \"a\" END_OF_MODEL".into(),
            "there is no EXPORT_VERSION; 4 is what is known",
            |file| file.version.is_none() && file.name == "a",
        ),
        (
            format!("{}  §MODEL\n\0\"", model("SOURCE_FILE \"a b.max\"")),
            "8 bytes after END_OF_MODEL are passed over",
            |file| file.source.as_deref() == Some("a b.max"),
        ),
        (
            model("§BONES 3 -1.5e3 \"a\" \"b\" // c\n4\nSOURCE_FILE \"s\""),
            "\"BONES\" means nothing here, and is passed over",
            |file| file.source.is_some(),
        ),
        (
            model("§Count 3 0 1 2 SOURCE_FILE \"s\""),
            "\"COUNT\" means nothing here, and is passed over",
            |file| file.source.is_some(),
        ),
        (
            model("§BONES 3 BONE \"a\" END_OF_BONES"),
            "\"BONES\" means nothing here, and is passed over (and 2 more like it)",
            |file| file.version == Some(4),
        ),
    ];
    told(Normal, rows);
}

#[test]
fn of_materials() {
    let rows: Vec<Row> = vec![
        (
            model(
                "MATERIAL_LIST MATERIAL 7 \"a\" END_OF_MATERIAL\n\
                 §MATERIAL 7 \"b\" END_OF_MATERIAL END_OF_MATERIAL_LIST",
            ),
            "there are several materials 7, of which the first is used",
            |file| matches!(&*file.materials, [a, b] if a.name == "a" && b.name == "b"),
        ),
        (
            model("MATERIAL_LIST §COLOR 7 END_OF_MATERIAL_LIST SOURCE_FILE \"s\""),
            "\"COLOR\" means nothing here, and is passed over",
            |file| file.source.is_some(),
        ),
        (
            material("§SHININESS 7\nDIFFUSE_COLOR 1 2 3"),
            "material 0 \"skin\": \"SHININESS\" means nothing here, and is passed over",
            |file| file.materials[0].diffuse_color == Some([1.0, 2.0, 3.0]),
        ),
        (
            material("DIFFUSE_COLOR 1 §1.#INF 3"),
            "material 0 \"skin\": a number of DIFFUSE_COLOR is not finite, and taken as 0",
            |file| file.materials[0].diffuse_color == Some([1.0, 0.0, 3.0]),
        ),
        (
            material("§TEXTURE 1 FILE_NAME \"b\" END_OF_TEXTURE"),
            "material 0 \"skin\": TEXTURE 1 is the only one, and used as TEXTURE 0",
            |file| {
                let [first, second] = file.materials[0].units();
                first.is_some_and(|of| of.number == 1) && second.is_none()
            },
        ),
        (
            texture("END_OF_TEXTURE §TEXTURE 2 FILE_NAME \"b\""),
            "material 0 \"skin\": TEXTURE 2 is passed over, for there are but 0 and 1",
            |file| matches!(&*file.materials[0].textures, [only] if only.number == 0),
        ),
        (
            texture("END_OF_TEXTURE §TEXTURE -1 FILE_NAME \"b\""),
            "material 0 \"skin\": TEXTURE -1 is passed over, for there are but 0 and 1",
            |file| matches!(&*file.materials[0].textures, [only] if only.number == 0),
        ),
        (
            texture("END_OF_TEXTURE §TEXTURE 0 FILE_NAME \"b\""),
            "material 0 \"skin\": there are several TEXTURE 0, of which the last is used",
            |file| {
                let [only] = &*file.materials[0].textures else {
                    return false;
                };
                only.file.as_deref() == Some("b")
            },
        ),
    ];
    told(Normal, rows);
}

#[test]
fn of_textures() {
    let rows: Vec<Row> = vec![
        (
            material("TEXTURE 0 U_WRAP §END_OF_TEXTURE"),
            "material 0 \"skin\" / texture 0: there is no FILE_NAME",
            |file| file.materials[0].textures[0].file.is_none(),
        ),
        (
            texture("§RAW_IMAGE 3 2 FF00 \"\n ( end_of_textur END_OF_MESH\0\u{1}"),
            "material 0 \"skin\" / texture 0: the picture is in the file (RAW_IMAGE), where it cannot be \
             read",
            |file| file.materials[0].textures[0].raw_image,
        ),
        (
            texture("§MIRROR 3\nU_WRAP"),
            "material 0 \"skin\" / texture 0: \"MIRROR\" means nothing here, and is passed over",
            |file| file.materials[0].textures[0].wrap == [true, false],
        ),
        (
            material("TEXTURE 0 FILE_NAME §\"Q:\\art\\a.tga\" END_OF_TEXTURE"),
            "material 0 \"skin\" / texture 0: FILE_NAME \"Q:\\\\art\\\\a.tga\" leads out of the game's \
             folder, and is looked for in it",
            |file| file.materials[0].textures[0].file.as_deref() == Some(r"Q:\art\a.tga"),
        ),
        (
            texture("ALPHA_MODE §4"),
            "material 0 \"skin\" / texture 0: ALPHA_MODE 4 is neither 0, 1 nor 8, and taken as 8",
            |file| file.materials[0].textures[0].alpha_mode == AlphaMode::Blend,
        ),
        (
            texture("ALPHA_MODE 1 ALPHA_MODE §-8"),
            "material 0 \"skin\" / texture 0: ALPHA_MODE -8 is neither 0, 1 nor 8, and taken as 0",
            |file| file.materials[0].textures[0].alpha_mode == AlphaMode::Opaque,
        ),
        (
            texture("MODE DECAL MODE §SUBTRACT U_WRAP"),
            "material 0 \"skin\" / texture 0: MODE \"SUBTRACT\" is unknown, and passed over",
            |file| {
                let texture = &file.materials[0].textures[0];
                texture.mode == TextureMode::Decal && texture.wrap[0]
            },
        ),
        (
            texture("TEX_GEN_S NORMAL_MAP TEX_GEN_S §OBJECT_LINEAR"),
            "material 0 \"skin\" / texture 0: TEX_GEN_S \"OBJECT_LINEAR\" is unknown, and passed over",
            |file| file.materials[0].textures[0].texgen[0].kind == Some(TexGenKind::NormalMap),
        ),
        (
            texture("TEX_GEN_R NORMAL_MAP TEX_GEN_R §SPHERE_MAP"),
            "material 0 \"skin\" / texture 0: SPHERE_MAP makes no third coordinate, and is passed over",
            |file| file.materials[0].textures[0].texgen[2].kind == Some(TexGenKind::NormalMap),
        ),
        (
            texture("TEX_GEN_R_KOEF §-1.#IND00"),
            "material 0 \"skin\" / texture 0: a number of TEX_GEN_R_KOEF is not finite, and taken as 0",
            |file| file.materials[0].textures[0].texgen[2].coefficient == 0.0,
        ),
    ];
    told(Normal, rows);
}

#[test]
fn of_meshes() {
    let rows: Vec<Row> = vec![
        (
            mesh("MATERIAL_REF §9"),
            "mesh 0 \"Hull\" refers to material 9, which is not there",
            |file| file.meshes[0].material == Some(9),
        ),
        (
            model("MESH \"Hull\"\n§END_OF_MESH \"Hull\""),
            "mesh 0 \"Hull\" refers to no material",
            |file| file.meshes[0].material.is_none(),
        ),
        (
            mesh("DEFAULT_COLOR 0 0 0").replace("H \"Hull\"\nE", "H §\"Hulk\"\nE"),
            "mesh 0 \"Hull\": END_OF_MESH names \"Hulk\"",
            |file| file.meshes[0].name == "Hull",
        ),
        (
            mesh("DEFAULT_COLOR 0 0 0").replace("END_OF_MESH \"Hull\"", "§END_OF_MESH"),
            "mesh 0 \"Hull\": END_OF_MESH names no mesh",
            |file| file.meshes[0].name == "Hull",
        ),
        (
            mesh("§BONES 2\nDEFAULT_COLOR 0 0 0"),
            "mesh 0 \"Hull\": \"BONES\" means nothing here, and is passed over",
            |file| file.meshes[0].default_color == Some([0.0; 3]),
        ),
        (
            mesh("VERTS 2\n1 2 3 4 5 6 7 8 9\n§1.#QNAN -1.#IND nan -inf 1e99 7 8"),
            "mesh 0 \"Hull\": a number of VERTS is not finite, and taken as 0 (and 4 more like it)",
            |file| {
                let vertices = &file.meshes[0].vertices;
                vertices.positions == [[1.0, 2.0, 3.0], [9.0, 0.0, 0.0]]
                    && vertices.uvs == [[4.0, 5.0], [0.0; 2]]
                    && vertices.normals == [[6.0, 7.0, 8.0], [0.0, 7.0, 8.0]]
            },
        ),
    ];
    told(Normal, rows);
}

#[test]
fn of_groups() {
    let fan = "GROUP 0 TYPE_FAN COUNT 3 0 1 2";
    let two = |first: &str, second: &str| format!("{first}\n{second}");
    let rows: Vec<Row> = vec![
        (
            groups(1, &format!("{fan} END_OF_GROUP §1")),
            "mesh 0 \"Hull\" / group 0: END_OF_GROUP has the number 1",
            |file| triangles(file) == [[0, 1, 2]],
        ),
        (
            groups(1, &format!("{fan} §END_OF_GROUP")),
            "mesh 0 \"Hull\" / group 0: END_OF_GROUP has no number",
            |file| triangles(file) == [[0, 1, 2]],
        ),
        (
            groups(3, &format!("{fan} END_OF_GROUP 0")).replace(" 3\n", " §3\n"),
            "mesh 0 \"Hull\": there are 1 groups, though 3 are announced",
            |file| triangles(file) == [[0, 1, 2]],
        ),
        (
            groups(0, &format!("{fan} END_OF_GROUP 0")).replace("GROUPS 0", "GROUPS §0"),
            "mesh 0 \"Hull\": there are 1 groups, though 0 are announced",
            |file| triangles(file) == [[0, 1, 2]],
        ),
        (
            mesh(&format!("{FOUR_VERTICES}§{fan} END_OF_GROUP 0")),
            "mesh 0 \"Hull\": there are 1 groups without PRIMITIVE_GEOMETRY_GROUPS",
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
            "mesh 0 \"Hull\": there are 2 groups TYPE_LIST, where the game has one",
            |file| triangles(file) == [[2, 1, 0], [0, 1, 2]],
        ),
        (
            group("TYPE_LIST COUNT §5 0 1 2 1 2"),
            "mesh 0 \"Hull\" / group 0: a list of 5 indices: the last 2 are passed over",
            |file| triangles(file) == [[0, 1, 2]],
        ),
        (
            group("TYPE_LIST COUNT §1 0"),
            "mesh 0 \"Hull\" / group 0: a list of 1 indices: the last 1 are passed over",
            |file| triangles(file).is_empty(),
        ),
        (
            group("TYPE_STRIP COUNT §2 0 1"),
            "mesh 0 \"Hull\" / group 0: 2 indices make no triangle",
            |file| triangles(file).is_empty(),
        ),
        (
            group("TYPE_FAN COUNT §0"),
            "mesh 0 \"Hull\" / group 0: 0 indices make no triangle",
            |file| triangles(file).is_empty(),
        ),
        (
            group("TYPE_FAN §SIDES 3 COUNT 3 0 1 2"),
            "mesh 0 \"Hull\" / group 0: \"SIDES\" means nothing here, and is passed over",
            |file| triangles(file) == [[0, 1, 2]],
        ),
    ];
    told(Normal, rows);
}

#[test]
fn of_indices_by_lenient_readers() {
    let rows: Vec<Row> = vec![
        (
            group("TYPE_LIST COUNT 6 0 1 §-7 1 2 3"),
            "mesh 0 \"Hull\" / group 0: index 2 uses vertex -7 of 4; such triangles are left out",
            |file| triangles(file) == [[1, 2, 3]],
        ),
        (
            // The last triangle is the third of the strip, though two are left out.
            group("TYPE_STRIP COUNT 6 §4 0 1 2 3 0"),
            "mesh 0 \"Hull\" / group 0: index 0 uses vertex 4 of 4; such triangles are left out",
            |file| triangles(file) == [[1, 0, 2], [1, 2, 3], [3, 2, 0]],
        ),
        (
            groups(
                2,
                "GROUP 0 TYPE_FAN COUNT 4 0 1 §4294967295 3 END_OF_GROUP 0\n\
                 GROUP 1 TYPE_FAN COUNT 4 9 1 2 3 END_OF_GROUP 1",
            ),
            "mesh 0 \"Hull\" / group 0: index 2 uses vertex 4294967295 of 4; such triangles are left out \
             (and 1 more like it)",
            |file| triangles(file).is_empty(),
        ),
    ];
    told(Lenient, rows);
    // What comes after is told without the group.
    let text = group("TYPE_FAN COUNT 3 0 1 9");
    let text = text.replace("END_OF_MODEL", "MESH \"Next\" VERTS §-1");
    let (text, _, position) = unmarked(&text);
    let error = parse(text.as_bytes(), Lenient).unwrap_err();
    let told = "LGW: mesh 1 \"Next\" / VERTS is -1, but must be from 0 to 4294967295";
    assert_eq!(error.to_string(), format!("{position}: {told}"));
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
