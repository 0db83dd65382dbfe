//! The records of a `.vfs` archive, with the layout of their bytes.

use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The first 4 bytes: the version 1.0 as a float.
pub(super) const MAGIC: [u8; 4] = 1.0_f32.to_le_bytes();

/// The header, 308 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Header {
    pub version: [u8; 4],
    pub cluster_size: U32,
    pub clusters: U32,
    pub root_entries: U32,
    pub zero: U32,
    pub name_size: U32,
    /// The most that a compressed chunk inflates to, in bytes.
    pub window: U32,
    /// The checksum of everything from offset 44.
    pub md5: [u8; 16],
    pub version_size: U32,
    pub version_text: [u8; VERSION_SIZE],
    pub used_clusters: U32,
}

/// Offsets of header fields, in bytes.
pub(super) mod offsets {
    pub const CLUSTER_SIZE: u64 = 4;
    pub const CLUSTERS: u64 = 8;
    pub const ROOT_ENTRIES: u64 = 12;
    pub const NAME_SIZE: u64 = 20;
    pub const VERSION_SIZE: u64 = 44;
    pub const FAT: u64 = 308;
}

/// The length of a name field in bytes.
pub(super) const NAME_SIZE: usize = 64;
/// The length of the version text in bytes.
pub(super) const VERSION_SIZE: usize = 256;

/// The entry of a cluster in the file allocation table (FAT), 8 bytes. The first entry belongs to cluster 1.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct FatEntry {
    pub is_used: U32,
    /// The next cluster of the same file, or [`LAST`].
    pub next: U32,
}

/// The next cluster of the last cluster of a file.
pub(super) const LAST: u32 = u32::MAX;

/// The record of a file or folder, 88 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawRecord {
    pub name: [u8; NAME_SIZE],
    pub unknown: U32,
    pub kind: U32,
    pub last: U32,
    pub first_cluster: U32,
    /// The size in the clusters, in bytes.
    pub stored: U32,
    /// The size of a compressed file after inflating, in bytes.
    pub size: U32,
}

/// Values of [`RawRecord::kind`].
pub(super) const FILE: u32 = 1;
pub(super) const FOLDER: u32 = 2;
pub(super) const COMPRESSED_FILE: u32 = 9;
