//! Components of a model's root that choose which of its parts are visible.

use crate::load::names::folded;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;

/// The level of detail of a model, counted from the finest: 0 is the finest level and the default. A value beyond the
/// coarsest level selects the coarsest.
///
/// An ALO model has a level for each number in the tags of its parts (`_LOD0`, `_LOD1` …), and the highest number is
/// the finest. An ABC model has its full mesh and the levels that its loader settings request.
///
/// Insert it on the root.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ModelLod(pub u32);

/// The distances from which the levels of detail after the finest are drawn, for models without a [`ModelLod`].
///
/// Distances are in Bevy's units for an instance of scale 1, measured to the nearest camera. Levels beyond the end of
/// the list are never drawn. A model returns to the finer level when it is 5% nearer than the distance of its level.
///
/// It overrides the distances of the file and of the loader settings. Insert it on the root.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(DistanceLod)]
pub struct LodDistances(pub Vec<f32>);

/// The damage stage of a model: 0 is undamaged and the default. A value beyond the model's last stage selects the last.
///
/// Of its tagged parts (`_ALT0`, `_ALT1` …), an ALO model draws those with this number.
///
/// Insert it on the root.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct DamageStage(pub u32);

/// Hides parts of a model, or shows parts that its file hides. Selects parts by name (case-insensitive).
///
/// The parts of an ALO model are its meshes, lights, proxies and dazzles. The parts of an LGW model are its meshes, and
/// those of an ABC model the nodes with a separate mesh. A name selects all parts that have it. A shown part stays
/// invisible if the level of detail, the damage stage or a hidden bone hides it.
///
/// Insert it on the root.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct PartVisibility {
    /// The names as given, and whether the parts are hidden, keyed by name in lower case.
    parts: HashMap<String, (String, bool)>,
}

/// Names are equal regardless of case.
impl PartialEq for PartVisibility {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |(key, (_, hidden)): (&String, &(String, bool))| {
            other.parts.get(key).is_some_and(|it| it.1 == *hidden)
        };
        self.parts.len() == other.parts.len() && self.parts.iter().all(is_same)
    }
}

impl PartVisibility {
    /// Hides the parts with these names. All others keep the visibility of the file.
    pub fn hidden<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut parts = Self::default();
        for name in names {
            parts.hide(name);
        }
        parts
    }

    /// Hides all parts with this name.
    pub fn hide(&mut self, name: &str) -> &mut Self {
        self.insert(name, true)
    }

    /// Shows all parts with this name, even if the file hides them.
    pub fn show(&mut self, name: &str) -> &mut Self {
        self.insert(name, false)
    }

    fn insert(&mut self, name: &str, hidden: bool) -> &mut Self {
        self.parts.insert(folded(name), (name.to_owned(), hidden));
        self
    }

    /// Restores the visibility of the file for all parts with this name.
    pub fn reset(&mut self, name: &str) -> &mut Self {
        self.parts.remove(&folded(name));
        self
    }

    /// All names that are hidden or shown, in lower case and in no particular order, and whether they are hidden.
    pub fn iter(&self) -> impl Iterator<Item = (&str, bool)> {
        let parts = self.parts.iter();
        parts.map(|(name, (_, hidden))| (name.as_str(), *hidden))
    }

    /// The names as given.
    pub(crate) fn spelled(&self) -> impl Iterator<Item = &str> {
        self.parts.values().map(|(name, _)| name.as_str())
    }

    /// Whether the parts with this name are hidden; `None` if the file decides.
    pub fn get(&self, name: &str) -> Option<bool> {
        self.parts.get(&folded(name)).map(|(_, hidden)| *hidden)
    }
}

/// The level of detail that was selected by distance. On roots with LOD distances.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DistanceLod(pub(crate) u32);

/// Resets a model to its finest level when its distances are removed.
pub(crate) fn on_distances_removed(
    removed: On<Remove, LodDistances>,
    mut shown: Query<&mut DistanceLod>,
) {
    if let Ok(mut shown) = shown.get_mut(removed.entity) {
        shown.set_if_neq(DistanceLod(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_names_are_case_insensitive() {
        let mut parts = PartVisibility::hidden(["Shield"]);
        parts.show("ENGINES");
        assert_eq!(parts.get("shield"), Some(true));
        assert_eq!(parts.get("Engines"), Some(false));
        parts.reset("SHIELD");
        assert_eq!(parts.get("Shield"), None);
    }
}
