//! Malformed LithTech archives: the error or warning of every class with its offset.

use crate::archives::{TwoFiles, open_and_read};
use crate::prelude::*;
use classic_model_formats::rez::open;
use classic_models_fixtures::archives::RezNode::{File, Folder};
use classic_models_fixtures::archives::{Rez, patched, rez};

error_kinds! {
    truncated: ErrorKind::Truncated { .. },
    wrong_magic: ErrorKind::WrongMagic { .. },
    version: ErrorKind::UnsupportedVersion { .. },
    unsupported: ErrorKind::Unsupported { .. },
    missing: ErrorKind::Missing { .. },
    overlap: ErrorKind::Overlap { .. },
    too_deep: ErrorKind::TooDeep { .. },
}

fn header_cases(cases: &mut Cases) {
    let sample = sample_rez();
    let (bytes, root) = (&sample.bytes, &sample.root);
    cases.expect(1, Reject(truncated, 0));
    cases.add("no bytes", []);
    cases.add("half a header", &bytes[..100]);
    let others: [&[u8]; 6] = [
        b"BRGR\0\0\0\0",
        b"PACK\0\0\0\0\0\0\0\0",
        b"PK\x03\x04\0\0\0\0",
        b"\0\0\x80\x3F\0\0\0\0",
        b"\xFF\xFF\xFF\xFF\xA4\x70\x7D\x3F",
        b"something else",
    ];
    for other in others {
        cases.expect(2, Reject(wrong_magic, 0));
        cases.add("another format", other);
    }
    cases.expect(2, Reject(wrong_magic, 124));
    cases.add("header of another length", patched(bytes, 124, b"   "));
    for mark in [b"  ", b"\n\n"] {
        cases.expect(2, Warn("no line end after its first text", 62));
        cases.add("no second line end", patched(bytes, 62, mark));
    }
    let end = root.end - 1;
    add_cases! { cases:
        3, Reject(truncated, root.start as u64), "root cut" => &bytes[..end];
        4, Silent, "trailing bytes" => [bytes, &b"more"[..]].concat();
        53, Reject(truncated, bytes.len() as u64), "root past the end" =>
            with_u32(bytes, 131, bytes.len() as u32);
        53, Reject(truncated, root.start as u64), "root of 4 GiB" => with_u32(bytes, 135, u32::MAX);
    }
    for found in [0, 2, u32::MAX] {
        cases.expect(69, Reject(version, 127));
        cases.add("version", with_u32(bytes, 127, found));
    }
}

fn folder_cases(cases: &mut Cases) {
    let sample = sample_rez();
    let Rez {
        bytes,
        entries,
        root,
    } = &sample;
    let (file, folder, inner) = (entries[0], entries[1], entries[3]);
    for kind in [2, 0x8F2E_0011] {
        cases.expect(71, Reject(unsupported, file as u64));
        cases.add("kind", with_u32(bytes, file, kind));
    }
    let keys = file + 24;
    for count in [u32::MAX, 1 << 28] {
        cases.expect(52, Reject(truncated, file as u64 + 28 + 11 + 5));
        cases.add("keys", with_u32(bytes, keys, count));
    }
    let name = root.end - 1 - 8 - 5 - 1;
    add_cases! { cases:
        72, Reject(truncated, root.end as u64 - 8), "keys past the block" =>
            with_u32(bytes, 135, root.len() as u32 - 1);
    }
    let without_end = patched(bytes, name + 1, &[b'x'; 14]);
    cases.expect(72, Reject(missing, name as u64 + 1));
    cases.add("comment without NUL", patched(&without_end, name, &[0]));
    let start = entries[8] as u64 + 28;
    add_cases! { cases:
        72, Reject(missing, start), "name without NUL" => patched(
            bytes,
            start as usize,
            &vec![b'x'; root.end - start as usize],
        );
    }
    let last = entries[6] as u64;
    let cut = |by| with_u32(bytes, folder + 8, u32_at(bytes, folder + 8) - by);
    cases.expect(72, Reject(truncated, last + 4));
    cases.add("folder ends within a record", cut(20));
    cases.expect(72, Reject(missing, last + 30));
    cases.add("folder ends within a comment", cut(10));
    cases.expect(53, Reject(truncated, 9_000_000));
    cases.add("folder past the end", with_u32(bytes, inner + 4, 9_000_000));
    let of = |at: usize| (u32_at(bytes, at + 4), u32_at(bytes, at + 8));
    let with_block = |at: usize, (start, size): (u32, u32)| {
        with_u32(&with_u32(bytes, at + 4, start), at + 8, size)
    };
    let root_block = (root.start as u32, root.len() as u32);
    cases.expect(74, Reject(overlap, root.start as u64));
    cases.add("the root inside itself", with_block(folder, root_block));
    cases.expect(74, Reject(overlap, of(folder).0.into()));
    cases.add("a folder inside itself", with_block(inner, of(folder)));
    let (start, _) = of(folder);
    add_cases! { cases:
        74, Reject(overlap, u64::from(start) + 1), "a folder used twice in part" =>
            with_block(inner, (start + 1, 8));
    }
    let twice = with_block(entries[7], of(inner));
    cases.expect(74, Reject(overlap, of(inner).0.into()));
    cases.add("a folder used twice", twice);
    let deep = (0..65).fold(vec![File(b"X", "", b"x")], |nodes, _| {
        vec![Folder("D", nodes)]
    });
    let deep = rez(&deep);
    let block = u32_at(&deep.bytes, deep.entries[64] + 4);
    cases.expect(75, Reject(too_deep, block.into()));
    cases.add("65 folders deep", deep.bytes);
    let merged = rez(&[Folder("A", vec![]), Folder("a", vec![File(b"B", "", b"x")])]);
    add_cases! { cases:
        77, Warn("folder \"a\" appears twice; the folders are merged", merged.entries[1] as u64),
            "a folder twice" => merged.bytes;
    }
}

fn file_cases(cases: &mut Cases) {
    let sample = rez(&[File(b"A", "DTX", b"aaaa"), File(b"B", "DTX", b"bbbb")]);
    let Rez {
        bytes,
        entries,
        root,
    } = &sample;
    let second = entries[1];
    let at = second as u64;
    let two = TwoFiles {
        bytes,
        record: second,
        fields: (second + 4, second + 8),
        first: 168,
        header: 100,
        table: root.start as u32 + 1,
    };
    two.push_range_cases(cases, Silent);
    let name = second + 28;
    add_cases! { cases:
        59, Warn("entry \"A.DTX\" appears twice", at), "the same name" =>
            patched(bytes, name, b"A");
        59, Warn("entry \"a.DTX\" appears twice", at), "the same name in another case" =>
            patched(bytes, name, b"a");
        59, Silent, "the same name with another type" =>
            patched(&patched(bytes, name, b"A"), second + 20, b"CBA\0");
    }
    let names: [(u32, &'static [u8], &str); 9] = [
        (
            60,
            b"..",
            "contains a parent folder (`..`); the entry is left out",
        ),
        (60, b"X\\..\\Y", "contains a parent folder"),
        (
            60,
            b"X\\\\Y",
            "name \"X\\\\\\\\Y\" has a separator; the entry is left out",
        ),
        (60, b"C:\\X", "read as \"X\""),
        (60, b"/X", "read as \"X\""),
        (60, b".\\X", "read as \"X\""),
        (61, b"", "is empty"),
        (61, b"\\", "is empty"),
        (61, b"X\x1F", "has a control character"),
    ];
    for (class, name, warning) in names {
        let sample = rez(&[File(b"OTHER", "TXT", b"x"), File(name, "", b"y")]);
        let at = sample.entries[1] as u64;
        cases.expect(class, Warn(warning, at));
        cases.add(format!("name {name:?}"), sample.bytes);
    }
    for (class, name, warning) in [
        (
            60,
            "..",
            "contains a parent folder (`..`); the folder is left out",
        ),
        (60, "X/Y", "has a separator; the folder is left out"),
        (60, "\\X", "read as \"X\""),
        (61, "", "is empty; the folder is left out"),
        (61, ".", "is empty"),
        (61, "X\n", "has a control character"),
    ] {
        let sample = rez(&[
            File(b"OTHER", "TXT", b"x"),
            Folder(name, vec![File(b"B", "", b"y")]),
        ]);
        let at = sample.entries[1] as u64;
        cases.expect(class, Warn(warning, at));
        cases.add(format!("folder {name:?}"), sample.bytes);
    }
    let sample = rez(&[Folder("A.TXT", vec![]), File(b"a", "txt", b"x")]);
    add_cases! { cases:
        62, Warn("file \"a.txt\" has the name of a folder", sample.entries[1] as u64),
            "a file named as a folder" => sample.bytes;
    }
}

#[test]
fn every_class_gives_an_error_or_a_warning_at_the_right_offset() {
    let mut cases = Cases::default();
    header_cases(&mut cases);
    folder_cases(&mut cases);
    file_cases(&mut cases);
    assert_classes(
        &cases.rows,
        (1..=4)
            .chain(52..=53)
            .chain(56..=62)
            .chain([69, 71, 72, 74, 75, 77]),
    );
    assert_parsed(Format::Rez, &cases.rows, |bytes| open_and_read(bytes, open));
}

#[test]
fn encrypted_archives_are_refused_by_name() {
    let sample = sample_rez();
    let bytes = with_u32(&sample.bytes, sample.entries[0], 0x8F2E_0011);
    let error = open(&bytes[..]).map(drop).unwrap_err().to_string();
    assert!(error.contains("encrypted or damaged"), "{error}");
    let error = open(&b"BRGR\0\0\0\0"[..])
        .map(drop)
        .unwrap_err()
        .to_string();
    assert!(error.contains("Burgerlib"), "{error}");
}

#[test]
fn folders_that_are_left_out_are_not_read() {
    // The block of the folder is past the end, which does not matter.
    let sample = rez(&[
        Folder("..", vec![File(b"B", "", b"y")]),
        File(b"A", "", b"x"),
    ]);
    let bytes = with_u32(&sample.bytes, sample.entries[0] + 4, u32::MAX);
    let archive = open(&bytes[..]).unwrap();
    assert_eq!((archive.skipped(), archive.entries().len()), (1, 1));
}
