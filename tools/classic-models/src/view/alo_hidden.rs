//! Which bones of an Alamo model are hidden, which clips change.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::prelude::*;

/// Hidden bones that are named.
const NAMED: usize = 8;

/// Tells it.
#[derive(SystemParam)]
pub struct HiddenBones<'w, 's> {
    instances: Query<'w, 's, &'static AloInstance>,
    visibilities: Query<'w, 's, &'static InheritedVisibility>,
}

impl HiddenBones<'_, '_> {
    /// Which bones are hidden: by the file, by a clip, or with those above them.
    pub fn of(&self, model: Entity) -> Option<String> {
        let instance = self.instances.get(model).ok()?;
        let bones = instance.bones().iter().zip(&instance.model().bones);
        let is_hidden = |entity: &Entity| self.visibilities.get(*entity).is_ok_and(|s| !s.get());
        let hidden: Vec<&str> = bones
            .filter(|(entity, _)| is_hidden(entity))
            .map(|(_, bone)| &*bone.name)
            .collect();
        if hidden.is_empty() {
            return Some("no bone is hidden".to_owned());
        }
        let named = hidden.len().min(NAMED);
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
