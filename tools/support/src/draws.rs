//! Counts the draws of the cameras' main passes.

use bevy::core_pipeline::core_3d::{AlphaMask3d, Opaque3d};
use bevy::prelude::*;
use bevy::render::batching::gpu_preprocessing::IndirectParametersBuffers;
use bevy::render::render_phase::{BinnedPhaseItem, ViewBinnedRenderPhases};
use bevy::render::view::{ExtractedView, NoIndirectDrawing};
use bevy::render::{Render, RenderApp, RenderSystems};
use std::any::TypeId;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Adds a [`DrawCount`] and updates it in every rendered frame.
pub struct DrawCountPlugin;

/// The count of draws of opaque and masked meshes in the last rendered frame, over all 3D cameras.
///
/// A draw is one mesh in one material, with any count of instances. Each draw of an indirect command counts.
/// Without storage buffers (WebGL2) Bevy may split a draw, which is not counted.
#[derive(Resource, Clone, Default)]
pub struct DrawCount(Arc<AtomicU32>);

impl DrawCount {
    /// The count of draws.
    pub fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Plugin for DrawCountPlugin {
    fn build(&self, app: &mut App) {
        let count = DrawCount::default();
        app.insert_resource(count.clone());
        if let Some(render_app) = app.get_sub_app_mut(RenderApp) {
            render_app
                .insert_resource(count)
                // The commands are encoded, and what they were made from is not yet cleared.
                .add_systems(Render, count_draws.in_set(RenderSystems::Cleanup));
        }
    }
}

fn count_draws(
    count: Res<DrawCount>,
    indirect: Option<Res<IndirectParametersBuffers>>,
    opaque: Res<ViewBinnedRenderPhases<Opaque3d>>,
    masked: Res<ViewBinnedRenderPhases<AlphaMask3d>>,
    direct_views: Query<&ExtractedView, With<NoIndirectDrawing>>,
) {
    let direct: usize = direct_views
        .iter()
        .map(|view| direct_draws(&opaque, view) + direct_draws(&masked, view))
        .sum();
    let indirect = indirect.map_or(0, |buffers| {
        indirect_draws::<Opaque3d>(&buffers) + indirect_draws::<AlphaMask3d>(&buffers)
    });
    count.0.store((direct + indirect) as u32, Ordering::Relaxed);
}

/// Draws that the CPU encodes one by one.
fn direct_draws<P: BinnedPhaseItem>(
    phases: &ViewBinnedRenderPhases<P>,
    view: &ExtractedView,
) -> usize {
    phases.get(&view.retained_view_entity).map_or(0, |phase| {
        let alone = phase.unbatchable_meshes.values();
        phase.batchable_meshes.len() + alone.map(|bin| bin.entities.len()).sum::<usize>()
    })
}

/// Draws whose parameters are in a buffer on the GPU.
fn indirect_draws<P: BinnedPhaseItem>(buffers: &IndirectParametersBuffers) -> usize {
    buffers.get(&TypeId::of::<P>()).map_or(0, |phase| {
        phase.indexed.batch_count() + phase.non_indexed.batch_count()
    })
}
