//! The records of a `.pak` archive, with the layout of their bytes.

use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

pub(super) const MAGIC: [u8; 4] = *b"PACK";

/// The header, 12 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Header {
    pub magic: [u8; 4],
    /// The offset of the directory.
    pub start: U32,
    /// The length of the directory in bytes.
    pub size: U32,
}

/// Offsets of header fields, in bytes.
pub(super) const SIZE_OFFSET: u64 = 8;

/// The length of a name field in bytes. A name may fill it without NUL.
pub(super) const NAME_SIZE: usize = 56;

/// The record of a file, 64 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawRecord {
    /// The bytes behind the first NUL have no meaning.
    pub name: [u8; NAME_SIZE],
    pub start: U32,
    pub size: U32,
}

/// The record of a file in an archive of Daikatana, 72 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct DaikatanaRecord {
    pub name: [u8; NAME_SIZE],
    pub start: U32,
    pub size: U32,
    pub stored: U32,
    pub is_compressed: U32,
}
