//! Malformed ZIP archives: the error or warning of every class with its offset.

use crate::archives::{TwoFiles, open_and_read};
use crate::prelude::*;
use classic_model_formats::pk3::open;
use classic_models_fixtures::archives::patched;
use classic_models_fixtures::pk3::Pk3;
use std::io;

error_kinds! {
    truncated: ErrorKind::Truncated { .. },
    wrong_magic: ErrorKind::WrongMagic { .. },
    bad_offset: ErrorKind::BadOffset { .. },
    missing: ErrorKind::Missing { .. },
}

fn two() -> Pk3 {
    build_pk3(&[
        Pk3File::stored(b"a", b"aaaa"),
        Pk3File::stored(b"b", b"bbbb"),
    ])
}

fn header_cases(cases: &mut Cases) {
    let sample = two();
    let bytes = &sample.bytes;
    let (end, directory) = (sample.end, sample.records[0]);
    let end_at = end as u64;
    cases.expect(1, Reject(truncated, 0));
    cases.add("no bytes", []);
    cases.add("half a header", &bytes[..20]);
    for other in [
        &b"SPAK\0\0\0\0"[..],
        b"PACK\x0C\0\0\0\0\0\0\0",
        b"\x1F\x8B\x08 and more than 22 bytes",
    ] {
        cases.expect(2, Reject(wrong_magic, 0));
        cases.add("another format", other);
    }
    let comment = patched(bytes, end + 20, &[1, 0]);
    let garbage = [
        &bytes[..end],
        b"PK\x05\x05 bytes behind the directory",
        &bytes[end..],
    ]
    .concat();
    add_cases! { cases:
        3, Reject(truncated, end_at), "end record cut" => &bytes[..bytes.len() - 1];
        3, Reject(missing, 0), "directory cut" => &bytes[..end - 10];
        3, Reject(truncated, end_at), "comment cut" => comment;
        4, Silent, "bytes behind the directory" => garbage;
        53, Reject(bad_offset, end_at + 16), "directory past the end" =>
            with_u32(bytes, end + 16, u32::MAX);
        53, Reject(missing, directory as u64 + 1), "directory at another offset" =>
            with_u32(&with_u32(bytes, end + 16, directory as u32 + 1), end + 12, 8);
        53, Reject(truncated, sample.records[1] as u64), "record past the end" =>
            patched(bytes, sample.records[1] + 28, &[200, 0]);
        53, Reject(missing, sample.records[1] as u64), "no record" =>
            patched(bytes, sample.records[1], b"x");
        65, Warn("declares 3 entries, but the directory has 2", end_at + 10), "too few files" =>
            patched(bytes, end + 10, &[3]);
        65, Warn("declares 1 entries, but the directory has 2", end_at + 10), "too many files" =>
            patched(bytes, end + 10, &[1]);
    }
}

fn record_cases(cases: &mut Cases) {
    let sample = two();
    let second = sample.records[1];
    let two = TwoFiles {
        bytes: &sample.bytes,
        record: second,
        fields: (second + 42, second + 20),
        first: 0,
        header: sample.end as u32 - 34,
        table: sample.records[0] as u32 + 1,
    };
    // Each file has a header with its name.
    let shared = Warn("overlap those of another entry", second as u64);
    two.push_range_cases(cases, shared);
    let named = |name: &[u8]| {
        build_pk3(&[
            Pk3File::stored(b"a", b"aaaa"),
            Pk3File::stored(name, b"bbbb"),
        ])
    };
    for (class, name, warning) in [
        (59, &b"a"[..], "entry \"a\" appears twice"),
        (59, b"A", "entry \"A\" appears twice"),
        (60, b"../a", "contains a parent folder"),
        (60, b"x\\..\\..\\a", "contains a parent folder"),
        (60, b"C:\\x", "read as \"x\""),
        (60, b"/x", "read as \"x\""),
        (60, b"./x", "read as \"x\""),
        (60, b"x//y", "read as \"x/y\""),
        (60, b"x/", "read as \"x\""),
        (61, b"", "is empty"),
        (61, b"/", "is empty"),
        (61, b"x\0y", "has a control character"),
    ] {
        let archive = named(name);
        cases.expect(class, Warn(warning, archive.records[1] as u64));
        cases.add(format!("name {name:?}"), archive.bytes);
    }
    let archive = named(b"A/b");
    cases.expect(
        62,
        Warn(
            "file \"a\" has the name of a folder",
            archive.records[0] as u64,
        ),
    );
    cases.add("a file and a folder", archive.bytes);
}

#[test]
fn every_class_gives_an_error_or_a_warning_at_the_right_offset() {
    let mut cases = Cases::default();
    header_cases(&mut cases);
    record_cases(&mut cases);
    assert_classes(&cases.rows, (1..=4).chain([53, 65]).chain(56..=62));
    assert_parsed(Format::Pk3, &cases.rows, |bytes| open_and_read(bytes, open));
}

#[test]
fn an_entry_without_a_header_is_an_error_when_it_is_read() {
    let sample = two();
    let bytes = with_u32(&sample.bytes, sample.records[0] + 42, 1);
    let archive = open(&bytes[..]).unwrap();
    let error = archive.read(archive.find("a").unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "PK3: entry \"a\" at offset 1 lacks the signature of a file's header"
    );
    assert_eq!(archive.read(archive.find("b").unwrap()).unwrap(), b"bbbb");
}

/// A file whose bytes from an offset on cannot be read.
struct Broken(Vec<u8>, u64);

impl ReadAt for Broken {
    fn length(&self) -> io::Result<u64> {
        self.0.length()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        if offset + buffer.len() as u64 > self.1 {
            return Err(io::Error::other("bad sector"));
        }
        self.0.read_exact_at(buffer, offset)
    }
}

#[test]
fn errors_of_the_reader_are_reported() {
    let error = open(Broken(two().bytes, 10)).map(drop).unwrap_err();
    assert!(
        matches!(
            error.kind,
            ErrorKind::Io {
                kind: io::ErrorKind::Other,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn archives_of_more_than_4_gib_are_errors() {
    struct Long;

    impl ReadAt for Long {
        fn length(&self) -> io::Result<u64> {
            Ok(1 << 32)
        }

        fn read_exact_at(&self, _: &mut [u8], _: u64) -> io::Result<()> {
            Ok(())
        }
    }

    let error = open(Long).map(drop).unwrap_err().to_string();
    assert!(error.contains("at most 4 GiB"), "{error}");
}
