//! Archives of the games: what [`meg`](crate::meg), [`pak`](crate::pak), [`pk3`](crate::pk3), [`rez`](crate::rez) and [`vfs`](crate::vfs) share.
//!
//! Each of these modules has a function `open` from a reader to an [`Archive`]. The reader is a [`File`](std::fs::File), bytes
//! in memory, or any other [`ReadAt`]. [`detect`] finds the format of a file.
//!
//! ```
//! # #[cfg(feature = "pak")] {
//! use classic_model_formats::pak;
//! use classic_model_formats::read::ParseError;
//!
//! /// The bytes of the player's model, if the archive has it.
//! fn player(file: std::fs::File) -> Result<Option<Vec<u8>>, ParseError> {
//!     let archive = pak::open(file)?;
//!     for warning in archive.warnings() {
//!         eprintln!("warning: {warning}");
//!     }
//!     let entry = archive.find("progs/player.mdl");
//!     entry.map(|entry| archive.read(entry)).transpose()
//! }
//! # }
//! ```
//!
//! # Guarantees
//!
//! Opening accepts any bytes and does not panic. It reads only the tables, in time and memory in proportion to their length.
//! An entry whose data are missing or damaged is a warning, and an error when it is read. Reading an entry allocates its size,
//! which must be in the file. For compressed entries, memory grows with the bytes that were inflated.
//!
//! Paths never lead out of the archive: see [`Entry::path`]. Entries whose names cannot be paths are left out, with a warning.

// For maintainers: formats call this module, so it must not know any of them. The only I/O is in `reader`.

mod builder;
mod detect;
mod file;
mod hash;
mod listing;
mod names;
mod ranges;
mod ranks;
mod reader;
mod signature;
mod source;
#[cfg(feature = "write")]
mod write;

pub use detect::detect;
pub use file::{Archive, Entry};
pub use reader::ReadAt;
#[cfg(feature = "write")]
pub use write::ArchiveFile;

pub(crate) use builder::{AddedName, Builder, NameCase};
pub(crate) use file::{Content, Lookup, OnePiece};
pub(crate) use listing::{MAX_DEPTH, ROOT, Record};
pub(crate) use names::*;
pub(crate) use signature::*;
pub(crate) use source::Source;
#[cfg(feature = "write")]
pub(crate) use write::*;
