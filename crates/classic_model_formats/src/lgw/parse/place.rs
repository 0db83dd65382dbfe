//! Where in a file the parser is, as messages tell it.

use crate::read::Quoted;
use core::fmt::Write;
use std::borrow::Cow;

/// A block with what it is known by.
struct Block<'a> {
    kind: &'static str,
    number: i64,
    name: Option<Cow<'a, str>>,
}

/// The path of blocks that the parser is in, such as `mesh 2 "Wheel" / group 0`.
#[derive(Default)]
pub(super) struct Place<'a>(Vec<Block<'a>>);

impl<'a> Place<'a> {
    pub(super) fn enter(&mut self, kind: &'static str, number: i64, name: Option<Cow<'a, str>>) {
        self.0.push(Block { kind, number, name });
    }

    pub(super) fn leave(&mut self) {
        self.0.pop();
    }

    /// The path alone. Outside of all blocks it is the model.
    pub(super) fn path(&self) -> String {
        if self.0.is_empty() {
            return "model".to_owned();
        }
        let mut path = String::new();
        for (depth, Block { kind, number, name }) in self.0.iter().enumerate() {
            let separator = if depth > 0 { " / " } else { "" };
            // Writing to a string does not fail.
            let _ = write!(path, "{separator}{kind} {number}");
            if let Some(name) = name {
                let _ = write!(path, " {}", Quoted(name));
            }
        }
        path
    }

    /// The path with what is in its last block.
    pub(super) fn of(&self, what: &str) -> String {
        match *self.0 {
            [] => what.to_owned(),
            _ => format!("{} / {what}", self.path()),
        }
    }

    /// What sentences about the last block begin with.
    pub(super) fn label(&self) -> String {
        match *self.0 {
            [] => String::new(),
            _ => format!("{}: ", self.path()),
        }
    }
}
