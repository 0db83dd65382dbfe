//! Quake archives: reading, finding and writing.

use crate::archives::{Counting, contents, files, to_write};
use crate::prelude::*;
use classic_model_formats::pak::open;
use classic_model_formats::pak::write::write;
use classic_models_fixtures::archives::{PAK_FILES, pak};
use std::io;

#[test]
fn files_are_in_the_order_of_the_directory() {
    let sample = sample_pak();
    let archive = open(&sample.bytes[..]).unwrap();
    assert_eq!((archive.version(), archive.warnings()), (None, &[][..]));
    let expected = PAK_FILES.map(|(name, bytes)| {
        let name = core::str::from_utf8(name).unwrap();
        (&name[..name.len().min(56)], bytes)
    });
    assert_eq!(contents(&archive), files(expected));
    let first = archive.entry(0).unwrap();
    assert_eq!(
        (first.offset(), first.record_offset()),
        (12, sample.directory as u64)
    );
}

#[test]
fn the_directory_can_be_anywhere() {
    // The directory before the data, and the end record of a ZIP archive at the end.
    let sample = pak(&[(b"a", b"data of a")], 0);
    let mut bytes = b"PACK\x0C\0\0\0\x40\0\0\0".to_vec();
    bytes.extend(&sample.bytes[sample.directory..]);
    bytes[12 + 56..12 + 60].copy_from_slice(&76_u32.to_le_bytes());
    bytes.extend(b"data of a");
    bytes.extend(b"PK\x05\x06 and more");
    let archive = open(&bytes[..]).unwrap();
    assert_eq!(contents(&archive), files([("a", &b"data of a"[..])]));
    assert_eq!(archive.warnings(), []);
}

#[test]
fn names_are_found_in_the_same_spelling() {
    let bytes = pak(
        &[
            (b"Progs/A.mdl", b"1"),
            (b"progs/a.mdl", b"2"),
            (b"progs/a.mdl", b"3"),
        ],
        0,
    )
    .bytes;
    let archive = open(&bytes[..]).unwrap();
    let read = |entry| archive.read(entry).unwrap();
    assert_eq!(archive.find("progs/a.mdl").map(read).unwrap(), b"2");
    assert_eq!(archive.find("Progs/A.mdl").map(read).unwrap(), b"1");
    assert_eq!(archive.find("\\Progs\\A.mdl").map(read).unwrap(), b"1");
    assert!(archive.find("PROGS/A.MDL").is_none());
    assert_eq!(
        archive.find_any_case("PROGS/A.MDL").map(read).unwrap(),
        b"1"
    );
    assert_eq!(
        archive.find_any_case("progs/a.mdl").map(read).unwrap(),
        b"2"
    );
    assert!(archive.find_any_case("progs/a").is_none());
    let shadowed: Vec<_> = archive.entries().map(|it| it.is_shadowed()).collect();
    assert_eq!(shadowed, [false, false, true]);
}

#[test]
fn names_are_utf_8_or_windows_1252() {
    let bytes = pak(
        &[
            ("über".as_bytes(), b"1"),
            (b"\xFCber2", b"2"),
            (b"dir\\a", b"3"),
        ],
        0,
    )
    .bytes;
    let archive = open(&bytes[..]).unwrap();
    let paths: Vec<_> = archive.entries().map(|it| it.path()).collect();
    assert_eq!(paths, ["über", "über2", "dir/a"]);
}

#[test]
fn entries_of_folders_are_left_out_without_a_warning() {
    let bytes = pak(&[(b"progs/", b""), (b"progs/a", b"1"), (b"gfx\\", b"")], 0).bytes;
    let archive = open(&bytes[..]).unwrap();
    assert_eq!((archive.skipped(), archive.warnings()), (2, &[][..]));
    assert_eq!(archive.folder_entries(), 2);
    assert_eq!(archive.entries().len(), 1);
}

#[test]
fn a_directory_at_the_signature_of_another_format_is_accepted() {
    /// A file with this directory and no other bytes.
    struct Sparse(u64, Vec<u8>);

    impl ReadAt for Sparse {
        fn length(&self) -> io::Result<u64> {
            Ok(self.0 + 64)
        }

        fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
            let start = offset.checked_sub(self.0).map_or(offset, |at| at + 12);
            self.1.read_exact_at(buffer, start)
        }
    }

    // The second number of a MEG archive of version 2.
    let start = 0x3F7D_70A4;
    let empty = pak(&[(b"a", b"")], 0);
    let bytes = with_u32(&empty.bytes, 4, start);
    let archive = open(Sparse(start.into(), bytes)).unwrap();
    assert_eq!(contents(&archive), files([("a", &b""[..])]));
}

#[test]
fn spellings_that_differ_in_case_are_found() {
    let names: [&[u8]; 5] = [b"aB", b"Ab", b"AB", b"ab", b"Ab"];
    for start in 0..names.len() {
        let mut names = names;
        names.rotate_left(start);
        let bytes = pak(&names.map(|name| (name, &b"x"[..])), 0).bytes;
        let archive = open(&bytes[..]).unwrap();
        for entry in archive.entries() {
            let path = entry.path();
            let first = names.iter().position(|name| *name == path.as_bytes());
            let first = archive.entry(first.unwrap()).unwrap().record_offset();
            for found in [archive.find(&path), archive.find_any_case(&path)] {
                assert_eq!(found.unwrap().record_offset(), first);
            }
        }
    }
    let bytes = pak(&[(b"aB", b"first"), (b"Ab", b"x"), (b"AB", b"x")], 0).bytes;
    let archive = open(&bytes[..]).unwrap();
    let any = archive.find_any_case("ab").unwrap();
    assert_eq!(any.path(), "aB");
    assert!(archive.find("ab").is_none());
}

#[test]
fn opening_reads_the_directory_and_nothing_else() {
    let sample = pak(&[(b"a", &[1; 9000]), (b"b", &[2; 9000])], 0);
    let counting = Counting::new(&sample.bytes);
    let archive = open(&counting).unwrap();
    assert!(!counting.has_read(12..sample.directory as u64));
    assert_eq!(counting.read().1, 12 + 128);
    assert_eq!(archive.read(archive.find("b").unwrap()).unwrap(), [2; 9000]);
    assert!(!counting.has_read(12..9012));
}

#[test]
fn written_archives_have_the_same_files() {
    let given: [(&str, &[u8]); 3] = [
        ("progs/Über.mdl", b"model"),
        ("empty", b""),
        (&"x".repeat(55), b"x"),
    ];
    let bytes = write(&to_write(&given)).unwrap();
    let archive = open(&bytes[..]).unwrap();
    assert_eq!(contents(&archive), files(given));
    assert_eq!(archive.warnings(), []);
}

#[test]
fn writing_rejects_files_that_the_format_cannot_store() {
    let error = |files: &[(&str, &[u8])]| write(&to_write(files)).unwrap_err().to_string();
    assert!(error(&[]).contains("other files than given"));
    assert!(error(&[(&"x".repeat(56), b"")]).contains("55 bytes"));
    assert!(error(&[("a/../b", b"")]).contains("a path must be relative"));
    assert!(error(&[("a", b""), ("A", b"")]).contains("appears twice"));
}
