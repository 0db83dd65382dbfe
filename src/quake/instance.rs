//! What happens when the scene of a model is ready, and when it is removed.

use crate::quake::asset::{MdlModel, SyncType};
use crate::quake::components::{MdlAnimator, MdlMesh, PoseRow};
use crate::scene::{OwnScenes, PoseBlend};
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::Remove;
use bevy::ecs::observer::On;
use bevy::ecs::system::{Commands, Query};
use bevy::world_serialization::{WorldAssetRoot, WorldInstanceReady};
use std::sync::Arc;

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

/// Takes charge of a scene that was spawned, or spawned anew because its file changed.
pub(super) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: OwnScenes<'_, '_, MdlMesh>,
    meshes: Query<(&MdlMesh, Option<&PoseRow>)>,
    mut animators: Query<&mut MdlAnimator>,
) {
    let Some(entities) = scenes.entities(&ready) else {
        return;
    };
    let root = ready.entity;
    let model_of = |entity: Entity| Some((entity, meshes.get(entity).ok()?));
    let Some((mesh, (MdlMesh(model), row))) = entities.into_iter().find_map(model_of) else {
        if animators.contains(root) {
            commands.entity(root).try_remove::<MdlAnimator>();
        }
        return;
    };
    if let Ok(mut animator) = animators.get_mut(root) {
        animator.exchange(model.clone(), mesh, root);
        animator.row = row.map(|row| row.row);
    } else {
        let mut animator = MdlAnimator::new(model.clone(), mesh, root);
        animator.row = row.map(|row| row.row);
        commands.entity(root).try_insert(animator);
    }
    // After the animator, which takes note of a new row.
    let row = row.map_or(0, |row| row.row);
    commands.entity(mesh).try_insert(PoseRow { row, root });
}

/// Without a scene there is no instance.
pub(super) fn on_root_removed(removed: On<Remove, WorldAssetRoot>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<MdlAnimator>();
}
