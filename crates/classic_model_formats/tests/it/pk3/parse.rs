//! ZIP archives: reading, finding and writing.

use crate::archives::{Counting, contents, files, to_write};
use crate::prelude::*;
use classic_model_formats::pk3::open;
use classic_model_formats::pk3::write::write;
use miniz_oxide::deflate::compress_to_vec;

#[test]
fn files_are_in_the_order_of_the_directory() {
    let sample = sample_pk3();
    let archive = open(&sample.bytes[..]).unwrap();
    assert_eq!((archive.version(), archive.warnings()), (None, &[][..]));
    let expected = PK3_FILES.map(|(name, bytes)| (core::str::from_utf8(name).unwrap(), bytes));
    assert_eq!(contents(&archive), files(expected));
    for (entry, (header, record)) in archive
        .entries()
        .zip(sample.headers.iter().zip(&sample.records))
    {
        assert_eq!(entry.offset(), *header as u64);
        assert_eq!(entry.record_offset(), *record as u64);
    }
    let first = archive.entry(0).unwrap();
    assert_eq!((first.size(), first.stored_size()), (13, 18));
    let compressed: Vec<_> = archive.entries().map(|it| it.is_compressed()).collect();
    assert_eq!(compressed, [true, false, false, true]);
}

#[test]
fn names_are_found_in_any_case() {
    let bytes = build_pk3(&[
        Pk3File::stored(b"Progs/A.mdl", b"1"),
        Pk3File::stored(b"progs/a.MDL", b"2"),
        Pk3File::stored(b"dir\\b", b"3"),
    ])
    .bytes;
    let archive = open(&bytes[..]).unwrap();
    let read = |entry| archive.read(entry).unwrap();
    assert_eq!(archive.find("progs/a.MDL").map(read).unwrap(), b"1");
    assert_eq!(archive.find("\\PROGS\\A.MDL").map(read).unwrap(), b"1");
    assert_eq!(archive.find("dir/B").map(read).unwrap(), b"3");
    assert!(archive.find("progs/a").is_none());
    let shadowed: Vec<_> = archive.entries().map(|it| it.is_shadowed()).collect();
    assert_eq!(shadowed, [false, true, false]);
}

#[test]
fn names_are_utf_8_or_windows_1252() {
    let bytes = build_pk3(&[
        Pk3File::stored("über".as_bytes(), b"1"),
        Pk3File::stored(b"\xFCber2", b"2"),
    ])
    .bytes;
    let archive = open(&bytes[..]).unwrap();
    let paths: Vec<_> = archive.entries().map(|it| it.path()).collect();
    assert_eq!(paths, ["über", "über2"]);
}

#[test]
fn entries_of_folders_are_left_out_without_a_warning() {
    let bytes = build_pk3(&[
        Pk3File::stored(b"progs/", b""),
        Pk3File::stored(b"progs/a", b"1"),
    ])
    .bytes;
    let archive = open(&bytes[..]).unwrap();
    assert_eq!((archive.folder_entries(), archive.warnings()), (1, &[][..]));
    assert_eq!(contents(&archive), files([("progs/a", &b"1"[..])]));
}

/// Other programs write a program before the archive, sizes behind the data, and bytes or a comment at the end.
#[test]
fn archives_of_other_programs_are_read() {
    let expected = files([("a", &b"data of a"[..])]);
    let mut file = Pk3File::deflated(b"a", b"data of a");
    let sample = build_pk3(std::slice::from_ref(&file));
    let prefixed = [&b"MZ a program"[..], &sample.bytes].concat();
    let mut comment = sample.bytes.clone();
    comment[sample.end + 20] = 9;
    comment.extend(b"a comment");
    file.flags = 8;
    let mut streamed = build_pk3(&[file]).bytes;
    // The header before the data has no checksum and no sizes.
    streamed[14..26].fill(0);
    for bytes in [prefixed, comment, streamed] {
        let archive = open(&bytes[..]).unwrap();
        assert_eq!(
            (contents(&archive), archive.warnings()),
            (expected.clone(), &[][..])
        );
    }
}

#[test]
fn archives_with_64_bit_records_are_read() {
    // The record has its sizes and its offset in an extra field of 28 bytes.
    let sample = build_pk3(&[Pk3File::stored(b"a", b"data of a")]);
    let [record] = sample.records[..] else {
        panic!()
    };
    let mut bytes = with_u32(&sample.bytes, record + 20, u32::MAX);
    bytes = with_u32(
        &with_u32(&bytes, record + 24, u32::MAX),
        record + 42,
        u32::MAX,
    );
    bytes[record + 30] = 28;
    let mut extra = vec![1, 0, 24, 0];
    extra.extend([9_u64, 9, 0].map(u64::to_le_bytes).concat());
    bytes.splice(sample.end..sample.end, extra);
    let archive = open(&bytes[..]).unwrap();
    assert_eq!(contents(&archive), files([("a", &b"data of a"[..])]));
    assert_eq!(archive.warnings(), []);
}

#[test]
fn opening_reads_the_directory_and_nothing_else() {
    let sample = build_pk3(&[
        Pk3File::stored(b"a", &[1; 90_000]),
        Pk3File::deflated(b"b", &[2; 9000]),
    ]);
    let counting = Counting::new(&sample.bytes);
    let archive = open(&counting).unwrap();
    // The end record is searched in the last 1024 bytes.
    assert!(!counting.has_read(0..90_000));
    assert_eq!(archive.read(archive.find("b").unwrap()).unwrap(), [2; 9000]);
    assert!(!counting.has_read(0..90_000));
}

#[test]
fn written_archives_have_the_same_files() {
    let given: [(&str, &[u8]); 4] = [
        ("progs/Über.mdl", &[b'm'; 5000]),
        ("empty", b""),
        ("short", b"x"),
        (&"x".repeat(300), b"x"),
    ];
    let bytes = write(&to_write(&given)).unwrap();
    let archive = open(&bytes[..]).unwrap();
    assert_eq!(contents(&archive), files(given));
    assert_eq!(archive.warnings(), []);
    let compressed: Vec<_> = archive.entries().map(|it| it.is_compressed()).collect();
    assert_eq!(compressed, [true, false, false, false]);
    assert_eq!(bytes, write(&to_write(&given)).unwrap());
    assert_eq!(open(&write(&[]).unwrap()[..]).unwrap().entries().len(), 0);
}

#[test]
fn writing_rejects_files_that_the_format_cannot_store() {
    let error = |files: &[(&str, &[u8])]| write(&to_write(files)).unwrap_err().to_string();
    assert!(error(&[(&"x".repeat(65_536), b"")]).contains("65,535 bytes"));
    assert!(error(&[("a/../b", b"")]).contains("a path must be relative"));
    assert!(error(&[("a", b""), ("A", b"")]).contains("appears twice"));
    let many: Vec<_> = (0..65_536)
        .map(|index| ArchiveFile::new(index.to_string(), b""))
        .collect();
    let error = write(&many).unwrap_err().to_string();
    assert!(error.contains("65,535 files"), "{error}");
}

/// The error of reading the only file of an archive.
fn error_of(file: Pk3File) -> String {
    let bytes = build_pk3(&[file]).bytes;
    let archive = open(&bytes[..]).unwrap();
    archive
        .read(archive.entry(0).unwrap())
        .unwrap_err()
        .to_string()
}

#[test]
fn entries_that_cannot_be_read_are_errors() {
    let stored = Pk3File::stored(b"a", b"four");
    let deflated = Pk3File::deflated(b"a", b"four");
    let bomb = Pk3File {
        stored: compress_to_vec(&vec![0; 1 << 20], 9),
        ..Pk3File::deflated(b"a", &[0; 100])
    };
    let change = |file: &Pk3File, change: fn(&mut Pk3File)| {
        let mut file = file.clone();
        change(&mut file);
        error_of(file)
    };
    for (error, expected) in [
        (change(&stored, |it| it.flags = 1), "is encrypted"),
        (change(&deflated, |it| it.flags = 1), "is encrypted"),
        (change(&stored, |it| it.method = 99), "is encrypted"),
        (
            change(&stored, |it| it.method = 12),
            "compression method of entry \"a\" at offset 35 is 12, which is not supported",
        ),
        (
            change(&stored, |it| it.size = 5),
            "is 4 bytes long, but must be 5",
        ),
        (change(&stored, |it| it.checksum ^= 1), "has the checksum"),
        (change(&deflated, |it| it.checksum ^= 1), "has the checksum"),
        (
            change(&deflated, |it| it.size = 3),
            "inflate past the entry's size",
        ),
        (
            change(&deflated, |it| it.size = 0),
            "inflate past the entry's size",
        ),
        (change(&deflated, |it| it.size = 5), "inflate to less"),
        (change(&deflated, |it| it.size = u32::MAX), "at most 1 GiB"),
        (
            change(&deflated, |it| it.stored[0] = 7),
            "not a valid Deflate stream",
        ),
        (
            change(&deflated, |it| it.stored.truncate(6)),
            "not a valid Deflate stream",
        ),
        (error_of(bomb), "inflate past the entry's size"),
    ] {
        assert!(error.contains(expected), "{error}\n{expected}");
        assert!(error.contains("entry \"a\" at offset "), "{error}");
    }
}
