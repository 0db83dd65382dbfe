//! Lookup of parts by name. Several parts can have the same name.

use crate::scene::matching::folded;
use bevy::platform::collections::HashMap;

/// The indices of the parts with each name, keyed by name in lower case.
pub type Names = HashMap<Box<str>, Vec<usize>>;

/// The indices of the parts with this name (case-insensitive).
pub(crate) fn named<'a>(names: &'a Names, name: &str) -> &'a [usize] {
    named_folded(names, &folded(name))
}

/// The indices of the parts with this name, which is already [`folded`].
pub(crate) fn named_folded<'a>(names: &'a Names, folded_name: &str) -> &'a [usize] {
    names.get(folded_name).map_or(&[], Vec::as_slice)
}

/// Builds the table from the names of all parts, in order.
pub(crate) fn index_names<'a>(names: impl Iterator<Item = &'a str>) -> Names {
    let mut indices = Names::default();
    for (index, name) in names.enumerate() {
        indices.entry(folded(name).into()).or_default().push(index);
    }
    indices
}

/// The warning for a name in `PartVisibility` that no part has, unless `exists` is true.
pub(crate) fn missing_part(exists: bool, name: &str) -> Option<String> {
    (!exists).then(|| format!("has no part \"{name}\" that `PartVisibility` can hide or show"))
}
