//! Archives on disk: reading from several threads, and errors of the system.

use super::{contents, to_write};
use crate::prelude::*;
use classic_model_formats::{meg, pak, pk3, rez};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// A file in a folder of its own, which is removed at the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let folder = std::env::temp_dir().join(format!(
            "classic_model_formats-{}-{name}",
            std::process::id()
        ));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("archive"), bytes).unwrap();
        Self(folder)
    }

    fn open(&self) -> File {
        File::open(self.0.join("archive")).unwrap()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// 40 files of different bytes and lengths.
fn forty() -> Vec<ArchiveFile> {
    let file = |index: u32| {
        let bytes: Vec<u8> = (0..index * 997).map(|at| (at * index) as u8).collect();
        ArchiveFile::new(format!("DATA/FOLDER{}/FILE{index}.DAT", index % 3), bytes)
    };
    (0..40).map(file).collect()
}

#[test]
fn threads_read_the_same_archive_at_once() {
    let files = forty();
    type Case = (
        &'static str,
        Vec<u8>,
        fn(File) -> Result<Archive<File>, ParseError>,
    );
    let cases: [Case; 5] = [
        ("meg", meg::write::write(1, &files).unwrap(), meg::open),
        ("pak", pak::write::write(&files).unwrap(), pak::open),
        ("pk3", pk3::write::write(&files).unwrap(), pk3::open),
        ("rez", rez::write::write(&files).unwrap(), rez::open),
        (
            "vfs",
            vfs::write::write(&files, |file| file.bytes.len() % 2 == 0).unwrap(),
            vfs::open,
        ),
    ];
    for (name, bytes, open) in cases {
        let disk = Temporary::new(&format!("threads-{name}"), &bytes);
        let archive = open(disk.open()).unwrap();
        assert_eq!(archive.entries().len(), files.len(), "{name}");
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (archive, files) = (&archive, &files);
                scope.spawn(move || {
                    for round in 0..files.len() * 5 {
                        let file = &files[(round * 7 + thread * 5) % files.len()];
                        let entry = archive.find(&file.path).unwrap();
                        assert!(
                            archive.read(entry).unwrap() == file.bytes,
                            "{name} {}",
                            file.path
                        );
                    }
                });
            }
        });
    }
}

#[test]
fn ranges_of_entries_are_parts_of_their_bytes() {
    let files = forty();
    for is_compressed in [false, true] {
        let bytes = vfs::write::write(&files, |_| is_compressed).unwrap();
        let vfs = vfs::open(&bytes[..]).unwrap();
        let bytes = pak::write::write(&files).unwrap();
        let pak = pak::open(&bytes[..]).unwrap();
        let bytes = pk3::write::write(&files).unwrap();
        let pk3 = pk3::open(&bytes[..]).unwrap();
        assert!(pk3.entries().any(|entry| entry.is_compressed()));
        for file in &files {
            let len = file.bytes.len() as u64;
            for (start, end) in [
                (0, 0),
                (0, 1),
                (4000, 5000),
                (len / 2, len),
                (len, u64::MAX),
                (9, 3),
                (u64::MAX, 0),
            ] {
                let expected = &file.bytes[start.min(end).min(len) as usize..end.min(len) as usize];
                let read = vfs.read_range(vfs.find(&file.path).unwrap(), start..end);
                assert!(read.unwrap() == expected, "{} {start}..{end}", file.path);
                let read = pak.read_range(pak.find(&file.path).unwrap(), start..end);
                assert!(read.unwrap() == expected, "{} {start}..{end}", file.path);
                let read = pk3.read_range(pk3.find(&file.path).unwrap(), start..end);
                assert!(read.unwrap() == expected, "{} {start}..{end}", file.path);
            }
        }
    }
}

#[test]
fn a_file_that_shrinks_after_opening_is_an_error() {
    let bytes = pak::write::write(&to_write(&[("a", &[7; 5000]), ("b", b"x")])).unwrap();
    let disk = Temporary::new("shrinks", &bytes);
    let archive = pak::open(disk.open()).unwrap();
    std::fs::OpenOptions::new()
        .write(true)
        .open(disk.0.join("archive"))
        .unwrap()
        .set_len(3000)
        .unwrap();
    let error = archive.read(archive.find("a").unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "PAK: entry \"a\" at offset 12 needs 5000 bytes, but only 2988 remain"
    );
    std::fs::write(disk.0.join("archive"), &bytes).unwrap();
    assert_eq!(contents(&archive)[0].1, [7; 5000]);
}

#[test]
fn errors_of_the_reader_are_reported() {
    /// A file whose second half cannot be read.
    struct Broken(Vec<u8>);

    impl ReadAt for Broken {
        fn length(&self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }

        fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
            if offset + buffer.len() as u64 > self.0.len() as u64 / 2 {
                return Err(io::Error::other("bad sector"));
            }
            self.0.read_exact_at(buffer, offset)
        }
    }

    let files = [("A", &[1_u8; 9][..]), ("B", &[2; 4000])];
    let bytes = meg::write::write(1, &to_write(&files)).unwrap();
    let archive = meg::open(Broken(bytes)).unwrap();
    let entry = archive.find("b").unwrap();
    let error = archive.read(entry).unwrap_err();
    assert_eq!(
        error.kind,
        ErrorKind::Io {
            kind: io::ErrorKind::Other,
            message: "bad sector".to_owned()
        }
    );
    assert!(error.to_string().contains("entry \"B\""), "{error}");
    let bytes = pak::write::write(&to_write(&files)).unwrap();
    let error = pak::open(Broken(bytes)).err().unwrap();
    assert!(matches!(error.kind, ErrorKind::Io { .. }), "{error}");
    assert_eq!(error.context, "directory");
}

#[test]
fn an_error_of_the_reader_is_not_taken_for_another_version() {
    /// A file whose bytes 24 and later cannot be read the first time.
    struct Flaky(Vec<u8>, AtomicBool);

    impl ReadAt for Flaky {
        fn length(&self) -> io::Result<u64> {
            self.0.length()
        }

        fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
            if offset >= 24 && !self.1.swap(true, Ordering::Relaxed) {
                return Err(io::Error::other("bad sector"));
            }
            self.0.read_exact_at(buffer, offset)
        }
    }

    let bytes = meg::write::write(3, &to_write(&[("A", b"x")])).unwrap();
    let error = meg::open(Flaky(bytes, AtomicBool::new(false))).map(drop);
    let error = error.unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Io { .. }), "{error}");
}

#[test]
fn archives_can_be_sent_to_other_threads() {
    fn is_shareable<T: Send + Sync + 'static>() {}
    is_shareable::<Archive<File>>();
    is_shareable::<Archive<Vec<u8>>>();
}
