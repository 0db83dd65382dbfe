//! Tables of what instances of models show, which vertex shaders read from a texture: one row per instance, by its
//! `MeshTag`.
//!
//! The texture is an [`Image`] without data. The rows are written to it in the render world, after images are prepared
//! and before materials are. So a material never binds a texture of an older size, and Bevy's limit of bytes per frame
//! (`RenderAssetBytesPerFrame`) delays no row.

use crate::scene::insert_image;
use bevy::app::{App, PostUpdate};
use bevy::asset::{AssetEventSystems, Assets, Handle, RenderAssetUsages};
use bevy::ecs::component::Mutable;
use bevy::ecs::resource::Resource;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::schedule::common_conditions::resource_exists;
use bevy::ecs::system::{Res, ResMut};
use bevy::image::Image;
use bevy::pbr::{Material, MeshMaterial3d};
use bevy::render::erased_render_asset::prepare_erased_assets;
use bevy::render::render_asset::{RenderAssets, prepare_assets};
use bevy::render::render_resource::{
    Extent3d, TexelCopyBufferLayout, TextureDimension, TextureFormat, TextureId,
};
use bevy::render::renderer::RenderQueue;
use bevy::render::texture::GpuImage;
use bevy::render::{Extract, ExtractSchedule, Render, RenderApp, RenderSystems};
use core::hash::Hash;
use core::marker::PhantomData;
use std::collections::BTreeSet;
use zerocopy::IntoBytes;

/// Texels per line of the texture: the smallest limit that any adapter has.
const WIDTH: u32 = 2048;

/// Texels of a [`Row`].
const TEXELS_PER_ROW: u32 = 4;

const ROWS_PER_LINE: u32 = WIDTH / TEXELS_PER_ROW;

/// Bytes of a line.
const LINE_BYTES: u32 = WIDTH * 16;

/// The row that no instance gets. Meshes without a row have the tag 0 and read zeros.
const ZERO_ROWS: usize = 1;

/// Four texels of four 32-bit numbers.
pub(crate) type Row = [u32; 16];

/// A table of rows, and the material that reads it.
pub(crate) trait InstanceTable: Resource<Mutability = Mutable> {
    /// The texture that materials bind.
    const TEXTURE: Handle<Image>;

    /// The material that binds the texture.
    type Material: Material<Data: PartialEq + Eq + Hash + Clone>;

    /// The rows.
    fn rows(&self) -> &InstanceRows;

    /// The rows, to change the size of their texture.
    fn rows_mut(&mut self) -> &mut InstanceRows;
}

/// The rows of all instances.
#[derive(Debug)]
pub(crate) struct InstanceRows {
    rows: Vec<Row>,
    /// Rows before the end that no instance has.
    free: BTreeSet<u32>,
    /// Height of the texture.
    lines: u32,
    /// Counts the changes, so that the render world copies the rows only then.
    version: u64,
}

impl Default for InstanceRows {
    fn default() -> Self {
        Self {
            rows: vec![Row::default(); ZERO_ROWS],
            free: BTreeSet::new(),
            lines: 1,
            version: 0,
        }
    }
}

impl InstanceRows {
    /// Number of rows that instances have.
    pub(crate) fn len(&self) -> usize {
        self.rows.len() - self.free.len() - ZERO_ROWS
    }

    /// A row; zeros if there is none of this index.
    pub(crate) fn get(&self, row: u32) -> Row {
        self.rows.get(row as usize).copied().unwrap_or_default()
    }

    /// Changes a row, if `change` returns whether it did.
    pub(crate) fn update(&mut self, row: u32, change: impl FnOnce(&mut Row) -> bool) {
        if let Some(row) = self.rows.get_mut(row as usize)
            && change(row)
        {
            self.version += 1;
        }
    }

    /// Allocates the lowest free row, which is filled with zeros.
    pub(crate) fn allocate(&mut self) -> u32 {
        self.version += 1;
        if let Some(row) = self.free.pop_first() {
            if let Some(row) = self.rows.get_mut(row as usize) {
                *row = Row::default();
            }
            return row;
        }
        self.rows.push(Row::default());
        self.rows.len() as u32 - 1
    }

    /// Frees a row.
    pub(crate) fn release(&mut self, row: u32) {
        let rows = ZERO_ROWS..self.rows.len();
        if !rows.contains(&(row as usize)) {
            return;
        }
        self.free.insert(row);
        while self.free.last().copied() == Some(self.rows.len() as u32 - 1) {
            self.free.pop_last();
            self.rows.pop();
        }
    }

    /// Chooses the height of the texture: twice as high or more if the rows do not fit, half as high if they need no
    /// more than a quarter. Returns whether it is another one.
    fn fit(&mut self) -> bool {
        let needed = (self.rows.len() as u32).div_ceil(ROWS_PER_LINE);
        let lines = if needed > self.lines {
            needed.next_power_of_two()
        } else if needed.saturating_mul(4) <= self.lines {
            (2 * needed).next_power_of_two()
        } else {
            return false;
        };
        let is_other = lines != self.lines;
        self.lines = lines;
        self.rows.shrink_to((lines * ROWS_PER_LINE) as usize);
        is_other
    }
}

fn size(lines: u32) -> Extent3d {
    Extent3d {
        width: WIDTH,
        height: lines,
        depth_or_array_layers: 1,
    }
}

/// Adds a table. To be called when plugins finish, for only then is it known whether there is a renderer.
pub(crate) fn add_instance_table<T: InstanceTable + Default>(app: &mut App) {
    app.init_resource::<T>();
    let lines = app.world().resource::<T>().rows().lines;
    let image = Image::new_uninit(
        size(lines),
        TextureDimension::D2,
        TextureFormat::Rgba32Uint,
        RenderAssetUsages::RENDER_WORLD,
    );
    insert_image(app, &T::TEXTURE, image);
    let Some(render_app) = app.get_sub_app_mut(RenderApp) else {
        return;
    };
    render_app
        .insert_resource(RenderRows::<T>::default())
        .add_systems(ExtractSchedule, extract_rows::<T>)
        .add_systems(
            Render,
            write_rows::<T>
                .in_set(RenderSystems::PrepareAssets)
                .after(prepare_assets::<GpuImage>)
                .before(prepare_erased_assets::<MeshMaterial3d<T::Material>>)
                .run_if(resource_exists::<RenderQueue>),
        );
    app.add_systems(PostUpdate, resize_texture::<T>.before(AssetEventSystems));
}

/// Makes the texture larger or smaller, and has all materials bind the new one.
fn resize_texture<T: InstanceTable>(
    mut table: ResMut<T>,
    mut images: ResMut<Assets<Image>>,
    mut materials: ResMut<Assets<T::Material>>,
) {
    if !table.rows_mut().fit() {
        return;
    }
    let lines = table.rows().lines;
    if let Some(mut image) = images.get_mut(&T::TEXTURE) {
        image.texture_descriptor.size = size(lines);
    }
    // Walking over them mutably is what marks them as changed.
    materials.iter_mut().for_each(drop);
}

/// The rows in the render world.
#[derive(Resource)]
struct RenderRows<T> {
    /// Whole lines of the texture.
    rows: Vec<Row>,
    version: Option<u64>,
    /// Which texture has which version of the rows.
    written: Option<(TextureId, u64)>,
    table: PhantomData<fn() -> T>,
}

impl<T> Default for RenderRows<T> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            version: None,
            written: None,
            table: PhantomData,
        }
    }
}

fn extract_rows<T: InstanceTable>(table: Extract<Res<T>>, mut copy: ResMut<RenderRows<T>>) {
    let InstanceRows { rows, version, .. } = table.rows();
    if copy.version == Some(*version) {
        return;
    }
    copy.version = Some(*version);
    copy.rows.clone_from(rows);
    let whole = rows.len().next_multiple_of(ROWS_PER_LINE as usize);
    copy.rows.resize(whole, Row::default());
}

fn write_rows<T: InstanceTable>(
    mut copy: ResMut<RenderRows<T>>,
    images: Res<RenderAssets<GpuImage>>,
    queue: Res<RenderQueue>,
) {
    let (Some(image), Some(version)) = (images.get(&T::TEXTURE), copy.version) else {
        return;
    };
    let written = (image.texture.id(), version);
    if copy.written == Some(written) {
        return;
    }
    let lines = copy.rows.len() as u32 / ROWS_PER_LINE;
    queue.write_texture(
        image.texture.as_image_copy(),
        copy.rows.as_bytes(),
        TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(LINE_BYTES),
            rows_per_image: None,
        },
        size(lines.min(image.texture_descriptor.size.height)),
    );
    copy.written = Some(written);
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: usize = ROWS_PER_LINE as usize;

    fn table(count: usize) -> InstanceRows {
        let mut table = InstanceRows::default();
        for _ in 0..count {
            table.allocate();
        }
        table
    }

    #[test]
    fn the_lowest_free_row_is_allocated_first_and_is_empty() {
        let mut table = table(4);
        table.update(2, |row| {
            row[0] = 7;
            true
        });
        table.release(3);
        table.release(2);
        assert_eq!(table.len(), 2);
        assert_eq!((table.allocate(), table.get(2)), (2, Row::default()));
        assert_eq!((table.allocate(), table.allocate()), (3, 5));
    }

    #[test]
    fn row_0_is_never_allocated_or_freed() {
        let mut table = InstanceRows::default();
        assert_eq!(table.len(), 0);
        table.release(0);
        table.release(7);
        assert_eq!(table.allocate(), 1);
        table.release(1);
        table.release(1);
        assert_eq!((table.len(), table.allocate()), (0, 1));
    }

    #[test]
    fn free_rows_at_the_end_are_given_up() {
        let mut table = table(6);
        table.release(5);
        table.release(4);
        assert_eq!(table.rows.len(), 7);
        table.release(6);
        assert_eq!((table.rows.len(), table.free.len()), (4, 0));
        assert_eq!((table.allocate(), table.len()), (4, 4));
    }

    #[test]
    fn the_texture_grows_at_once_and_shrinks_when_a_quarter_is_used() {
        let mut table = table(5 * LINE);
        assert!(table.fit());
        assert_eq!(table.lines, 8);
        assert!(!table.fit());
        // Two lines and a row need three lines, which is more than a quarter.
        for row in (2 * LINE as u32 + 1)..=(5 * LINE as u32) {
            table.release(row);
        }
        assert!(!table.fit());
        table.release(2 * LINE as u32);
        assert!(table.fit());
        assert_eq!(table.lines, 4);
        assert!(table.rows.capacity() <= 4 * LINE);
        // One more than fits into two lines changes nothing.
        table.allocate();
        assert!(!table.fit());
        for row in 1..=(2 * LINE as u32) {
            table.release(row);
        }
        assert!(table.fit());
        assert_eq!(table.lines, 2);
        assert!(!table.fit());
    }

    #[test]
    fn only_changes_count() {
        let mut table = table(1);
        let before = table.version;
        table.update(1, |_| false);
        assert_eq!(table.version, before);
        table.update(1, |_| true);
        assert_ne!(table.version, before);
    }
}
