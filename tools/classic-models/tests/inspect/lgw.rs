//! `inspect` on LGW models.

use crate::clip::save;
use crate::{inspect, lines};
use serde_json::{Value, json};

/// A model with all properties, in unusual but valid syntax: lower case, comments, gaps in numbers, Windows-1250. It
/// causes each warning once.
const MODEL: &[u8] = b"// by hand
model \"K\xF9\xF2\"
  SOURCE_FILE \"Q:\\WorkData\\horse.max\"
  MATERIAL_LIST
    MATERIAL 7 \"7 - Coat\"
      TEXTURE 1
        FILE_NAME \"sky.dds\" CUBE_MAP MODE add
        TEX_GEN_S EYE_LINEAR TEX_GEN_S_KOEF 0.1
        TEX_GEN_R REFLECTION_MAP
      END_OF_TEXTURE
      TEXTURE 0
        FILE_NAME \"human\\coat.tga\"
        V_WRAP ALPHA_MODE 8 MODE REPLACE
      END_OF_TEXTURE
    END_OF_MATERIAL
    MATERIAL 3 \"\"
      TEXTURE 0
        U_WRAP MIPMAP_OFF
        RAW_IMAGE 1 2 3
      END_OF_TEXTURE
    END_OF_MATERIAL
    MATERIAL 9 \"bare\"
    END_OF_MATERIAL
  END_OF_MATERIAL_LIST
  MESH \"all ways\"
    MATERIAL_REF 7
    VERTS 5
      0 0 0  0 0  0 0 1
      1 0 0  1 0  0 0 1
      0 1 0  0 1  0 0 1
      1 1 0  1 1  0 0 1
      -8 2 0.5  1 1  0 0 1
    PRIMITIVE_GEOMETRY_GROUPS 3
    GROUP 0 TYPE_LIST COUNT 6
      0 1 2 1 1 2
    END_OF_GROUP 0
    GROUP 1 TYPE_STRIP COUNT 6
      0 1 2 2 3 4
    END_OF_GROUP 1
    GROUP 2 TYPE_FAN COUNT 5
      0 1 3 2 2
    END_OF_GROUP 2
  END_OF_MESH \"all ways\"
  MESH \"\"
    MATERIAL_REF 4
    VERTS 1
      1 1e99 3  0 0  0 0 0
  END_OF_MESH \"\"
  MESH \"nothing\"
  END_OF_MESH \"nothing\"
END_OF_MODEL
";

/// The smallest valid model.
const EMPTY: &[u8] = b"MODEL \"\" EXPORT_VERSION 4 END_OF_MODEL";

fn texture(file: Option<&str>, mode: &str) -> Value {
    json!({
        "file": file, "mode": mode, "alpha_mode": 0, "wrap": [false, false], "texgen": null,
        "cube_map": false,
    })
}

#[test]
fn json_describes_text_models() {
    let folder = tempfile::tempdir().unwrap();
    let good = save(folder.path(), "good.lgw", MODEL);
    // The content determines the format, whatever the name.
    let odd = save(folder.path(), "good #2.mdl", MODEL);
    let output = inspect(&["--json", &good, &odd]);
    let objects = lines(&output);
    assert_eq!(output.status.code(), Some(0), "{objects:?}");
    let mut object = objects[0].clone();
    let warnings = object["warnings"].take();
    let mut coat = texture(Some("human\\coat.tga"), "REPLACE");
    coat["alpha_mode"] = 8.into();
    coat["wrap"] = json!([false, true]);
    let mut sky = texture(Some("sky.dds"), "ADD");
    sky["cube_map"] = true.into();
    sky["texgen"] = json!({ "s": ["EYE_LINEAR", 0.1], "t": null, "r": ["REFLECTION_MAP", 1.0] });
    let mut inside = texture(None, "MODULATE");
    inside["wrap"] = json!([true, false]);
    // One triangle of the list, two of the strip and two of the fan have three different indices. The non-finite
    // coordinate of the last vertex counts as 0, so that it is at (1, 0, 3).
    let expected = json!({
        "file": good, "ok": true, "format": "lgw",
        "name": "Kůň", "version": null, "source": "Q:\\WorkData\\horse.max",
        "materials": [
            { "id": 7, "name": "7 - Coat", "textures": [coat, sky] },
            { "id": 3, "name": "", "textures": [inside] },
            { "id": 9, "name": "bare", "textures": [] },
        ],
        "meshes": [
            { "name": "all ways", "material": 7, "vertices": 5, "triangles": 5, "groups": 3 },
            { "name": "", "material": 4, "vertices": 1, "triangles": 0, "groups": 0 },
            { "name": "nothing", "material": null, "vertices": 0, "triangles": 0, "groups": 0 },
        ],
        "warnings": null,
        "posed": { "min": [-8.0, 0.0, 0.0], "max": [1.0, 2.0, 3.0], "centroid": null },
    });
    let centroid = object["posed"]["centroid"].take();
    assert_eq!(object, expected);
    // (0 + 1 + 0 + 1 − 8 + 1, 0 + 0 + 1 + 1 + 2 + 0, 0.5 + 3) / 6
    for (value, expected) in centroid.as_array().unwrap().iter().zip([-5.0, 4.0, 3.5]) {
        assert!(
            (value.as_f64().unwrap() - expected / 6.0).abs() < 1e-6,
            "{value}"
        );
    }
    assert_warnings(&warnings);
    assert_eq!(objects[1]["meshes"], objects[0]["meshes"]);
}

/// Asserts the warnings. Each starts with its line and column.
fn assert_warnings(warnings: &Value) {
    let warnings = warnings.as_array().unwrap();
    let expected = [
        ("1:1: ", "EXPORT_VERSION"),
        ("19:9: ", "RAW_IMAGE"),
        ("47:9: ", "VERTS"),
        ("45:18: ", "material 4"),
    ];
    assert_eq!(warnings.len(), expected.len(), "{warnings:?}");
    for (position, what) in expected {
        let at_position = |warning: &&Value| warning.as_str().unwrap().starts_with(position);
        let found = warnings.iter().find(at_position);
        let found = found.unwrap_or_else(|| panic!("{position} {warnings:?}"));
        assert!(found.as_str().unwrap().contains(what), "{found}");
    }
}

#[test]
fn text_describes_materials_meshes_and_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let good = save(folder.path(), "good.lgw", MODEL);
    let output = inspect(&[&good, "--time", "3"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "UFO: Aftermath model \"Kůň\"\n",
        "exported from Q:\\WorkData\\horse.max\n",
        "material 7 \"7 - Coat\"\n",
        "texture 0: human\\coat.tga, REPLACE, repeats along V, 8 bits of alpha\n",
        "texture 1: sky.dds, ADD, cube map, S by EYE_LINEAR × 0.1, R by REFLECTION_MAP\n",
        "texture 0: (embedded image), MODULATE, repeats along U, no mipmaps\n",
        "mesh \"all ways\": material 7 \"7 - Coat\", 5 vertices, 5 triangles (list, strip, fan)\n",
        "mesh \"\": material 4 (missing), 1 vertices, 0 triangles (no groups)\n",
        "mesh \"nothing\": no material",
        "posed from [-8, 0, 0] to [1, 2, 3]\n",
        "warning: 47:9: ",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn posed_is_null_without_vertices() {
    let folder = tempfile::tempdir().unwrap();
    let empty = save(folder.path(), "empty", EMPTY);
    let output = inspect(&["--json", "--time", "1", &empty]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        lines(&output)[0],
        json!({
            "file": empty, "ok": true, "format": "lgw", "name": "", "version": 4, "source": null,
            "materials": [], "meshes": [], "warnings": [], "posed": null,
        })
    );
}

#[test]
fn requesting_a_clip_of_an_lgw_model_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let empty = save(folder.path(), "empty.lgw", EMPTY);
    let output = inspect(&["--json", "--animation", "walk", &empty]);
    assert_eq!(output.status.code(), Some(1));
    let object = &lines(&output)[0];
    assert_eq!(object["ok"], false);
    let message = object["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("\"walk\"") && message.contains("none"),
        "{message}"
    );
}

#[test]
fn parse_errors_have_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let text = String::from_utf8_lossy(EMPTY).replace(' ', "\r\n  ");
    let mesh = |begin: &str, rest: &str| {
        format!("MODEL \"m\"\n EXPORT_VERSION 4\n MESH \"č\" {begin}\n  {rest}\n").into_bytes()
    };
    let files: [(&str, &[u8], [u64; 3], &str); 11] = [
        ("none.lgw", b"", [0, 1, 1], "MODEL"),
        ("pulse.lgw", b"PulseWavesPulse\0", [0, 1, 1], "PulseWaves"),
        ("binary.lgw", b"\x01\0\0\0LGW", [0, 1, 1], "UFObintxt"),
        (
            "nul.lgw",
            b"MODEL \"a\"\n SOURCE_FILE \"b\0\" END_OF_MODEL",
            [25, 2, 16],
            "UFObintxt",
        ),
        (
            "words.lgw",
            b"// no\n  Wavefront",
            [8, 2, 3],
            "does not start",
        ),
        ("cut", &text.as_bytes()[..20], [20, 3, 8], "END_OF_MODEL"),
        ("open", b"\xEF\xBB\xBFMODEL \"m\n", [9, 1, 7], "quote"),
        ("ref", &mesh("MATERIAL_REF x", ""), [52, 3, 24], "\"x\""),
        (
            "verts",
            &mesh("VERTS 1", "1 2 3 4 a"),
            [57, 4, 11],
            "4 numbers",
        ),
        (
            "few",
            &mesh("VERTS 1", "1 2 END_OF_MESH"),
            [53, 4, 7],
            "2 numbers",
        ),
        (
            "index",
            &mesh(
                "VERTS 0",
                "GROUP 0 TYPE_LIST COUNT 3 0 1 2 END_OF_GROUP 0 END_OF_MESH",
            ),
            [75, 4, 29],
            "vertex 0, but only 0 exist",
        ),
    ];
    let paths = files.map(|(name, bytes, ..)| save(folder.path(), name, bytes));
    let good = save(folder.path(), "good.lgw", MODEL);
    let mut args = vec!["--json"];
    args.extend(paths.iter().map(String::as_str));
    args.push(&good);
    let output = inspect(&args);
    assert_eq!(output.status.code(), Some(1));
    let objects = lines(&output);
    assert_eq!(objects.len(), files.len() + 1);
    for (object, (name, _, [offset, line, column], part)) in objects.iter().zip(files) {
        assert_eq!(object["ok"], false, "{object}");
        let error = &object["error"];
        let position = [&error["offset"], &error["line"], &error["column"]];
        assert_eq!(position, [offset, line, column], "{name}: {error}");
        let message = error["message"].as_str().unwrap();
        let begins = format!("{line}:{column}: LGW: ");
        assert!(
            message.starts_with(&begins) && message.contains(part),
            "{message}"
        );
    }
    assert_eq!(objects[files.len()]["ok"], true);
}

#[test]
fn first_word_model_selects_the_lgw_format() {
    let folder = tempfile::tempdir().unwrap();
    let texts = ["MODEL", "\u{feff}//\r// MODEL x\n\tMoDeL\"a", "model\n"];
    let others = ["MODELS", "MODEL//", "// MODEL", "MODE", "/ MODEL", ""];
    let paths = texts.iter().chain(&others).enumerate();
    let paths = paths.map(|(index, text)| save(folder.path(), &index.to_string(), text.as_bytes()));
    let paths: Vec<String> = paths.collect();
    let mut args = vec!["--json"];
    args.extend(paths.iter().map(String::as_str));
    let objects = lines(&inspect(&args));
    for (index, object) in objects.iter().enumerate() {
        let message = object["error"]["message"].as_str().unwrap();
        let is_text = index < texts.len();
        assert_eq!(message.contains("LGW: "), is_text, "{object}");
        assert_eq!(object["error"]["line"].is_u64(), is_text, "{object}");
    }
}

#[test]
fn file_names_that_leave_the_game_folder_are_warnings() {
    let folder = tempfile::tempdir().unwrap();
    for name in [r"C:\art\a.tga", r"\\host\share\a.tga", "/a.tga", "../a.tga"] {
        let text = format!(
            "MODEL \"m\" EXPORT_VERSION 4 MATERIAL_LIST MATERIAL 0 \"\" TEXTURE 0\n\
             FILE_NAME \"{name}\" END_OF_TEXTURE END_OF_MATERIAL END_OF_MATERIAL_LIST END_OF_MODEL"
        );
        let path = save(folder.path(), "m.lgw", text.as_bytes());
        let objects = lines(&inspect(&["--json", &path]));
        assert_eq!(objects[0]["ok"], true, "{name}");
        let warnings = objects[0]["warnings"].as_array().unwrap();
        let [warning] = &warnings[..] else {
            panic!("{name}: {warnings:?}");
        };
        let warning = warning.as_str().unwrap();
        assert!(warning.starts_with("2:11: "), "{warning}");
        assert!(
            warning.contains("is not inside the game's folder"),
            "{warning}"
        );
        assert_eq!(objects[0]["materials"][0]["textures"][0]["file"], name);
    }
}
