//! Copies the visible systems to the render world.

use super::rings::{DrawnSlots, GpuRings};
use crate::alamo::particles::asset::AloParticles;
use crate::alamo::particles::record::ParticleRecords;
use bevy::asset::AssetId;
use bevy::camera::visibility::ViewVisibility;
use bevy::color::LinearRgba;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Query, Res, ResMut};
use bevy::math::{Affine3A, Vec4};
use bevy::render::Extract;
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::sync_world::{MainEntity, MainEntityHashMap};
use bevy::transform::components::GlobalTransform;

/// The systems that any camera sees in this frame, and that have particles.
#[derive(Resource, Default)]
pub(super) struct ExtractedSystems(pub(super) MainEntityHashMap<ExtractedSystem>);

pub(super) struct ExtractedSystem {
    pub(super) particles: AssetId<AloParticles>,
    pub(super) world_from_system: Affine3A,
    pub(super) tint: LinearRgba,
    /// Those with particles.
    pub(super) rings: Vec<ExtractedRing>,
}

pub(super) struct ExtractedRing {
    /// The index of its emitter.
    pub(super) emitter: usize,
    pub(super) slots: DrawnSlots,
    pub(super) time: f32,
    pub(super) scale: f32,
    /// The ground's normal and its height.
    pub(super) ground: Vec4,
}

/// Extracts visible systems, and uploads their new records. The records of other systems are uploaded when they become
/// visible.
pub(super) fn extract_systems(
    mut extracted: ResMut<ExtractedSystems>,
    mut rings: ResMut<GpuRings>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
    systems: Extract<Query<(Entity, &ViewVisibility, &GlobalTransform, &ParticleRecords)>>,
    mut removed: Extract<RemovedComponents<ParticleRecords>>,
) {
    for entity in removed.read() {
        rings.retain(entity.into(), &[]);
    }
    rings.begin_frame();
    extracted.0.clear();
    for (entity, visibility, transform, records) in &systems {
        if !visibility.get() {
            continue;
        }
        let entity = MainEntity::from(entity);
        rings.retain(entity, &records.emitters);
        let with_particles = records.emitters.iter().enumerate();
        let with_particles = with_particles.filter(|(_, ring)| !ring.is_empty());
        let extracted_rings = with_particles.map(|(index, ring)| {
            let [x, y, z] = ring.ground.up;
            ExtractedRing {
                emitter: ring.emitter(),
                slots: rings.upload(entity, index, &ring.upload(), &device),
                time: ring.time,
                scale: ring.scale(),
                ground: Vec4::new(x, y, z, ring.ground.height),
            }
        });
        let extracted_rings: Vec<_> = extracted_rings.collect();
        if extracted_rings.is_empty() {
            continue;
        }
        let system = ExtractedSystem {
            particles: records.particles.id(),
            world_from_system: transform.affine(),
            tint: records.tint,
            rings: extracted_rings,
        };
        extracted.0.insert(entity, system);
    }
    rings.finish_frame(&device, &queue);
}
