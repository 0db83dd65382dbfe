//! Components of a model's root that choose which of its parts show.

use crate::scene::matching::folded;
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::component::Component;
use bevy::ecs::lifecycle::Remove;
use bevy::ecs::observer::On;
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::system::Query;
use bevy::platform::collections::HashMap;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;

/// How many steps coarser than its finest a model is drawn: 0, which is also what is drawn without
/// this component, is the finest. Beyond the coarsest it is the coarsest.
///
/// An ALO model has a level for each number that its parts are tagged with (`_LOD0`, `_LOD1` …),
/// of which the highest is the finest. An ABC model has the full one, and those that its loader was asked
/// for.
///
/// Put it on the entity that has the `WorldAssetRoot`.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ModelLod(pub u32);

/// From how far away each level of detail after the finest is drawn where no [`ModelLod`] chooses one, in Bevy's
/// units for an instance of scale 1; levels beyond the end of the list are never. The camera that is nearest
/// counts. A level is left where the model is a twentieth nearer than where it begins.
///
/// It goes before what the file or the loader's settings say. Put it on the entity that has the
/// `WorldAssetRoot`.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(DistanceLod)]
pub struct LodDistances(pub Vec<f32>);

/// How damaged a model is: 0, which is also what is drawn without this component, is whole. Beyond
/// the last stage that the model knows it is the last.
///
/// An ALO model draws those of its tagged parts (`_ALT0`, `_ALT1` …) that have this number.
///
/// Put it on the entity that has the `WorldAssetRoot`.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct DamageStage(pub u32);

/// Parts of a model that are hidden, or shown although its file hides them.
///
/// Parts of an ALO model are meshes, lights, proxies and dazzles, those of an LGW model its meshes, those of an
/// ABC model the nodes that have a mesh of their own, by their names in any case; parts of one name go
/// together. What the level of detail, the damage stage or a hidden bone keeps from being drawn stays so.
///
/// Put it on the entity that has the `WorldAssetRoot`.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct PartVisibility {
    /// Names in lower case, and whether they are hidden.
    parts: HashMap<String, bool>,
}

impl PartVisibility {
    /// Hides the parts of these names, and leaves all others as the file has them.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut parts = Self::default();
        for name in names {
            parts.hide(name);
        }
        parts
    }

    /// Hides the parts of a name.
    pub fn hide(&mut self, name: &str) -> &mut Self {
        self.parts.insert(folded(name), true);
        self
    }

    /// Shows the parts of a name, also if the file hides them.
    pub fn show(&mut self, name: &str) -> &mut Self {
        self.parts.insert(folded(name), false);
        self
    }

    /// Leaves the parts of a name as the file has them.
    pub fn reset(&mut self, name: &str) -> &mut Self {
        self.parts.remove(&folded(name));
        self
    }

    /// All names that anything is said of, in lower case and in no order, and whether their parts are
    /// hidden.
    pub fn iter(&self) -> impl Iterator<Item = (&str, bool)> {
        let parts = self.parts.iter();
        parts.map(|(name, hidden)| (name.as_str(), *hidden))
    }

    /// Whether the parts of a name are hidden; `None` if that is left to the file.
    pub fn get(&self, name: &str) -> Option<bool> {
        self.parts.get(&folded(name)).copied()
    }
}

/// The level that a model is drawn at for its distance. On roots that have distances.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DistanceLod(pub(crate) u32);

/// Without distances a model is drawn at its finest level, until something else says otherwise.
pub(super) fn on_distances_removed(
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
    fn names_are_of_any_case() {
        let mut parts = PartVisibility::new(["Shield"]);
        parts.show("ENGINES");
        assert_eq!(parts.get("shield"), Some(true));
        assert_eq!(parts.get("Engines"), Some(false));
        parts.reset("SHIELD");
        assert_eq!(parts.get("Shield"), None);
    }
}
