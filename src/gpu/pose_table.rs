//! Tables of the current pose of each instance, for formats whose vertices the GPU interpolates between poses.

use crate::gpu::instance_rows::InstanceRows;
use crate::gpu::poses::PoseBlend;
use bevy::asset::uuid::Uuid;
use bevy::platform::hash::FixedHasher;
use bevy::prelude::*;
use core::hash::BuildHasher;
use core::marker::PhantomData;

/// The poses of all meshes that are drawn with the material `M`: one row per mesh, uploaded as one texture when a row
/// changes.
///
/// A mesh's row is its `MeshTag`. It never changes, so that Bevy does not extract the instance again in each frame of
/// its clip. Row 0 belongs to no mesh and contains pose 0.
#[derive(Resource, Debug)]
pub struct PoseTable<M: Send + Sync + 'static> {
    pub(crate) rows: InstanceRows,
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

impl<M: TypePath + Send + Sync> PoseTable<M> {
    /// The texture of the table, shared by all models.
    pub(crate) fn image() -> Handle<Image> {
        let hash = |half: u8| FixedHasher.hash_one((half, M::type_path()));
        Handle::Uuid(Uuid::from_u64_pair(hash(0), hash(1)), PhantomData)
    }
}

impl<M: Send + Sync + 'static> PoseTable<M> {
    /// The current pose of the mesh with this row.
    pub fn get(&self, row: u32) -> PoseBlend {
        self.rows.blend(row)
    }

    /// The pose of the mesh with this row in the previous frame, for motion vectors.
    pub fn previous(&self, row: u32) -> PoseBlend {
        self.rows.previous_blend(row)
    }

    /// The count of meshes that have a row.
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

    /// Sets the current pose. Keeps the previous one for motion vectors.
    pub(crate) fn set(&mut self, row: u32, blend: PoseBlend) {
        self.rows.set_blend(row, blend);
    }

    /// Sets the current and the previous pose, without motion between them.
    pub(crate) fn reset(&mut self, row: u32, blend: PoseBlend) {
        self.rows.reset_blend(row, blend);
    }

    /// Sets the word of a row that poses do not use.
    pub(crate) fn set_extra(&mut self, row: u32, extra: u32) {
        self.rows.set_extra(row, extra);
    }
}
