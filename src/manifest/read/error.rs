//! Errors of manifests: [`ManifestError`] for their text, [`ManifestLoaderError`] for their files.

use classic_model_formats::read::TextPosition;
use thiserror::Error;

/// The error for an invalid manifest. Displays as `3:12: scale is -1, but must be a finite number above 0`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{position}: {message}")]
#[non_exhaustive]
pub struct ManifestError {
    /// The position of the value or of the syntax error.
    pub position: TextPosition,
    /// The problem, beginning with the path to the value if it is about one.
    pub message: String,
}

/// The error for a manifest that cannot be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ManifestLoaderError {
    /// The file could not be read.
    #[error("{path}: could not be read: {source}")]
    Io {
        /// The asset's path.
        path: String,
        /// The error of the asset source.
        source: std::io::Error,
    },
    /// The file is not a manifest, or a file that it names is missing. Begins with `path:line:column:`.
    #[error("{path}:{source}")]
    Manifest {
        /// The asset's path.
        path: String,
        /// The position and the problem.
        source: ManifestError,
    },
}
