//! Case variants of file name extensions.

/// Every combination of upper and lower case, because the asset server compares extensions exactly.
pub(crate) fn all_cases<S: AsRef<str>>(extensions: &[S]) -> Vec<&'static str> {
    let mut all = Vec::new();
    for extension in extensions {
        let letters: Vec<char> = extension.as_ref().chars().collect();
        for upper in 0..1_u32 << letters.len().min(8) {
            let letter = |(index, letter): (usize, &char)| {
                if index < 8 && upper >> index & 1 == 1 {
                    letter.to_ascii_uppercase()
                } else {
                    letter.to_ascii_lowercase()
                }
            };
            let name: String = letters.iter().enumerate().map(letter).collect();
            // The asset server never drops loaders, and they return borrowed names.
            let name: &'static str = name.leak();
            if !all.contains(&name) {
                all.push(name);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_of_three_letters_has_eight_cases() {
        let cases = all_cases(&["mdl"]);
        assert_eq!(cases.len(), 8);
        assert!(cases.contains(&"MDL") && cases.contains(&"mdl") && cases.contains(&"Mdl"));
    }
}
