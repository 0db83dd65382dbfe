//! The text of LGW models: what is in it, read from bytes and written to them.
//!
//! `lexer` makes words of bytes, `parse` makes an [`LgwFile`] of words, `write` (feature `write`) does
//! the reverse. What may not enter: Bevy, and any decision about what a model looks like.

mod file;
mod key;
mod lexer;
mod owned;
mod parse;
mod tolerance;
mod triangles;
#[cfg(feature = "write")]
mod write;

pub use file::{
    AlphaMode, Group, GroupKind, LgwFile, Material, Mesh, TexGen, TexGenKind, Texture, TextureMode,
    Vertices,
};
pub use parse::parse;
pub use tolerance::Tolerance;
#[cfg(feature = "write")]
pub use write::write;
