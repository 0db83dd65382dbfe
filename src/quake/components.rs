//! Components of spawned models.

use crate::quake::asset::{MdlModel, Sequence};
use crate::quake::pose_table::PoseTable;
use crate::scene::{ClipSelection, Playback, PlayerColors, PoseBlend, PosePair, SceneModel};
use bevy::asset::AssetId;
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::world::DeferredWorld;
use bevy::image::Image;
use bevy::mesh::MeshTag;
use bevy::reflect::Reflect;
use bevy::time::Time;
use std::sync::Arc;

/// On the entity of a spawned model's mesh: the model that it is of.
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(opaque, Component, Clone, Debug)]
pub struct MdlMesh(pub Arc<MdlModel>);

/// What a spawned Quake model is doing. On the root entity, once its scene is there.
#[derive(Component, Debug)]
#[require(Playback)]
#[component(on_remove = stop_motion)]
pub struct MdlAnimator {
    pub(super) model: Arc<MdlModel>,
    pub(super) mesh: Entity,
    /// The row of the mesh; none until the mesh has one, or if the mesh was despawned.
    pub(super) row: Option<u32>,
    /// Seconds by which this instance is ahead of the client's clock.
    pub(super) phase: f32,
    pub(super) sequence: Sequence,
    /// What was asked for when `sequence` was chosen.
    pub(super) chosen: Option<ClipSelection>,
    /// The model lacks what was asked for, so the sequence of the model plays instead.
    pub(super) is_missing: bool,
    /// The model was exchanged since: what was shown means nothing any more.
    pub(super) stale: bool,
    pub(super) fade: Option<Fade>,
    pub(super) shown: PoseBlend,
    pub(super) look: Option<Look>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Fade {
    pub(super) from: PosePair,
    pub(super) seconds: f32,
    pub(super) left: f32,
}

/// A mesh that is left behind stays in the pose that it shows.
pub(super) fn stop_motion(mut world: DeferredWorld<'_>, context: HookContext) {
    let animator = world.get::<MdlAnimator>(context.entity);
    let row = animator.and_then(|animator| Some((animator.row?, animator.shown)));
    if let (Some((row, shown)), Some(mut table)) = (row, world.get_resource_mut::<PoseTable>()) {
        table.reset(row, shown);
    }
}

/// On the mesh of a model: its row of the [`PoseTable`], which is freed with the mesh.
#[derive(Component, Debug)]
#[component(on_add = allocate_row, on_remove = release_row)]
pub(super) struct MdlPoseRow {
    pub(super) row: u32,
    pub(super) root: Entity,
}

pub(super) fn allocate_row(mut world: DeferredWorld<'_>, context: HookContext) {
    let mesh = context.entity;
    let Some(row) = world.get_resource_mut::<PoseTable>() else {
        return;
    };
    let row = row.into_inner().allocate();
    let Some(mut of_mesh) = world.get_mut::<MdlPoseRow>(mesh) else {
        return;
    };
    of_mesh.row = row;
    let root = of_mesh.root;
    set_row(&mut world, root, mesh, Some(row));
    world.commands().entity(mesh).try_insert(MeshTag(row));
}

pub(super) fn release_row(mut world: DeferredWorld<'_>, context: HookContext) {
    let mesh = context.entity;
    let Some(&MdlPoseRow { row, root }) = world.get::<MdlPoseRow>(mesh) else {
        return;
    };
    if let Some(mut table) = world.get_resource_mut::<PoseTable>() {
        table.release(row);
    }
    set_row(&mut world, root, mesh, None);
}

/// Sets the row that an animator writes to, if it still animates the mesh.
pub(super) fn set_row(world: &mut DeferredWorld<'_>, root: Entity, mesh: Entity, row: Option<u32>) {
    if let Some(mut animator) = world.get_mut::<MdlAnimator>(root)
        && animator.mesh == mesh
    {
        animator.bypass_change_detection().row = row;
    }
}

/// What decides the material of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) skin: usize,
    pub(super) picture: usize,
    pub(super) colors: Option<PlayerColors>,
    /// A picture from elsewhere, which is worn instead.
    pub(super) worn: Option<AssetId<Image>>,
}

impl MdlAnimator {
    /// The model, for its clips, skins and poses.
    pub fn model(&self) -> &Arc<MdlModel> {
        &self.model
    }

    /// The entity of the mesh, a child of the root.
    pub fn mesh(&self) -> Entity {
        self.mesh
    }

    /// What shows in this frame, once the systems of
    /// [`ClassicModelsSystems::Play`](crate::scene::ClassicModelsSystems) have run.
    ///
    /// [`MdlPoses::blend`](super::MdlPoses::blend) turns it into positions.
    pub fn shown(&self) -> PoseBlend {
        self.shown
    }

    /// Seconds that one pass of what plays takes.
    pub fn clip_seconds(&self) -> f32 {
        self.sequence.seconds()
    }

    /// The poses that play.
    pub fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// The client's clock as this instance sees it.
    pub(super) fn clock(&self, time: &Time) -> f64 {
        time.elapsed_secs_f64() + f64::from(self.phase)
    }
}

impl SceneModel for MdlMesh {
    type Instance = MdlAnimator;

    fn is_of(&self, instance: &MdlAnimator) -> bool {
        Arc::ptr_eq(&self.0, &instance.model)
    }
}
