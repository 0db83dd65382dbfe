//! `inspect` on Alamo animations.

use crate::{inspect, lines};
use bevy_classic_models::alamo::ala::write::{AlaDocument, BoneTracks, Rotations, write};
use classic_models_fixtures::ala::{
    FRAMES, ROTATION, SCALE, STEPS, TRANSLATION, VISIBILITY, clean, minimal,
};
use serde_json::{Value, json};
use std::path::Path;

fn save(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

/// The expected JSON of a bone of the fixture that has every set of tracks.
fn bone(number: usize) -> Value {
    let has = |what| number & what != 0;
    json!({
        "name": format!("B_{number:02}"), "index": number + 1,
        "translation": has(TRANSLATION), "rotation": has(ROTATION), "scale": has(SCALE),
        "visibility": has(VISIBILITY), "step": has(STEPS),
    })
}

/// One bone with the same rotation in all frames.
fn one_quaternion(version: u8, frames: u32) -> Vec<u8> {
    let mut bone = BoneTracks::new("Arm", 3, [0.0; 3]);
    bone.rotation = Rotations::constant([0.0, 0.0, 1.0, 0.0]);
    write(&AlaDocument {
        version,
        frames,
        fps: 12.5,
        bones: vec![bone],
    })
    .unwrap()
}

#[test]
fn json_describes_animations_of_both_formats() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [1, 2].map(|version| {
        // The content determines the format, whatever the extension.
        let names = ["waves", "still.alo", "turned.mdl"].map(|name| format!("{version}_{name}"));
        let contents = [clean(version), minimal(version), one_quaternion(version, 4)];
        let files = names.iter().zip(contents);
        files
            .map(|(name, bytes)| save(folder.path(), name, &bytes))
            .collect::<Vec<_>>()
    });
    let paths = paths.concat();
    let mut args = vec!["--json"];
    args.extend(paths.iter().map(String::as_str));
    let output = inspect(&args);
    let objects = lines(&output);
    assert_eq!(output.status.code(), Some(0), "{objects:?}");
    assert_eq!(objects.len(), 6);

    for (version, objects, paths) in [
        (1, &objects[..3], &paths[..3]),
        (2, &objects[3..], &paths[3..]),
    ] {
        let seconds = f64::from(FRAMES - 1) / 30.0;
        assert_eq!(
            objects[0],
            json!({
                "file": paths[0], "ok": true, "format": "ala", "version": version,
                "frames": FRAMES, "fps": 30.0, "seconds": seconds,
                "bones": (0..32).map(bone).collect::<Vec<_>>(), "warnings": [],
            })
        );
        let still = |name: &str, index: u32| {
            json!([{
                "name": name, "index": index, "translation": false, "rotation": false,
                "scale": false, "visibility": false, "step": false,
            }])
        };
        assert_eq!(
            objects[1],
            json!({
                "file": paths[1], "ok": true, "format": "ala", "version": version,
                "frames": 1, "fps": 30.0, "seconds": 0.0,
                "bones": still("Root", 0), "warnings": [],
            })
        );
        // A constant quaternion is not a track.
        assert_eq!(
            objects[2],
            json!({
                "file": paths[2], "ok": true, "format": "ala", "version": version,
                "frames": 4, "fps": 12.5, "seconds": 0.24,
                "bones": still("Arm", 3), "warnings": [],
            })
        );
    }
}

#[test]
fn a_broken_animation_does_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let save = |name: &str, bytes: &[u8]| save(folder.path(), name, bytes);
    // The frame count is the first mini-chunk of the first chunk of the only chunk.
    let mut no_frames = clean(2);
    no_frames[18..22].fill(0);
    let mut longer = clean(1);
    longer.extend([0; 5]);
    let paths = [
        save("cut.ala", &clean(1)[..1000]),
        save("none.ala", &no_frames),
        // The first bytes of a model that begins with a mesh, with the extension of an animation.
        save("model.ala", &[0, 4, 0, 0, 0, 0, 0, 0x80]),
        save("longer.ala", &longer),
    ];
    let args = |option| [&[option], &paths.each_ref().map(|path| &**path)[..]].concat();

    let output = inspect(&args("--json"));
    assert_eq!(output.status.code(), Some(1));
    let objects = lines(&output);
    for object in &objects[..3] {
        assert_eq!(object["ok"], false, "{object}");
        let message = object["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("ALA: "), "{message}");
    }
    assert!(objects[0]["error"]["offset"].is_u64(), "{}", objects[0]);
    assert_eq!(objects[1]["error"]["offset"], 18);
    assert_eq!(objects[2]["error"]["offset"], 0);
    assert_eq!(objects[3]["ok"], true);
    let warnings = &objects[3]["warnings"];
    assert!(
        warnings[0].as_str().unwrap().contains("5 trailing bytes"),
        "{warnings}"
    );

    // A time has no effect on animations.
    let output = inspect(&[&args("--json")[..], &["--time", "0.1"]].concat());
    assert_eq!(lines(&output), objects);
}

#[test]
fn recoverable_flaws_of_animations_are_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let clean = clean(2);
    let zeros = save(
        folder.path(),
        "zeros.ala",
        &[&[0; 100], &clean[..]].concat(),
    );
    let mut sizes = clean.clone();
    // Mini-chunk 11 follows three others of 6 bytes in the first chunk of the only chunk.
    assert_eq!(sizes[34..36], [11, 4]);
    sizes[36..40].fill(0xCD);
    let sizes = save(folder.path(), "sizes.ala", &sizes);
    let plain = save(folder.path(), "plain.ala", &clean);
    let output = inspect(&["--json", &zeros, &sizes, &plain]);
    assert_eq!(output.status.code(), Some(0));
    let mut objects = lines(&output);
    let warning = |object: &Value| {
        let [warning] = &object["warnings"].as_array().unwrap()[..] else {
            panic!("{object}");
        };
        warning.as_str().unwrap().to_owned()
    };
    assert!(warning(&objects[0]).starts_with("100 zero bytes before the animation"));
    assert!(warning(&objects[1]).contains("words of rotation per frame"));
    assert_eq!(objects[2]["warnings"], json!([]));
    // Everything else is the same.
    for object in &mut objects {
        object["warnings"] = Value::Null;
        object["file"] = Value::Null;
    }
    assert_eq!(objects[0], objects[2]);
    assert_eq!(objects[1], objects[2]);
}

#[test]
fn text_describes_tracks_of_animations() {
    let folder = tempfile::tempdir().unwrap();
    let path = save(folder.path(), "waves.ala", &clean(2));
    let output = inspect(&[&path]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    for line in [
        "  Alamo animation, format 2",
        "  11 frames, 30 fps, 0.33 s",
        "  32 bones: 16 with translation, 16 with rotation, 16 with scale, 16 with visibility, 16 with steps",
        "  bone 4 B_03: translation, rotation",
        "  bone 32 B_31: translation, rotation, scale, visibility, steps",
        "  constant: 1 B_00",
    ] {
        assert!(
            text.lines().any(|printed| printed == line),
            "{line} in {text}"
        );
    }
}
