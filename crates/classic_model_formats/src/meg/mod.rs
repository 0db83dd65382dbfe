//! Petroglyph archives, `.meg`: a reader and (feature `write`) a writer.
//!
//! | Version | Games |
//! |---|---|
//! | 1 | Empire at War, Forces of Corruption, Universe at War |
//! | 2 | Guardians of Graxia |
//! | 3 | Rise of Immortals, Command & Conquer Remastered |
//!
//! [`open`] reads the three versions. Encrypted archives of version 3 (Grey Goo, 8-Bit Armies, The Great War: Western Front) are
//! an error that says so.
//!
//! # Finding entries
//!
//! [`Archive::find`](crate::archive::Archive::find) does what the games do: it removes a leading `.` and then a leading separator,
//! converts the path to upper case and `/` to `\`, and replaces characters other than ASCII with `?`. Then it searches for the
//! first record with the [`checksum`] of that path. A path longer than 259 characters is not found. The names in the archive
//! are not compared. [`Archive::find_any_case`](crate::archive::Archive::find_any_case) compares names instead.

mod checksum;
mod parse;
mod records;
#[cfg(feature = "write")]
pub mod write;

pub use checksum::checksum;
pub use parse::open;
