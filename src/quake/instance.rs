//! What happens when the scene of a model is ready.

use crate::quake::asset::{MdlModel, SyncType};
use crate::quake::components::{MdlAnimator, MdlMesh, MdlPoseRow};
use crate::scene::{ModelFormat, ModelInstance, PoseBlend, ReadyScenes, SceneFormat, SharedModel};
use bevy::ecs::entity::Entity;
use bevy::ecs::observer::On;
use bevy::ecs::system::{Commands, Query};
use bevy::world_serialization::WorldInstanceReady;
use std::sync::Arc;

impl SceneFormat for MdlMesh {
    const FORMAT: ModelFormat = ModelFormat::Quake;

    type OnRoot = MdlAnimator;
}

impl SharedModel for MdlModel {
    fn named<'a>(&'a self, _: &'a str) -> Box<dyn Iterator<Item = usize> + 'a> {
        Box::new(core::iter::empty())
    }

    fn missing_part(&self, _: &str) -> Option<String> {
        None
    }

    fn find_clip(&self, clip: &crate::scene::ClipRef) -> Option<crate::scene::FoundClip<'_>> {
        super::find_clip::find_clip(self, clip)
    }
}

impl MdlAnimator {
    fn new(model: Arc<MdlModel>, mesh: Entity, root: Entity) -> Self {
        Self {
            sequence: model.default_sequence(),
            phase: phase(&model, root),
            model,
            mesh,
            row: None,
            chosen: None,
            is_missing: false,
            stale: false,
            fade: None,
            shown: PoseBlend::default(),
            look: None,
        }
    }

    /// Goes on with another model in the place of the old one.
    fn exchange(&mut self, model: Arc<MdlModel>, mesh: Entity, root: Entity) {
        self.phase = phase(&model, root);
        self.model = model;
        self.mesh = mesh;
        self.stale = true;
        // Poses of the old model mean nothing in the new one.
        self.fade = None;
        self.look = None;
    }
}

/// A phase from 0 to 1 second that differs between entities but not between runs.
pub(super) fn phase(model: &MdlModel, entity: Entity) -> f32 {
    match model.sync_type {
        // The multiplier is that of a Weyl sequence: it spreads consecutive indices evenly.
        SyncType::Random => {
            let spread = entity.index_u32().wrapping_mul(0x9e37_79b9);
            spread as f32 / u32::MAX as f32
        }
        _ => 0.0,
    }
}

/// Makes a root an instance of the model whose scene was spawned or respawned.
pub(super) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: ReadyScenes<'_, '_, MdlMesh>,
    rows: Query<&MdlPoseRow>,
    mut animators: Query<&mut MdlAnimator>,
) {
    let Some((mesh, MdlMesh(model), _)) = scenes.get(&ready, &mut commands) else {
        return;
    };
    let root = ready.entity;
    let row = rows.get(mesh).ok().map(|row| row.row);
    // Its one entity has no name.
    let any = ModelInstance::new(ModelFormat::Quake, model.clone(), []);
    if let Ok(mut animator) = animators.get_mut(root) {
        animator.exchange(model, mesh, root);
        animator.row = row;
        commands.entity(root).try_insert(any);
    } else {
        let mut animator = MdlAnimator::new(model, mesh, root);
        animator.row = row;
        commands.entity(root).try_insert((animator, any));
    }
    // After the animator, which takes note of a new row.
    let row = row.unwrap_or(0);
    commands.entity(mesh).try_insert(MdlPoseRow { row, root });
}
