//! Malformed Alamo animations: the error or warning of every class of malformation with its offset, truncation at
//! every byte, and flips of every bit.

use crate::prelude::*;
use classic_model_formats::ala::write::write;
use classic_model_formats::ala::{MAX_FRAMES, parse};
use classic_models_fixtures::ala::{clean, edited, minimal, small};
use classic_models_fixtures::ala_malformed::{File, cases};
use classic_models_fixtures::alo::{data, mini};

#[test]
fn every_class_gives_an_error_or_a_warning_at_the_right_offset() {
    let cases = cases();
    assert_classes(
        &cases,
        (1..=29)
            .filter(|class| ![3, 8, 9].contains(class) && !(15..=23).contains(class))
            .chain(95..=96),
    );
    assert_parsed(Format::Ala, &cases, |bytes| {
        let file = parse(bytes)?;
        sample_all(&file);
        Ok(file.warnings)
    });
}

/// Samples all bones of a parsed animation and checks that the values are finite.
fn sample_all(file: &AlaFile<'_>) {
    let last = (file.frames - 1) as f32;
    assert!(file.seconds().is_finite());
    for bone in &file.bones {
        for time in [0.0, 0.3, last / 2.0, last - 0.25, last] {
            let pose = file.sample(bone, time);
            let rotation = pose.rotation.unwrap_or_default();
            let mut numbers = pose.translation.iter().chain(&pose.scale).chain(&rotation);
            assert!(numbers.all(|value| value.is_finite()), "{pose:?}");
        }
    }
}

#[test]
fn version_2_without_mini_chunk_11_is_version_1_with_unknown_chunks() {
    let file = File(clean(2)).without_mini("1000/1001", 11);
    let file = parse(&file).unwrap();
    assert_eq!(file.version, 1);
    let messages: Vec<_> = file
        .warnings
        .iter()
        .map(|warning| &*warning.message)
        .collect();
    assert!(matches!(messages[..], [minis, chunks]
        if minis.starts_with("unknown mini-chunk 12") && chunks.starts_with("unknown chunk 0x100b")));
    let pose = file.sample(&file.bones[31], 2.0);
    assert_eq!(
        (pose.rotation, pose.translation),
        (None, file.bones[31].translation_offset)
    );
}

#[test]
fn chunks_and_mini_chunks_can_be_in_any_order() {
    for version in [1, 2] {
        let file = File(clean(version));
        let expected = serde_json::to_string(&parse(&file.0).unwrap()).unwrap();
        for id in [4, 5, 8] {
            let path = "1000/1002.7/1003";
            let chunk = file.body(path);
            let begin = (mini(&file.0, path, id) - chunk) as usize;
            let bytes = file.with(path, |data| {
                let end = begin + 2 + usize::from(data[begin + 1]);
                let moved: Vec<u8> = data.drain(begin..end).collect();
                data.extend(moved);
            });
            assert!(bytes != file.0);
            let read = parse(&bytes).unwrap();
            assert_eq!(read.warnings, []);
            assert_eq!(serde_json::to_string(&read).unwrap(), expected);
        }
        let bytes = rearranged(&file.0, "1000/1002.31", |chunks| chunks.reverse());
        let read = parse(&bytes).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), expected);
    }
}

#[test]
fn zero_quaternions_are_sampled_as_the_identity() {
    let file = File(clean(2));
    let bytes = file.at(file.body("1000/1009"), &[0; 8]);
    let read = parse(&bytes).unwrap();
    let bone = read.bones.iter().find(|bone| bone.rotation.is_some());
    let pose = read.sample(bone.unwrap(), 0.0);
    assert_eq!(pose.rotation, Some([0.0, 0.0, 0.0, 1.0]));
    let bytes = edited(&minimal(1), |document| {
        document.bones[0].rotation.default = Some([0; 4]);
    });
    let read = parse(&bytes).unwrap();
    assert_eq!(
        read.sample(&read.bones[0], 0.0).rotation,
        Some([0.0, 0.0, 0.0, 1.0])
    );
}

/// As real clips: bones without tracks, sizes that were never set, two empty blocks, and none for scales.
fn uninitialized_sizes() -> Vec<u8> {
    let file = rearranged(&minimal(2), "1000", |chunks| {
        chunks.extend([data(0x100A, &[]), data(0x1009, &[])]);
    });
    let sizes = [(11, 0x0046_2E70), (12, 0xCDCD_CDCD), (13, 1)];
    sizes.into_iter().fold(file, |file, (id, size)| {
        let file = File(file);
        file.at_u32(file.value("1000/1001", id), size)
    })
}

fn with_leading_zeros() -> Vec<u8> {
    [vec![0; 9472], small(2)].concat()
}

#[test]
fn unused_block_sizes_can_be_anything() {
    let bytes = uninitialized_sizes();
    let read = parse(&bytes).unwrap();
    let [warning] = &read.warnings[..] else {
        panic!("{:?}", read.warnings);
    };
    assert!(
        warning.message.ends_with("(and 2 more like it)"),
        "{warning}"
    );
    let clean = minimal(2);
    let clean = parse(&clean).unwrap();
    for (bone, expected) in read.bones.iter().zip(&clean.bones) {
        assert_eq!(read.sample(bone, 0.0), clean.sample(expected, 0.0));
    }
    let document = AlaDocument::from(&read);
    assert_eq!(
        AlaDocument::from(&parse(&write(&document).unwrap()).unwrap()),
        document
    );
}

#[test]
fn tracks_are_found_in_blocks_with_more_words_than_they_need() {
    let file = File(clean(2));
    let expected = parse(&file.0).unwrap();
    // One word more per frame, so quaternions are not aligned.
    let bytes = file.with("1000/1009", |data| {
        let frames = data.chunks(128).map(|frame| [frame, &[7, 7]].concat());
        *data = frames.collect::<Vec<_>>().concat();
    });
    let read = parse(&bytes).unwrap();
    assert_eq!(read.warnings.len(), 1, "{:?}", read.warnings);
    for (bone, expected_bone) in read.bones.iter().zip(&expected.bones) {
        for time in [0.0, 3.25, 10.0] {
            let pose = read.sample(bone, time);
            assert_eq!(pose, expected.sample(expected_bone, time), "{}", bone.name);
        }
    }
    let zeroed = file.with("1000/1009", |data| {
        let frames = data.chunks(128).map(|frame| [frame, &[7, 7]].concat());
        *data = frames.collect::<Vec<_>>().concat();
        // The first track at frame 3.
        data[3 * 130..][..8].fill(0);
    });
    let warnings = parse(&zeroed).unwrap().warnings;
    let messages: Vec<_> = warnings.iter().map(|it| &*it.message).collect();
    assert!(
        matches!(messages[..], [_, zero] if zero.contains("is zero at frame 3")),
        "{messages:?}"
    );
}

#[test]
fn zero_bytes_before_an_animation_are_skipped() {
    let bytes = with_leading_zeros();
    let read = parse(&bytes).unwrap();
    let [warning] = &read.warnings[..] else {
        panic!("{:?}", read.warnings);
    };
    assert_eq!(
        warning.to_string(),
        "9472 zero bytes before the animation are skipped (at offset 0)"
    );
    let expected = small(2);
    let expected = parse(&expected).unwrap();
    assert_eq!(
        serde_json::to_string(&read).unwrap(),
        serde_json::to_string(&expected).unwrap()
    );
}

#[test]
fn frame_count_is_limited_to_max_frames() {
    let bytes = edited(&minimal(2), |document| document.frames = MAX_FRAMES);
    assert_eq!(parse(&bytes).unwrap().frames, MAX_FRAMES);
    let bytes = edited(&minimal(2), |document| document.frames = MAX_FRAMES + 1);
    assert!(bad_count(&parse(&bytes).unwrap_err().kind));
}

#[test]
fn error_messages_begin_with_the_path_of_chunks() {
    let file = File(clean(2));
    let bits = file.body("1000/1002.8/1007");
    let index = file.value("1000/1002.1/1003", 14);
    let block = file.body("1000/1009");
    for (bytes, message) in [
        (
            file.with("1000/1002.8/1007", |data| data.push(0)),
            format!(
                "ALA: 0x1000 / 0x1002 bone 8 \"B_08\" / 0x1007 at offset {bits} \
                 is 3 bytes long, but must be 2"
            ),
        ),
        (
            file.at(index, &[48, 0]),
            format!(
                "ALA: 0x1000 / 0x1002 bone 1 \"B_01\" track at offset {index} uses word 48, but only 48 exist"
            ),
        ),
        (
            file.with("1000/1009", |data| data.truncate(21)),
            format!(
                "ALA: 0x1000 / 0x1009 length at offset {block} \
                 is 21, but must be a multiple of 22"
            ),
        ),
        (
            file.at_u32(0, 0x200),
            "ALA: first chunk at offset 0 is not recognized: \
             the file is an Alamo model (ALO)"
                .to_owned(),
        ),
    ] {
        assert_eq!(parse(&bytes).unwrap_err().to_string(), message);
    }
}

#[test]
fn truncation_at_every_byte_is_an_error() {
    let files = [1, 2]
        .into_iter()
        .flat_map(|version| [minimal(version), small(version), clean(version)]);
    assert_cuts_are_errors(files, cases(), truncated, |bytes| parse(bytes).map(drop));
}

#[test]
fn flipped_bits_never_panic() {
    let files = [1, 2]
        .into_iter()
        .flat_map(|version| [minimal(version), small(version)]);
    for_each_flipped_bit(files, |bytes| {
        let read = parse(bytes);
        if let Ok(file) = &read {
            sample_all(file);
            let document = AlaDocument::from(file);
            // Some files cannot be written: a name can become too long when it is converted to UTF-8.
            if let Ok(written) = write(&document) {
                assert_eq!(AlaDocument::from(&parse(&written).unwrap()), document);
            }
        }
        read.is_ok()
    });
}

#[test]
fn removed_emptied_and_doubled_chunks_never_panic() {
    for version in [1, 2] {
        for_each_damage(&parse_chunks(&clean(version)), &|chunks| {
            if let Ok(file) = parse(&write_chunks(&chunks)) {
                sample_all(&file);
            }
        });
    }
}
