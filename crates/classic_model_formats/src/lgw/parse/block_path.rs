//! The path of blocks for messages.

use crate::read::Quoted;
use core::fmt::Write;
use std::borrow::Cow;

/// A block with its number and name.
struct Block<'a> {
    kind: &'static str,
    number: i64,
    name: Option<Cow<'a, str>>,
}

/// The path of blocks that the parser is in, such as `mesh 2 "Wheel" / group 0`.
#[derive(Default)]
pub(super) struct BlockPath<'a>(Vec<Block<'a>>);

impl<'a> BlockPath<'a> {
    pub(super) fn enter(&mut self, kind: &'static str, number: i64, name: Option<Cow<'a, str>>) {
        self.0.push(Block { kind, number, name });
    }

    pub(super) fn leave(&mut self) {
        self.0.pop();
    }

    /// The path, or `model` outside of all blocks.
    pub(super) fn path(&self) -> String {
        if self.0.is_empty() {
            return "model".to_owned();
        }
        let mut path = String::new();
        for (depth, Block { kind, number, name }) in self.0.iter().enumerate() {
            let separator = if depth > 0 { " / " } else { "" };
            // Writing to a `String` cannot fail.
            let _ = write!(path, "{separator}{kind} {number}");
            if let Some(name) = name {
                let _ = write!(path, " {}", Quoted(name));
            }
        }
        path
    }

    /// The path of a value in the last block.
    pub(super) fn with(&self, what: &str) -> String {
        match *self.0 {
            [] => what.to_owned(),
            _ => format!("{} / {what}", self.path()),
        }
    }

    /// The path as the start of a message about the last block.
    pub(super) fn prefix(&self) -> String {
        match *self.0 {
            [] => String::new(),
            _ => format!("{}: ", self.path()),
        }
    }
}
