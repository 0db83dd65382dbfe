//! A problem with a value of a manifest, which is named by the path to it.

use Step::{Element, Field, Inner, Key};
use core::fmt::{self, Display};

/// One step towards a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// Into a struct, to the value of a field.
    Field(&'a str),
    /// Into a list or a tuple.
    Element(usize),
    /// Into a map, to the value of a text.
    Key(&'a str),
    /// Into a `Some`. Names of values are without it.
    Inner,
}

/// Something about a value of a manifest.
pub(super) struct Flaw<'a> {
    pub(super) steps: Vec<Step<'a>>,
    pub(super) message: String,
}

impl<'a> Flaw<'a> {
    /// The value's name comes before the message.
    pub(super) fn new(steps: impl IntoIterator<Item = Step<'a>>, message: impl Display) -> Self {
        let steps: Vec<Step<'a>> = steps.into_iter().collect();
        Self {
            message: format!("{} {message}", Name(&steps)),
            steps,
        }
    }
}

/// `clips[2].speed`
pub(super) struct Name<'a>(pub(super) &'a [Step<'a>]);

impl Display for Name<'_> {
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
                Inner => {}
            }
        }
        Ok(())
    }
}
