//! Unique names.

use std::collections::HashMap;

/// Makes names unique: `run`, `run_2`, `run_3`.
#[derive(Default)]
pub(crate) struct Names {
    /// For each name, the greatest number after it.
    numbers: HashMap<String, usize>,
    /// Whether names that differ only in case are the same, as the names of files on some systems.
    ignores_case: bool,
}

impl Names {
    pub fn ignoring_case() -> Self {
        Self {
            ignores_case: true,
            ..Self::default()
        }
    }

    /// The name itself, or with a number if it is taken.
    pub fn unique(&mut self, name: &str) -> String {
        let mut unique = name.to_owned();
        let mut number = self.numbers.get(&self.key(name)).copied().unwrap_or(1);
        while self.numbers.contains_key(&self.key(&unique)) {
            number += 1;
            unique = format!("{name}_{number}");
        }
        self.numbers.insert(self.key(&unique), 1);
        self.numbers.insert(self.key(name), number);
        unique
    }

    fn key(&self, name: &str) -> String {
        if self.ignores_case {
            name.to_lowercase()
        } else {
            name.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_unique() {
        let mut names = Names::default();
        let found = ["a", "A", "a", "a_2", "a"].map(|name| names.unique(name));
        assert_eq!(found, ["a", "A", "a_2", "a_2_2", "a_3"]);
        let mut names = Names::ignoring_case();
        let found = ["Wood", "wood", "WOOD_2"].map(|name| names.unique(name));
        assert_eq!(found, ["Wood", "wood_2", "WOOD_2_2"]);
    }
}
