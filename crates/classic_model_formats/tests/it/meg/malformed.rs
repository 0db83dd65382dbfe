//! Malformed Petroglyph archives: the error or warning of every class with its offset.

use crate::archives::{TwoFiles, open_and_read};
use crate::prelude::*;
use classic_model_formats::meg::open;
use classic_models_fixtures::archives::{meg, patched};

error_kinds! {
    truncated: ErrorKind::Truncated { .. },
    wrong_magic: ErrorKind::WrongMagic { .. },
    bad_count: ErrorKind::BadCount { .. },
    bad_offset: ErrorKind::BadOffset { .. },
    bad_index: ErrorKind::IndexOutOfRange { .. },
    mismatch: ErrorKind::CountMismatch { .. },
    encrypted: ErrorKind::Encrypted { .. },
    unsupported: ErrorKind::Unsupported { .. },
}

/// A file for [`meg`].
type File<'a> = (&'a [u8], &'a [u8]);

/// Cases with one flawed name, and the offset of its record.
fn name_cases(cases: &mut Cases) {
    let names: [(u32, &[u8], &str); 12] = [
        (
            60,
            b"..\\X",
            "contains a parent folder (`..`); the entry is left out",
        ),
        (60, b"A\\..\\..\\X", "contains a parent folder"),
        (60, b"A/.. /X", "contains a parent folder"),
        (
            60,
            b"C:\\X",
            "name \"C:\\\\X\" is not a relative path; read as \"X\"",
        ),
        (60, b"\\X", "read as \"X\""),
        (60, b"\\\\SERVER\\X", "read as \"SERVER/X\""),
        (60, b"A\\.\\X", "read as \"A/X\""),
        (60, b"A\\\\X", "read as \"A/X\""),
        (61, b"", "is empty; the entry is left out"),
        (61, b"\\/\\", "is empty"),
        (61, b"A\0B", "has a control character"),
        (61, b"A\nB", "has a control character"),
    ];
    for (class, name, warning) in names {
        for version in 1..=3 {
            let sample = meg(version, &[(b"FIRST", b"x"), (name, b"y")]);
            let at = sample.records as u64 + 20;
            // The records may be in another order than the checksums.
            if crc_32(b"FIRST") < crc_32(&name.to_ascii_uppercase()) {
                cases.expect(class, Warn(warning, at));
                cases.add(format!("name {name:?}"), sample.bytes);
            } else {
                let sample = meg(version, &[(name, b"y"), (b"FIRST", b"x")]);
                let at = sample.records as u64;
                cases.expect(class, Warn(warning, at));
                cases.add(format!("name {name:?}"), sample.bytes);
            }
        }
    }
}

/// Cases of the header.
fn header_cases(cases: &mut Cases) {
    cases.expect(1, Reject(truncated, 0));
    cases.add("no bytes", []);
    cases.add("half a header", [1, 0, 0, 0]);
    cases.expect(1, Silent);
    cases.add("empty archive", [0; 8]);
    let others: [&[u8]; 8] = [
        b"PACK\0\0\0\0\0\0\0\0",
        b"SPAK\0\0\0\0\0\0\0\0",
        b"PK\x03\x04\0\0\0\0",
        b"\r\nRezMgr Version 1",
        b"BRGR\0\0\0\0",
        b"\0\0\x80\x3F\0\x10\0\0",
        b"Rar!\x1A\x07\0\0",
        b"7z\xBC\xAF\x27\x1C\0\0",
    ];
    for other in others {
        cases.expect(2, Reject(wrong_magic, 0));
        cases.add("another format", other);
    }
    for version in 1..=3 {
        let sample = sample_meg(version);
        let (bytes, counts) = (&sample.bytes, if version == 1 { 0 } else { 12 });
        let files = counts as u64 + 4;
        cases.expect(65, Reject(mismatch, files));
        cases.add("more files than names", with_u32(bytes, counts + 4, 5));
        cases.add("fewer files than names", with_u32(bytes, counts + 4, 0));
        let huge = [u32::MAX.to_le_bytes(); 2].concat();
        cases.expect(52, Reject(bad_count, counts as u64));
        cases.add("four billion files", patched(bytes, counts, &huge));
        let trailing = [&bytes[..], b"more"].concat();
        cases.expect(4, Silent);
        cases.add("trailing bytes", trailing);
        cases.expect(3, Reject(bad_count, counts as u64));
        cases.add("name table cut", &bytes[..sample.names + 1]);
        if version < 3 {
            cases.expect(3, Reject(truncated, sample.records as u64));
            cases.add("file table cut", &bytes[..sample.records + 79]);
        }
        for end in [sample.names + 1, sample.names + 3, sample.records - 1] {
            let cut = &bytes[..end];
            let message = open(cut).map(drop).unwrap_err();
            assert!(message.offset <= end as u64, "{message}");
        }
    }
    // Counts that the file can hold, but not together with the names.
    let sample = sample_meg(1);
    let many = patched(&sample.bytes, 0, &[6_u32.to_le_bytes(); 2].concat());
    cases.expect(53, Reject(truncated, 68));
    cases.add("tables past the end", many);
    for version in 2..=3 {
        let sample = sample_meg(version);
        let early = with_u32(&sample.bytes, 8, 90);
        cases.expect(66, Reject(wrong_magic, 0));
        cases.add("tables behind the start of data", early);
        for flags in [0, 1, 0x0FFF_FFFF, 0xFFFF_FFFE] {
            add_cases! { cases:
                66, Reject(unsupported, 0), format!("flags {flags:08X}") =>
                    with_u32(&sample.bytes, 0, flags);
            }
        }
        let length = sample.bytes.len() as u32;
        for start in [length + 1, u32::MAX] {
            add_cases! { cases:
                66, Reject(bad_offset, 8), format!("start of the data {start}") =>
                    with_u32(&sample.bytes, 8, start);
            }
        }
    }
    let sample = sample_meg(3);
    let names = with_u32(&sample.bytes, 20, 3);
    cases.expect(66, Reject(wrong_magic, 0));
    cases.add("names that fit no version", names);
    let flags = with_u32(&sample.bytes, 0, 0x8FFF_FFFF);
    cases.expect(68, Reject(encrypted, 0));
    cases.add("encrypted", flags);
}

/// Cases of records.
fn record_cases(cases: &mut Cases) {
    for version in 1..=3 {
        let sample = sample_meg(version);
        let (bytes, records) = (&sample.bytes, sample.records);
        let [checksum, index, size, start, name] = match version {
            3 => [2, 6, 10, 14, 18],
            _ => [0, 4, 8, 12, 16],
        };
        let last = records + 60;
        let at = last as u64;
        cases.expect(55, Reject(bad_index, (last + name) as u64));
        cases.add("name index", patched(bytes, last + name, &[4, 0]));
        cases.expect(64, Warn("has index 7, expected 3", at));
        cases.add("index", with_u32(bytes, last + index, 7));
        // The largest checksum keeps the order.
        cases.expect(63, Warn("checksum FFFFFFFF", at));
        cases.add("checksum", with_u32(bytes, last + checksum, u32::MAX));
        if version == 3 {
            cases.expect(67, Reject(encrypted, at));
            cases.add("encrypted file", patched(bytes, last, &[1, 0]));
            cases.expect(67, Reject(unsupported, at));
            cases.add("unknown flag", patched(bytes, last, &[2, 0]));
        }
        let mut files: [File<'_>; 2] = [(b"A", b"aaaa"), (b"B", b"bbbb")];
        files.sort_by_key(|(name, _)| std::cmp::Reverse(crc_32(name)));
        let sample = meg(version, &files);
        let second = sample.records as u64 + 20;
        cases.expect(64, Warn("is not sorted by its checksum", second));
        cases.add("not sorted", &sample.bytes[..]);
        files.reverse();
        let sample = meg(version, &files);
        let (bytes, records) = (&sample.bytes, sample.records);
        let two = TwoFiles {
            bytes,
            record: records + 20,
            fields: (records + 20 + start, records + 20 + size),
            first: records as u32 + 40,
            header: 0,
            table: records as u32 + 36,
        };
        two.push_range_cases(cases, Silent);
        let twice = meg(version, &[(b"SAME", b"a"), (b"SAME", b"b")]);
        let at = twice.records as u64 + 20;
        cases.expect(59, Warn("appears twice; the first one is used", at));
        cases.add("the same name", twice.bytes);
        let lower = meg(version, &[(b"SAME", b"a"), (b"same", b"b")]);
        let at = lower.records as u64 + 20;
        let right = with_u32(&lower.bytes, at as usize + checksum, crc_32(b"SAME"));
        cases.expect(59, Warn("appears twice", at));
        cases.add("the same name in another case", right);
        let mut files: [File<'_>; 2] = [(b"A\\B", b"a"), (b"A", b"b")];
        files.sort_by_key(|(name, _)| crc_32(name));
        let position = files.iter().position(|(name, _)| *name == b"A").unwrap();
        let folder = meg(version, &files);
        let at = (folder.records + 20 * position) as u64;
        cases.expect(62, Warn("file \"A\" has the name of a folder", at));
        cases.add("a file named as a folder", folder.bytes);
    }
}

#[test]
fn every_class_gives_an_error_or_a_warning_at_the_right_offset() {
    let mut cases = Cases::default();
    header_cases(&mut cases);
    record_cases(&mut cases);
    name_cases(&mut cases);
    assert_classes(&cases.rows, (1..=4).chain(52..=53).chain(55..=68));
    assert_parsed(Format::Meg, &cases.rows, |bytes| open_and_read(bytes, open));
}

#[test]
fn encrypted_archives_are_refused_by_name() {
    let bytes = with_u32(&sample_meg(3).bytes, 0, 0x8FFF_FFFF);
    let error = open(&bytes[..]).map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        "MEG: archive at offset 0 is encrypted, which is not supported (as in Grey Goo, 8-Bit Armies and The Great War: Western Front)"
    );
}

#[test]
fn an_entry_past_the_end_is_an_error_when_it_is_read() {
    let sample = sample_meg(1);
    let bytes = &sample.bytes[..sample.bytes.len() - 1];
    let archive = open(bytes).unwrap();
    let cut: Vec<_> = archive
        .entries()
        .filter_map(|entry| archive.read(entry).err())
        .collect();
    let [error] = &cut[..] else { panic!("{cut:?}") };
    assert!(matches!(error.kind, ErrorKind::Truncated { .. }), "{error}");
    assert!(
        error.to_string().starts_with("MEG: entry \"DATA/")
            || error.to_string().starts_with("MEG: entry \"A.TXT\""),
        "{error}"
    );
}
