//! What the components of a root select: level of detail, damage stage, skin and parts. Formats and crowds apply it.

use crate::appearance::skins::ActiveSkin;
use crate::root::environment::NightTime;
use crate::root::parts::{DamageStage, DistanceLod, ModelLod, PartVisibility};
use bevy::ecs::entity::EntityHashSet;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// The values that the components of a root select. The model limits them.
#[derive(Clone, Copy, Default)]
pub struct Selected<'a> {
    /// The level of detail, from 0, the finest.
    pub(crate) level: u32,
    pub(crate) stage: u32,
    pub(crate) night: bool,
    pub(crate) visibility: Option<&'a PartVisibility>,
    pub(crate) skin: Option<&'a ActiveSkin>,
}

impl Selected<'_> {
    /// Whether the user hides the parts of a name; `None` if the file decides.
    pub(crate) fn hides(&self, name: &str) -> Option<bool> {
        self.visibility.and_then(|parts| parts.get(name))
    }
}

/// A model, or a component that selects something of it, changed.
type SelectionChanged<I> = (
    With<I>,
    Or<(
        Changed<I>,
        Changed<DistanceLod>,
        Changed<ModelLod>,
        Changed<DamageStage>,
        Changed<PartVisibility>,
        Changed<ActiveSkin>,
    )>,
);

/// The components of a root that select something.
type Selectors = (
    Option<&'static DistanceLod>,
    Option<&'static ModelLod>,
    Option<&'static DamageStage>,
    Option<&'static PartVisibility>,
    Option<&'static ActiveSkin>,
);

/// The selections on the roots of a format. `I` is the component of its spawned models.
#[derive(SystemParam)]
pub(crate) struct Selections<'w, 's, I: Component> {
    changed: Query<'w, 's, Entity, SelectionChanged<I>>,
    all: Query<'w, 's, Entity, With<I>>,
    selectors: Query<'w, 's, Selectors>,
    lods: RemovedComponents<'w, 's, ModelLod>,
    stages: RemovedComponents<'w, 's, DamageStage>,
    visibilities: RemovedComponents<'w, 's, PartVisibility>,
    skins: RemovedComponents<'w, 's, ActiveSkin>,
    night: Res<'w, NightTime>,
}

impl<I: Component> Selections<'_, '_, I> {
    /// The roots on which something else may be selected than when it was called last.
    pub(crate) fn changed(&mut self) -> EntityHashSet {
        let removed = self.lods.read().chain(self.stages.read());
        let removed = removed.chain(self.visibilities.read());
        let removed = removed.chain(self.skins.read());
        let mut changed: EntityHashSet = self.changed.iter().chain(removed).collect();
        if self.night.is_changed() {
            changed.extend(&self.all);
        }
        changed
    }

    /// The selection on a root.
    pub(crate) fn get(&self, root: Entity) -> Selected<'_> {
        let Ok((distance, lod, stage, visibility, skin)) = self.selectors.get(root) else {
            return Selected::default();
        };
        let by_distance = distance.map_or(0, |distance| distance.0);
        Selected {
            level: lod.map_or(by_distance, |lod| lod.0),
            stage: stage.map_or(0, |stage| stage.0),
            night: self.night.0,
            visibility,
            skin,
        }
    }
}
