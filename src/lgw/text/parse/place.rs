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

    /// The path with what is in its last block. Of nothing it is what sentences may begin with.
    pub(super) fn of(&self, what: &str) -> String {
        let mut path = String::new();
        for (depth, Block { kind, number, name }) in self.0.iter().enumerate() {
            let separator = if depth > 0 { " / " } else { "" };
            // Writing to a string does not fail.
            let _ = write!(path, "{separator}{kind} {number}");
            if let Some(name) = name {
                let _ = write!(path, " {}", Quoted(name));
            }
        }
        if !path.is_empty() {
            path.push_str(if what.is_empty() { ": " } else { " / " });
        }
        path.push_str(what);
        path
    }
}
