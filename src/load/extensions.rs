//! File extensions of loaders, in any case.

use bevy::asset::AssetLoader;
use bevy::prelude::*;

/// The maximum count of cases of an extension: those of eight letters. Other letters are in lower case.
const MAX_CASES: usize = 1 << 8;

/// Reserves extensions, in any case, for a loader that is registered later. The asset server does not ask the loader for
/// them again.
pub(crate) fn reserve_extensions<L: AssetLoader>(app: &mut App, extensions: &[impl AsRef<str>]) {
    let all = all_cases(extensions);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    app.preregister_asset_loader::<L>(&all);
}

/// Every combination of upper and lower case, because the asset server compares extensions exactly.
fn all_cases(extensions: &[impl AsRef<str>]) -> Vec<String> {
    let mut all = Vec::new();
    for extension in extensions {
        let mut cases = vec![String::new()];
        for letter in extension.as_ref().chars() {
            let (lower, upper) = (letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
            let mut with_upper = Vec::new();
            if cases.len() < MAX_CASES && lower != upper {
                with_upper.extend(cases.iter().map(|case| format!("{case}{upper}")));
            }
            cases.iter_mut().for_each(|case| case.push(lower));
            cases.extend(with_upper);
        }
        all.extend(cases);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::all_cases;

    #[test]
    fn an_extension_of_three_letters_has_eight_cases() {
        let cases = all_cases(&["mdl"]);
        assert_eq!(cases.len(), 8);
        for case in ["MDL", "mdl", "Mdl"] {
            assert!(cases.iter().any(|other| other == case), "{case}");
        }
    }
}
