//! Alamo animations: round trips, values of fixtures, sampling against a second decoder, write errors, and checks of
//! real files.

use crate::prelude::*;
use classic_model_formats::ala::write::{BoneTracks, Rotations, Vectors, write};
use classic_model_formats::ala::{AlaPose, bit, parse};
use classic_models_fixtures::ala::{
    Decoder, FRAMES, ROTATION, SCALE, STEPS, TRANSLATION, VISIBILITY, clean, edited, every_track,
    minimal, small,
};

fn json(file: &AlaFile<'_>) -> String {
    serde_json::to_string(file).unwrap()
}

fn fixtures() -> Vec<Vec<u8>> {
    let of_version = |version| {
        [1, 2, 8, 9, FRAMES]
            .map(|frames| every_track(version, frames))
            .into_iter()
            .chain([minimal(version), small(version)])
    };
    of_version(1).chain(of_version(2)).collect()
}

#[test]
fn parsed_animations_are_written_back_unchanged() {
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
fn bones_have_exactly_their_tracks() {
    for version in [1, 2] {
        let bytes = clean(version);
        let file = parse(&bytes).unwrap();
        assert_eq!(
            (file.version, file.frames, file.fps),
            (version, FRAMES, 30.0)
        );
        assert_eq!(file.bones.len(), 32);
        assert!((file.seconds() - 10.0 / 30.0).abs() < 1e-6);
        // The bits of a bone's position in the list are the kinds of tracks that it has.
        for (position, bone) in file.bones.iter().enumerate() {
            let has = |track| position & track != 0;
            assert_eq!(bone.name, format!("B_{position:02}"));
            assert_eq!(bone.index as usize, position + 1);
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
                let tracks_in_block = if version == 2 { 16 } else { 1 };
                assert_eq!(
                    (track.stride(), track.words().len()),
                    (3 * tracks_in_block, 33 * tracks_in_block as usize)
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

fn assert_poses_match(pose: AlaPose, expected: AlaPose, context: &str) {
    assert_eq!(pose.visible, expected.visible, "{context}");
    let assert_close = |a: &[f32], b: &[f32], magnitude: f32| {
        let mut pairs = a.iter().zip(b);
        assert!(
            pairs.all(|(a, b)| (a - b).abs() <= 1e-5 * magnitude),
            "{context}: {a:?} instead of {b:?}"
        );
    };
    let magnitude = expected
        .translation
        .iter()
        .fold(1.0, |max: f32, value| max.max(value.abs()));
    assert_close(&pose.translation, &expected.translation, magnitude);
    assert_close(&pose.scale, &expected.scale, 1.0);
    match (pose.rotation, expected.rotation) {
        (None, None) => {}
        (Some(a), Some(b)) => {
            let length = a.iter().map(|value| value * value).sum::<f32>();
            assert!((length - 1.0).abs() < 1e-6, "{context}");
            // A quaternion and its negative are the same rotation.
            let dot: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            assert_close(&a, &b.map(|value| value * dot.signum()), 1.0);
        }
        _ => panic!("{context}: {pose:?} instead of {expected:?}"),
    }
}

/// Compares sampled poses with the tests' decoder, at `steps` times per frame over the whole animation.
fn compare_with_decoder(name: &str, bytes: &[u8], steps: u32) {
    let file = parse(bytes).unwrap();
    let decoder = Decoder::new(bytes);
    let last = (file.frames - 1) * steps;
    for (index, bone) in file.bones.iter().enumerate() {
        for step in 0..=last {
            let time = step as f32 / steps as f32;
            let context = format!("{name}: bone {index} at frame {time}");
            assert_poses_match(
                file.sample(bone, time),
                decoder.sample(index, time.into()),
                &context,
            );
        }
    }
}

#[test]
fn sampled_poses_match_a_second_decoder() {
    for (index, bytes) in fixtures().into_iter().enumerate() {
        compare_with_decoder(&format!("fixture {index}"), &bytes, 8);
    }
}

#[test]
fn sample_times_are_clamped_to_the_animation() {
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
fn step_frames_and_visibility_are_not_interpolated() {
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
fn rotations_interpolate_along_the_shortest_path() {
    let about_z = |angle: f32| [0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos()];
    let negated = about_z(1.0).map(|value| -value);
    for version in [1, 2] {
        let mut bone = BoneTracks::new("B", 1, [0.0; 3]);
        bone.rotation = Rotations::from_frames(&[about_z(0.0), negated]);
        let bytes = write(&AlaDocument {
            version,
            frames: 2,
            fps: 30.0,
            bones: vec![bone],
        });
        let bytes = bytes.unwrap();
        let file = parse(&bytes).unwrap();
        let pose = file.sample(&file.bones[0], 0.25).rotation.unwrap();
        for (value, expected) in pose.into_iter().zip(about_z(0.25)) {
            assert!((value - expected).abs() < 1e-4, "{pose:?}");
        }
    }
}

#[test]
fn bones_without_rotation_data_have_no_sampled_rotation() {
    let bytes = edited(&small(1), |document| {
        document.bones[0].rotation.default = None
    });
    let file = parse(&bytes).unwrap();
    assert_eq!(file.sample(&file.bones[0], 0.0).rotation, None);
    assert_eq!(file.warnings, []);
}

#[test]
fn bits_start_at_the_least_significant_and_are_unset_beyond_the_end() {
    let bits = [0b0000_0010, 0b1000_0000];
    let set: Vec<u32> = (0..40).filter(|frame| bit(&bits, *frame)).collect();
    assert_eq!(set, [1, 15]);
    assert!(!bit(&bits, u32::MAX));
}

#[test]
fn values_that_the_format_cannot_store_are_write_errors() {
    let error = |version, edit: &dyn Fn(&mut AlaDocument)| {
        let mut document = AlaDocument::from(&parse(&clean(version)).unwrap());
        edit(&mut document);
        write(&document).unwrap_err().to_string()
    };
    for (message, expected) in [
        (error(1, &|file| file.version = 3), "version is 3"),
        (error(2, &|file| file.frames = 0), "frame count is 0"),
        (
            error(2, &|file| file.fps = 0.0),
            "frames per second is not greater than 0",
        ),
        (
            error(1, &|file| file.bones[2].name = "a\0".into()),
            "0x1000 / 0x1002 bone 2 \"a\\0\" name cannot be stored: a string must not contain NUL",
        ),
        (
            error(1, &|file| file.bones[2].name = "x".repeat(255)),
            "name is 256",
        ),
        (
            error(1, &|file| {
                file.bones[1]
                    .translation
                    .track
                    .as_mut()
                    .unwrap()
                    .truncate(3)
            }),
            "0x1000 / 0x1002 bone 1 \"B_01\" translation has 3 frames, expected 11",
        ),
        (
            error(2, &|file| {
                file.bones[8].visibility.as_mut().unwrap().push(true)
            }),
            "visibility has 12 frames",
        ),
        (
            error(2, &|file| file.bones[4].scale.offset[2] = f32::NAN),
            "scale is not a finite number",
        ),
        (
            error(2, &|file| file.bones[4].scale.scale[2] = 1e37),
            "scale is not a finite number",
        ),
        (
            error(2, &|file| file.bones[0].rotation.default = None),
            "rotation lacks a default",
        ),
    ] {
        assert!(
            message.contains(expected),
            "{message:?} does not contain {expected:?}"
        );
    }
    // A track's index has 16 bits, and the greatest value means no track.
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
    let write_bones = |count: u32| {
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
    let bytes = write_bones(16_384).unwrap();
    let file = parse(&bytes).unwrap();
    assert_eq!(file.bones[16_383].rotation.unwrap().first(), 65_532);
    assert!(matches!(
        write_bones(16_385).unwrap_err().kind,
        ErrorKind::LimitExceeded { .. }
    ));
}

#[test]
fn real_animations_survive_a_round_trip() {
    let test = "real_animations_survive_a_round_trip";
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
        compare_with_decoder(&name, &bytes, 2);

        let name = name.to_ascii_lowercase();
        let models = models.iter().filter(|(stem, _)| {
            let rest = name.strip_prefix(&**stem);
            rest.is_some_and(|rest| rest.starts_with('_'))
        });
        if let Some((stem, bones)) = models.max_by_key(|(stem, _)| stem.len()) {
            paired += 1;
            assert!(
                file.bones.len() <= bones.len(),
                "{name} has more bones than {stem}"
            );
            let is_bone = |index: u32, name: &str| {
                let bone = bones.get(index as usize);
                bone.is_some_and(|bone| bone.eq_ignore_ascii_case(name))
            };
            let is_match = file
                .bones
                .iter()
                .all(|bone| is_bone(bone.index, &bone.name));
            matching += usize::from(is_match);
        }
    }
    println!(
        "{count} files, {versions:?} of versions 1 and 2, {identical} written with identical bytes; \
         {paired} have a model, {matching} of these have the model's bone names"
    );
}
