//! The text of LGW models: bytes to plain values and (feature `write`) back, without Bevy. [`parse()`] makes an [`LgwFile`].

// For maintainers: `lexer` makes words of bytes, `parse` makes an `LgwFile` of words, `write` does the reverse.

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
