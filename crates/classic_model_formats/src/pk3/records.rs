//! The records of a ZIP archive, with the layout of their bytes.
//! Source: APPNOTE.TXT 6.3.10 of PKWARE, sections 4.3.7, 4.3.12 and 4.3.16.

use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

pub(super) const LOCAL_MAGIC: [u8; 4] = *b"PK\x03\x04";
pub(super) const CENTRAL_MAGIC: [u8; 4] = *b"PK\x01\x02";
pub(super) const END_MAGIC: [u8; 4] = *b"PK\x05\x06";

/// The compression methods that are read.
pub(super) const STORED: u16 = 0;
pub(super) const DEFLATED: u16 = 8;
/// The method of entries with AES encryption. The reader also uses it for entries with other encryption.
pub(super) const ENCRYPTED: u16 = 99;

/// What the header of a file and its record in the directory have in common.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct FileFields {
    /// The version of the format that a reader needs.
    pub version: U16,
    pub flags: U16,
    pub method: U16,
    pub time: U16,
    pub date: U16,
    /// The CRC-32 of the file.
    pub checksum: U32,
    /// The size of the data in the archive in bytes.
    pub stored: U32,
    /// The size of the file in bytes.
    pub size: U32,
    pub name_len: U16,
    pub extra_len: U16,
}

/// The header before the data of a file, 30 bytes. The name and the extra fields follow it.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct LocalHeader {
    pub magic: [u8; 4],
    pub fields: FileFields,
}

/// The record of a file in the directory, 46 bytes. The name, the extra fields and the comment follow it.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct CentralRecord {
    pub magic: [u8; 4],
    pub made_by: U16,
    pub fields: FileFields,
    pub comment_len: U16,
    pub disk: U16,
    pub internal_attributes: U16,
    pub external_attributes: U32,
    /// The offset of the local header.
    pub start: U32,
}

impl CentralRecord {
    /// The length of the record with what follows it, in bytes.
    pub fn len(&self) -> u64 {
        let parts = [
            self.fields.name_len,
            self.fields.extra_len,
            self.comment_len,
        ];
        let parts: u64 = parts.iter().map(|len| u64::from(len.get())).sum();
        size_of::<Self>() as u64 + parts
    }
}

/// The record at the end of the archive, 22 bytes. A comment follows it.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct EndRecord {
    pub magic: [u8; 4],
    pub disk: U16,
    pub directory_disk: U16,
    pub files_of_disk: U16,
    pub files: U16,
    /// The length of the directory in bytes.
    pub size: U32,
    /// The offset of the directory.
    pub start: U32,
    pub comment_len: U16,
}

/// Offsets of fields of the end record, in bytes.
pub(super) const FILES_OFFSET: u64 = 10;
pub(super) const START_OFFSET: u64 = 16;
