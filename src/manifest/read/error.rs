//! Errors of manifests: [`ManifestError`] for their text, [`ManifestLoaderError`] for their files, and [`Problem`] for a value.

use Step::{Element, Field, Key};
use classic_model_formats::read::TextPosition;
use core::fmt::{self, Display};
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
    /// The file is loaded as a manifest, but has another extension.
    #[error(
        "{path}: is not a manifest, whose name ends with .model.ron; spawn a model without a manifest with \
         ClassicModel::new({path:?})"
    )]
    NotAManifest {
        /// The asset's path.
        path: String,
    },
    /// The text is not a manifest, or a file that it names is missing. Begins with `path:line:column:`.
    #[error("{path}:{source}")]
    Manifest {
        /// The asset's path.
        path: String,
        /// The position and the problem.
        source: ManifestError,
    },
}

/// One step of the path to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// A field of a struct.
    Field(&'a str),
    /// An element of a list or a tuple.
    Element(usize),
    /// The value of a key in a map.
    Key(&'a str),
    /// The value in a `Some`. Not displayed in paths.
    Inner,
}

/// An error about a value of a manifest.
pub(crate) struct Problem<'a> {
    pub(crate) steps: Vec<Step<'a>>,
    pub(crate) message: String,
}

impl<'a> Problem<'a> {
    /// Prefixes the message with the path.
    pub(crate) fn new(steps: impl IntoIterator<Item = Step<'a>>, message: impl Display) -> Self {
        let steps: Vec<Step<'a>> = steps.into_iter().collect();
        Self {
            message: format!("{} {message}", ValuePath(&steps)),
            steps,
        }
    }
}

/// Displays the path to a value, such as `clips[2].speed`.
pub(crate) struct ValuePath<'a>(pub(crate) &'a [Step<'a>]);

impl Display for ValuePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the manifest");
        }
        for (depth, step) in self.0.iter().enumerate() {
            match step {
                Field(name) if depth == 0 => f.write_str(name)?,
                Field(name) => write!(f, ".{name}")?,
                Element(index) => write!(f, "[{index}]")?,
                Key(name) => write!(f, "[{name:?}]")?,
                Step::Inner => {}
            }
        }
        Ok(())
    }
}
