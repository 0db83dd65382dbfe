//! Archives of UFO: Aftermath, Aftershock and Afterlight, `.vfs`: a reader and (feature `write`) a writer. Saved games have the
//! same format.
//!
//! An archive is a FAT volume: the data of a file are in clusters, which a table links. Files may be compressed with zlib.
//! The reader does not check the MD5 checksum in the header, because that would read the whole archive. Other
//! known readers do not check it either.
//!
//! No real archive is publicly available. This module follows the unofficial format specification of 2003, on which three other
//! programs agree.
//!
//! # Finding entries
//!
//! [`Archive::find`](crate::archive::Archive::find) ignores case. `/` and `\` separate folders, and one leading separator is
//! ignored. Of entries with the same name, the first counts.

mod chains;
mod content;
mod parse;
mod records;
#[cfg(feature = "write")]
pub mod write;

pub use parse::open;
