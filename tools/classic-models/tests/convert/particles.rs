//! Particle systems as text and back.

use super::{Folder, samples};
use classic_model_formats::particles::parse;
use classic_models_fixtures::plugins;
use std::path::PathBuf;

/// The bundled particle systems.
fn systems() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(samples().join("models")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_system = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with('p') && name.ends_with(".alo")
    };
    let systems: Vec<PathBuf> = paths.filter(is_system).collect();
    assert!(systems.len() >= 8);
    systems
}

#[test]
fn text_and_gltf_files_become_the_same_particle_systems_again() {
    let folder = Folder::new();
    for path in systems() {
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).unwrap();
        for between in ["system.ron", "system.glb", "system.gltf"] {
            folder.convert(&[&name, between, "--force"]);
            folder.convert(&[between, "system.alo", "--force"]);
            assert_eq!(
                std::fs::read(folder.path("system.alo")).unwrap(),
                bytes,
                "{name} {between}"
            );
        }
    }
}

#[test]
fn systems_of_plugins_become_the_same_again() {
    let folder = Folder::new();
    for (name, bytes) in [("minimal", plugins::minimal()), ("every", plugins::every())] {
        folder.write("before.alo", &bytes);
        for between in ["system.ron", "system.glb", "system.gltf"] {
            folder.convert(&["before.alo", between, "--force"]);
            folder.convert(&[between, "system.alo", "--force"]);
            let after = std::fs::read(folder.path("system.alo")).unwrap();
            assert_eq!(after, bytes, "{name} {between}");
        }
    }
    let text = std::fs::read_to_string(folder.path("system.ron")).unwrap();
    folder.write(
        "typo.ron",
        text.replace("start_size", "start_seize").as_bytes(),
    );
    let result = folder.run(&["typo.ron", "typo.alo"]);
    let error = String::from_utf8(result.stderr).unwrap();
    assert_eq!(result.status.code(), Some(1), "{error}");
    assert!(
        error.contains("has no parameter \"start_seize\""),
        "{error}"
    );
}

#[test]
fn short_text_has_the_defaults_of_the_game() {
    let folder = Folder::new();
    let text = r#"(name: "p_test", id: 7, leave_particles: false, emitters: [(
        name: "smoke", color_texture: "smoke.tga",
        properties: (lifetime: 3.0),
        tracks: (alpha: (interpolation: smooth, keys: [(0, 255), (1, 0)])),
    )])"#;
    folder.write("p_test.ron", text.as_bytes());
    folder.convert(&["p_test.ron", "p_test.alo"]);
    let bytes = std::fs::read(folder.path("p_test.alo")).unwrap();
    let file = parse(&bytes).unwrap();
    let emitter = &file.emitters[0];
    assert_eq!(
        (&*file.name, file.id, &*emitter.color_texture),
        ("p_test", 7, "smoke.tga")
    );
    assert_eq!(
        (emitter.properties.lifetime, emitter.properties.index),
        (3.0, 0)
    );
    assert_eq!(emitter.tracks.alpha.keys.last().unwrap().value, 0.0);
    assert_eq!(emitter.tracks.scale.keys[0].value, 20.0);
}

#[test]
fn every_problem_is_an_error_and_writes_nothing() {
    let folder = Folder::new();
    let models = samples().join("models");
    let [walker, manifest, system] = ["walker.alo", "patrol.model.ron", "p_sparks.alo"]
        .map(|name| models.join(name).display().to_string());
    folder.convert(&[&system, "system.ron"]);
    let text = std::fs::read_to_string(folder.path("system.ron")).unwrap();
    folder.write("cut.ron", &text.as_bytes()[..text.len() / 2]);
    folder.write("typo.ron", text.replace("gravity", "graviti").as_bytes());
    folder.write(
        "fraction.ron",
        text.replace("(0.0, 255.0)", "(0.0, 254.5)").as_bytes(),
    );
    for (input, output, expected) in [
        (
            &*walker,
            "out.ron",
            "only particle systems can be converted to .ron",
        ),
        (&*walker, "out.alo", "RON: "),
        (&*manifest, "out.alo", "RON: "),
        ("cut.ron", "out.alo", "RON: "),
        ("typo.ron", "out.alo", "graviti"),
        ("fraction.ron", "out.alo", "must be a whole number"),
    ] {
        let result = folder.run(&[input, output]);
        let error = String::from_utf8(result.stderr).unwrap();
        assert_eq!(result.status.code(), Some(1), "{input}: {error}");
        assert!(error.contains(expected), "{input}: {error}");
        assert_eq!(error.lines().count(), 1, "{input}: {error}");
        assert!(!folder.path(output).exists(), "{input}");
    }
}
