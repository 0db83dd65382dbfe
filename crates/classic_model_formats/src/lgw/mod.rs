//! UFO: Aftermath models as text, `.lgw`: a parser and (feature `write`) a writer.
//!
//! [`parse()`] reads an [`LgwFile`], whose strings borrow from the file's bytes. It accepts any bytes: see
//! [`read`](crate::read). [`Tolerance`] selects which flaws are errors. Binary LGW files are not supported.
//!
//! Model space is right-handed with Y up, as in OpenGL. Lengths are most likely in centimeters. Winding and normals of the
//! games' files are not always consistent.

// For maintainers: `lexer` converts bytes to tokens, `parse` converts tokens to an `LgwFile`, `write` does the reverse.

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
