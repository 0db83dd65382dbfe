//! Components of spawned models.

use crate::formats::quake::asset::{MdlModel, Sequence};
use crate::formats::quake::material::MdlMaterial;
use crate::formats::quake::poses::MdlPoseTable;
use crate::gpu::pose_table::{PoseBlend, PosePair};
use crate::playback::advance::{ClipSelection, Fade};
use crate::playback::clip_events::ClipEvents;
use crate::root::play::Playback;
use crate::root::skins::PlayerColors;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::mesh::MeshTag;
use bevy::prelude::*;
use std::sync::Arc;

/// The model of a mesh. On the mesh entity of a spawned model.
#[derive(Component, Clone, Debug)]
pub struct MdlMesh(pub Arc<MdlModel>);

/// The state of a spawned Quake model. On the root entity, once its scene is spawned.
#[derive(Component, Debug)]
#[require(Playback)]
pub struct MdlInstance {
    pub(crate) model: Arc<MdlModel>,
    pub(crate) mesh: Entity,
    /// The pose table row of the mesh. `None` before it is allocated and after the mesh was despawned.
    pub(crate) row: Option<u32>,
    /// Seconds by which the clock of this instance is ahead of the client's.
    pub(crate) phase: f32,
    pub(crate) sequence: Sequence,
    /// The request for which `sequence` was selected.
    pub(crate) selection: Option<ClipSelection>,
    pub(crate) events: ClipEvents,
    /// Whether the model lacks the requested clip, so that its default sequence plays.
    pub(crate) is_missing: bool,
    /// Whether the model changed since the last update, so that its pose indices are no longer valid.
    pub(crate) model_changed: bool,
    /// The cross-fade and the poses from which it began.
    pub(crate) fade: Option<(Fade, PosePair)>,
    pub(crate) shown: PoseBlend,
    pub(crate) material_inputs: Option<MaterialInputs>,
    /// The materials that were used since another skin or other colors were selected: those of a skin group, which take turns.
    pub(crate) used_materials: Vec<Handle<MdlMaterial>>,
}

/// The row of the [`MdlPoseTable`] of a mesh, released when the component is removed. On the mesh entity.
#[derive(Component, Debug)]
#[component(on_add = allocate_row, on_remove = release_row)]
pub(crate) struct MdlPoseRow {
    pub(crate) row: u32,
    pub(crate) root: Entity,
}

pub(crate) fn allocate_row(mut world: DeferredWorld<'_>, context: HookContext) {
    let mesh = context.entity;
    let Some(row) = world.get_resource_mut::<MdlPoseTable>() else {
        return;
    };
    let row = row.into_inner().allocate();
    let Some(mut pose_row) = world.get_mut::<MdlPoseRow>(mesh) else {
        return;
    };
    pose_row.row = row;
    let root = pose_row.root;
    set_row(&mut world, root, mesh, Some(row));
    world.commands().entity(mesh).try_insert(MeshTag(row));
}

pub(crate) fn release_row(mut world: DeferredWorld<'_>, context: HookContext) {
    let mesh = context.entity;
    let Some(&MdlPoseRow { row, root }) = world.get::<MdlPoseRow>(mesh) else {
        return;
    };
    if let Some(mut table) = world.get_resource_mut::<MdlPoseTable>() {
        table.release(row);
    }
    set_row(&mut world, root, mesh, None);
}

/// Sets the row that an animator writes to, if the animator still belongs to the mesh.
pub(crate) fn set_row(world: &mut DeferredWorld<'_>, root: Entity, mesh: Entity, row: Option<u32>) {
    if let Some(mut animator) = world.get_mut::<MdlInstance>(root)
        && animator.mesh == mesh
    {
        animator.bypass_change_detection().row = row;
    }
}

/// The values that determine the material of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MaterialInputs {
    pub(crate) skin: usize,
    /// Index of the image in a skin group.
    pub(crate) image: usize,
    pub(crate) colors: Option<PlayerColors>,
    /// An image that replaces the model's own skin.
    pub(crate) external_image: Option<AssetId<Image>>,
}

impl MdlInstance {
    /// The model's data.
    pub fn model(&self) -> &Arc<MdlModel> {
        &self.model
    }

    /// The entity of the mesh, a child of the root.
    pub fn mesh(&self) -> Entity {
        self.mesh
    }

    /// The poses that are shown. They are those of the current frame after
    /// [`ClassicModelsSystems::Play`](crate::root::environment::ClassicModelsSystems).
    ///
    /// [`MdlPoses::blend`](crate::quake::MdlPoses::blend) computes positions from them.
    pub fn shown(&self) -> PoseBlend {
        self.shown
    }

    /// Duration, in seconds, of one pass of the sequence that plays.
    pub fn clip_seconds(&self) -> f32 {
        self.sequence.seconds()
    }

    /// The sequence of poses that plays.
    pub fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// The clock of this instance, in seconds.
    pub(crate) fn clock(&self, time: &Time) -> f64 {
        time.elapsed_secs_f64() + f64::from(self.phase)
    }
}
