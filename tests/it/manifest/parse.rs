//! Parsing and writing manifests: values, error messages with positions, and round trips.

use crate::support::prelude::*;
use crate::support::random::Random;
use bevy::color::Srgba;
use bevy_classic_models::manifest::{
    FileAxis, ManifestAxes, ManifestClip, ManifestColors, ManifestEvent, ManifestRepeat,
    ManifestView, parse,
};

/// A manifest with all fields.
pub const ALL_FIELDS: &str = include_str!("../../regressions/manifest/everything.model.ron");

/// The value of [`ALL_FIELDS`].
fn all_fields() -> ModelManifest {
    let name = |name: &str| Some(NameOrIndex::from(name));
    let named = |name: &str| ManifestClip {
        name: name.into(),
        ..ManifestClip::default()
    };
    ModelManifest {
        extends: Some("base.model.ron".into()),
        model: "Soldier.alo".into(),
        scale: 1.5,
        axes: Some(ManifestAxes {
            up: FileAxis::Z,
            forward: FileAxis::NegY,
        }),
        meters: Some(0.4),
        texture_folders: vec!["../Textures".into(), "shared".into()],
        palette: Some("gfx/palette.lmp".into()),
        hole_index: Some(0),
        external_skins: Some(true),
        load_lights: Some(false),
        hidden_bones_hide_children: Some(true),
        clips: vec![
            ManifestClip {
                clip: name("MOVE_00"),
                frames: Some((0, 11)),
                speed: 1.2,
                stride: Some(1.5),
                ..named("walk")
            },
            ManifestClip {
                clip: Some(NameOrIndex::from(2)),
                repeat: ManifestRepeat::Once,
                ..named("die")
            },
            ManifestClip {
                frames: Some((103, 108)),
                ..named("pain")
            },
            ManifestClip {
                file: Some("anims/IDLE_00.ala".into()),
                speed: -1.0,
                ..named("idle")
            },
            ManifestClip {
                file: Some("anims/*.ala".into()),
                ..ManifestClip::default()
            },
        ],
        events: vec![
            ManifestEvent {
                clip: NameOrIndex::from("walk"),
                frame: 3,
                name: "step".into(),
            },
            ManifestEvent {
                clip: NameOrIndex::from(2),
                frame: 0,
                name: "fall".into(),
            },
        ],
        play: name("walk"),
        masks: [
            ("upper".to_owned(), vec!["Turret".into(), "Gun".into()]),
            ("legs".to_owned(), vec!["Hips".into()]),
        ]
        .into(),
        skins: [("red", "red.dtx"), ("\"blue\"", "b\\lue.tga")]
            .map(|(name, file)| (name.to_owned(), file.to_owned()))
            .into(),
        skin: Some(NameOrIndex::from("red")),
        lod_distances: vec![10.0, 25.0, 80.5],
        team_color: Some(Srgba::rgb_u8(255, 128, 0)),
        player_colors: Some(ManifestColors {
            shirt: 4,
            pants: 13,
        }),
        hidden: vec!["Shield".into()],
        shown: vec!["Engines".into()],
        damage_stage: Some(1),
        attachments: vec![
            ManifestAttachment {
                bone: "HP_turret".into(),
                model: "gun.model.ron".into(),
                translation: [0.0, 1.0, -2.5],
                rotation: [0.0, 90.0, 0.0],
                scale: 0.5,
                play: name("turn"),
                skin: Some(NameOrIndex::from(1)),
            },
            ManifestAttachment {
                bone: "B_hand".into(),
                model: "sword.mdl".into(),
                ..ManifestAttachment::default()
            },
        ],
        view: Some(ManifestView {
            yaw: 150.0,
            pitch: 22.5,
            distance: 90.0,
            focus: [0.0, 12.0, -1.5],
        }),
        ..ModelManifest::default()
    }
}

#[test]
fn all_fields_are_parsed() {
    assert_eq!(parse(ALL_FIELDS.as_bytes()).unwrap(), all_fields());
}

#[test]
fn written_manifests_are_parsed_as_equal() {
    let written = all_fields().to_ron().unwrap();
    assert_eq!(
        parse(written.as_bytes()).unwrap(),
        all_fields(),
        "{written}"
    );
    assert!(!written.contains("Some"), "{written}");
    let small = ModelManifest {
        model: "a.mdl".into(),
        ..ModelManifest::default()
    };
    assert_eq!(small.to_ron().unwrap(), "(\n    model: \"a.mdl\",\n)\n");
}

#[test]
fn invalid_manifests_are_not_written() {
    let write_error = |edit: fn(&mut ModelManifest)| {
        let mut manifest = all_fields();
        edit(&mut manifest);
        manifest.to_ron().unwrap_err().message
    };
    for (edit, expected) in [
        (
            (|manifest| manifest.scale = f32::NAN) as fn(&mut ModelManifest),
            "scale is NaN, but must be a finite number above 0",
        ),
        (
            |manifest| manifest.hidden = vec![String::new(); 1025],
            "hidden has 1025 elements, but must have at most 1024",
        ),
        (
            |manifest| _ = manifest.masks.insert("empty".into(), Vec::new()),
            "masks[\"empty\"] is empty, but must list bones",
        ),
        (
            |manifest| _ = manifest.masks.insert("UPPER".into(), vec!["a".into()]),
            "masks[\"upper\"] has the name of another mask",
        ),
        (
            |manifest| manifest.view.as_mut().unwrap().distance = 0.0,
            "view.distance is 0, but must be a finite number above 0",
        ),
        (
            |manifest| manifest.view.as_mut().unwrap().focus[1] = f32::INFINITY,
            "view.focus[1] is inf, but must be a finite number",
        ),
    ] {
        assert_eq!(write_error(edit), expected);
    }
    write_error(|manifest| manifest.team_color = Some(Srgba::rgb(2.0, 0.0, 0.0)));
    write_error(|manifest| manifest.team_color = Some(Srgba::new(1.0, 0.0, 0.0, 0.5)));
    write_error(|manifest| {
        manifest.extends = None;
        manifest.model.clear();
    });
    write_error(|manifest| manifest.extends = Some(String::new()));
}

#[test]
fn notations_are_equivalent() {
    let plain = parse(br#"(model: "a.mdl", skin: 1, team_color: (1, 0.5, 0))"#).unwrap();
    let expected = ModelManifest {
        model: "a.mdl".into(),
        skin: Some(NameOrIndex::Index(1)),
        team_color: Some(Srgba::rgb(1.0, 0.5, 0.0)),
        ..ModelManifest::default()
    };
    assert_eq!(plain, expected);
    for text in [
        "\u{feff}ModelManifest(model: \"a.mdl\", skin: Some(1), team_color: (1.0, 0.5, 0.0),)",
        "#![enable(implicit_some)]\r\n(\r\n  model: r\"a.mdl\",\r\n  /* no */ skin: 0x1, team_color: Some((1, 0.5, 0)),\r\n)\r\n// end",
    ] {
        assert_eq!(parse(text.as_bytes()).unwrap(), plain, "{text}");
    }
    let hex = parse(br##"(model: "a.mdl", team_color: "#fF8000", skins: {}, skin: None)"##);
    let color = hex.unwrap().team_color.unwrap();
    assert_eq!(color, Srgba::rgb_u8(255, 128, 0));
}

/// A line for each invalid manifest: the text with escaped line breaks, and its error. Long errors are cut after ` of ` or
/// the position.
const INVALID: &str = include_str!("invalid.txt");

#[test]
fn errors_have_line_and_column() {
    for line in INVALID.lines() {
        let (text, expected) = line.split_once(" => ").unwrap();
        let text = text.replace(r"\n", "\n").replace(r"\r", "\r");
        let text = text.replace(r"\t", "\t");
        let error = parse(text.as_bytes()).expect_err(&text).to_string();
        let is_match = match expected.ends_with(" of ") || expected.ends_with(':') {
            true => error.starts_with(expected),
            false => error == expected,
        };
        assert!(is_match, "{text}: {error}");
    }
}

#[test]
fn invalid_utf8_is_reported_with_its_position() {
    let error = parse(b"(\n  model: \"\xff\",\n)").unwrap_err();
    assert_eq!(error.to_string(), "2:11: is not UTF-8");
    let error = parse(b"(\r model: \"a\",\r\n \xff)").unwrap_err();
    assert_eq!(error.to_string(), "3:2: is not UTF-8");
    let error = parse(b"\xff\xfe(\0").unwrap_err();
    assert_eq!(error.to_string(), "1:1: is not UTF-8");
}

#[test]
fn file_names_have_a_maximum_length() {
    let text = |length| format!("(\n model: {:?})", "x".repeat(length));
    assert!(parse(text(1024).as_bytes()).is_ok());
    let error = parse(text(1025).as_bytes()).unwrap_err().to_string();
    assert_eq!(
        error,
        "2:9: model is 1025 bytes long, but must be at most 1024"
    );
}

/// As in `fuzz/fuzz_targets/manifest.rs`.
pub fn target(bytes: &[u8]) {
    match parse(bytes) {
        Ok(manifest) => {
            let written = manifest.to_ron().unwrap();
            assert_eq!(parse(written.as_bytes()).unwrap(), manifest, "{written}");
        }
        Err(error) => {
            assert!(error.position.line > 0 && error.position.column > 0);
            assert!(error.to_string().len() < bytes.len() + 2000);
        }
    }
}

#[test]
fn regressions_stay_fixed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/regressions/manifest");
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|entry| target(&std::fs::read(entry.unwrap().path()).unwrap()));
    assert!(files.count() > 1);
}

#[test]
fn examples_in_the_docs_are_valid_manifests() {
    for docs in [
        include_str!("../../../docs/manifest.md"),
        include_str!("../../../docs/manual.md"),
    ] {
        let mut blocks = 0;
        for block in docs.split("```ron\n").skip(1) {
            let text = block.split("```").next().unwrap();
            // A block with loader settings is not a manifest.
            if !text.contains("meta_format_version") {
                parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
                blocks += 1;
            }
        }
        assert!(blocks > 0);
    }
}

#[test]
fn docs_list_every_field() {
    let docs = include_str!("../../../docs/manifest.md");
    for text in [
        "(x: 1)",
        "(clips: [(x: 1)])",
        "(events: [(x: 1)])",
        "(attachments: [(x: 1)])",
    ] {
        let error = parse(text.as_bytes()).unwrap_err().message;
        let fields = error.split('`').skip(5).step_by(2);
        let missing: Vec<&str> = fields
            .filter(|field| !docs.contains(&format!("| `{field}` |")))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}

#[test]
fn truncated_and_corrupted_manifests_are_handled() {
    let bytes = ALL_FIELDS.as_bytes();
    for end in 0..bytes.len() {
        target(&bytes[..end]);
    }
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            target(&bytes);
            bytes[at] ^= 1 << bit;
        }
    }
}

#[test]
fn mutated_manifests_are_handled() {
    let pieces = "( ) [ ] { } , : \" \\ r#\" ' /* */ // \n Some( None inf NaN -1 1e39";
    let pieces = [pieces, "99999999999 #![enable( () \u{e8}"].join(" ");
    let pieces: Vec<&str> = pieces.split(' ').collect();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..20_000 {
        let mut bytes = ALL_FIELDS.as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            let to = bytes.len().min(at + random.below(40));
            let piece = pieces[random.below(pieces.len())].bytes();
            match random.below(4) {
                0 => drop(bytes.splice(at..at, piece)),
                1 => drop(bytes.splice(at..to, piece)),
                2 => {
                    let piece = bytes[at..to].to_vec();
                    let at = random.below(bytes.len());
                    bytes.splice(at..at, piece);
                }
                _ => drop(bytes.drain(at..to)),
            }
        }
        target(&bytes);
    }
}

#[test]
fn random_manifests_survive_a_round_trip() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2000 {
        let manifest = arbitrary(&mut random);
        let written = manifest.to_ron().unwrap();
        assert_eq!(parse(written.as_bytes()).unwrap(), manifest, "{written}");
    }
}

fn arbitrary(random: &mut Random) -> ModelManifest {
    let float = |random: &mut Random| loop {
        let value = f32::from_bits(random.below(1 << 32) as u32);
        if value.is_finite() {
            return value;
        }
    };
    let text = |random: &mut Random| -> String {
        const LETTERS: [char; 12] = [
            'a', 'B', '"', '\\', '\n', '\0', '*', 'č', '/', '\'', '#', ' ',
        ];
        let length = 1 + random.below(6);
        (0..length).map(|_| LETTERS[random.below(12)]).collect()
    };
    let either = |random: &mut Random| match random.below(3) {
        0 => None,
        1 => Some(NameOrIndex::Index(random.below(1 << 40))),
        _ => Some(NameOrIndex::Name(text(random))),
    };
    let above_0 = |random: &mut Random| float(random).abs().max(f32::MIN_POSITIVE);
    let mut manifest = ModelManifest {
        model: text(random),
        scale: above_0(random),
        play: either(random),
        skin: either(random),
        damage_stage: (random.below(2) == 0).then(|| random.below(1 << 32) as u32),
        hidden: (0..random.below(3)).map(|_| text(random)).collect(),
        facing: [None, Some(FileAxis::X), Some(FileAxis::NegZ)][random.below(3)],
        meters: (random.below(2) == 0).then(|| above_0(random)),
        team_color: (random.below(2) == 0).then(|| {
            Srgba::rgb(
                random.below(256) as f32 / 255.0,
                0.3,
                random.below(99) as f32 / 99.0,
            )
        }),
        ..ModelManifest::default()
    };
    for index in 0..random.below(4) {
        let has_clip = random.below(2) == 0;
        manifest.clips.push(ManifestClip {
            name: format!("{}{index}", text(random)),
            clip: has_clip.then_some(NameOrIndex::Index(index)),
            frames: (!has_clip).then(|| (index as u32, random.below(1000) as u32 + 4)),
            speed: float(random),
            ..ManifestClip::default()
        });
        manifest.events.push(ManifestEvent {
            clip: NameOrIndex::Name(text(random)),
            frame: random.below(1 << 32) as u32,
            name: format!("{}{index}", text(random)),
        });
        manifest.skins.insert(text(random), text(random));
        manifest.attachments.push(ManifestAttachment {
            bone: text(random),
            model: text(random),
            rotation: [float(random), 0.0, float(random)],
            scale: above_0(random),
            play: either(random),
            ..ManifestAttachment::default()
        });
    }
    manifest
}

#[test]
fn texts_have_a_maximum_length() {
    let start = "(model: \"a\")";
    let padded = |length: usize| start.to_owned() + &" ".repeat(length - start.len());
    assert!(parse(padded(1 << 20).as_bytes()).is_ok());
    let error = parse(padded((1 << 20) + 1).as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "1:1: is longer than 1048576 bytes");
}
