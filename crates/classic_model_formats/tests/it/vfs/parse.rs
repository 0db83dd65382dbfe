//! Archives of UFO: Aftermath: reading, finding and writing.

use crate::archives::{Counting, contents, files, to_write};
use crate::prelude::*;
use classic_model_formats::vfs::open;
use classic_model_formats::vfs::write::write;
use classic_models_fixtures::archives::chunks;

#[test]
fn files_are_in_the_order_of_the_folders() {
    let sample = sample_vfs();
    let bytes = sample.build();
    let archive = open(&bytes[..]).unwrap();
    assert_eq!((archive.version(), archive.warnings()), (Some(1), &[][..]));
    let packed = [&[b'p'; 60][..], b"end"].concat();
    let expected = files([
        ("h_eq-tnt#h.txt", &[b't'; 200][..]),
        ("Models/bike.LGW", b"model"),
        ("Models/empty", b""),
        ("Škoda.txt", &packed),
    ]);
    assert_eq!(contents(&archive), expected);
    let packed = archive.find("škoda.TXT").unwrap();
    assert!(packed.is_compressed());
    let entry = &sample.root[VFS_COMPRESSED];
    assert_eq!(
        (packed.size(), packed.stored_size()),
        (63, entry.stored.into())
    );
    assert_eq!(packed.offset(), u64::from(entry.first));
    assert_eq!(
        packed.record_offset() as usize,
        sample.root_at(VFS_COMPRESSED)
    );
    let text = archive.entry(0).unwrap();
    assert_eq!(
        (text.is_compressed(), text.size(), text.stored_size()),
        (false, 200, 200)
    );
}

#[test]
fn records_of_folders_can_cross_clusters() {
    let sample = sample_vfs();
    let bytes = sample.build();
    let archive = open(&bytes[..]).unwrap();
    let second = archive.find("models/EMPTY").unwrap().record_offset() as usize;
    // The record begins in the second cluster of the folder, at byte 88 of 80 per cluster.
    assert_eq!(&bytes[second..second + 5], b"empty");
    let first = archive.find("\\models\\bike.lgw").unwrap().record_offset() as usize;
    assert_eq!(second, first + 88);
}

#[test]
fn leftovers_behind_a_folder_are_not_entries() {
    let mut vfs = Vfs::new(200);
    let file = vfs.add("a", 1, b"data", 0);
    let record = file.record();
    let folder = vfs.add("folder", 2, &[&record[..], &record].concat(), 0);
    vfs.root = vec![folder];
    vfs.root[0].stored = 88;
    let bytes = vfs.build();
    let archive = open(&bytes[..]).unwrap();
    assert_eq!(contents(&archive), files([("folder/a", &b"data"[..])]));
    assert_eq!(archive.warnings(), []);
}

#[test]
fn chains_can_be_longer_than_needed() {
    let mut vfs = sample_vfs();
    vfs.root[0].stored = 50;
    vfs.root.push(vfs.root[0].clone());
    let entry = vfs.root.last_mut().unwrap();
    entry.name = b"empty anywhere".to_vec();
    (entry.stored, entry.first) = (0, 77_777);
    let bytes = vfs.build();
    let archive = open(&bytes[..]).unwrap();
    assert_eq!(archive.warnings(), []);
    assert_eq!(archive.read(archive.entry(0).unwrap()).unwrap(), [b't'; 50]);
    assert_eq!(archive.find("empty anywhere").unwrap().size(), 0);
}

#[test]
fn compressed_files_can_have_many_chunks() {
    let parts: Vec<Vec<u8>> = (0..40_u8)
        .map(|index| vec![index; 1 + usize::from(index)])
        .collect();
    let whole = parts.concat();
    let stored = chunks(&parts.iter().map(|part| zlib(part)).collect::<Vec<_>>());
    let mut vfs = Vfs::new(64);
    let file = vfs.add("a", 9, &stored, whole.len());
    vfs.root = vec![file];
    vfs.window = 40;
    let bytes = vfs.build();
    let archive = open(&bytes[..]).unwrap();
    let entry = archive.find("a").unwrap();
    assert_eq!(archive.read(entry).unwrap(), whole);
    for range in [0..1, 5..600, 100..100, 819..820] {
        let expected = &whole[range.start as usize..range.end as usize];
        assert_eq!(archive.read_range(entry, range).unwrap(), expected);
    }
}

#[test]
fn opening_reads_the_tables_and_folders_and_nothing_else() {
    let sample = sample_vfs();
    let bytes = sample.build();
    let counting = Counting::new(&bytes);
    let archive = open(&counting).unwrap();
    let folder = &sample.root[1];
    let folder = sample.cluster_at(folder.first) as u64;
    let tables = sample.cluster_at(1) as u64;
    assert_eq!(counting.read(), (folder + 176, tables + 176));
    assert!(!counting.has_read(tables..folder));
    assert_eq!(archive.entries().len(), 4);
}

#[test]
fn written_archives_have_the_same_files() {
    let large: Vec<u8> = (0..200_000_u32)
        .map(|at| (at.wrapping_mul(at) >> 7) as u8)
        .collect();
    let given: [(&str, &[u8]); 6] = [
        ("Models/bike.lgw", b"model"),
        ("h_eq-tnt#h.txt", b"#"),
        ("Models/Škoda/a", &large),
        ("models/empty", b""),
        ("Models/zeros", &[0; 123_456]),
        ("z", &[7; 4096]),
    ];
    for is_compressed in [false, true] {
        let bytes = write(&to_write(&given), |file| is_compressed && file.path != "z").unwrap();
        let archive = open(&bytes[..]).unwrap();
        assert_eq!(archive.warnings(), []);
        for (path, bytes) in given {
            let entry = archive.find(path).unwrap();
            assert!(archive.read(entry).unwrap() == bytes, "{path}");
            let expected = is_compressed && path != "z" && !bytes.is_empty();
            assert_eq!(entry.is_compressed(), expected, "{path}");
        }
        assert_eq!(u32_at(&bytes, 4), 4096);
    }
    assert_eq!(
        open(&write(&[], |_| true).unwrap()[..])
            .unwrap()
            .entries()
            .len(),
        0
    );
    // More entries than the games' root folders have.
    let many: Vec<String> = (0..100).map(|index| format!("{index}")).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|name| (&name[..], &b"x"[..])).collect();
    let bytes = write(&to_write(&many), |_| false).unwrap();
    assert_eq!(open(&bytes[..]).unwrap().entries().len(), 100);
}

#[test]
fn writing_rejects_files_that_the_format_cannot_store() {
    let error =
        |files: &[(&str, &[u8])]| write(&to_write(files), |_| false).unwrap_err().to_string();
    assert!(error(&[("a/../b", b"")]).contains("a path must be relative"));
    assert!(error(&[("ñ", b"")]).contains("the encoding of names"));
    assert!(error(&[(&"x".repeat(64), b"")]).contains("63 bytes"));
    assert!(error(&[("a", b""), ("A/b", b"")]).contains("name of a folder"));
}
