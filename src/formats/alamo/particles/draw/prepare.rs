//! Writes the uniforms of emitter instances, makes their bind groups, and counts draws.

use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::particles::draw::extract::{
    ExtractedRing, ExtractedSystem, ExtractedSystems,
};
use crate::formats::alamo::particles::draw::gpu_asset::{GpuEmitter, GpuParticles};
use crate::formats::alamo::particles::draw::pipeline::{
    DrawMode, EmitterUniform, ParticlePipeline,
};
use crate::formats::alamo::particles::draw::rings::DrawnSlots;
use crate::formats::alamo::particles::record::{RecordSpace, uniform_scale};
use crate::texture::placeholder::is_placeholder;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_resource::{
    BindGroup, BindGroupEntries, BufferId, DynamicUniformBuffer, PipelineCache, TextureViewId,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::sync_world::{MainEntity, MainEntityHashMap};
use bevy::render::texture::GpuImage;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

/// The draws of this frame.
#[derive(Resource, Default)]
pub(crate) struct PreparedParticles {
    uniforms: DynamicUniformBuffer<EmitterUniform>,
    instances: Option<(BufferId, BindGroup)>,
    assets: HashMap<AssetKey, AssetBindGroup>,
    /// The draws of all systems.
    draws: Vec<PreparedDraw>,
    /// The indices of the draws of each system.
    systems: MainEntityHashMap<Range<usize>>,
    /// The count of draw calls since it was last taken. Views are encoded on several threads.
    draw_calls: AtomicUsize,
}

/// A system, and the texture of an emitter.
pub(crate) type AssetKey = (AssetId<AloParticles>, AssetId<Image>);

/// A bind group of tracks and a texture.
struct AssetBindGroup {
    keys: TextureViewId,
    texture: TextureViewId,
    bind_group: BindGroup,
}

/// The draw of a ring.
pub(crate) struct PreparedDraw {
    /// The rank of its emitter.
    rank: usize,
    pub(crate) mode: DrawMode,
    pub(crate) slots: DrawnSlots,
    pub(crate) uniform_offset: u32,
    pub(crate) asset: AssetKey,
}

impl PreparedParticles {
    /// The draws of a system, in order.
    pub(crate) fn draws(&self, system: &MainEntity) -> &[PreparedDraw] {
        let draws = self.systems.get(system).cloned();
        draws
            .and_then(|draws| self.draws.get(draws))
            .unwrap_or_default()
    }

    /// Counts a draw call.
    pub(crate) fn count_draw_call(&self) {
        self.draw_calls.fetch_add(1, Ordering::Relaxed);
    }

    /// The count of draw calls since the last call.
    pub(crate) fn take_draw_calls(&self) -> usize {
        self.draw_calls.swap(0, Ordering::Relaxed)
    }

    /// The bind group of uniforms.
    pub(crate) fn instances(&self) -> Option<&BindGroup> {
        self.instances.as_ref().map(|(_, bind_group)| bind_group)
    }

    /// The bind group of tracks and a texture.
    pub(crate) fn asset(&self, key: &AssetKey) -> Option<&BindGroup> {
        self.assets.get(key).map(|asset| &asset.bind_group)
    }
}

pub(crate) fn prepare_systems(
    extracted: Res<ExtractedSystems>,
    particles: Res<RenderAssets<GpuParticles>>,
    images: Res<RenderAssets<GpuImage>>,
    pipeline: Option<Res<ParticlePipeline>>,
    pipeline_cache: Res<PipelineCache>,
    (device, queue): (Res<RenderDevice>, Res<RenderQueue>),
    mut prepared: ResMut<PreparedParticles>,
) {
    let Some(pipeline) = pipeline else {
        return;
    };
    let prepared = &mut *prepared;
    prepared.systems.clear();
    prepared.draws.clear();
    prepared.uniforms.clear();
    prepared.assets.retain(|(asset, image), _| {
        particles.get(*asset).is_some() && images.get(*image).is_some()
    });
    // The last asset, and whether its texture is missing.
    let mut last = None;
    for (entity, system) in extracted.iter() {
        let Some(gpu) = particles.get(system.particles) else {
            continue;
        };
        let first = prepared.draws.len();
        for ring in extracted.rings(system) {
            let Some((emitter, mode)) = gpu.drawn(ring.emitter) else {
                continue;
            };
            let asset = (system.particles, emitter.texture);
            if last.is_none_or(|(last, _)| last != asset) {
                let Some(image) = images.get(emitter.texture) else {
                    // It is loading.
                    continue;
                };
                bind_asset(
                    prepared,
                    asset,
                    gpu,
                    image,
                    &pipeline,
                    &pipeline_cache,
                    &device,
                );
                last = Some((asset, is_placeholder(image)));
            }
            let mut uniform = uniform(system, ring, emitter, gpu);
            if last.is_some_and(|(_, is_missing)| is_missing) {
                uniform = uniform.without_texture();
            }
            prepared.draws.push(PreparedDraw {
                rank: emitter.rank,
                mode,
                slots: ring.slots.clone(),
                uniform_offset: prepared.uniforms.push(&uniform),
                asset,
            });
        }
        if let Some(draws) = prepared.draws.get_mut(first..) {
            // The sort is stable, so rings of the same emitter keep their order.
            draws.sort_by_key(|draw| draw.rank);
        }
        let draws = first..prepared.draws.len();
        prepared.systems.insert(*entity, draws);
    }
    prepared.uniforms.write_buffer(&device, &queue);
    bind_instances(prepared, &pipeline, &pipeline_cache, &device);
}

fn bind_asset(
    prepared: &mut PreparedParticles,
    key: AssetKey,
    gpu: &GpuParticles,
    image: &GpuImage,
    pipeline: &ParticlePipeline,
    pipeline_cache: &PipelineCache,
    device: &RenderDevice,
) {
    let (keys, texture) = (gpu.keys.id(), image.texture_view.id());
    let is_current = |bound: &AssetBindGroup| bound.keys == keys && bound.texture == texture;
    if prepared.assets.get(&key).is_some_and(is_current) {
        return;
    }
    let bind_group = device.create_bind_group(
        "particle tracks and texture",
        &pipeline_cache.get_bind_group_layout(&pipeline.asset_layout),
        &BindGroupEntries::sequential((&gpu.keys, &image.texture_view, &image.sampler)),
    );
    let bound = AssetBindGroup {
        keys,
        texture,
        bind_group,
    };
    prepared.assets.insert(key, bound);
}

fn bind_instances(
    prepared: &mut PreparedParticles,
    pipeline: &ParticlePipeline,
    pipeline_cache: &PipelineCache,
    device: &RenderDevice,
) {
    let (Some(buffer), Some(binding)) = (prepared.uniforms.buffer(), prepared.uniforms.binding())
    else {
        return;
    };
    let id = buffer.id();
    if prepared.instances.as_ref().is_some_and(|(of, _)| *of == id) {
        return;
    }
    let bind_group = device.create_bind_group(
        "particle emitter instances",
        &pipeline_cache.get_bind_group_layout(&pipeline.instance_layout),
        &BindGroupEntries::single(binding),
    );
    prepared.instances = Some((id, bind_group));
}

fn uniform(
    system: &ExtractedSystem,
    ring: &ExtractedRing,
    emitter: &GpuEmitter,
    gpu: &GpuParticles,
) -> EmitterUniform {
    let space =
        RecordSpace::of_emitters(emitter.space, gpu.world_rotation, system.world_from_system);
    let world_from_records = space.world_from_records();
    let rows = Mat4::from(world_from_records).transpose();
    let plane = match emitter.is_plane_local {
        true => system.world_from_system.matrix3,
        false => Mat3A::from_quat(gpu.world_rotation),
    };
    let axis = |axis: Vec3A| axis.normalize_or_zero().extend(0.0);
    EmitterUniform {
        world_from_records: [rows.x_axis, rows.y_axis, rows.z_axis],
        flat_x: axis(plane.x_axis),
        flat_y: axis(plane.y_axis),
        tint: Vec4::from_array(system.tint.to_f32_array()),
        ground: ring.ground,
        time: ring.time,
        size_scale: uniform_scale(&world_from_records),
        scale: ring.scale,
        ..emitter.uniform
    }
}

/// Counts of particles that are drawn in the present frame: a resource of the render world. After a frame, it has the
/// values of that frame.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParticleStatistics {
    /// The count of systems with particles, once for each camera that sees them.
    pub systems: usize,
    /// The count of draw calls of all cameras: one for each emitter with particles.
    pub draws: usize,
    /// The size of the records on the GPU in bytes, with unused slots: of each ring that was visible, 1.5 times the slots of
    /// its [`EmitterRecords`](crate::alamo::EmitterRecords) when it was last visible.
    pub buffer_bytes: u64,
    /// The size of the rest of the vertex buffers, in bytes. If removed rings had more than 1 MiB of it, and more than
    /// [`buffer_bytes`](Self::buffer_bytes), the next frame frees all buffers and uploads all records again.
    pub spare_bytes: u64,
}

/// Counts the draw calls that were encoded since the last frame.
pub(crate) fn count_draws(
    prepared: Res<PreparedParticles>,
    mut statistics: ResMut<ParticleStatistics>,
) {
    statistics.draws = prepared.take_draw_calls();
}
