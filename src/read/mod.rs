//! The only room that indexes bytes: a bounds-checked [`Cursor`], counted arrays, and the
//! [`ParseError`] and [`Warning`] that every format reports through.
//!
//! What may not enter: anything of Bevy, any I/O, any knowledge of a particular format, and any
//! operation that could panic on the bytes it is given.
//!
//! # The contract
//!
//! For any bytes whatever, code built on this module returns. It never allocates by a count that
//! the remaining bytes cannot hold: [`Cursor::array`] borrows, and checks `count × size` against
//! what is left before anything else happens. A panic in a parser is a critical bug of this crate.

mod cursor;
mod error;
mod flaws;
mod position;

pub use cursor::Cursor;
pub use error::{ErrorKind, Format, ParseError, Warning};
pub(crate) use flaws::{Flaws, Quoted};
pub use position::TextPosition;
