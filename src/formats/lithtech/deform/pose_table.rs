//! The pose table of deforming meshes: a texture from which the vertex shader reads each instance's keyframes.

use crate::formats::lithtech::materials::material::AbcDeformMaterial;
use crate::gpu::pose_table::{PoseBlend, PoseTable};
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::mesh::MeshTag;
use bevy::prelude::*;

/// The keyframes that the deforming meshes of spawned LithTech models show, one row per mesh.
///
/// Pose indices count the keyframes of all animations of a model in file order, from 0.
pub type AbcPoseTable = PoseTable<AbcDeformMaterial>;

/// Writes the pose of a mesh, from this frame on.
pub(crate) fn set_pose(table: &mut AbcPoseTable, pose_row: &mut AbcPoseRow, blend: PoseBlend) {
    let Some(row) = pose_row.row else {
        return;
    };
    match pose_row.was_set {
        true => table.set(row, blend),
        // A first pose has no motion since the previous frame.
        false => table.reset(row, blend),
    }
    pose_row.was_set = true;
}

/// The row of the [`AbcPoseTable`] of a mesh that deforms, released when the component is removed. On the mesh entity.
#[derive(Component, Debug, Default)]
#[component(on_add = allocate_row, on_remove = release_row)]
pub(crate) struct AbcPoseRow {
    row: Option<u32>,
    was_set: bool,
}

impl AbcPoseRow {
    /// The index of the row. `None` in apps without a table.
    pub(crate) fn row(&self) -> Option<u32> {
        self.row
    }
}

fn allocate_row(mut world: DeferredWorld<'_>, context: HookContext) {
    let Some(table) = world.get_resource_mut::<AbcPoseTable>() else {
        return;
    };
    let row = table.into_inner().allocate();
    if let Some(mut pose_row) = world.get_mut::<AbcPoseRow>(context.entity) {
        pose_row.row = Some(row);
    }
    let mut commands = world.commands();
    commands.entity(context.entity).try_insert(MeshTag(row));
}

fn release_row(mut world: DeferredWorld<'_>, context: HookContext) {
    let row = world.get::<AbcPoseRow>(context.entity);
    if let Some(row) = row.and_then(|pose_row| pose_row.row)
        && let Some(mut table) = world.get_resource_mut::<AbcPoseTable>()
    {
        table.release(row);
    }
}
