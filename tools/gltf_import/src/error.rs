//! The error of a file that cannot be converted.

use core::fmt::Display;

/// What is wrong with a file, and where: `meshes[0].primitives[1]: index 12 of a vertex, but there are 8`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

pub(crate) type Result<T> = core::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(message: impl Display) -> Self {
        Self(message.to_string())
    }

    /// The same error, with the place in the file before it.
    pub(crate) fn at(self, place: impl Display) -> Self {
        Self(format!("{place}: {}", self.0))
    }
}

/// Adds the place in the file to errors.
pub(crate) trait At<T> {
    fn at(self, place: impl Display) -> Result<T>;
}

impl<T> At<T> for Result<T> {
    fn at(self, place: impl Display) -> Result<T> {
        self.map_err(|error| error.at(place))
    }
}
