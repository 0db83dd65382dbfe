//! Adds systems to the transparent phase, and draws them.
//!
//! A system is one item of the phase, so that its emitters are drawn in their own order whatever their distance is. The
//! phase sorts systems by the distance of their origins.
//!
//! Emitters with heat are an item of the transmissive phase, for which Bevy copies what is drawn so far.

use crate::formats::alamo::particles::draw::extract::ExtractedSystems;
use crate::formats::alamo::particles::draw::gpu_asset::GpuParticles;
use crate::formats::alamo::particles::draw::pipeline::{
    DrawMode, ParticlePipeline, ParticlePipelineKey,
};
use crate::formats::alamo::particles::draw::prepare::{
    ParticleStatistics, PreparedDraw, PreparedParticles,
};
use crate::formats::alamo::particles::draw::rings::{DrawnSlots, GpuRings, RECORD};
use crate::formats::alamo::particles::record::ParticleRecords;
use bevy::core_pipeline::core_3d::{Transparent3d, TransparentSortingInfo3d};
use bevy::ecs::query::ROQueryItem;
use bevy::ecs::system::SystemParamItem;
use bevy::ecs::system::lifetimeless::{Read, SRes};
use bevy::pbr::{ScreenSpaceTransmission, SetMeshViewBindGroup, Transmissive3d, ViewKeyCache};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_phase::{
    DrawFunctions, PhaseItem, PhaseItemExtraIndex, RenderCommand, RenderCommandResult,
    TrackedRenderPass, ViewSortedRenderPhases,
};
use bevy::render::render_resource::{
    CachedRenderPipelineId, PipelineCache, SpecializedRenderPipelines,
};
use bevy::render::sync_world::MainEntity;
use bevy::render::view::{ExtractedView, RenderVisibleEntities, RetainedViewEntity};

/// Binds the view, and draws the emitters of a system: those with heat, or the others.
pub(crate) type DrawParticles<const HEAT: bool> = (SetMeshViewBindGroup<0>, DrawEmitters<HEAT>);

/// The pipelines of each view in this frame, by [`DrawMode::index`].
#[derive(Resource, Default)]
pub(crate) struct ViewPipelines(
    HashMap<RetainedViewEntity, [Option<CachedRenderPipelineId>; DrawMode::COUNT]>,
);

/// The vertices of a quad.
const QUAD: u32 = 6;

/// A view. Without steps, Bevy does not copy what is drawn so far.
type View = (
    &'static ExtractedView,
    &'static RenderVisibleEntities,
    Option<&'static ScreenSpaceTransmission>,
);

/// The views, and their phases.
type Views<'w, 's> = (
    Query<'w, 's, View>,
    Res<'w, ViewKeyCache>,
    ResMut<'w, ViewSortedRenderPhases<Transparent3d>>,
    ResMut<'w, ViewSortedRenderPhases<Transmissive3d>>,
);

pub(crate) fn queue_systems(
    extracted: Res<ExtractedSystems>,
    particles: Res<RenderAssets<GpuParticles>>,
    (draw_functions, heat_functions): (
        Res<DrawFunctions<Transparent3d>>,
        Res<DrawFunctions<Transmissive3d>>,
    ),
    (pipeline, pipeline_cache): (Option<Res<ParticlePipeline>>, Res<PipelineCache>),
    (mut pipelines, mut view_pipelines): (
        ResMut<SpecializedRenderPipelines<ParticlePipeline>>,
        ResMut<ViewPipelines>,
    ),
    (views, view_keys, mut phases, mut heat_phases): Views,
    (rings, mut statistics): (Res<GpuRings>, ResMut<ParticleStatistics>),
) {
    let [buffer_bytes, spare_bytes] = rings.bytes();
    *statistics = ParticleStatistics {
        buffer_bytes,
        spare_bytes,
        ..ParticleStatistics::default()
    };
    view_pipelines.0.clear();
    let (Some(pipeline), false) = (pipeline, extracted.is_empty()) else {
        return;
    };
    let draw_function = draw_functions.read().id::<DrawParticles<false>>();
    let draw_heat = heat_functions.read().id::<DrawParticles<true>>();
    for (view, visible, transmission) in &views {
        let retained_view = view.retained_view_entity;
        let (Some(phase), Some(view_key), Some(visible)) = (
            phases.get_mut(&retained_view),
            view_keys.get(&retained_view),
            visible.get::<ParticleRecords>(),
        ) else {
            continue;
        };
        let has_heat = transmission.is_some_and(|transmission| transmission.steps > 0);
        let of_view = view_pipelines.0.entry(retained_view).or_default();
        for (_, entity) in visible.iter_visible() {
            let Some(system) = extracted.get(entity) else {
                continue;
            };
            let Some(gpu) = particles.get(system.particles) else {
                continue;
            };
            // Of emitters without and with heat.
            let mut first = [None; 2];
            for ring in extracted.rings(system) {
                let Some((_, mode)) = gpu.drawn(ring.emitter) else {
                    continue;
                };
                let Some(of_mode) = of_view.get_mut(mode.index()) else {
                    continue;
                };
                let id = *of_mode.get_or_insert_with(|| {
                    let key = ParticlePipelineKey {
                        view: *view_key,
                        mode,
                    };
                    pipelines.specialize(&pipeline_cache, &pipeline, key)
                });
                let first = &mut first[usize::from(mode.is_heat())];
                *first = first.or(Some(id));
            }
            let [plain, heat] = first;
            let sorting_info = TransparentSortingInfo3d::Sorted {
                mesh_center: system.world_from_system.translation.into(),
                depth_bias: 0.0,
            };
            if let Some(pipeline) = heat.filter(|_| has_heat)
                && let Some(phase) = heat_phases.get_mut(&retained_view)
            {
                phase.add_transient(Transmissive3d {
                    sorting_info,
                    distance: 0.0,
                    pipeline,
                    entity: (entity.id(), without_mesh(entity.id())),
                    draw_function: draw_heat,
                    batch_range: 0..1,
                    extra_index: PhaseItemExtraIndex::None,
                    indexed: false,
                });
            }
            if plain.is_some() || heat.is_some() && has_heat {
                statistics.systems += 1;
            }
            let Some(pipeline) = plain else {
                continue;
            };
            phase.add_transient(Transparent3d {
                sorting_info,
                distance: 0.0,
                pipeline,
                entity: (entity.id(), without_mesh(entity.id())),
                draw_function,
                batch_range: 0..1,
                extra_index: PhaseItemExtraIndex::None,
                indexed: false,
            });
        }
    }
}

/// An entity that does not exist, for the item of a system in the phase.
///
/// The phase has one item per pair of entities, and Bevy looks for a mesh instance of the second one. The system's entity may
/// have a mesh too. The phase hashes only the second one, so each system needs another. No entity is as many generations
/// later.
fn without_mesh(system: Entity) -> MainEntity {
    let generation = system.generation().after_versions(1 << 31);
    Entity::from_index_and_generation(system.index(), generation).into()
}

/// Draws the emitters of a system: those with heat, or the others.
pub(crate) struct DrawEmitters<const HEAT: bool>;

impl<P: PhaseItem, const HEAT: bool> RenderCommand<P> for DrawEmitters<HEAT> {
    type Param = (
        SRes<PreparedParticles>,
        SRes<GpuRings>,
        SRes<ViewPipelines>,
        SRes<PipelineCache>,
    );
    type ViewQuery = Read<ExtractedView>;
    type ItemQuery = ();

    fn render<'w>(
        item: &P,
        view: ROQueryItem<'w, '_, Self::ViewQuery>,
        _: Option<()>,
        (prepared, rings, view_pipelines, pipeline_cache): SystemParamItem<'w, '_, Self::Param>,
        pass: &mut TrackedRenderPass<'w>,
    ) -> RenderCommandResult {
        let (prepared, rings) = (prepared.into_inner(), rings.into_inner());
        let pipeline_cache = pipeline_cache.into_inner();
        let entity = MainEntity::from(item.entity());
        let Some(of_view) = view_pipelines.0.get(&view.retained_view_entity) else {
            return RenderCommandResult::Skip;
        };
        let draws = prepared.draws(&entity).iter();
        for draw in draws.filter(|draw| draw.mode.is_heat() == HEAT) {
            let id = of_view.get(draw.mode.index()).copied().flatten();
            let pipeline = id.and_then(|id| pipeline_cache.get_render_pipeline(id));
            // It is compiled in the background.
            let Some(pipeline) = pipeline else {
                continue;
            };
            pass.set_render_pipeline(pipeline);
            draw_ring(draw, prepared, rings, pass);
        }
        RenderCommandResult::Success
    }
}

fn draw_ring<'w>(
    draw: &PreparedDraw,
    prepared: &'w PreparedParticles,
    rings: &'w GpuRings,
    pass: &mut TrackedRenderPass<'w>,
) {
    let DrawnSlots { page, slots } = &draw.slots;
    let (Some(instances), Some(asset), Some(page)) = (
        prepared.instances(),
        prepared.asset(&draw.asset),
        rings.page(*page),
    ) else {
        return;
    };
    pass.set_bind_group(1, instances, &[draw.uniform_offset]);
    pass.set_bind_group(2, asset, &[]);
    // Not by the first instance, which WebGL2 does not have.
    pass.set_vertex_buffer(0, page.slice(slots.start * RECORD..slots.end * RECORD));
    pass.draw(0..QUAD, 0..(slots.end - slots.start) as u32);
    prepared.count_draw_call();
}
