//! What every instance shows, where the vertex shader finds it.

use crate::quake::material::MdlMaterial;
use crate::quake::poses::{PoseBlend, PosePair};
use bevy::asset::{Assets, Handle, RenderAssetUsages, uuid_handle};
use bevy::ecs::resource::Resource;
use bevy::ecs::system::ResMut;
use bevy::image::Image;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use zerocopy::IntoBytes;

/// The table as a texture, one for all models.
pub(super) const POSE_TABLE_IMAGE: Handle<Image> =
    uuid_handle!("6a1c0dd0-61f5-4d62-8e0c-5b7a5f7b9a52");

/// Texels per row of the texture: the least that every adapter can do.
const WIDTH: u32 = 2048;

/// Texels of a [`Row`].
const TEXELS_PER_INSTANCE: u32 = 4;

const INSTANCES_PER_LINE: u32 = WIDTH / TEXELS_PER_INSTANCE;

/// Frames over which materials are told of a new texture. Bevy prepares materials and textures of
/// one frame in no particular order, so once could be too early.
const REFRESHES: u8 = 3;

/// Four texels of an instance: `to.a, to.b, to.towards_b, from_weight`, then
/// `from.a, from.b, from.towards_b, 0`, and the same of the frame before, for motion vectors.
type Row = [u32; 16];

/// What every spawned Quake model shows: one row per instance, uploaded as one texture per frame.
///
/// Instances find their row by the `MeshTag` of their mesh entity, which never changes: Bevy need
/// not extract an instance again because it moved on in its clip.
#[derive(Resource, Debug)]
pub struct PoseTable {
    rows: Vec<Row>,
    free: Vec<u32>,
    changed: bool,
    lines: u32,
    refreshes: u8,
}

impl Default for PoseTable {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            free: Vec::new(),
            changed: false,
            lines: 1,
            refreshes: 0,
        }
    }
}

impl PoseTable {
    /// What the instance in a row shows.
    pub fn get(&self, row: u32) -> PoseBlend {
        let row = self.rows.get(row as usize).copied().unwrap_or_default();
        let pair = |at: usize| PosePair {
            a: row[at],
            b: row[at + 1],
            towards_b: f32::from_bits(row[at + 2]),
        };
        PoseBlend {
            to: pair(0),
            from: pair(4),
            from_weight: f32::from_bits(row[3]),
        }
    }

    /// Number of instances that have a row.
    pub fn len(&self) -> usize {
        self.rows.len() - self.free.len()
    }

    /// Whether no instance has a row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn allocate(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.rows.push(Row::default());
            self.rows.len() as u32 - 1
        })
    }

    pub(super) fn release(&mut self, row: u32) {
        self.free.push(row);
    }

    /// Shows a pose from now on.
    pub(super) fn set(&mut self, row: u32, blend: PoseBlend) {
        let Some(row) = self.rows.get_mut(row as usize) else {
            return;
        };
        let now = encode(blend);
        let (current, previous) = row.split_at_mut(8);
        if *current == now && *previous == now {
            return;
        }
        previous.copy_from_slice(current);
        current.copy_from_slice(&now);
        self.changed = true;
    }

    /// Shows a pose as if it had never shown another.
    pub(super) fn reset(&mut self, row: u32, blend: PoseBlend) {
        self.set(row, blend);
        self.set(row, blend);
    }

    /// Whether the next upload has to tell all materials of a new texture.
    pub(super) fn refresh_materials(&mut self) {
        self.refreshes = REFRESHES;
    }
}

fn encode(blend: PoseBlend) -> [u32; 8] {
    let pair = |pair: PosePair| [pair.a, pair.b, pair.towards_b.to_bits()];
    let ([a, b, c], [d, e, f]) = (pair(blend.to), pair(blend.from));
    [a, b, c, blend.from_weight.to_bits(), d, e, f, 0]
}

/// Hands the table to the renderer, if any of it changed.
pub(super) fn upload(
    mut table: ResMut<PoseTable>,
    mut images: ResMut<Assets<Image>>,
    mut materials: ResMut<Assets<MdlMaterial>>,
) {
    let needed = (table.rows.len() as u32).div_ceil(INSTANCES_PER_LINE);
    if needed > table.lines {
        table.lines = needed.next_power_of_two();
        table.refresh_materials();
        table.changed = true;
    }
    if table.changed
        && let Some(mut image) = images.get_mut(&POSE_TABLE_IMAGE)
    {
        image.texture_descriptor.size = size(table.lines);
        image.data = Some(texture_data(&table));
        table.changed = false;
    }
    if table.refreshes > 0 {
        table.refreshes -= 1;
        // Walking over them mutably is what marks them as changed.
        materials.iter_mut().for_each(drop);
    }
}

fn size(lines: u32) -> Extent3d {
    Extent3d {
        width: WIDTH,
        height: lines,
        depth_or_array_layers: 1,
    }
}

fn texture_data(table: &PoseTable) -> Vec<u8> {
    let rows = table.rows.as_bytes();
    let whole = (table.lines * INSTANCES_PER_LINE) as usize * size_of::<Row>();
    let mut data = Vec::with_capacity(whole);
    data.extend_from_slice(rows);
    data.resize(whole, 0);
    data
}

/// The texture of an empty table.
pub(super) fn image() -> Image {
    let table = PoseTable::default();
    Image::new(
        size(table.lines),
        TextureDimension::D2,
        texture_data(&table),
        TextureFormat::Rgba32Uint,
        RenderAssetUsages::RENDER_WORLD,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_this_frame_and_the_one_before() {
        let mut table = PoseTable::default();
        let row = table.allocate();
        table.reset(row, PoseBlend::from(3));
        assert_eq!(table.rows[0][8], 3);
        table.set(row, PoseBlend::from(4));
        assert_eq!((table.rows[0][0], table.rows[0][8]), (4, 3));
        assert_eq!(table.get(row), PoseBlend::from(4));
        table.set(row, PoseBlend::from(4));
        assert_eq!(table.rows[0][8], 4);
        table.changed = false;
        table.set(row, PoseBlend::from(4));
        assert!(!table.changed, "nothing moves, nothing is uploaded");
    }

    #[test]
    fn released_rows_are_used_again() {
        let mut table = PoseTable::default();
        let first = table.allocate();
        let second = table.allocate();
        assert_ne!(first, second);
        table.release(first);
        assert_eq!(table.len(), 1);
        assert_eq!(table.allocate(), first);
    }
}
