//! Errors and warnings of sources.

use classic_model_formats::read::{ParseError, TextPosition, Warning};
use core::fmt::{self, Display};
use std::path::PathBuf;
use thiserror::Error;

/// The reason why a layer of an [`ArchiveSource`](crate::archive::ArchiveSource) cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArchiveSourceError {
    /// An archive, a folder or a list of archives does not exist.
    #[error("{} was not found", path.display())]
    NotFound {
        /// The path that does not exist.
        path: PathBuf,
    },
    /// A file or a folder cannot be read.
    #[error("{} cannot be read: {message}", path.display())]
    Io {
        /// The path of the file or folder.
        path: PathBuf,
        /// The kind of the error.
        kind: std::io::ErrorKind,
        /// The message of the operating system.
        message: String,
    },
    /// An archive is damaged, or its format is not supported.
    #[error("{}: {error}", path.display())]
    Archive {
        /// The path of the archive.
        path: PathBuf,
        /// The fault, with its offset.
        #[source]
        error: ParseError,
    },
}

impl ArchiveSourceError {
    pub(crate) fn io(path: PathBuf, error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Self::NotFound { path },
            kind => Self::Io {
                path,
                kind,
                message: error.to_string(),
            },
        }
    }
}

/// A flaw of a source that works nevertheless.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceWarning {
    /// An archive has a harmless flaw.
    Archive {
        /// The path of the archive.
        path: PathBuf,
        /// The flaw.
        warning: Warning,
    },
    /// A preset skipped an archive, because it cannot be opened.
    Skipped(ArchiveSourceError),
    /// The list of archives of a game has a flaw.
    List {
        /// The path of the list.
        path: PathBuf,
        /// Line and column of the flaw.
        position: TextPosition,
        /// The flaw and its effect.
        message: String,
    },
}

impl Display for SourceWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive { path, warning } => write!(f, "{}: {warning}", path.display()),
            Self::Skipped(error) => write!(f, "{error}; the archive is skipped"),
            Self::List {
                path,
                position,
                message,
            } => write!(f, "{}:{position}: {message}", path.display()),
        }
    }
}
