//! Reads the header, the file allocation table and the folders of a `.vfs` archive.

use super::chains::{Chains, chain_lengths, slot};
use super::content::Volume;
use super::records::*;
use crate::archive::{
    Archive, Builder, Lookup, MAX_DEPTH, NameCase, ROOT, ReadAt, Record, Source, decode_1250,
    unrecognized, until_nul, wrong_magic,
};
use crate::read::{ErrorKind, Format, ParseError, Quoted};
use core::ops::Range;

/// Opens an archive.
///
/// # Errors
/// A [`ParseError`] with the offset of the faulty value: if the header, the file allocation table or a folder is damaged, or
/// the reader fails. Harmless flaws are reported by [`Archive::warnings`] instead.
pub fn open<R: ReadAt>(reader: R) -> Result<Archive<R>, ParseError> {
    let source = Source::new(&reader, Format::Vfs)?;
    let header = header(&source)?;
    let clusters = u64::from(header.clusters.get());
    let root_size = u64::from(header.root_entries.get()) * size_of::<RawRecord>() as u64;
    let fat_size = clusters * size_of::<FatEntry>() as u64;
    let root_start = offsets::FAT + fat_size;
    let fat = source.bytes(offsets::FAT, fat_size, "file allocation table")?;
    let root = source.bytes(root_start, root_size, "root folder")?;
    let fat: &[FatEntry] = source
        .cursor(&fat, offsets::FAT)
        .array(clusters, "file allocation table")?;
    let mut folders = Folders {
        source: &source,
        fat,
        volume: Volume {
            chains: Chains::new(fat),
            start: root_start + root_size,
            cluster_size: header.cluster_size.get(),
            window: header.window.get(),
        },
        lengths: chain_lengths(fat),
        uses: vec![Use::None; fat.len()],
        builder: Builder::new(Format::Vfs, NameCase::Ignored, 0),
    };
    let root_range = root_start..root_start + root_size;
    folders.read_entries(ROOT, 0, &root, core::slice::from_ref(&root_range))?;
    folders.check_files();
    let Folders {
        volume, builder, ..
    } = folders;
    Ok(Archive::new(
        reader,
        builder.finish(),
        Some(1),
        Lookup::AnyCase,
        volume,
    ))
}

fn header(source: &Source<'_>) -> Result<Header, ParseError> {
    let start = source.start(size_of::<Header>() as u64)?;
    let mut cursor = source.cursor(&start, 0);
    let first: [u8; 4] = *cursor.clone().record("first bytes")?;
    if first != MAGIC {
        let version = f32::from_le_bytes(first);
        if version.fract() == 0.0 && (2.0..100.0).contains(&version) {
            let kind = wrong_magic(format!(
                "has version {version} of the format, but only 1 is supported"
            ));
            return Err(source.error(0, "first bytes", kind));
        }
        return Err(unrecognized(source, MAGIC.len(), "the version 1.0"));
    }
    let header: Header = *cursor.record("header")?;
    let count = |value: u32, offset, min: i64, max: u64, context: &str| {
        let max = i64::try_from(max).unwrap_or(i64::MAX);
        match i64::from(value) {
            value if (min..=max).contains(&value) => Ok(()),
            value => Err(source.error(offset, context, ErrorKind::BadCount { value, min, max })),
        }
    };
    count(
        header.cluster_size.get(),
        offsets::CLUSTER_SIZE,
        1,
        u32::MAX.into(),
        "cluster size",
    )?;
    let name_size = NAME_SIZE as u64;
    count(
        header.name_size.get(),
        offsets::NAME_SIZE,
        name_size as i64,
        name_size,
        "size of a name",
    )?;
    let version_size = VERSION_SIZE as u64;
    count(
        header.version_size.get(),
        offsets::VERSION_SIZE,
        version_size as i64,
        version_size,
        "size of the version text",
    )?;
    let available = source.length - offsets::FAT;
    let fat_size = u64::from(header.clusters.get()) * size_of::<FatEntry>() as u64;
    count(
        header.clusters.get(),
        offsets::CLUSTERS,
        0,
        available / size_of::<FatEntry>() as u64,
        "cluster count",
    )?;
    let max = (available - fat_size) / size_of::<RawRecord>() as u64;
    count(
        header.root_entries.get(),
        offsets::ROOT_ENTRIES,
        0,
        max,
        "root entry count",
    )?;
    Ok(header)
}

/// What uses a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    None,
    File,
    Folder,
}

/// The folders that were read so far.
struct Folders<'a> {
    source: &'a Source<'a>,
    fat: &'a [FatEntry],
    volume: Volume,
    /// The count of different clusters in the chain from each cluster on.
    lengths: Vec<u32>,
    /// What uses each cluster.
    uses: Vec<Use>,
    builder: Builder,
}

impl Folders<'_> {
    /// Reads the entries of a folder. `pieces` are the ranges of `bytes` in the archive.
    fn read_entries(
        &mut self,
        folder: u32,
        depth: usize,
        bytes: &[u8],
        pieces: &[Range<u64>],
    ) -> Result<(), ParseError> {
        let mut cursor = self.source.cursor(bytes, 0);
        let mut offsets = FolderOffsets::new(pieces);
        while cursor.remaining() >= size_of::<RawRecord>() as u64 {
            let at = offsets.offset(cursor.offset());
            let record: &RawRecord = cursor.record("entry")?;
            let name = until_nul(&record.name);
            if name.is_empty() {
                // An unused slot.
                continue;
            }
            let name = decode_1250(name);
            match record.kind.get() {
                FILE | COMPRESSED_FILE => self.add_file(folder, record, &name, at),
                FOLDER => {
                    if let Some(index) = self.builder.add_folder(folder, &name, at) {
                        self.read_folder(index, depth + 1, record, at)?;
                    }
                }
                kind => self.builder.skip("unknown type", at, || {
                    format!(
                        "entry {} has the unknown type {kind}; it is left out",
                        Quoted(&name)
                    )
                }),
            }
        }
        Ok(())
    }

    fn add_file(&mut self, folder: u32, raw: &RawRecord, name: &str, at: u64) {
        let stored = raw.stored.get();
        let is_compressed = raw.kind.get() == COMPRESSED_FILE;
        let record = Record {
            at,
            folder,
            start: raw.first_cluster.get(),
            size: if is_compressed {
                raw.size.get()
            } else {
                stored
            },
            stored,
            is_compressed,
            ..Record::default()
        };
        self.builder.add_file_in_folder(name, record);
    }

    fn read_folder(
        &mut self,
        folder: u32,
        depth: usize,
        raw: &RawRecord,
        at: u64,
    ) -> Result<(), ParseError> {
        let (source, first, size) = (
            self.source,
            raw.first_cluster.get(),
            u64::from(raw.stored.get()),
        );
        let name = self.builder.folder_name(folder);
        if depth > MAX_DEPTH {
            let kind = ErrorKind::TooDeep { limit: MAX_DEPTH };
            return Err(source.error(at, name, kind));
        }
        let count = self.volume.clusters_of(size);
        let extents = self.volume.chains.extents(first, count);
        let extents =
            extents.map_err(|reason| source.error(at, &name, ErrorKind::BrokenChain { reason }))?;
        let mut unused = None;
        for cluster in extents
            .iter()
            .flat_map(|it| it.first..=it.first + (it.count - 1))
        {
            if let Some(slot) = self.uses.get_mut(slot(cluster)) {
                if *slot == Use::Folder {
                    let other = "a folder that was read before";
                    return Err(source.error(at, &name, ErrorKind::Overlap { other }));
                }
                *slot = Use::Folder;
            }
            let entry = self.fat.get(slot(cluster));
            if entry.is_some_and(|entry| entry.is_used.get() == 0) {
                unused = unused.or(Some(cluster));
            }
        }
        let pieces = self.volume.pieces_of(&extents, 0..size);
        let bytes = self.volume.read_pieces(source, &pieces, &name)?;
        drop(name);
        if let Some(cluster) = unused {
            self.builder
                .warn_about_folder(folder, "unused cluster", at, || {
                    format!("uses cluster {cluster}, which is marked as unused")
                });
        }
        let rest = size % size_of::<RawRecord>() as u64;
        if rest != 0 {
            self.builder
                .warn_about_folder(folder, "folder size", at, || {
                    format!("has {size} bytes, not a multiple of 88; the last {rest} are ignored")
                });
        }
        self.read_entries(folder, depth, &bytes, &pieces)
    }

    /// Warns about files that cannot be read, and about clusters of several files. Visits each cluster once at most.
    fn check_files(&mut self) {
        for index in 0..self.builder.records().len() {
            let Some(record) = self.builder.records().get(index).copied() else {
                break;
            };
            let count = self.volume.clusters_of(record.stored.into());
            let length = self
                .lengths
                .get(slot(record.start))
                .copied()
                .unwrap_or_default();
            if count > length.into() {
                let chains = &self.volume.chains;
                self.builder.warn_about(&record, "broken chain", || {
                    let reason = chains
                        .extents(record.start, count)
                        .err()
                        .unwrap_or_default();
                    format!("cannot be read: its chain of {count} clusters is broken: {reason}")
                });
                continue;
            }
            self.check_clusters(&record, count);
        }
    }

    /// Checks the clusters of a file, up to the first that belongs to another one.
    fn check_clusters(&mut self, record: &Record, count: u64) {
        let (mut is_unused, mut is_past_end) = (false, false);
        let cluster_size = u64::from(self.volume.cluster_size);
        let (mut cluster, mut left) = (record.start, u64::from(record.stored));
        for _ in 0..count {
            let slot = slot(cluster);
            let (Some(entry), Some(used_by)) = (self.fat.get(slot), self.uses.get_mut(slot)) else {
                break;
            };
            if *used_by != Use::None {
                self.builder.warn_about(record, "shared cluster", || {
                    format!("uses cluster {cluster}, which another file or folder uses")
                });
                break;
            }
            *used_by = Use::File;
            let end = self.volume.offset(cluster) + left.min(cluster_size);
            if end > self.source.length && !is_past_end {
                is_past_end = true;
                let length = self.source.length;
                self.builder.warn_about(record, "entry past the end", || {
                    format!("needs cluster {cluster}, which ends at {end}, but the file has {length} bytes; it cannot be read")
                });
            }
            if entry.is_used.get() == 0 && !is_unused {
                is_unused = true;
                self.builder.warn_about(record, "unused cluster", || {
                    format!("uses cluster {cluster}, which is marked as unused")
                });
            }
            left = left.saturating_sub(cluster_size);
            cluster = entry.next.get();
        }
    }
}

/// Converts ascending positions in a folder to offsets in the archive.
struct FolderOffsets<'a> {
    pieces: core::slice::Iter<'a, Range<u64>>,
    piece: Range<u64>,
    /// The position of `piece` in the folder.
    position: u64,
}

impl<'a> FolderOffsets<'a> {
    fn new(pieces: &'a [Range<u64>]) -> Self {
        Self {
            pieces: pieces.iter(),
            piece: 0..0,
            position: 0,
        }
    }

    fn offset(&mut self, position: u64) -> u64 {
        while position - self.position >= self.piece.end - self.piece.start {
            let Some(next) = self.pieces.next() else {
                break;
            };
            self.position += self.piece.end - self.piece.start;
            self.piece = next.clone();
        }
        self.piece.start + (position - self.position)
    }
}
