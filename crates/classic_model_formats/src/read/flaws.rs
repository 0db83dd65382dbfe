//! The harmless flaws of a file while it is read.

use super::Warning;
use core::fmt::{self, Display};

/// A flaw of one kind: its first place, and how often it was seen.
struct Flaw {
    kind: &'static str,
    first: Warning,
    count: u64,
}

/// Takes down harmless flaws: of each kind the first is told and the others are counted.
#[derive(Default)]
pub struct Flaws(Vec<Flaw>);

impl Flaws {
    /// Takes down a flaw. The message is made only for the first of its kind.
    pub fn warn(&mut self, kind: &'static str, offset: u64, message: impl FnOnce() -> String) {
        if !self.counts(kind) {
            self.begin(kind, offset, message());
        }
    }

    /// Counts a flaw if it is not the first of its kind.
    pub fn counts(&mut self, kind: &'static str) -> bool {
        let flaw = self.0.iter_mut().find(|flaw| flaw.kind == kind);
        flaw.map(|flaw| flaw.count += 1).is_some()
    }

    /// Takes down the first flaw of a kind.
    pub fn begin(&mut self, kind: &'static str, offset: u64, message: String) {
        self.0.push(Flaw {
            kind,
            first: Warning {
                offset,
                position: None,
                message,
            },
            count: 1,
        });
    }

    /// All flaws, in the order in which their kinds were first seen.
    pub fn into_warnings(self) -> Vec<Warning> {
        let warning = |flaw: Flaw| match flaw.count {
            1 => flaw.first,
            count => Warning {
                message: format!("{} (and {} more like it)", flaw.first.message, count - 1),
                ..flaw.first
            },
        };
        self.0.into_iter().map(warning).collect()
    }
}

/// A name as messages tell it: in quotes, and not longer than anybody reads.
///
/// A name may be as long as its file, and may be told with every flaw.
pub struct Quoted<'a>(pub &'a str);

impl<'a> Quoted<'a> {
    /// What is told of the name, and whether there is more of it.
    pub fn told(&self) -> (&'a str, bool) {
        const LETTERS: usize = 64;
        // Hardly any name is long, so its bytes are looked at before its letters.
        let cut = match self.0.len() {
            ..=LETTERS => None,
            _ => self.0.char_indices().nth(LETTERS),
        };
        match cut.and_then(|(end, _)| self.0.get(..end)) {
            Some(begin) => (begin, true),
            None => (self.0, false),
        }
    }
}

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (begin, is_cut) = self.told();
        write!(f, "{begin:?}{}", if is_cut { "…" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_told_once() {
        let mut flaws = Flaws::default();
        flaws.warn("a", 3, || "first".to_owned());
        flaws.warn("b", 4, || "other".to_owned());
        flaws.warn("a", 5, || unreachable!("only the first is told"));
        flaws.warn("a", 6, || unreachable!("only the first is told"));
        let told: Vec<_> = flaws
            .into_warnings()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            told,
            [
                "first (and 2 more like it) (at offset 3)",
                "other (at offset 4)"
            ]
        );
    }

    #[test]
    fn long_names_are_cut_between_letters() {
        assert_eq!(Quoted("a\"b").to_string(), r#""a\"b""#);
        let name = "ä".repeat(65);
        let told = format!("\"{}\"…", "ä".repeat(64));
        assert_eq!(Quoted(&name).to_string(), told);
    }
}
