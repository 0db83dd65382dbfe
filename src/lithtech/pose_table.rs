//! Which keyframes instances show of the vertices that deform, in a texture that the vertex shader reads.

use crate::lithtech::material::AbcDeformMaterial;
use crate::scene::{InstanceRows, InstanceTable, PoseBlend};
use bevy::asset::{Handle, uuid_handle};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::resource::Resource;
use bevy::ecs::world::DeferredWorld;
use bevy::image::Image;
use bevy::mesh::MeshTag;

/// The table as a texture, one for all models.
pub(super) const POSE_TABLE_IMAGE: Handle<Image> =
    uuid_handle!("2f6b8f0d-4a1c-4a57-9d0e-8c3f2b7e6d15");

/// Which keyframes spawned LithTech models show of their vertices that deform: one row per mesh, which
/// is its `MeshTag`. The keyframes of all animations of a model are counted in file order, from 0.
#[derive(Resource, Debug, Default)]
pub struct AbcPoseTable {
    rows: InstanceRows,
}

impl InstanceTable for AbcPoseTable {
    const TEXTURE: Handle<Image> = POSE_TABLE_IMAGE;

    type Material = AbcDeformMaterial;

    fn rows(&self) -> &InstanceRows {
        &self.rows
    }

    fn rows_mut(&mut self) -> &mut InstanceRows {
        &mut self.rows
    }
}

impl AbcPoseTable {
    /// What the mesh in a row shows.
    pub fn get(&self, row: u32) -> PoseBlend {
        self.rows.blend(row)
    }

    /// What the mesh in a row showed in the frame before, for motion vectors.
    pub fn previous(&self, row: u32) -> PoseBlend {
        self.rows.previous_blend(row)
    }

    /// Number of meshes that have a row.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no mesh has a row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn show(&mut self, of_mesh: &mut PoseRow, blend: PoseBlend) {
        let Some(row) = of_mesh.row else {
            return;
        };
        match of_mesh.has_shown {
            true => self.rows.set_blend(row, blend),
            // Nothing moved in the frame before.
            false => self.rows.reset_blend(row, blend),
        }
        of_mesh.has_shown = true;
    }
}

/// Meshes that are left behind stay in the pose that they show.
pub(super) fn stop_motion(world: &mut DeferredWorld<'_>, meshes: &[Entity]) {
    for mesh in meshes {
        let row = world.get::<PoseRow>(*mesh).and_then(|of_mesh| of_mesh.row);
        if let (Some(row), Some(mut table)) = (row, world.get_resource_mut::<AbcPoseTable>()) {
            let shown = table.get(row);
            table.rows.reset_blend(row, shown);
        }
    }
}

/// On a mesh that deforms: its row of the [`AbcPoseTable`], which is freed with the mesh.
#[derive(Component, Debug, Default)]
#[component(on_add = allocate_row, on_remove = release_row)]
pub(super) struct PoseRow {
    row: Option<u32>,
    has_shown: bool,
}

fn allocate_row(mut world: DeferredWorld<'_>, context: HookContext) {
    let Some(table) = world.get_resource_mut::<AbcPoseTable>() else {
        return;
    };
    let row = table.into_inner().rows.allocate();
    if let Some(mut of_mesh) = world.get_mut::<PoseRow>(context.entity) {
        of_mesh.row = Some(row);
    }
    let mut commands = world.commands();
    commands.entity(context.entity).try_insert(MeshTag(row));
}

fn release_row(mut world: DeferredWorld<'_>, context: HookContext) {
    let row = world.get::<PoseRow>(context.entity);
    if let Some(row) = row.and_then(|of_mesh| of_mesh.row)
        && let Some(mut table) = world.get_resource_mut::<AbcPoseTable>()
    {
        table.rows.release(row);
    }
}
