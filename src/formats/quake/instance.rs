//! Adds the instance components to a root entity when its scene is ready.

use crate::formats::quake::asset::{Mdl, MdlModel, SyncType};
use crate::formats::quake::components::{MdlInstance, MdlMesh, MdlPoseRow};
use crate::gpu::pose_table::PoseBlend;
use crate::playback::clip_events::ClipEvents;
use crate::spawn::instance::{ModelFormat, ModelInstance};
use crate::spawn::reload::ReadyScenes;
use bevy::prelude::*;
use bevy::world_serialization::WorldInstanceReady;
use std::sync::Arc;

impl MdlInstance {
    fn new(model: Arc<MdlModel>, mesh: Entity, root: Entity) -> Self {
        Self {
            sequence: model.default_sequence(),
            phase: phase(&model, root),
            model,
            mesh,
            row: None,
            selection: None,
            events: ClipEvents::default(),
            is_missing: false,
            model_changed: false,
            fade: None,
            shown: PoseBlend::default(),
            material_inputs: None,
        }
    }

    /// Replaces the model after a reload.
    fn set_model(&mut self, model: Arc<MdlModel>, mesh: Entity, root: Entity) {
        self.phase = phase(&model, root);
        self.model = model;
        self.mesh = mesh;
        self.model_changed = true;
        // Pose indices of the old model are not valid for the new one.
        self.fade = None;
        self.material_inputs = None;
    }
}

/// The offset of an instance's clock, from 0 to 1 second. It differs between entities, but not between runs.
pub(crate) fn phase(model: &MdlModel, entity: Entity) -> f32 {
    match model.sync_type {
        // 2^32 divided by the golden ratio, the step of a Weyl sequence, spreads consecutive indices evenly.
        SyncType::Random => {
            let spread = entity.index_u32().wrapping_mul(0x9e37_79b9);
            spread as f32 / u32::MAX as f32
        }
        _ => 0.0,
    }
}

/// Makes a root entity an instance of the model whose scene was spawned or respawned on it.
pub(crate) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: ReadyScenes<'_, '_, Mdl>,
    rows: Query<&MdlPoseRow>,
    mut animators: Query<&mut MdlInstance>,
) {
    let Some((mesh, MdlMesh(model), _)) = scenes.get(&ready, &mut commands) else {
        return;
    };
    let root = ready.entity;
    let row = rows.get(mesh).ok().map(|row| row.row);
    // The scene's only entity is not a named part.
    let any = ModelInstance::new(ModelFormat::Quake, model.shared.clone(), mesh, []);
    if let Ok(mut animator) = animators.get_mut(root) {
        animator.set_model(model, mesh, root);
        animator.row = row;
        commands.entity(root).try_insert(any);
    } else {
        let mut animator = MdlInstance::new(model, mesh, root);
        animator.row = row;
        commands.entity(root).try_insert((animator, any));
    }
    // After the animator, because adding the component sets the animator's row.
    let row = row.unwrap_or(0);
    commands.entity(mesh).try_insert(MdlPoseRow { row, root });
}
