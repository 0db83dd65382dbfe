//! Which keyframes instances show of the vertices that deform, in a texture that the vertex shader reads.

use crate::lithtech::material::AbcDeformMaterial;
use crate::scene::{PoseBlend, PoseMaterial, PoseTable};
use bevy::asset::{Handle, uuid_handle};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::image::Image;
use bevy::mesh::MeshTag;

/// The table as a texture, one for all models.
pub(super) const POSE_TABLE_IMAGE: Handle<Image> =
    uuid_handle!("2f6b8f0d-4a1c-4a57-9d0e-8c3f2b7e6d15");

/// Which keyframes spawned LithTech models show of their vertices that deform. The keyframes of all animations of a
/// model are counted in file order, from 0.
pub type AbcPoseTable = PoseTable<AbcDeformMaterial>;

impl PoseMaterial for AbcDeformMaterial {
    const TABLE: Handle<Image> = POSE_TABLE_IMAGE;
}

/// Shows a blend on a mesh from now on.
pub(super) fn show(table: &mut AbcPoseTable, of_mesh: &mut AbcPoseRow, blend: PoseBlend) {
    let Some(row) = of_mesh.row else {
        return;
    };
    match of_mesh.has_shown {
        true => table.set(row, blend),
        // Nothing moved in the frame before.
        false => table.reset(row, blend),
    }
    of_mesh.has_shown = true;
}

/// Meshes that are left behind stay in the pose that they show.
pub(super) fn stop_motion(world: &mut DeferredWorld<'_>, meshes: &[Entity]) {
    for mesh in meshes {
        let row = world
            .get::<AbcPoseRow>(*mesh)
            .and_then(|of_mesh| of_mesh.row);
        if let (Some(row), Some(mut table)) = (row, world.get_resource_mut::<AbcPoseTable>()) {
            let shown = table.get(row);
            table.reset(row, shown);
        }
    }
}

/// On a mesh that deforms: its row of the [`AbcPoseTable`], which is freed with the mesh.
#[derive(Component, Debug, Default)]
#[component(on_add = allocate_row, on_remove = release_row)]
pub(super) struct AbcPoseRow {
    row: Option<u32>,
    has_shown: bool,
}

fn allocate_row(mut world: DeferredWorld<'_>, context: HookContext) {
    let Some(table) = world.get_resource_mut::<AbcPoseTable>() else {
        return;
    };
    let row = table.into_inner().allocate();
    if let Some(mut of_mesh) = world.get_mut::<AbcPoseRow>(context.entity) {
        of_mesh.row = Some(row);
    }
    let mut commands = world.commands();
    commands.entity(context.entity).try_insert(MeshTag(row));
}

fn release_row(mut world: DeferredWorld<'_>, context: HookContext) {
    let row = world.get::<AbcPoseRow>(context.entity);
    if let Some(row) = row.and_then(|of_mesh| of_mesh.row)
        && let Some(mut table) = world.get_resource_mut::<AbcPoseTable>()
    {
        table.release(row);
    }
}
