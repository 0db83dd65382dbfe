//! Petroglyph archives: reading, finding and writing.

use crate::archives::{Counting, contents, files, to_write};
use crate::prelude::*;
use classic_model_formats::meg::write::write;
use classic_model_formats::meg::{checksum, open};
use classic_models_fixtures::archives::{MEG_FILES, meg};

#[test]
fn all_versions_have_the_same_files() {
    for version in 1..=3 {
        let sample = sample_meg(version);
        let archive = open(&sample.bytes[..]).unwrap();
        assert_eq!(archive.version(), Some(version));
        assert_eq!(archive.warnings(), []);
        let mut expected = files([
            ("DATA/XML/B.XML", &b"<second/>"[..]),
            ("DATA/ART/ÜBER A.ALO", b"first"),
            ("DATA/EMPTY.TXT", b""),
            ("A.TXT", b"last one"),
        ]);
        expected.sort_by_key(|(path, _)| {
            let position = MEG_FILES
                .iter()
                .position(|(name, _)| name.ends_with(path.rsplit('/').next().unwrap().as_bytes()));
            crc_32(MEG_FILES[position.unwrap_or(1)].0)
        });
        assert_eq!(contents(&archive), expected);
        for (index, entry) in archive.entries().enumerate() {
            assert_eq!(entry.record_offset() as usize, sample.records + 20 * index);
            assert_eq!(entry.stored_size(), entry.size());
        }
    }
}

#[test]
fn archives_without_files_are_accepted() {
    for version in 1..=3 {
        let bytes = meg(version, &[]).bytes;
        assert_eq!(bytes.len(), [8, 20, 24][version as usize - 1]);
        let archive = open(&bytes[..]).unwrap();
        assert_eq!((archive.entries().len(), archive.warnings()), (0, &[][..]));
    }
}

/// The sum of lengths in this archive of version 2 is right for version 3, because the length and the letter of its first name
/// are a plausible size of the name table.
#[test]
fn versions_2_and_3_are_distinguished_by_names() {
    let bytes = meg(2, &[(b"A", b"x"), (&[b'B'; 256], b"x")]).bytes;
    // As the size of a name table, bytes 20 to 23 end at the start of the data.
    assert_eq!(u32_at(&bytes, 20), 0x0041_0001);
    let end = 24 + 0x0041_0001 + 2 * 20;
    let mut bytes = with_u32(&bytes, 8, end);
    bytes.resize(end as usize, 0);
    let archive = open(&bytes[..]).unwrap();
    assert_eq!(archive.version(), Some(2));
    assert_eq!(archive.find_any_case("a").unwrap().size(), 1);
    let bytes = meg(3, &[(b"A", b"x"), (&[b'B'; 256], b"x")]).bytes;
    assert_eq!(open(&bytes[..]).unwrap().version(), Some(3));
}

#[test]
fn entries_are_found_by_the_checksum_of_the_path() {
    let sample = sample_meg(1);
    let archive = open(&sample.bytes[..]).unwrap();
    let find = |path: &str| archive.find(path).map(|entry| entry.path().into_owned());
    for path in [
        "DATA\\XML\\B.XML",
        "data/xml/b.xml",
        ".\\Data\\XML/b.xml",
        "/data/xml/b.xml",
    ] {
        assert_eq!(find(path).as_deref(), Some("DATA/XML/B.XML"), "{path}");
    }
    for path in [
        "xml/b.xml",
        "data/xml/b.xml ",
        "//data/xml/b.xml",
        "DATA/ART/ÜBER A.ALO",
        "",
        &"x".repeat(300),
    ] {
        assert_eq!(find(path), None, "{path}");
    }
    // The games replace the letter, so only tools find the file.
    let found = archive.find_any_case("data/art/über a.alo").unwrap();
    assert_eq!(found.path(), "DATA/ART/ÜBER A.ALO");
}

#[test]
fn an_entry_with_a_path_of_another_disk_is_found_only_by_its_cleaned_name() {
    let name = b"C:\\GAMES\\DATA\\ART\\X.FXO";
    let bytes = meg(1, &[(name, b"effect")]).bytes;
    let archive = open(&bytes[..]).unwrap();
    assert_eq!(archive.find("data/art/x.fxo").map(|it| it.path()), None);
    assert!(archive.find("c:/games/data/art/x.fxo").is_some());
    let found = archive.find_any_case("games/data/art/x.fxo").unwrap();
    assert_eq!(archive.read(found).unwrap(), b"effect");
    assert_eq!(archive.warnings().len(), 1);
}

#[test]
fn the_first_record_of_a_checksum_is_found() {
    let bytes = meg(1, &[(b"A.TXT", b"first"), (b"A.TXT", b"second")]).bytes;
    let archive = open(&bytes[..]).unwrap();
    assert_eq!(
        archive.read(archive.find("a.txt").unwrap()).unwrap(),
        b"first"
    );
    let shadowed: Vec<_> = archive.entries().map(|it| it.is_shadowed()).collect();
    assert_eq!(shadowed, [false, true]);
}

#[test]
fn special_characters_in_names_are_kept() {
    let names: [&[u8]; 5] = [b"A#B.TXT", b"A#", b".HIDDEN", b"X:\x2F/Y", b"A:B?"];
    let entries: Vec<(&[u8], &[u8])> = names.iter().map(|name| (*name, &b"x"[..])).collect();
    let bytes = meg(1, &entries).bytes;
    let archive = open(&bytes[..]).unwrap();
    let paths: Vec<_> = archive.entries().map(|it| it.path().into_owned()).collect();
    assert_eq!(paths, ["A#B.TXT", "A#", ".HIDDEN", "Y", "B?"]);
    for path in paths {
        assert!(archive.find_any_case(&path).is_some());
    }
}

#[test]
fn opening_reads_the_tables_and_nothing_else() {
    for version in 1..=3 {
        for name_len in [1, 40, 3000] {
            let names: Vec<Vec<u8>> = (0..200)
                .map(|index| format!("{index:0name_len$}").into_bytes())
                .collect();
            let entries: Vec<(&[u8], &[u8])> =
                names.iter().map(|name| (&name[..], &b"data"[..])).collect();
            let sample = meg(version, &entries);
            let counting = Counting::new(&sample.bytes);
            let archive = open(&counting).unwrap();
            let tables = sample.records + 20 * entries.len();
            let (end, count) = counting.read();
            assert_eq!(
                end, tables as u64,
                "version {version}, names of {name_len} bytes"
            );
            // Headers, and tables that might have belonged to version 3, are read twice at most.
            assert!(count <= 2 * tables as u64 + 24, "{count} of {tables}");
            assert_eq!(archive.entries().len(), 200);
        }
    }
}

#[test]
fn written_archives_have_the_same_files() {
    let given: [(&str, &[u8]); 4] = [
        ("Data/Xml/Über.xml", b"<a/>"),
        ("data/empty", b""),
        ("b", b"b"),
        ("c", b"cc"),
    ];
    for version in 1..=3 {
        let bytes = write(version, &to_write(&given)).unwrap();
        let archive = open(&bytes[..]).unwrap();
        assert_eq!(
            (archive.version(), archive.warnings()),
            (Some(version), &[][..])
        );
        for (path, bytes) in given {
            let entry = archive.find_any_case(path).unwrap();
            assert_eq!(entry.path(), path.to_ascii_uppercase());
            assert_eq!(archive.read(entry).unwrap(), bytes);
            let is_ascii = path.is_ascii();
            assert_eq!(archive.find(path).is_some(), is_ascii, "{path}");
        }
        assert_eq!(write(version, &[]).unwrap(), meg(version, &[]).bytes);
    }
}

#[test]
fn writing_rejects_files_that_the_format_cannot_store() {
    let error = |version, files: &[(&str, &[u8])]| {
        write(version, &to_write(files)).unwrap_err().to_string()
    };
    for (path, expected) in [
        ("../a", "a path must be relative"),
        ("C:/a", "a path must be relative"),
        ("a\\b", "a path must be relative"),
        ("", "a path must be relative"),
        ("čaj", "the encoding of names"),
        (&"x".repeat(260), "259 bytes"),
    ] {
        let message = error(1, &[(path, b"x")]);
        assert!(message.contains(expected), "{path}: {message}");
    }
    assert_eq!(
        error(4, &[]),
        "version is 4, which is not supported (supported: 1, 2 and 3)"
    );
    assert_eq!(
        error(1, &[("a", b""), ("A", b"")]),
        "file \"A\" appears twice"
    );
    assert!(error(1, &[("a", b""), ("A/b", b"")]).contains("name of a folder"));
    assert_eq!(checksum(b"PLUMLESS"), checksum(b"BUCKEROO"));
    assert!(error(1, &[("plumless", b""), ("buckeroo", b"")]).contains("the same checksum"));
}
