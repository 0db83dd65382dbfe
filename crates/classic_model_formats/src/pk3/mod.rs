//! Quake archives as ZIP files, `.pk3` and `.kpf`: a reader and (feature `write`) a writer. DarkPlaces, Quake III and Quake's
//! re-release of 2021 use them.
//!
//! # Finding entries
//!
//! [`Archive::find`](crate::archive::Archive::find) ignores case, as DarkPlaces does for these archives. It also accepts `\` as
//! a separator, and ignores one leading separator. Of entries with the same name, the first counts.
//!
//! # Reading entries
//!
//! Entries are stored or compressed by Deflate. Others, and encrypted ones, are listed, and are errors when they are read. So
//! are entries that inflate to another size than their record declares, or to more than 1 GiB, and those whose bytes do not
//! have the checksum of their record. A [range](crate::archive::Archive::read_range) has no checksum.
//!
//! Archives longer than 4 GiB are errors.

mod content;
mod parse;
mod records;
#[cfg(feature = "write")]
pub mod write;

pub use parse::open;
