//! The records of a `.rez` archive, with the layout of their bytes.

use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The header, 168 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Header {
    pub first_line_end: [u8; 2],
    /// `RezMgr Version 1 Copyright (C) 1995 MONOLITH INC.` The engine does not check it.
    pub file_type: [u8; 60],
    pub second_line_end: [u8; 2],
    pub title: [u8; 60],
    pub text_end: [u8; 3],
    pub version: U32,
    pub root_start: U32,
    pub root_size: U32,
    pub root_time: U32,
    pub next_write: U32,
    pub time: U32,
    pub longest_keys: U32,
    pub longest_folder_name: U32,
    pub longest_name: U32,
    pub longest_comment: U32,
    pub is_sorted: u8,
}

pub(super) const LINE_END: [u8; 2] = *b"\r\n";
pub(super) const TEXT_END: [u8; 3] = *b"\r\n\x1A";

/// Offsets of header fields, in bytes.
pub(super) const SECOND_LINE_END_OFFSET: u64 = 62;
pub(super) const TEXT_END_OFFSET: u64 = 124;
pub(super) const VERSION_OFFSET: u64 = 127;

/// The kinds of entries in a folder.
pub(super) const FILE: u32 = 0;
pub(super) const FOLDER: u32 = 1;

/// The record of a folder, behind its kind. The name follows, up to a NUL.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct FolderRecord {
    pub start: U32,
    pub size: U32,
    pub time: U32,
}

/// The record of a file, behind its kind. The name and a comment follow, each up to a NUL, and the keys.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct FileRecord {
    pub start: U32,
    pub size: U32,
    pub time: U32,
    pub id: U32,
    /// The extension backwards, padded with NUL.
    pub file_type: [u8; 4],
    pub keys: U32,
}
