//! Parts of models by their names, which other parts may have too.

use crate::scene::matching::folded;
use bevy::platform::collections::HashMap;

/// Indices by name, in lower case.
pub type Names = HashMap<Box<str>, Vec<usize>>;

/// The indices of a name, in any case.
pub(crate) fn named<'a>(names: &'a Names, name: &str) -> &'a [usize] {
    names.get(&*folded(name)).map_or(&[], Vec::as_slice)
}

/// The indices of all names.
pub(crate) fn index_names<'a>(names: impl Iterator<Item = &'a str>) -> Names {
    let mut indices = Names::default();
    for (index, name) in names.enumerate() {
        indices.entry(folded(name).into()).or_default().push(index);
    }
    indices
}

/// What to say of a part of a name that `PartVisibility` cannot hide, unless it is known.
pub(crate) fn missing_part(is_known: bool, name: &str) -> Option<String> {
    (!is_known).then(|| format!("has no part \"{name}\" that `PartVisibility` could hide or show"))
}
