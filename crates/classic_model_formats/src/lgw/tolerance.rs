//! What is done about flaws.

/// What is done about flaws of a file that could be passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Tolerance {
    /// Unknown keys, and numbers that are not finite, are errors.
    Strict,
    /// Unknown keys are passed over, and numbers that are not finite are 0; both are told. A triangle
    /// whose vertices are not there is an error.
    #[default]
    Normal,
    /// Such triangles are left out, which is told.
    Lenient,
}
