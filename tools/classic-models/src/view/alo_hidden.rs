//! Lists the hidden bones of an Alamo model. Clips show and hide bones.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;

/// The largest count of hidden bones that are named.
const MAX_NAMES: usize = 8;

/// Lists hidden bones.
#[derive(SystemParam)]
pub struct HiddenBones<'w, 's> {
    instances: Query<'w, 's, &'static AloInstance>,
    visibilities: Query<'w, 's, &'static InheritedVisibility>,
}

impl HiddenBones<'_, '_> {
    /// The names of bones that are hidden by the file, by a clip, or by a hidden ancestor, as text.
    pub fn of(&self, model: Entity) -> Option<String> {
        let instance = self.instances.get(model).ok()?;
        let bones = instance.bones().iter().zip(&instance.model().bones);
        let is_hidden = |entity: &Entity| self.visibilities.get(*entity).is_ok_and(|s| !s.get());
        let hidden: Vec<&str> = bones
            .filter(|(entity, _)| is_hidden(entity))
            .map(|(_, bone)| &*bone.name)
            .collect();
        if hidden.is_empty() {
            return Some("no hidden bones".to_owned());
        }
        let named = hidden.len().min(MAX_NAMES);
        let more = match hidden.len() - named {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(format!(
            "hidden bones: {}{more}",
            hidden[..named].join(", ")
        ))
    }
}
