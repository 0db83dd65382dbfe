//! Tables of the poses that instances show, for formats whose vertices the GPU moves between poses.

use crate::scene::instance_rows::InstanceRows;
use crate::scene::poses::PoseBlend;
use bevy::asset::Handle;
use bevy::ecs::resource::Resource;
use bevy::image::Image;
use bevy::pbr::Material;
use core::hash::Hash;
use core::marker::PhantomData;

/// A material whose vertex shader reads a [`PoseTable`].
pub(crate) trait PoseMaterial: Material<Data: PartialEq + Eq + Hash + Clone> {
    /// The table as a texture, one for all models.
    const TABLE: Handle<Image>;
}

/// Which poses spawned models show whose vertices the GPU moves, by the material `M` that draws them: one row per mesh,
/// uploaded as one texture in frames in which it has changed.
///
/// A mesh's row is its `MeshTag`, which never changes: Bevy need not extract an instance again because it moved on in
/// its clip. Row 0 belongs to no mesh and shows pose 0.
#[derive(Resource, Debug)]
pub struct PoseTable<M: Send + Sync + 'static> {
    pub(super) rows: InstanceRows,
    material: PhantomData<fn() -> M>,
}

impl<M: Send + Sync + 'static> Default for PoseTable<M> {
    fn default() -> Self {
        Self {
            rows: InstanceRows::default(),
            material: PhantomData,
        }
    }
}

impl<M: Send + Sync + 'static> PoseTable<M> {
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

    pub(crate) fn allocate(&mut self) -> u32 {
        self.rows.allocate()
    }

    pub(crate) fn release(&mut self, row: u32) {
        self.rows.release(row);
    }

    /// Shows a pose from now on.
    pub(crate) fn set(&mut self, row: u32, blend: PoseBlend) {
        self.rows.set_blend(row, blend);
    }

    /// Shows a pose as if it had never shown another.
    pub(crate) fn reset(&mut self, row: u32, blend: PoseBlend) {
        self.rows.reset_blend(row, blend);
    }
}
