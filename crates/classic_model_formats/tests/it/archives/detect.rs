//! The detected format of archives with right, wrong and missing extensions.

use super::to_write;
use crate::prelude::*;
use classic_model_formats::archive::detect;
use classic_model_formats::{meg, pak, pk3, rez};
use std::io;
use std::path::Path;

const NAMES: [&str; 8] = [
    "a.meg",
    "a.PAK",
    "a.pk3",
    "a.KPF",
    "a.rez",
    "A.Vfs",
    "archive.dat",
    "a",
];

fn archives() -> Vec<(&'static str, Format, Vec<u8>)> {
    let files = to_write(&[("A.TXT", b"first"), ("B/C.TXT", b"second")]);
    let meg = |version| meg::write::write(version, &files).unwrap();
    let rez = rez::write::write(&files).unwrap();
    let mut other_text = rez.clone();
    other_text[2..62].fill(b'x');
    vec![
        ("MEG 1", Format::Meg, meg(1)),
        ("MEG 2", Format::Meg, meg(2)),
        ("MEG 3", Format::Meg, meg(3)),
        ("PAK", Format::Pak, pak::write::write(&files).unwrap()),
        ("PK3", Format::Pk3, pk3::write::write(&files).unwrap()),
        ("empty PK3", Format::Pk3, pk3::write::write(&[]).unwrap()),
        ("REZ", Format::Rez, rez),
        ("REZ with other text", Format::Rez, other_text),
        (
            "VFS",
            Format::Vfs,
            vfs::write::write(&files, |_| false).unwrap(),
        ),
    ]
}

fn found(bytes: &[u8], name: &str) -> Option<Format> {
    detect(bytes, Path::new(name)).unwrap()
}

#[test]
fn first_bytes_decide_whatever_the_extension() {
    for (what, format, bytes) in archives() {
        for name in NAMES {
            assert_eq!(found(&bytes, name), Some(format), "{what} as {name}");
        }
    }
}

#[test]
fn extensions_decide_without_a_signature() {
    // An empty MEG archive of version 1, an empty file, a file cut behind the first byte, and another archive.
    for bytes in [&[0; 8][..], b"", b"P", b"SPAK\0\0\0\0\0\0\0\0"] {
        let formats = NAMES.map(|name| found(bytes, name));
        let [meg, pak, pk3] = [Format::Meg, Format::Pak, Format::Pk3];
        let [rez, vfs] = [Format::Rez, Format::Vfs];
        assert_eq!(
            formats,
            [
                Some(meg),
                Some(pak),
                Some(pk3),
                Some(pk3),
                Some(rez),
                Some(vfs),
                None,
                None
            ],
            "{bytes:?}"
        );
    }
}

#[test]
fn archives_without_signature_need_equal_counts_that_fit() {
    let with_counts = |names: u32, files: u32, length: usize| {
        let mut bytes = [names.to_le_bytes(), files.to_le_bytes()].concat();
        bytes.resize(length, 0);
        bytes
    };
    for (names, files, length, expected) in [
        (1, 1, 30, Some(Format::Meg)),
        (1, 1, 29, None),
        (2, 1, 99, None),
        (0, 0, 99, None),
        (u32::MAX, u32::MAX, 99, None),
    ] {
        let bytes = with_counts(names, files, length);
        assert_eq!(found(&bytes, "a"), expected, "{names} {files} {length}");
    }
}

#[test]
fn files_that_cannot_be_read_are_errors() {
    struct Shorter;
    impl classic_model_formats::archive::ReadAt for Shorter {
        fn length(&self) -> io::Result<u64> {
            Ok(100)
        }

        fn read_exact_at(&self, _: &mut [u8], _: u64) -> io::Result<()> {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
    let error = detect(&Shorter, Path::new("a.pak")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
}
