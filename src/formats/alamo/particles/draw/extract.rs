//! Copies the visible systems to the render world.

use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::particles::draw::rings::{DrawnSlots, GpuRings};
use crate::formats::alamo::particles::record::ParticleRecords;
use bevy::math::Affine3A;
use bevy::prelude::*;
use bevy::render::Extract;
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::sync_world::{MainEntity, MainEntityHashMap};
use core::ops::Range;

/// The systems that any camera sees in this frame, and that have particles.
#[derive(Resource, Default)]
pub(crate) struct ExtractedSystems {
    systems: MainEntityHashMap<ExtractedSystem>,
    /// The rings of all systems.
    rings: Vec<ExtractedRing>,
}

pub(crate) struct ExtractedSystem {
    pub(crate) particles: AssetId<AloParticles>,
    pub(crate) world_from_system: Affine3A,
    pub(crate) tint: LinearRgba,
    /// The indices of its rings.
    rings: Range<usize>,
}

/// A ring with particles.
pub(crate) struct ExtractedRing {
    /// The index of its emitter.
    pub(crate) emitter: usize,
    pub(crate) slots: DrawnSlots,
    pub(crate) time: f32,
    pub(crate) scale: f32,
    /// The ground's normal and its height.
    pub(crate) ground: Vec4,
}

impl ExtractedSystems {
    pub(crate) fn is_empty(&self) -> bool {
        self.systems.is_empty()
    }

    pub(crate) fn get(&self, entity: &MainEntity) -> Option<&ExtractedSystem> {
        self.systems.get(entity)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&MainEntity, &ExtractedSystem)> {
        self.systems.iter()
    }

    /// The rings of a system.
    pub(crate) fn rings(&self, system: &ExtractedSystem) -> &[ExtractedRing] {
        self.rings.get(system.rings.clone()).unwrap_or_default()
    }

    fn clear(&mut self) {
        self.systems.clear();
        self.rings.clear();
    }
}

/// Extracts visible systems, and uploads their new records. The records of other systems are uploaded when they become
/// visible.
pub(crate) fn extract_systems(
    mut extracted: ResMut<ExtractedSystems>,
    mut rings: ResMut<GpuRings>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
    systems: Extract<Query<(Entity, &ViewVisibility, &GlobalTransform, &ParticleRecords)>>,
    mut removed: Extract<RemovedComponents<ParticleRecords>>,
) {
    for entity in removed.read() {
        rings.remove(entity.into());
    }
    rings.begin_frame();
    let extracted = &mut *extracted;
    extracted.clear();
    for (entity, visibility, transform, records) in &systems {
        if !visibility.get() {
            continue;
        }
        let entity = MainEntity::from(entity);
        let first = extracted.rings.len();
        rings.upload(entity, &records.emitters, |ring, slots| {
            let [x, y, z] = ring.ground.up;
            extracted.rings.push(ExtractedRing {
                emitter: ring.emitter(),
                slots,
                time: ring.time,
                scale: ring.scale(),
                ground: Vec4::new(x, y, z, ring.ground.height),
            });
        });
        let rings = first..extracted.rings.len();
        if rings.is_empty() {
            continue;
        }
        let system = ExtractedSystem {
            particles: records.particles.id(),
            world_from_system: transform.affine(),
            tint: records.tint,
            rings,
        };
        extracted.systems.insert(entity, system);
    }
    rings.finish_frame(&device, &queue);
}
