//! The tolerance of the parser.

/// How [`parse`](super::parse()) handles recoverable flaws of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Tolerance {
    /// Unknown keys, non-finite numbers and invalid vertex indices are errors.
    Strict,
    /// Unknown keys are ignored and non-finite numbers are replaced by 0, both with a warning. Invalid vertex indices are
    /// errors.
    #[default]
    Normal,
    /// Like `Normal`, but triangles with invalid vertex indices are dropped, with a warning.
    Lenient,
}
