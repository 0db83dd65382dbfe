//! Malformed archives of UFO: Aftermath: the error or warning of every class with its offset.

use crate::archives::open_and_read;
use crate::prelude::*;
use classic_model_formats::vfs::open;
use classic_models_fixtures::archives::{VFS_FOLDER, chunks, patched};

error_kinds! {
    truncated: ErrorKind::Truncated { .. },
    wrong_magic: ErrorKind::WrongMagic { .. },
    bad_count: ErrorKind::BadCount { .. },
    broken_chain: ErrorKind::BrokenChain { .. },
    overlap: ErrorKind::Overlap { .. },
    too_deep: ErrorKind::TooDeep { .. },
}

fn header_cases(cases: &mut Cases) {
    let bytes = &sample_vfs().build();
    cases.expect(1, Reject(truncated, 0));
    cases.add("no bytes", []);
    cases.add("half a header", &bytes[..200]);
    let others: [&[u8]; 5] = [
        b"PACK\0\0\0\0\0\0\0\0",
        b"PK\x03\x04\0\0\0\0",
        b"\r\nRezMgr Version 1",
        b"\xFF\xFF\xFF\xFF\xA4\x70\x7D\x3F",
        b"VFS1\0\0\0\0",
    ];
    for other in others {
        cases.expect(2, Reject(wrong_magic, 0));
        cases.add("another format", other);
    }
    add_cases! { cases:
        3, Reject(bad_count, 8), "file allocation table cut" => &bytes[..320];
        3, Reject(bad_count, 12), "root cut" => &bytes[..sample_vfs().root_at(2)];
        4, Silent, "trailing bytes" => [bytes, &b"more"[..]].concat();
        52, Reject(bad_count, 8), "clusters" => with_u32(bytes, 8, u32::MAX);
        52, Reject(bad_count, 12), "root entries" => with_u32(bytes, 12, u32::MAX);
        82, Reject(wrong_magic, 0), "version" => patched(bytes, 0, &2_f32.to_le_bytes());
        82, Reject(bad_count, 20), "length of names" => with_u32(bytes, 20, 32);
        82, Reject(bad_count, 44), "length of the version text" => with_u32(bytes, 44, 255);
        82, Reject(bad_count, 4), "cluster size" => with_u32(bytes, 4, 0);
    }
}

fn chain_cases(cases: &mut Cases) {
    let sample = sample_vfs();
    let bytes = &sample.build();
    let last = sample.next.len() as u32;
    let (text, folder) = (&sample.root[0], &sample.root[VFS_FOLDER]);
    let folder_at = sample.root_at(VFS_FOLDER) as u64;
    // The folder has three clusters in ascending order.
    for next in [u32::MAX, 0, last + 1, folder.first] {
        let links = with_u32(bytes, Vfs::fat(folder.first) + 4, next);
        cases.expect(84, Reject(broken_chain, folder_at));
        cases.add(format!("folder link {next}"), links);
    }
    for first in [0, last + 1, u32::MAX] {
        let first = with_u32(bytes, sample.root_at(VFS_FOLDER) + 76, first);
        cases.expect(84, Reject(broken_chain, folder_at));
        cases.add("first cluster of a folder", first);
    }
    let size = with_u32(bytes, sample.root_at(VFS_FOLDER) + 80, u32::MAX);
    cases.expect(84, Reject(broken_chain, folder_at));
    cases.add("size of a folder", size);
    // The text has three clusters in descending order.
    let text_at = sample.root_at(0) as u64;
    for (next, reason) in [
        (u32::MAX, "it ends before the declared size"),
        (0, "cluster 0"),
        (last + 1, "past the last one"),
        (text.first, "a cluster twice"),
    ] {
        let links = with_u32(bytes, Vfs::fat(text.first) + 4, next);
        cases.expect(85, Warn(reason, text_at));
        cases.add(format!("file link {next}"), links);
    }
    let size = with_u32(bytes, sample.root_at(0) + 80, u32::MAX);
    add_cases! { cases:
        85, Warn("cannot be read: its chain of 53687092 clusters", text_at), "size of a file" =>
            size;
    }
    let shared = with_u32(bytes, sample.root_at(VFS_COMPRESSED) + 76, text.first);
    let at = sample.root_at(VFS_COMPRESSED) as u64;
    cases.expect(87, Warn("uses cluster 3, which another file", at));
    cases.add("cluster of two files", shared);
    let shared = with_u32(bytes, sample.root_at(VFS_COMPRESSED) + 76, folder.first);
    cases.expect(87, Warn("which another file or folder uses", at));
    cases.add("cluster of a file and a folder", shared);
    let unused = with_u32(bytes, Vfs::fat(2), 0);
    add_cases! { cases:
        87, Warn("uses cluster 2, which is marked as unused", text_at), "unused cluster" => unused;
    }
    let unused = with_u32(bytes, Vfs::fat(folder.first) + 8, 0);
    cases.expect(87, Warn("which is marked as unused", folder_at));
    cases.add("unused cluster of a folder", unused);
    let end = sample.cluster_at(last);
    cases.expect(56, Warn("it cannot be read", at));
    cases.add("clusters past the end", &bytes[..end]);
    let folder_start = sample.cluster_at(folder.first);
    cases.expect(53, Reject(truncated, folder_start as u64));
    cases.add("folder past the end", &bytes[..folder_start + 100]);
}

/// Archives whose folders contain each other.
fn folder_cases(cases: &mut Cases) {
    let folder = |name: &str, first: u32, stored: u32| VfsEntry {
        name: name.into(),
        kind: 2,
        first,
        stored,
        size: 0,
    };
    let mut vfs = Vfs::new(100);
    let first = vfs.add_clusters(&folder("itself", 1, 88).record(), false);
    vfs.root = vec![folder("a", first, 88)];
    let at = vfs.cluster_at(1) as u64;
    cases.expect(74, Reject(overlap, at));
    cases.add("a folder inside itself", vfs.build());
    vfs.clusters[0] = folder("empty", 0, 0).record();
    vfs.root.push(folder("b", first, 88));
    let at = vfs.root_at(1) as u64;
    cases.expect(74, Reject(overlap, at));
    cases.add("a folder used twice", vfs.build());
    let mut vfs = Vfs::new(100);
    for depth in 1..=65 {
        vfs.add_clusters(&folder("d", depth + 1, 88).record(), false);
    }
    vfs.root = vec![folder("d", 1, 88)];
    let at = vfs.cluster_at(64) as u64;
    cases.expect(75, Reject(too_deep, at));
    cases.add("66 folders deep", vfs.build());
    let mut vfs = sample_vfs();
    vfs.root[VFS_FOLDER].stored += 30;
    let at = vfs.root_at(VFS_FOLDER) as u64;
    add_cases! { cases:
        54, Warn("has 206 bytes, not a multiple of 88; the last 30 are ignored", at),
            "size of a folder" => vfs.build();
    }
    let mut vfs = sample_vfs();
    vfs.root.push(folder("MODELS", 0, 0));
    let at = vfs.root_at(3) as u64;
    add_cases! { cases:
        77, Warn("folder \"MODELS\" appears twice; the folders are merged", at), "a folder twice" =>
            vfs.build();
    }
}

fn entry_cases(cases: &mut Cases) {
    let names: [(u32, &[u8], &str); 11] = [
        (
            59,
            b"H_EQ-TNT#H.TXT",
            "appears twice; the first one is used",
        ),
        (
            60,
            b"..",
            "contains a parent folder (`..`); the entry is left out",
        ),
        (60, b"x/../../y", "contains a parent folder"),
        (60, b"C:\\x", "read as \"x\""),
        (60, b"\\x", "read as \"x\""),
        (60, b"x//y", "has a separator; the entry is left out"),
        (61, b"/", "is empty"),
        (61, b".", "is empty"),
        (61, b"x\ty", "has a control character"),
        (61, &[1; 64], "has a control character"),
        (62, b"models", "file \"models\" has the name of a folder"),
    ];
    for (class, name, warning) in names {
        let mut vfs = sample_vfs();
        let entry = VfsEntry {
            name: name.to_vec(),
            ..vfs.add("", 1, b"data", 0)
        };
        vfs.root.push(entry);
        let at = vfs.root_at(3) as u64;
        cases.expect(class, Warn(warning, at));
        cases.add(format!("name {name:?}"), vfs.build());
    }
    for kind in [0, 3, 8, 10, u32::MAX] {
        let sample = sample_vfs();
        let at = sample.root_at(0);
        let bytes = with_u32(&sample.build(), at + 68, kind);
        cases.expect(90, Warn("has the unknown type", at as u64));
        cases.add(format!("type {kind}"), bytes);
    }
    let mut full = sample_vfs();
    full.root[0].name = vec![b'n'; 64];
    cases.expect(61, Silent);
    cases.add("a name without NUL", full.build());
}

#[test]
fn every_class_gives_an_error_or_a_warning_at_the_right_offset() {
    let mut cases = Cases::default();
    header_cases(&mut cases);
    chain_cases(&mut cases);
    folder_cases(&mut cases);
    entry_cases(&mut cases);
    assert_classes(
        &cases.rows,
        (1..=4)
            .chain(52..=54)
            .chain([56])
            .chain(59..=62)
            .chain([74, 75, 77, 82, 84, 85, 87, 90]),
    );
    assert_parsed(Format::Vfs, &cases.rows, |bytes| open_and_read(bytes, open));
}

/// Class 91: the archive opens, and reading the file is an error at the chunk. Class 92: bytes behind the last chunk.
#[test]
fn damaged_chunks_are_errors_when_they_are_read() {
    let good = [zlib(b"first"), zlib(b"second")];
    let stored = chunks(&good);
    let second = 4 + good[0].len();
    let with_chunk = |chunk: Vec<u8>| chunks(&[good[0].clone(), chunk]);
    let mut checksum = good[1].clone();
    *checksum.last_mut().unwrap() ^= 1;
    /// The position of the faulty chunk, and a part of the reason.
    type Expected = Option<(usize, &'static str)>;
    let cases: [(&str, Vec<u8>, usize, Expected); 12] = [
        ("good", stored.clone(), 11, None),
        (
            "last size repeated",
            [&stored[..], &[9, 0, 0, 0]].concat(),
            11,
            None,
        ),
        (
            "garbage behind the last chunk",
            [&stored[..], b"garbage"].concat(),
            11,
            None,
        ),
        (
            "chunk past the file",
            with_u32(&stored, second, 5000),
            11,
            Some((second, "longer than the rest of the entry")),
        ),
        (
            "chunk of 4 GiB",
            with_u32(&stored, second, u32::MAX),
            11,
            Some((second, "longer than the rest of the entry")),
        ),
        (
            "chunk of 0",
            with_u32(&stored, second, 0),
            11,
            Some((second, "is empty")),
        ),
        (
            "no zlib stream",
            with_chunk(b"not zlib".to_vec()),
            11,
            Some((second, "not a valid zlib stream")),
        ),
        (
            "wrong checksum",
            with_chunk(checksum),
            11,
            Some((second, "not a valid zlib stream")),
        ),
        (
            "inflates to nothing",
            with_chunk(zlib(b"")),
            11,
            Some((second, "inflates to nothing")),
        ),
        (
            "past the limit of the archive",
            with_chunk(zlib(&[7; 51])),
            99,
            Some((second, "past the limit")),
        ),
        (
            "more than the size",
            stored.clone(),
            10,
            Some((second, "past the file's size")),
        ),
        (
            "less than the size",
            stored.clone(),
            12,
            Some((stored.len(), "before the file's size")),
        ),
    ];
    for (name, stored, size, expected) in cases {
        // Clusters in descending order, so that errors have to find the right one.
        let mut vfs = Vfs::new(16);
        vfs.window = 50;
        let first = vfs.add_clusters(&stored, true);
        let entry = |kind| VfsEntry {
            name: b"packed".to_vec(),
            kind,
            first,
            stored: stored.len() as u32,
            size: size as u32,
        };
        vfs.root = vec![entry(9)];
        let bytes = vfs.build();
        let archive = open(&bytes[..]).unwrap();
        assert_eq!(archive.warnings(), [], "{name}");
        let read = archive.read(archive.find("packed").unwrap());
        let Some((position, reason)) = expected else {
            assert_eq!(read.unwrap(), b"firstsecond", "{name}");
            continue;
        };
        let error = read.unwrap_err();
        assert!(
            matches!(error.kind, ErrorKind::Inflate { .. }),
            "{name}: {error}"
        );
        assert!(error.to_string().contains(reason), "{name}: {error}");
        assert!(
            error.to_string().contains("entry \"packed\""),
            "{name}: {error}"
        );
        // The end of the file is the byte behind its last one.
        let inside = position.min(stored.len() - 1);
        let clusters = stored.len().div_ceil(16);
        let cluster = clusters - inside / 16;
        let offset = vfs.cluster_at(cluster as u32) + inside % 16 + (position - inside);
        assert_eq!(error.offset, offset as u64, "{name}: {error}");
    }
}

#[test]
fn files_with_broken_chains_are_errors_when_they_are_read() {
    let sample = sample_vfs();
    let bytes = sample.build();
    let text = &sample.root[0];
    let broken = with_u32(&bytes, Vfs::fat(text.first) + 4, 0);
    let archive = open(&broken[..]).unwrap();
    let error = archive.read(archive.entry(0).unwrap()).unwrap_err();
    assert!(
        matches!(error.kind, ErrorKind::BrokenChain { .. }),
        "{error}"
    );
    assert_eq!(error.offset, sample.root_at(0) as u64);
    assert_eq!(
        archive
            .read(archive.find("models/bike.lgw").unwrap())
            .unwrap(),
        b"model"
    );
    // The first cluster is in order.
    let start = archive.read_range(archive.entry(0).unwrap(), 0..80);
    assert_eq!(start.unwrap(), [b't'; 80]);
    let cut = &bytes[..sample.cluster_at(sample.next.len() as u32)];
    let archive = open(cut).unwrap();
    let error = archive
        .read(archive.find("škoda.txt").unwrap())
        .unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Truncated { .. }), "{error}");
}
