//! [`Problem`]: an error about a value of a manifest, with the path to the value.

use Step::{Element, Field, Key};
use core::fmt::{self, Display};

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
