//! Draws particles from birth records, in the transparent phase of 3D cameras.
//!
//! Each ring buffer of [`ParticleRecords`](crate::alamo::ParticleRecords) has a segment of a vertex buffer. A frame
//! uploads only new records; `rings` describes the exceptions. The vertex shader computes a quad from each record, and reads
//! the tracks from a texture of keys. Particles that it cannot compute are uploaded in each frame. There are no storage buffers and no compute shaders, so WebGL2 remains possible.

// For maintainers: code that changes records does not belong here.

pub(crate) mod extract;
pub(crate) mod gpu_asset;
pub(crate) mod pipeline;
pub(crate) mod prepare;
pub(crate) mod queue;
pub(crate) mod rings;

use crate::formats::alamo::particles::draw::prepare::ParticleStatistics;
use crate::formats::alamo::particles::emitter::AloEmitter;
use crate::gpu::shaders::preload_shader;
use bevy::asset::embedded_asset;
use bevy::core_pipeline::core_3d::Transparent3d;
use bevy::pbr::{MeshPipelineSystems, Transmissive3d};
use bevy::prelude::*;
use bevy::render::render_asset::RenderAssetPlugin;
use bevy::render::render_phase::AddRenderCommand;
use bevy::render::render_resource::SpecializedRenderPipelines;
use bevy::render::{GpuResourceAppExt, Render, RenderApp, RenderStartup, RenderSystems};

/// Whether an emitter is drawn.
pub(crate) fn is_drawn(emitter: &AloEmitter) -> bool {
    pipeline::DrawMode::of(emitter).is_some()
}

/// Draws particles.
pub(crate) struct ParticleDrawPlugin;

impl Plugin for ParticleDrawPlugin {
    fn build(&self, app: &mut App) {
        embedded_asset!(app, "particles.wgsl");
        preload_shader(app, pipeline::shader());
        app.add_plugins(RenderAssetPlugin::<gpu_asset::GpuParticles>::default());
        let Some(render_app) = app.get_sub_app_mut(RenderApp) else {
            return;
        };
        render_app
            .init_resource::<extract::ExtractedSystems>()
            .init_gpu_resource::<rings::GpuRings>()
            .init_gpu_resource::<prepare::PreparedParticles>()
            .init_gpu_resource::<SpecializedRenderPipelines<pipeline::ParticlePipeline>>()
            .init_gpu_resource::<queue::ViewPipelines>()
            .init_resource::<ParticleStatistics>()
            .add_render_command::<Transparent3d, queue::DrawParticles<false>>()
            .add_render_command::<Transmissive3d, queue::DrawParticles<true>>()
            .add_systems(
                RenderStartup,
                pipeline::init_pipeline.after(MeshPipelineSystems),
            )
            .add_systems(ExtractSchedule, extract::extract_systems)
            // In Bevy 0.20, sets only order systems that access the same data. Writes to the GPU's queue do not count.
            .add_systems(
                Render,
                (
                    queue::queue_systems.in_set(RenderSystems::Queue),
                    prepare::prepare_systems
                        .in_set(RenderSystems::PrepareBindGroups)
                        .after(queue::queue_systems)
                        .before(RenderSystems::Render),
                    prepare::count_draws
                        .in_set(RenderSystems::Cleanup)
                        .after(RenderSystems::Render),
                ),
            );
    }
}
