//! `inspect --diff`.

use crate::inspect;
use bevy_classic_models::alamo::alo::ParameterValue;
use classic_models_fixtures::abc::{bytes, figure};
use classic_models_fixtures::mdl::tetrahedron;
use classic_models_fixtures::{ala, alo};
use serde_json::Value;
use std::path::PathBuf;
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path: PathBuf = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }

    /// The differences, without the names of the files.
    #[track_caller]
    fn lines(&self, extension: &str, a: &[u8], b: &[u8]) -> Vec<String> {
        let a = self.write(&format!("a.{extension}"), a);
        let b = self.write(&format!("b.{extension}"), b);
        let output = inspect(&["--diff", &a, &b]);
        let text = String::from_utf8(output.stdout).unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{text}{error}");
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some(&*format!("- {a}")));
        assert_eq!(lines.next(), Some(&*format!("+ {b}")));
        lines.map(|line| line.trim().to_owned()).collect()
    }
}

#[test]
fn equal_files_have_no_differences() {
    let folder = Folder::new();
    for (extension, content) in [
        ("alo", alo::clean()),
        ("ala", ala::clean(2)),
        ("abc", bytes(&figure())),
        ("mdl", tetrahedron().to_bytes()),
    ] {
        let a = folder.write(&format!("a.{extension}"), &content);
        let b = folder.write(&format!("b.{extension}"), &content);
        let output = inspect(&["--diff", &a, &b]);
        assert_eq!(output.status.code(), Some(0), "{extension}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text, format!("{a} and {b} have no differences\n"));
    }
}

#[test]
fn every_part_of_an_alamo_model_is_compared() {
    let folder = Folder::new();
    let edited = alo::edited(&alo::clean(), |file| {
        file.bones[2].matrix[0][3] += 1.0;
        file.bones[4].name = "Searchlight".into();
        file.bones[4].parent = Some(1);
        file.meshes[0].hidden = true;
        file.meshes[0].submeshes[0].parameters[1].value = ParameterValue::Texture("New.dds".into());
        file.meshes[1].bone = Some(1);
        file.meshes.remove(2);
        file.lights[1].intensity = 3.0;
        file.proxies[0].name = "p_smoke".into();
    });
    let found = folder.lines("alo", &alo::clean(), &edited);
    for expected in [
        "bones / \"Turret\" / matrix: [1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,5.0] → [1.0,0.0,0.0,1.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,5.0]",
        "- bones / \"Lamp.Target\"",
        "+ bones / \"Searchlight\"",
        "meshes / \"Hull_LOD1\" / hidden: false → true",
        "meshes / \"Hull_LOD1\" / submeshes / 0 / parameters / BaseTexture: \"EV_Hull.tga\" → \"New.dds\"",
        "meshes / \"Crew\" / bone: \"Root\" → \"Hull\"",
        "meshes / \"Crew\" / submeshes / 0 / bones: [\"Hull\",\"Turret\",\"Barrel\",\"Lamp.Target\"] → [\"Hull\",\"Turret\",\"Barrel\",\"Searchlight\"]",
        "- meshes / \"Wreck_ALT1\"",
        "lights / \"Sun\" / intensity: 2.0 → 3.0",
        "- proxies / \"p_fire_ALT1\"",
        "+ proxies / \"p_smoke\"",
    ] {
        assert!(
            found.iter().any(|line| line == expected),
            "{expected}: {found:#?}"
        );
    }
    assert_eq!(found.len(), 11, "{found:#?}");
}

#[test]
fn moved_vertices_are_changed_positions() {
    let folder = Folder::new();
    let vertices = alo::span(&alo::clean(), "400/10000/10007").body;
    let moved = alo::patched(&alo::clean(), vertices, &9.5_f32.to_le_bytes());
    let found = folder.lines("alo", &alo::clean(), &moved);
    let expected = "meshes / \"Hull_LOD1\" / submeshes / 0 / positions: changed";
    assert_eq!(found, [expected]);

    let mut model = figure();
    model.geometry.vertices[0].position[0] = 77.0.into();
    let found = folder.lines("abc", &bytes(&figure()), &bytes(&model));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("nodes / ") && found[0].ends_with(" / geometry: changed"),
        "{found:?}"
    );
}

#[test]
fn clips_are_compared_by_bone() {
    let folder = Folder::new();
    let edited = ala::edited(&ala::clean(2), |document| {
        document.bones[1].translation.track.as_mut().unwrap()[0][0] ^= 1;
        document.bones[8].visibility.as_mut().unwrap()[0] ^= true;
    });
    let found = folder.lines("ala", &ala::clean(2), &edited);
    let expected = [
        "bones / \"B_01\" / translations: changed",
        "bones / \"B_08\" / visible frames: changed",
    ];
    assert_eq!(found, expected);

    let mut model = figure();
    model.animations[0].tracks[1].keys[0].translation[0] = 50.0.into();
    model.animations[1].name = "Rest".to_owned();
    let found = folder.lines("abc", &bytes(&figure()), &bytes(&model));
    assert!(
        found.iter().any(|line| line.ends_with(" / keys: changed")),
        "{found:?}"
    );
    assert!(
        found.contains(&"+ animations / \"Rest\"".to_owned()),
        "{found:?}"
    );
}

#[test]
fn poses_and_skins_are_compared() {
    let folder = Folder::new();
    let mut model = tetrahedron();
    model.header.flags ^= 1;
    let found = folder.lines("mdl", &tetrahedron().to_bytes(), &model.to_bytes());
    assert_eq!(found, ["flags: 8 → 9"]);
    let mut bytes = tetrahedron().to_bytes();
    let last = bytes.len() - 4;
    bytes[last] ^= 1;
    let found = folder.lines("mdl", &tetrahedron().to_bytes(), &bytes);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("named poses / ") && found[0].ends_with("positions: changed"),
        "{found:?}"
    );
}

#[test]
fn textures_are_compared_by_texel() {
    let folder = Folder::new();
    let header = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 32, 0x28];
    let a = [&header[..], &[3, 2, 1, 4, 7, 6, 5, 8]].concat();
    let b = [&header[..], &[3, 2, 1, 4, 7, 6, 5, 9]].concat();
    assert_eq!(folder.lines("tga", &a, &b), ["texels: changed"]);
}

#[test]
fn json_has_the_kind_and_the_values_of_each_difference() {
    let folder = Folder::new();
    let mut model = tetrahedron();
    model.header.flags = 0;
    let a = folder.write("a.mdl", &tetrahedron().to_bytes());
    let b = folder.write("b.mdl", &model.to_bytes());
    let output = inspect(&["--diff", "--json", &a, &b]);
    assert_eq!(output.status.code(), Some(1));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected = serde_json::json!({
        "files": [a, b],
        "equal": false,
        "differences": [{ "path": ["flags"], "kind": "changed", "a": 8, "b": 0 }],
    });
    assert_eq!(value, expected);
}

#[test]
fn files_that_cannot_be_compared_are_status_2() {
    let folder = Folder::new();
    let good = folder.write("a.mdl", &tetrahedron().to_bytes());
    let bad = folder.write("b.mdl", &tetrahedron().to_bytes()[..200]);
    for (args, error) in [
        (&["--diff", &good, &bad][..], "b.mdl: MDL: "),
        (&["--diff", &good, "missing.mdl"], "missing.mdl: "),
        (&["--diff", &good], "two files"),
        (&["--diff", &good, &good, &good], "two files"),
        (&["--diff", &good, &good, "--time", "1"], "--time"),
    ] {
        let output = inspect(args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(error), "{args:?}: {text}");
    }
    let other = folder.write("a.alo", &alo::clean());
    let output = inspect(&["--diff", &good, &other]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("format: \"mdl\" → \"alo\""), "{text}");
}
