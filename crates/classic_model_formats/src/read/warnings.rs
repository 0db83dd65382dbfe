//! Collects the warnings of a parser.

use super::Warning;
use core::fmt::{self, Display};

/// The warnings of one kind: the first one, and how many there were.
#[derive(Clone, Debug)]
struct Entry {
    kind: &'static str,
    first: Warning,
    count: u64,
}

/// Collects warnings. Of each kind, it keeps the first warning and counts the others.
///
/// A kind is any string that identifies warnings of the same cause.
///
/// ```
/// use classic_model_formats::read::WarningCollector;
///
/// let mut warnings = WarningCollector::default();
/// for vertex in [3, 5, 9] {
///     warnings.warn("normal", 20 * vertex, || format!("vertex {vertex} has no normal"));
/// }
/// let [warning] = &warnings.into_warnings()[..] else { unreachable!() };
/// assert_eq!(warning.to_string(), "vertex 3 has no normal (and 2 more like it) (at offset 60)");
/// ```
#[derive(Clone, Debug, Default)]
pub struct WarningCollector(Vec<Entry>);

impl WarningCollector {
    /// Adds a warning about the value at an absolute offset in bytes. `message` is called only for the first warning of
    /// its kind.
    pub fn warn(&mut self, kind: &'static str, offset: u64, message: impl FnOnce() -> String) {
        if !self.count_repeat(kind) {
            self.push_first(kind, offset, message());
        }
    }

    /// Counts a warning if its kind has occurred before. Returns false otherwise: then call
    /// [`push_first`](Self::push_first).
    pub fn count_repeat(&mut self, kind: &'static str) -> bool {
        let entry = self.0.iter_mut().find(|entry| entry.kind == kind);
        entry.map(|entry| entry.count += 1).is_some()
    }

    /// Adds the first warning of a kind. `offset` is absolute, in bytes.
    pub fn push_first(&mut self, kind: &'static str, offset: u64, message: String) {
        self.0.push(Entry {
            kind,
            first: Warning {
                offset,
                position: None,
                message,
            },
            count: 1,
        });
    }

    /// One warning per kind, in the order in which the kinds first occurred.
    #[must_use]
    pub fn into_warnings(self) -> Vec<Warning> {
        let warning = |entry: Entry| match entry.count {
            1 => entry.first,
            count => Warning {
                message: format!("{} (and {} more like it)", entry.first.message, count - 1),
                ..entry.first
            },
        };
        self.0.into_iter().map(warning).collect()
    }
}

/// Displays a name from a file in quotes and with escapes, cut to 64 characters.
///
/// A name may be as long as its file and appear in many messages, so the cut limits the memory for messages.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(pub &'a str);

impl<'a> Quoted<'a> {
    /// The first 64 characters of the name, and whether there are more.
    #[must_use]
    pub fn truncated(&self) -> (&'a str, bool) {
        const MAX_CHARS: usize = 64;
        // Most names are short, so the byte length is checked before characters are counted.
        let cut = match self.0.len() {
            ..=MAX_CHARS => None,
            _ => self.0.char_indices().nth(MAX_CHARS),
        };
        match cut.and_then(|(end, _)| self.0.get(..end)) {
            Some(start) => (start, true),
            None => (self.0, false),
        }
    }
}

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, is_truncated) = self.truncated();
        write!(f, "{start:?}{}", if is_truncated { "…" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_warning_of_each_kind_is_kept_and_others_are_counted() {
        let mut warnings = WarningCollector::default();
        warnings.warn("a", 3, || "first".to_owned());
        warnings.warn("b", 4, || "other".to_owned());
        warnings.warn("a", 5, || {
            unreachable!("only the first one needs a message")
        });
        warnings.warn("a", 6, || {
            unreachable!("only the first one needs a message")
        });
        let messages: Vec<_> = warnings
            .into_warnings()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            messages,
            [
                "first (and 2 more like it) (at offset 3)",
                "other (at offset 4)"
            ]
        );
    }

    #[test]
    fn long_names_are_cut_at_a_character_boundary() {
        assert_eq!(Quoted("a\"b").to_string(), r#""a\"b""#);
        let name = "ä".repeat(65);
        let expected = format!("\"{}\"…", "ä".repeat(64));
        assert_eq!(Quoted(&name).to_string(), expected);
    }
}
