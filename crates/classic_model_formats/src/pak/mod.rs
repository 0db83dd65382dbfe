//! Quake archives, `.pak`: a reader and (feature `write`) a writer. Quake, Hexen II, Quake II and Half-Life use them.
//!
//! # Finding entries
//!
//! [`Archive::find`](crate::archive::Archive::find) does what Quake does: the spelling must be the same. It also accepts `\` as a
//! separator, and ignores one leading separator. Quake II ignores case: use
//! [`Archive::find_any_case`](crate::archive::Archive::find_any_case) for it. Of entries with the same name, the first counts.
//!
//! Archives of Daikatana and SiN have other layouts, and are errors that say so. The module `pk3` opens ZIP archives (`.pk3`).

mod parse;
mod records;
#[cfg(feature = "write")]
pub mod write;

pub use parse::open;
