//! Writes `.vfs` archives: for mods, test fixtures and tools.

use super::records::*;
use crate::archive::{
    ArchiveFile, Tree, check_paths, check_written, encode, not_storable, offset32,
};
use miniz_oxide::deflate::compress_to_vec_zlib;
use zerocopy::IntoBytes;

pub use crate::write::WriteError;

/// The length of a cluster in the games' archives, in bytes.
const CLUSTER_SIZE: usize = 4096;
/// The count of root entries in the games' archives.
const ROOT_ENTRIES: usize = 64;
/// The bytes in a compressed chunk in the games' archives.
const WINDOW: usize = 50_000;
/// The level of zlib compression.
const LEVEL: u8 = 9;

/// Writes an archive. `is_compressed` chooses the files that are compressed. [`open`](super::open) reads the same files.
///
/// The MD5 checksum in the header is 0. No known reader checks it.
///
/// # Errors
/// A [`WriteError`] for values that the format cannot store: paths that are not relative, that are equal except for case, or
/// that have characters outside of Windows-1250, names of more than 63 bytes, folders deeper than 64, and files of 4 GiB.
pub fn write(
    files: &[ArchiveFile],
    is_compressed: impl Fn(&ArchiveFile) -> bool,
) -> Result<Vec<u8>, WriteError> {
    check_paths(files)?;
    let tree = Tree::new(files)?;
    let mut writer = Writer {
        tree: &tree,
        is_compressed: &is_compressed,
        fat: Vec::new(),
        clusters: Vec::new(),
    };
    let mut root = writer.folder(&tree.root)?;
    root.resize(root.len().max(ROOT_ENTRIES), empty_record());
    let Writer { fat, clusters, .. } = writer;
    let count = offset32(fat.len())?;
    let header = Header {
        version: MAGIC,
        cluster_size: (CLUSTER_SIZE as u32).into(),
        clusters: count.into(),
        root_entries: offset32(root.len())?.into(),
        zero: 0.into(),
        name_size: (NAME_SIZE as u32).into(),
        window: (WINDOW as u32).into(),
        md5: [0; 16],
        version_size: (VERSION_SIZE as u32).into(),
        version_text: [0; VERSION_SIZE],
        used_clusters: count.into(),
    };
    let out = [
        header.as_bytes(),
        fat.as_bytes(),
        root.as_bytes(),
        &clusters,
    ]
    .concat();
    check_written(&super::open(out.as_slice())?, files)?;
    Ok(out)
}

fn empty_record() -> RawRecord {
    RawRecord {
        name: [0; NAME_SIZE],
        unknown: 0.into(),
        kind: 0.into(),
        last: 0.into(),
        first_cluster: 0.into(),
        stored: 0.into(),
        size: 0.into(),
    }
}

struct Writer<'a, F> {
    tree: &'a Tree<'a>,
    is_compressed: &'a F,
    fat: Vec<FatEntry>,
    clusters: Vec<u8>,
}

impl<F: Fn(&ArchiveFile) -> bool> Writer<'_, F> {
    /// Writes everything in a folder, and returns its records.
    fn folder(&mut self, children: &[usize]) -> Result<Vec<RawRecord>, WriteError> {
        let tree = self.tree;
        let mut records = Vec::new();
        for (_, node) in tree.nodes(children) {
            let bytes = &node.file.bytes;
            let (kind, stored, size) = match &node.children {
                Some(children) => (FOLDER, self.folder(children)?.as_bytes().to_vec(), 0),
                None if !bytes.is_empty() && (self.is_compressed)(node.file) => {
                    (COMPRESSED_FILE, compress(bytes)?, offset32(bytes.len())?)
                }
                None => (FILE, bytes.clone(), 0),
            };
            let mut record = RawRecord {
                kind: kind.into(),
                last: LAST.into(),
                first_cluster: self.allocate(&stored)?.into(),
                stored: offset32(stored.len())?.into(),
                size: size.into(),
                ..empty_record()
            };
            let name = encode(encoding_rs::WINDOWS_1250, node.name, node.file)?;
            match record
                .name
                .get_mut(..name.len())
                .filter(|it| it.len() < NAME_SIZE)
            {
                Some(slot) => slot.copy_from_slice(&name),
                None => not_storable(node.file, "a name has at most 63 bytes")?,
            }
            records.push(record);
        }
        Ok(records)
    }

    /// Writes bytes to new clusters in a row, and returns the first cluster. 0 for no bytes.
    fn allocate(&mut self, bytes: &[u8]) -> Result<u32, WriteError> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let first = offset32(self.fat.len() + 1)?;
        let count = offset32(bytes.len().div_ceil(CLUSTER_SIZE))?;
        let last = offset32(self.fat.len() + count as usize)?;
        for cluster in first..=last {
            let next = if cluster == last { LAST } else { cluster + 1 };
            self.fat.push(FatEntry {
                is_used: 1.into(),
                next: next.into(),
            });
        }
        self.clusters.extend(bytes);
        self.clusters.resize(self.fat.len() * CLUSTER_SIZE, 0);
        Ok(first)
    }
}

/// Compresses the bytes of a file in chunks.
fn compress(bytes: &[u8]) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    for chunk in bytes.chunks(WINDOW) {
        let chunk = compress_to_vec_zlib(chunk, LEVEL);
        out.extend(offset32(chunk.len())?.to_le_bytes());
        out.extend(chunk);
    }
    Ok(out)
}
