//! What all parsers share: a bounds-checked [`Cursor`], counted arrays, and the [`ParseError`] and [`Warning`] that every
//! format reports through.
//!
//! # The contract
//!
//! For any bytes whatever, code built on this module returns. It never allocates by a count that
//! the remaining bytes cannot hold: [`Cursor::array`] borrows, and checks `count × size` against
//! what is left before anything else happens. A panic in a parser is a critical bug of this crate.

// For maintainers: this is the only module that indexes bytes. Bevy, I/O, knowledge of a particular format, and operations
// that could panic on the bytes do not belong here.

mod cursor;
mod error;
mod flaws;
mod position;

pub use cursor::Cursor;
pub use error::{ErrorKind, Format, ParseError, Warning};
pub use flaws::{Flaws, Quoted};
pub use position::TextPosition;
