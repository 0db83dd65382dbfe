//! Real archives: all of them open without unexpected warnings, and all entries can be read and found.

use super::contents;
use crate::prelude::*;
use classic_model_formats::{meg, pak, pk3, rez};
use classic_models_fixtures::corpus::{corpus_paths, read};

type Open = fn(Vec<u8>) -> Result<Archive<Vec<u8>>, ParseError>;

/// Opens the real archives with an extension, reads them, writes them and reads the result.
fn check(test: &str, extension: &str, open: Open, write: impl Fn(&[ArchiveFile]) -> Vec<u8>) {
    let Some((_, paths)) = corpus_paths(test, extension) else {
        return;
    };
    for path in paths {
        let what = path.display();
        let archive = open(read(&path)).unwrap_or_else(|error| panic!("{what}: {error}"));
        for warning in archive.warnings() {
            println!("{what}: {warning}");
        }
        let files = contents(&archive);
        let mut unique = Vec::new();
        for (entry, (path, bytes)) in archive.entries().zip(&files) {
            let found = archive.find_any_case(&path.to_ascii_lowercase());
            let found = found.unwrap_or_else(|| panic!("{what}: {path} is not found"));
            if !entry.is_shadowed() {
                assert_eq!(
                    found.record_offset(),
                    entry.record_offset(),
                    "{what}: {path}"
                );
                unique.push(ArchiveFile::new(path.clone(), bytes.clone()));
            }
        }
        if !unique.is_empty() {
            let copy = open(write(&unique)).unwrap();
            for file in &unique {
                let entry = copy.find_any_case(&file.path).unwrap();
                assert!(
                    copy.read(entry).unwrap() == file.bytes,
                    "{what}: {}",
                    file.path
                );
            }
        }
        println!(
            "{what}: version {:?}, {} files",
            archive.version(),
            files.len()
        );
    }
}

#[test]
fn real_meg_archives_can_be_read() {
    check("real_meg_archives_can_be_read", "meg", meg::open, |files| {
        meg::write::write(1, files).unwrap()
    });
}

#[test]
fn real_pak_archives_can_be_read() {
    check("real_pak_archives_can_be_read", "pak", pak::open, |files| {
        pak::write::write(files).unwrap()
    });
}

#[test]
fn real_pk3_archives_can_be_read() {
    for extension in ["pk3", "kpf"] {
        check(
            "real_pk3_archives_can_be_read",
            extension,
            pk3::open,
            |files| pk3::write::write(files).unwrap(),
        );
    }
}

#[test]
fn real_rez_archives_can_be_read() {
    check("real_rez_archives_can_be_read", "rez", rez::open, |files| {
        rez::write::write(files).unwrap()
    });
}

#[test]
fn real_vfs_archives_can_be_read() {
    check("real_vfs_archives_can_be_read", "vfs", vfs::open, |files| {
        vfs::write::write(files, |_| true).unwrap()
    });
}
