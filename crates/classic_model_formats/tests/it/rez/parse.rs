//! LithTech archives: reading, finding and writing.

use crate::archives::{Counting, contents, files, to_write};
use crate::prelude::*;
use classic_model_formats::rez::open;
use classic_model_formats::rez::write::write;
use classic_models_fixtures::archives::RezNode::{File, Folder};
use classic_models_fixtures::archives::rez;

#[test]
fn files_are_in_the_order_of_the_folders() {
    let sample = sample_rez();
    let archive = open(&sample.bytes[..]).unwrap();
    assert_eq!((archive.version(), archive.warnings()), (Some(1), &[][..]));
    let expected = files([
        ("ATTRIBUTES.TXT", &b"[A]"[..]),
        ("SKINS/A.DTX", b"skin of a"),
        ("SKINS/GUNS/COLT.45.DTX", b"gun"),
        ("SKINS/GUNS/EMPTY", b""),
        ("SKINS/A.ABC", b"model"),
        ("LONG.EXTENSION", b"x"),
    ]);
    assert_eq!(contents(&archive), expected);
    let records: Vec<_> = archive
        .entries()
        .map(|it| it.record_offset() as usize)
        .collect();
    // Entries 1, 3 and 6 are folders.
    let offsets = [0, 2, 4, 5, 6, 8].map(|index| sample.entries[index]);
    assert_eq!(records, offsets);
}

#[test]
fn files_are_found_in_any_case() {
    let bytes = sample_rez().bytes;
    let archive = open(&bytes[..]).unwrap();
    let find = |path: &str| archive.find(path).map(|entry| entry.path().into_owned());
    for path in [
        "skins/guns/colt.45.dtx",
        "\\Skins\\Guns/COLT.45.DTX",
        "/SKINS/GUNS/COLT.45.dtx",
    ] {
        assert_eq!(
            find(path).as_deref(),
            Some("SKINS/GUNS/COLT.45.DTX"),
            "{path}"
        );
    }
    for path in [
        "skins",
        "skins/",
        "skins/guns/colt",
        "guns/colt.45.dtx",
        "//skins/a.dtx",
        "skins//a.dtx",
        "",
        "nothing/a",
        "skins/a.dtx/b",
    ] {
        assert_eq!(find(path), None, "{path}");
    }
}

#[test]
fn archives_without_files_are_accepted() {
    let fresh = rez(&[]).bytes;
    for bytes in [fresh.clone(), with_u32(&fresh, 131, u32::MAX)] {
        let archive = open(&bytes[..]).unwrap();
        assert_eq!((archive.entries().len(), archive.warnings()), (0, &[][..]));
    }
    // Real archives have empty files at offset 0.
    let sample = rez(&[File(b"EMPTY", "", b"")]);
    let bytes = with_u32(&sample.bytes, sample.entries[0] + 4, 0);
    let archive = open(&bytes[..]).unwrap();
    assert_eq!(archive.warnings(), []);
    assert_eq!(contents(&archive), files([("EMPTY", &b""[..])]));
}

#[test]
fn folders_of_the_same_name_are_merged() {
    let bytes = rez(&[
        Folder(
            "A",
            vec![
                File(b"1", "TXT", b"1"),
                Folder("SUB", vec![File(b"X", "", b"x")]),
            ],
        ),
        File(b"2", "TXT", b"2"),
        Folder(
            "a",
            vec![
                File(b"3", "TXT", b"3"),
                Folder("Sub", vec![File(b"Y", "", b"y"), File(b"x", "", b"z")]),
            ],
        ),
    ])
    .bytes;
    let archive = open(&bytes[..]).unwrap();
    let expected = files([
        ("A/1.TXT", &b"1"[..]),
        ("A/SUB/X", b"x"),
        ("2.TXT", b"2"),
        ("A/3.TXT", b"3"),
        ("A/SUB/Y", b"y"),
        ("A/SUB/x", b"z"),
    ]);
    assert_eq!(contents(&archive), expected);
    assert_eq!(archive.find("a/sub/y").unwrap().size(), 1);
    let shadowed: Vec<_> = archive
        .entries()
        .filter(|it| it.is_shadowed())
        .map(|it| it.path())
        .collect();
    assert_eq!(shadowed, ["A/SUB/x"]);
    assert_eq!(
        archive.read(archive.find("A/SUB/x").unwrap()).unwrap(),
        b"x"
    );
}

#[test]
fn names_with_separators_are_left_out() {
    // Both files of `A\B\C.TXT` would have the same path.
    let bytes = rez(&[
        Folder(
            "A",
            vec![
                File(b"B\\C", "TXT", b"1"),
                Folder("B", vec![File(b"C", "TXT", b"2")]),
            ],
        ),
        Folder("D/E", vec![File(b"F", "", b"3")]),
    ])
    .bytes;
    let archive = open(&bytes[..]).unwrap();
    assert_eq!(contents(&archive), files([("A/B/C.TXT", &b"2"[..])]));
    assert_eq!((archive.skipped(), archive.folder_entries()), (2, 0));
    let [warning] = archive.warnings() else {
        panic!("{:?}", archive.warnings())
    };
    assert_eq!(
        warning.message,
        "entry name \"B\\\\C.TXT\" has a separator; the entry is left out (and 1 more like it)"
    );
}

#[test]
fn names_are_windows_1252() {
    let bytes = rez(&[File(b"\xDCBER", "TXT", b"1")]).bytes;
    let archive = open(&bytes[..]).unwrap();
    assert_eq!(archive.find("über.txt").unwrap().path(), "ÜBER.TXT");
}

/// Folders within each other.
fn nested(depth: usize) -> Vec<RezNode> {
    let file = vec![File(b"DEEP", "", b"x")];
    (0..depth).fold(file, |nodes, _| vec![Folder("D", nodes)])
}

#[test]
fn folders_can_be_64_deep() {
    let bytes = rez(&nested(64)).bytes;
    let archive = open(&bytes[..]).unwrap();
    let path = format!("{}deep", "d/".repeat(64));
    assert_eq!(archive.read(archive.find(&path).unwrap()).unwrap(), b"x");
    let error = open(&rez(&nested(65)).bytes[..]).map(drop).unwrap_err();
    assert!(
        error.to_string().contains("is nested more than 64 deep"),
        "{error}"
    );
}

#[test]
fn opening_reads_the_folders_and_nothing_else() {
    let bytes = rez(&[
        File(b"A", "", &[1; 5000]),
        Folder("F", vec![File(b"B", "", &[2; 5000])]),
    ])
    .bytes;
    let counting = Counting::new(&bytes);
    let archive = open(&counting).unwrap();
    for entry in archive.entries() {
        assert!(!counting.has_read(entry.offset()..entry.offset() + entry.size()));
    }
    assert_eq!(counting.read().1, bytes.len() as u64 - 10_000);
    assert_eq!(
        archive.read(archive.find("f/b").unwrap()).unwrap(),
        [2; 5000]
    );
}

#[test]
fn written_archives_have_the_same_files() {
    let given: [(&str, &[u8]); 6] = [
        ("SKINS/A.DTX", b"skin"),
        ("TOP.TXT", b"top"),
        ("SKINS/GUNS/B.LONGER", b"gun"),
        ("skins/c", b""),
        ("SKINS/ÜBER.B.ABCD", b"x"),
        ("DOT.", b"dot"),
    ];
    let bytes = write(&to_write(&given)).unwrap();
    let archive = open(&bytes[..]).unwrap();
    let expected = [
        "SKINS/A.DTX",
        "SKINS/GUNS/B.LONGER",
        "SKINS/C",
        "SKINS/ÜBER.B.ABCD",
        "TOP.TXT",
        "DOT.",
    ];
    let paths: Vec<_> = archive.entries().map(|it| it.path()).collect();
    assert_eq!(paths, expected);
    for (path, bytes) in given {
        assert_eq!(
            archive.read(archive.find(path).unwrap()).unwrap(),
            bytes,
            "{path}"
        );
    }
    assert_eq!(open(&write(&[]).unwrap()[..]).unwrap().entries().len(), 0);
}

#[test]
fn writing_rejects_files_that_the_format_cannot_store() {
    let error = |files: &[(&str, &[u8])]| write(&to_write(files)).unwrap_err().to_string();
    assert!(error(&[("a/../b", b"")]).contains("a path must be relative"));
    assert!(error(&[("čaj", b"")]).contains("the encoding of names"));
    assert!(error(&[("a", b""), ("A/b", b"")]).contains("name of a folder"));
    let deep = format!("{}x", "a/".repeat(65));
    assert!(error(&[(&deep, b"")]).contains("64 deep"));
}
