//! What every instance shows, where the vertex shader finds it.

use crate::quake::material::{MdlMaterial, POSE_TABLE_IMAGE};
use crate::scene::{InstanceRows, InstanceTable, PoseBlend};
use bevy::asset::Handle;
use bevy::ecs::resource::Resource;
use bevy::image::Image;

/// What every spawned Quake model shows: one row per instance, uploaded as one texture per frame.
///
/// Instances find their row by the `MeshTag` of their mesh entity, which never changes: Bevy need
/// not extract an instance again because it moved on in its clip. Row 0 belongs to no instance and shows pose 0.
#[derive(Resource, Debug, Default)]
pub struct PoseTable {
    rows: InstanceRows,
}

impl InstanceTable for PoseTable {
    const TEXTURE: Handle<Image> = POSE_TABLE_IMAGE;

    type Material = MdlMaterial;

    fn rows(&self) -> &InstanceRows {
        &self.rows
    }

    fn rows_mut(&mut self) -> &mut InstanceRows {
        &mut self.rows
    }
}

impl PoseTable {
    /// What the instance in a row shows.
    pub fn get(&self, row: u32) -> PoseBlend {
        self.rows.blend(row)
    }

    /// What the instance in a row showed in the frame before, for motion vectors.
    pub fn previous(&self, row: u32) -> PoseBlend {
        self.rows.previous_blend(row)
    }

    /// Number of instances that have a row.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no instance has a row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn allocate(&mut self) -> u32 {
        self.rows.allocate()
    }

    pub(super) fn release(&mut self, row: u32) {
        self.rows.release(row);
    }

    /// Shows a pose from now on.
    pub(super) fn set(&mut self, row: u32, blend: PoseBlend) {
        self.rows.set_blend(row, blend);
    }

    /// Shows a pose as if it had never shown another.
    pub(super) fn reset(&mut self, row: u32, blend: PoseBlend) {
        self.rows.reset_blend(row, blend);
    }
}
