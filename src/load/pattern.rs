//! Patterns for names with the wildcards `*` and `?`.

use crate::load::names::folded;

/// A pattern for names: `*` matches any characters or none, `?` matches one character. Case-insensitive.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// In lower case, with repeated stars merged.
    letters: Vec<char>,
    /// The least count of characters in a matching name.
    min_length: usize,
}

impl Pattern {
    pub(crate) fn new(pattern: &str) -> Self {
        let mut letters: Vec<char> = folded(pattern).chars().collect();
        letters.dedup_by(|letter, before| (*letter, *before) == ('*', '*'));
        let min_length = letters.iter().filter(|letter| **letter != '*').count();
        Self {
            letters,
            min_length,
        }
    }

    /// Whether a [`folded`] name matches. Adds the count of steps to `steps`: at most the
    /// product of both lengths.
    pub(crate) fn matches(&self, name: &str, steps: &mut usize) -> bool {
        *steps += 1;
        // A character has at least one byte.
        if name.len() < self.min_length {
            return false;
        }
        let (mut pattern, mut name) = (&*self.letters, name.chars());
        // The pattern after the last star, and the rest of the name from its first candidate.
        let mut star = None;
        loop {
            *steps += 1;
            if let Some(('*', behind)) = pattern.split_first() {
                if behind.is_empty() {
                    return true;
                }
                star = Some((behind, name.clone()));
                pattern = behind;
                continue;
            }
            match (pattern.split_first(), name.next()) {
                (None, None) => return true,
                (Some(_), None) => return false,
                (Some((letter, behind)), Some(other)) if [other, '?'].contains(letter) => {
                    pattern = behind;
                }
                _ => {
                    // Backtrack: the star matches one more character.
                    let Some((behind, rest)) = &mut star else {
                        return false;
                    };
                    rest.next();
                    (pattern, name) = (*behind, rest.clone());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a name matches, and the count of steps.
    fn compared(pattern: &str, name: &str) -> (bool, usize) {
        let mut steps = 0;
        let is_match = Pattern::new(pattern).matches(&folded(name), &mut steps);
        (is_match, steps)
    }

    #[test]
    fn wildcards_match_characters() {
        for (pattern, name) in [
            ("*", ""),
            ("*", "a.b"),
            ("*.ala", "WALK.ALA"),
            ("w?lk*", "walk"),
            ("*a*b*c", "xxaxxbxxbxxc"),
            ("*ab", "aab"),
            ("*?", "č"),
            ("č?j", "Čáj"),
            ("a**", "a"),
            ("**a", "ba"),
            ("", ""),
        ] {
            assert!(compared(pattern, name).0, "{pattern} {name}");
        }
        for (pattern, name) in [
            ("?", ""),
            ("*?", ""),
            ("*.ala", "walk.alo"),
            ("w?lk", "wlk"),
            ("*a*b*c", "xxaxxbxxbxx"),
            ("*ab", "aba"),
            ("č?j", "čj"),
            ("a", "aa"),
            ("", "a"),
        ] {
            assert!(!compared(pattern, name).0, "{pattern} {name}");
        }
    }

    #[test]
    fn steps_are_bounded_by_the_product_of_lengths() {
        // Backtracking over all stars would take exponential time.
        for (pattern, name) in [
            ("*a".repeat(500), "a".repeat(499)),
            ("*a".repeat(500) + "b", "a".repeat(1000)),
            ("*a*a*a*a*a*a*a*b".to_owned(), "a".repeat(1000)),
            (format!("*{}b", "a".repeat(500)), "a".repeat(1000)),
            (format!("*{}b", "?".repeat(500)), "a".repeat(1000)),
            ("*".repeat(1000) + "b", "a".repeat(1000)),
        ] {
            let (is_match, steps) = compared(&pattern, &name);
            assert!(!is_match, "{pattern}");
            assert!(steps <= pattern.len() * name.len(), "{pattern} {steps}");
        }
        let (_, steps) = compared(&"a".repeat(1000), "a");
        assert_eq!(steps, 1);
        let (_, steps) = compared("*.ala", &"a".repeat(1000));
        assert!(steps < 3000, "{steps}");
    }
}
