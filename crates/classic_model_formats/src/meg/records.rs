//! The records of a `.meg` archive, with the layout of their bytes.

use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Bytes 4 to 7 of versions 2 and 3: the number 0.99.
pub(super) const MAGIC: u32 = 0x3F7D_70A4;
/// The first 4 bytes of version 2, and of a plain archive of version 3.
pub(super) const PLAIN: u32 = 0xFFFF_FFFF;
/// The first 4 bytes of an encrypted archive of version 3.
pub(super) const ENCRYPTED: u32 = 0x8FFF_FFFF;

/// The offset of the start of the data in versions 2 and 3.
pub(super) const DATA_START_OFFSET: u64 = 8;

/// The header of version 1, 8 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct HeaderV1 {
    pub names: U32,
    pub files: U32,
}

/// The header of version 2, 20 bytes. Version 3 adds the length of the name table.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct HeaderV2 {
    pub flags: U32,
    pub magic: U32,
    pub data_start: U32,
    pub names: U32,
    pub files: U32,
}

/// The record of a file in versions 1 and 2, 20 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RecordV1 {
    pub checksum: U32,
    pub index: U32,
    pub size: U32,
    pub start: U32,
    pub name: U32,
}

/// The record of a file in version 3, 20 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RecordV3 {
    pub flags: U16,
    pub checksum: U32,
    pub index: U32,
    pub size: U32,
    pub start: U32,
    pub name: U16,
}

/// The length of a record in all versions, in bytes.
pub(super) const RECORD_SIZE: u64 = 20;
