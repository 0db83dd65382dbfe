//! Alamo animations: what is written is read, poses are what another decoder says, and real files
//! are what is said of them.

use classic_model_formats::ala::write::{AlaDocument, BoneTracks, Rotations, Vectors, write};
use classic_model_formats::ala::{AlaFile, AlaPose, bit, parse};
use classic_model_formats::alo;
use classic_model_formats::read::ErrorKind;
use classic_models_fixtures::ala::{
    Decoder, FRAMES, ROTATION, SCALE, STEPS, TRANSLATION, VISIBILITY, clean, edited, every_track,
    minimal, small,
};
use classic_models_fixtures::alo::corpus_alo;
use classic_models_fixtures::corpus::{corpus, files_of};

fn json(file: &AlaFile<'_>) -> String {
    serde_json::to_string(file).unwrap()
}

fn fixtures() -> Vec<Vec<u8>> {
    let of = |version| {
        [1, 2, 8, 9, FRAMES]
            .map(|frames| every_track(version, frames))
            .into_iter()
            .chain([minimal(version), small(version)])
    };
    of(1).chain(of(2)).collect()
}

#[test]
fn writing_and_parsing_are_inverse() {
    for bytes in fixtures() {
        let file = parse(&bytes).unwrap();
        assert_eq!(file.warnings, []);
        let document = AlaDocument::from(&file);
        let written = write(&document).unwrap();
        assert!(written == bytes);
        let read = parse(&written).unwrap();
        assert_eq!(json(&read), json(&file));
        assert_eq!(AlaDocument::from(&read), document);
    }
}

#[test]
fn every_set_of_tracks_is_there() {
    for version in [1, 2] {
        let bytes = clean(version);
        let file = parse(&bytes).unwrap();
        assert_eq!(
            (file.version, file.frames, file.fps),
            (version, FRAMES, 30.0)
        );
        assert_eq!(file.bones.len(), 32);
        assert!((file.seconds() - 10.0 / 30.0).abs() < 1e-6);
        for (number, bone) in file.bones.iter().enumerate() {
            let has = |what| number & what != 0;
            assert_eq!(bone.name, format!("B_{number:02}"));
            assert_eq!(bone.index as usize, number + 1);
            assert_eq!(bone.translation.is_some(), has(TRANSLATION));
            assert_eq!(bone.rotation.is_some(), has(ROTATION));
            assert_eq!(bone.scale.is_some(), has(SCALE));
            assert_eq!(bone.visibility.is_some(), has(VISIBILITY));
            assert_eq!(bone.steps.is_some(), has(STEPS));
            assert_eq!(
                bone.default_rotation.is_some(),
                version == 2 || !has(ROTATION)
            );
            for track in [bone.translation, bone.scale].into_iter().flatten() {
                assert_eq!(track.iter().count(), FRAMES as usize);
                let of_all = if version == 2 { 16 } else { 1 };
                assert_eq!(
                    (track.stride(), track.words().len()),
                    (3 * of_all, 33 * of_all as usize)
                );
            }
        }
        let blocks = file.blocks;
        let lengths = [
            blocks.translations.len(),
            blocks.scales.len(),
            blocks.rotations.len(),
        ];
        assert_eq!(
            lengths,
            if version == 2 {
                [528, 528, 704]
            } else {
                [0; 3]
            }
        );
    }
}

fn assert_same(pose: AlaPose, expected: AlaPose, what: &str) {
    assert_eq!(pose.visible, expected.visible, "{what}");
    let near = |a: &[f32], b: &[f32], size: f32| {
        let mut pairs = a.iter().zip(b);
        assert!(
            pairs.all(|(a, b)| (a - b).abs() <= 1e-5 * size),
            "{what}: {a:?}, not {b:?}"
        );
    };
    let size = expected
        .translation
        .iter()
        .fold(1.0, |size: f32, value| size.max(value.abs()));
    near(&pose.translation, &expected.translation, size);
    near(&pose.scale, &expected.scale, 1.0);
    match (pose.rotation, expected.rotation) {
        (None, None) => {}
        (Some(a), Some(b)) => {
            let length = a.iter().map(|value| value * value).sum::<f32>();
            assert!((length - 1.0).abs() < 1e-6, "{what}");
            // The opposite is the same rotation.
            let dot: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            near(&a, &b.map(|value| value * dot.signum()), 1.0);
        }
        _ => panic!("{what}: {pose:?}, not {expected:?}"),
    }
}

/// Compares with the decoder of the tests at these parts of a frame, all along.
fn compare(name: &str, bytes: &[u8], parts: u32) {
    let file = parse(bytes).unwrap();
    let decoder = Decoder::new(bytes);
    let last = (file.frames - 1) * parts;
    for (number, bone) in file.bones.iter().enumerate() {
        for part in 0..=last {
            let time = part as f32 / parts as f32;
            let what = format!("{name}: bone {number} at {time}");
            assert_same(
                file.sample(bone, time),
                decoder.sample(number, time.into()),
                &what,
            );
        }
    }
}

#[test]
fn poses_are_those_of_another_decoder_at_frames_and_between() {
    for (number, bytes) in fixtures().into_iter().enumerate() {
        compare(&format!("fixture {number}"), &bytes, 8);
    }
}

#[test]
fn times_beyond_the_ends_are_those_of_the_ends() {
    for bytes in fixtures() {
        let file = parse(&bytes).unwrap();
        let last = (file.frames - 1) as f32;
        for bone in &file.bones {
            for before in [-1.0, f32::NEG_INFINITY, f32::NAN, -0.0] {
                assert_eq!(file.sample(bone, before), file.sample(bone, 0.0));
            }
            for after in [last + 0.5, 1e30, f32::INFINITY] {
                assert_eq!(file.sample(bone, after), file.sample(bone, last));
            }
        }
    }
}

#[test]
fn a_step_holds_and_visibility_never_blends() {
    let bytes = write(&AlaDocument {
        version: 2,
        frames: 3,
        fps: 10.0,
        bones: vec![BoneTracks {
            translation: Vectors::from_frames(&[[0.0; 3], [1.0; 3], [3.0; 3]]),
            visibility: Some(vec![true, false, true]),
            steps: Some(vec![true, false, false]),
            ..BoneTracks::new("B", 1, [0.0; 3])
        }],
    })
    .unwrap();
    let file = parse(&bytes).unwrap();
    let at = |time| {
        let pose = file.sample(&file.bones[0], time);
        (
            (pose.translation[0] * 1e3).round() / 1e3,
            pose.visible.unwrap(),
        )
    };
    assert_eq!(at(0.0), (0.0, true));
    assert_eq!(at(0.99), (0.0, true));
    assert_eq!(at(1.0), (1.0, false));
    assert_eq!(at(1.5), (2.0, false));
    assert_eq!(at(2.0), (3.0, true));
}

#[test]
fn rotations_take_the_shorter_way_and_no_rotation_is_the_models() {
    let turned = |angle: f32| [0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos()];
    let opposite = turned(1.0).map(|value| -value);
    for version in [1, 2] {
        let mut bone = BoneTracks::new("B", 1, [0.0; 3]);
        bone.rotation = Rotations::from_frames(&[turned(0.0), opposite]);
        let bytes = write(&AlaDocument {
            version,
            frames: 2,
            fps: 30.0,
            bones: vec![bone],
        });
        let bytes = bytes.unwrap();
        let file = parse(&bytes).unwrap();
        let pose = file.sample(&file.bones[0], 0.25).rotation.unwrap();
        for (value, expected) in pose.into_iter().zip(turned(0.25)) {
            assert!((value - expected).abs() < 1e-4, "{pose:?}");
        }
    }
    let bytes = edited(&small(1), |document| {
        document.bones[0].rotation.default = None
    });
    let file = parse(&bytes).unwrap();
    assert_eq!(file.sample(&file.bones[0], 0.0).rotation, None);
    assert_eq!(file.warnings, []);
}

#[test]
fn bits_are_least_first_and_none_beyond_the_last() {
    let bits = [0b0000_0010, 0b1000_0000];
    let set: Vec<u32> = (0..40).filter(|frame| bit(&bits, *frame)).collect();
    assert_eq!(set, [1, 15]);
    assert!(!bit(&bits, u32::MAX));
}

#[test]
fn what_no_file_can_say_is_not_written() {
    let wrong = |version, edit: &dyn Fn(&mut AlaDocument)| {
        let mut document = AlaDocument::from(&parse(&clean(version)).unwrap());
        edit(&mut document);
        write(&document).unwrap_err().to_string()
    };
    for (message, said) in [
        (wrong(1, &|file| file.version = 3), "version is 3"),
        (wrong(2, &|file| file.frames = 0), "number of frames is 0"),
        (
            wrong(2, &|file| file.fps = 0.0),
            "frames per second is not greater than 0",
        ),
        (
            wrong(1, &|file| file.bones[2].name = "a\0".into()),
            "0x1000 / 0x1002 bone 2 \"a\\0\" name exceeds",
        ),
        (
            wrong(1, &|file| file.bones[2].name = "x".repeat(255)),
            "name is 256",
        ),
        (
            wrong(1, &|file| {
                file.bones[1]
                    .translation
                    .track
                    .as_mut()
                    .unwrap()
                    .truncate(3)
            }),
            "0x1000 / 0x1002 bone 1 \"B_01\" translation has 3 frames, but 11 were announced",
        ),
        (
            wrong(2, &|file| {
                file.bones[8].visibility.as_mut().unwrap().push(true)
            }),
            "visibility has 12 frames",
        ),
        (
            wrong(2, &|file| file.bones[4].scale.offset[2] = f32::NAN),
            "scale is not a finite number",
        ),
        (
            wrong(2, &|file| file.bones[4].scale.scale[2] = 1e37),
            "scale is not a finite number",
        ),
        (
            wrong(2, &|file| file.bones[0].rotation.default = None),
            "rotation lacks a default",
        ),
    ] {
        assert!(message.contains(said), "{message:?} without {said:?}");
    }
    // The index of a track has 16 bits, of which the last is for none.
    let bone = BoneTracks {
        rotation: Rotations::from_frames(&[[1.0, 0.0, 0.0, 0.0]; 1]),
        ..BoneTracks::new("B", 1, [0.0; 3])
    };
    let bone = BoneTracks {
        rotation: Rotations {
            track: Some(vec![[1; 4]]),
            ..bone.rotation
        },
        ..bone
    };
    let many = |count: u32| {
        let bones = (0..count)
            .map(|index| BoneTracks {
                index,
                ..bone.clone()
            })
            .collect();
        write(&AlaDocument {
            version: 2,
            frames: 1,
            fps: 1.0,
            bones,
        })
    };
    let bytes = many(16_384).unwrap();
    let file = parse(&bytes).unwrap();
    assert_eq!(file.bones[16_383].rotation.unwrap().first(), 65_532);
    assert!(matches!(
        many(16_385).unwrap_err().kind,
        ErrorKind::LimitExceeded { .. }
    ));
}

#[test]
fn every_real_animation_parses_and_is_written_as_it_was_read() {
    let test = "every_real_animation_parses_and_is_written_as_it_was_read";
    let Some(folder) = corpus(test) else { return };
    let models: Vec<_> = corpus_alo(test)
        .into_iter()
        .filter_map(|(name, bytes)| {
            let file = alo::parse(&bytes).ok()?;
            let stem = name.rsplit_once('.')?.0.to_ascii_lowercase();
            let bones = file.bones.iter().map(|bone| bone.name.to_string());
            Some((stem, bones.collect::<Vec<_>>()))
        })
        .collect();
    let (mut identical, mut versions, mut paired, mut matching) = (0, [0; 2], 0, 0);
    let files = files_of(&folder, "ala");
    let count = files.len();
    for (name, bytes) in files {
        let file = parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        for warning in &file.warnings {
            println!("{name}: {warning}");
        }
        let written = write(&AlaDocument::from(&file));
        let written = written.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(json(&file) == json(&parse(&written).unwrap()), "{name}");
        identical += usize::from(written == bytes);
        versions[usize::from(file.version) - 1] += 1;
        compare(&name, &bytes, 2);

        let name = name.to_ascii_lowercase();
        let models = models.iter().filter(|(stem, _)| {
            let rest = name.strip_prefix(&**stem);
            rest.is_some_and(|rest| rest.starts_with('_'))
        });
        if let Some((stem, bones)) = models.max_by_key(|(stem, _)| stem.len()) {
            paired += 1;
            assert!(file.bones.len() <= bones.len(), "{name} of {stem}");
            let same = |index: u32, name: &str| {
                let bone = bones.get(index as usize);
                bone.is_some_and(|bone| bone.eq_ignore_ascii_case(name))
            };
            let is_same = file.bones.iter().all(|bone| same(bone.index, &bone.name));
            matching += usize::from(is_same);
        }
    }
    println!(
        "{count} files, of formats 1 and 2 {versions:?}, {identical} written byte by byte as they \
         were read; {paired} with a model, of which {matching} have its bones"
    );
}
