//! Patterns for names, with `*` and `?`.

/// A pattern for names: `*` stands for any letters, also none, and `?` for one.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// In lower case, without stars that follow stars.
    letters: Vec<char>,
    /// How many letters a name has at least.
    least: usize,
}

#[cfg(feature = "manifest")]
impl Pattern {
    pub(crate) fn new(pattern: &str) -> Self {
        let mut letters: Vec<char> = super::matching::folded(pattern).chars().collect();
        letters.dedup_by(|letter, before| (*letter, *before) == ('*', '*'));
        let least = letters.iter().filter(|letter| **letter != '*').count();
        Self { letters, least }
    }
}

impl Pattern {
    /// Whether a [folded](super::matching::folded) name fits. Adds how many steps that took: by bad luck as many as the letters of
    /// the one times those of the other.
    pub(crate) fn fits(&self, name: &str, steps: &mut usize) -> bool {
        *steps += 1;
        // No letter has less than a byte.
        if name.len() < self.least {
            return false;
        }
        let (mut pattern, mut name) = (&*self.letters, name.chars());
        // What is behind the last star, and what of the name begins there.
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
                    // The star stands for one letter more.
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

#[cfg(all(test, feature = "manifest"))]
mod tests {
    use super::*;
    use crate::scene::matching::folded;

    /// Whether a name fits, and the steps.
    fn compared(pattern: &str, name: &str) -> (bool, usize) {
        let mut steps = 0;
        let fits = Pattern::new(pattern).fits(&folded(name), &mut steps);
        (fits, steps)
    }

    #[test]
    fn stars_and_question_marks_stand_for_letters() {
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
    fn a_comparison_takes_steps_by_both_lengths() {
        // What tries every star against every letter would not end.
        for (pattern, name) in [
            ("*a".repeat(500), "a".repeat(499)),
            ("*a".repeat(500) + "b", "a".repeat(1000)),
            ("*a*a*a*a*a*a*a*b".to_owned(), "a".repeat(1000)),
            (format!("*{}b", "a".repeat(500)), "a".repeat(1000)),
            (format!("*{}b", "?".repeat(500)), "a".repeat(1000)),
            ("*".repeat(1000) + "b", "a".repeat(1000)),
        ] {
            let (fits, steps) = compared(&pattern, &name);
            assert!(!fits, "{pattern}");
            assert!(steps <= pattern.len() * name.len(), "{pattern} {steps}");
        }
        let (_, steps) = compared(&"a".repeat(1000), "a");
        assert_eq!(steps, 1);
        let (_, steps) = compared("*.ala", &"a".repeat(1000));
        assert!(steps < 3000, "{steps}");
    }
}
