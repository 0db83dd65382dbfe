//! The text of LGW models: what is in it, read from bytes and written to them.
//!
//! `lexer` makes words of bytes, `parse` makes an [`LgwFile`] of words, `write` (feature `write`) does
//! the reverse. What may not enter: Bevy, and any decision about what a model looks like.

mod file;
mod tolerance;

pub use file::{
    AlphaMode, Group, GroupKind, LgwFile, Material, Mesh, TexGen, TexGenKind, Texture, TextureMode,
    Vertices,
};
pub use tolerance::Tolerance;
