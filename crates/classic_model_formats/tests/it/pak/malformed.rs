//! Malformed Quake archives: the error or warning of every class with its offset.

use crate::archives::{TwoFiles, open_and_read};
use crate::prelude::*;
use classic_model_formats::pak::open;
use classic_models_fixtures::archives::{pak, patched};

error_kinds! {
    truncated: ErrorKind::Truncated { .. },
    wrong_magic: ErrorKind::WrongMagic { .. },
    bad_count: ErrorKind::BadCount { .. },
}

/// An archive of Daikatana with records of 72 bytes.
fn daikatana(count: usize) -> Vec<u8> {
    let mut bytes = b"PACK\x0C\0\0\0".to_vec();
    bytes.extend((72 * count as u32).to_le_bytes());
    for index in 0..count {
        let mut name = format!("sounds/{index}.wav").into_bytes();
        name.resize(56, 0);
        bytes.extend(name);
        for value in [12_u32, 8, 4, 1] {
            bytes.extend(value.to_le_bytes());
        }
    }
    bytes
}

fn header_cases(cases: &mut Cases) {
    let sample = sample_pak();
    let bytes = &sample.bytes;
    cases.expect(1, Reject(truncated, 0));
    cases.add("no bytes", []);
    cases.add("half a header", b"PACK\x0C\0");
    let others: [&[u8]; 7] = [
        b"SPAK\0\0\0\0\0\0\0\0",
        b"PK\x03\x04\0\0\0\0\0\0\0\0",
        b"\r\nRezMgr Version 1",
        b"\0\0\0\0\0\0\0\0\0\0\0\0",
        b"\xFF\xFF\xFF\xFF\xA4\x70\x7D\x3F\0\0\0\0",
        b"\0\0\x80\x3F\0\0\0\0\0\0\0\0",
        b"WAD2\0\0\0\0\0\0\0\0",
    ];
    for other in others {
        cases.expect(2, Reject(wrong_magic, 0));
        cases.add("another format", other);
    }
    for count in [1, 5, 8, 16] {
        cases.expect(2, Reject(wrong_magic, 8));
        cases.add("Daikatana", daikatana(count));
    }
    add_cases! { cases:
        3, Reject(truncated, sample.directory as u64), "directory cut" => &bytes[..bytes.len() - 1];
        4, Silent, "trailing bytes" => [bytes, &b"more"[..]].concat();
        52, Reject(bad_count, 8), "directory of 4 GiB" => with_u32(bytes, 8, !63);
        53, Reject(truncated, bytes.len() as u64), "directory past the end" =>
            with_u32(bytes, 4, bytes.len() as u32);
        53, Reject(truncated, u32::MAX.into()), "directory at 4 GiB" =>
            with_u32(bytes, 4, u32::MAX);
    }
    for rest in [1, 63] {
        let size = 256 - 64 + rest;
        cases.expect(54, Warn("is not a multiple of 64", 8));
        cases.add("size of the directory", with_u32(bytes, 8, size));
    }
    cases.expect(80, Warn("has no files", 8));
    cases.add("no files", with_u32(bytes, 8, 0));
}

fn record_cases(cases: &mut Cases) {
    let sample = pak(&[(b"a", b"aaaa"), (b"b", b"bbbb")], 0);
    let bytes = &sample.bytes;
    let second = sample.directory + 64;
    let at = second as u64;
    let two = TwoFiles {
        bytes,
        record: second,
        fields: (second + 56, second + 60),
        first: 12,
        header: 8,
        table: sample.directory as u32 + 1,
    };
    two.push_range_cases(cases, Silent);
    let named = |name: &[u8]| patched(bytes, second, &[name, &[0]].concat());
    cases.expect(59, Warn("entry \"a\" appears twice", at));
    cases.add("the same name", named(b"a"));
    cases.expect(59, Silent);
    cases.add("the same name in another case", named(b"A"));
    for (class, name, warning) in [
        (60, &b"../a"[..], "contains a parent folder"),
        (60, b"x\\..\\..\\a", "contains a parent folder"),
        (60, b"C:\\x", "read as \"x\""),
        (60, b"/x", "read as \"x\""),
        (60, b"./x", "read as \"x\""),
        (60, b"x//y", "read as \"x/y\""),
        (60, b"x/", "read as \"x\""),
        (61, b"", "is empty"),
        (61, b"/", "is empty"),
        (61, b"x\x01y", "has a control character"),
        (62, b"a/b", "file \"a\" has the name of a folder"),
        (62, b"A/b", "file \"a\" has the name of a folder"),
    ] {
        let at = if class == 62 {
            sample.directory as u64
        } else {
            at
        };
        cases.expect(class, Warn(warning, at));
        cases.add(format!("name {name:?}"), named(name));
    }
}

#[test]
fn every_class_gives_an_error_or_a_warning_at_the_right_offset() {
    let mut cases = Cases::default();
    header_cases(&mut cases);
    record_cases(&mut cases);
    assert_classes(
        &cases.rows,
        (1..=4).chain(52..=54).chain(56..=62).chain([80]),
    );
    assert_parsed(Format::Pak, &cases.rows, |bytes| open_and_read(bytes, open));
}

#[test]
fn archives_of_other_games_are_refused_by_name() {
    for (bytes, expected) in [
        (daikatana(3), "Daikatana"),
        (b"SPAK\0\0\0\0\0\0\0\0".to_vec(), "SiN"),
        (b"PK\x03\x04\0\0\0\0\0\0\0\0".to_vec(), "PK3"),
        (b"IWAD\0\0\0\0\0\0\0\0".to_vec(), "begins with \"IWAD\""),
    ] {
        let error = open(&bytes[..]).map(drop).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // A directory of 576 bytes can be either.
    let names: Vec<String> = (0..9).map(|index| format!("progs/{index}.mdl")).collect();
    let files: Vec<(&[u8], &[u8])> = names
        .iter()
        .map(|name| (name.as_bytes(), &b"data"[..]))
        .collect();
    assert_eq!(open(&pak(&files, 0).bytes[..]).unwrap().entries().len(), 9);
}

#[test]
fn an_entry_past_the_end_is_an_error_when_it_is_read() {
    let sample = pak(&[(b"a", b"aaaa"), (b"b", b"bbbb")], 0);
    let bytes = with_u32(&sample.bytes, sample.directory + 60, u32::MAX);
    let archive = open(&bytes[..]).unwrap();
    let error = archive.read(archive.find("a").unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "PAK: entry \"a\" at offset 12 needs 4294967295 bytes, but only 136 remain"
    );
    assert_eq!(archive.read(archive.find("b").unwrap()).unwrap(), b"bbbb");
}
