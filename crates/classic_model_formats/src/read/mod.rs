//! Building blocks of all parsers: the bounds-checked [`Cursor`], and the [`ParseError`] and [`Warning`] that every
//! format reports.
//!
//! # Guarantees
//!
//! Code built on this module returns for any bytes. It does not panic, and it does not loop forever. It allocates memory
//! in proportion to the length of the bytes: [`Cursor::array`] borrows, and it checks `count × size` against the
//! remaining bytes before anything else happens. A panic in a parser is a critical bug of this crate.

// For maintainers: this is the only module that indexes bytes. It must not use Bevy, I/O, knowledge of a particular format, or
// operations that can panic for some bytes.

mod cursor;
mod error;
mod position;
mod signatures;
mod warnings;

pub use cursor::Cursor;
pub use error::{ErrorKind, Format, ParseError, Warning};
pub use position::TextPosition;
pub use signatures::{SIGNATURE_SIZE, file_kind, is_html};
pub use warnings::{Quoted, WarningCollector};
