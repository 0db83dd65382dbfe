//! LithTech archives, `.rez`: a reader and (feature `write`) a writer. Shogo, Blood II, KISS: Psycho Circus, No One Lives Forever,
//! Aliens versus Predator 2 and No One Lives Forever 2 use them.
//!
//! An archive is a tree of folders. The name of a file is its stored name, a dot, and its type: up to four letters. A file of
//! type 0 has no extension, or a long one in its name. Folders of the same name in one folder are merged.
//!
//! # Finding entries
//!
//! [`Archive::find`](crate::archive::Archive::find) ignores case, as the games do. `/` and `\` separate folders, and one leading
//! separator is ignored. Of entries with the same name, the first counts.
//!
//! Encrypted archives (Combat Arms, Heat Project) and Burgerlib's `.rez` are errors that say so.

mod parse;
mod records;
#[cfg(feature = "write")]
pub mod write;

pub use parse::open;
