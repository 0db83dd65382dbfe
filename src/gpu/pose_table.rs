//! Tables of the current pose of each instance, for formats whose vertices the GPU interpolates between poses; and the texture
//! of a table, which vertex shaders read.
//!
//! The texture is an [`Image`] without data. The render world writes the rows to it after images are prepared and
//! before materials are prepared. Therefore a material never binds a texture of an outdated size, and Bevy's limit of
//! bytes per frame (`RenderAssetBytesPerFrame`) does not delay rows.

use crate::gpu::instance_rows::{InstanceRows, ROWS_PER_LINE, Row, WIDTH};
use crate::load::loading::insert_image;
use bevy::asset::uuid::Uuid;
use bevy::asset::{AssetEventSystems, RenderAssetUsages};
use bevy::platform::hash::FixedHasher;
use bevy::prelude::*;
use bevy::render::erased_render_asset::prepare_erased_assets;
use bevy::render::render_asset::{RenderAssets, prepare_assets};
use bevy::render::render_resource::{
    Extent3d, TexelCopyBufferLayout, TextureDimension, TextureFormat, TextureId,
};
use bevy::render::renderer::RenderQueue;
use bevy::render::texture::GpuImage;
use bevy::render::{Extract, Render, RenderApp, RenderSystems};
use core::hash::{BuildHasher, Hash};
use core::marker::PhantomData;
use zerocopy::IntoBytes;

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
        decode(self.rows.get(row).split_at(8).0)
    }

    /// The pose of the mesh with this row in the previous frame, for motion vectors.
    pub fn previous(&self, row: u32) -> PoseBlend {
        decode(self.rows.get(row).split_at(8).1)
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

    /// Sets the current pose. Keeps the previous one for motion vectors. Call it once per frame.
    pub(crate) fn set(&mut self, row: u32, blend: PoseBlend) {
        self.rows.update(row, |row| {
            let new = encode(blend);
            let (current, previous) = row.split_at_mut(8);
            let (current, previous) = (&mut current[..POSE_WORDS], &mut previous[..POSE_WORDS]);
            if *current == new && *previous == new {
                return false;
            }
            previous.copy_from_slice(current);
            current.copy_from_slice(&new);
            true
        });
    }

    /// Sets the current and the previous pose, without motion between them.
    pub(crate) fn reset(&mut self, row: u32, blend: PoseBlend) {
        self.set(row, blend);
        self.set(row, blend);
    }

    /// Sets the word of a row that poses do not use.
    pub(crate) fn set_extra(&mut self, row: u32, extra: u32) {
        self.rows.update(row, |row| {
            let is_changed = row[POSE_WORDS] != extra;
            row[POSE_WORDS] = extra;
            is_changed
        });
    }
}

/// Bytes per line of a texture with [`WIDTH`] texels of 16 bytes.
pub(crate) const LINE_BYTES: u32 = WIDTH * 16;

/// Writes whole lines of [`WIDTH`] texels of 16 bytes to a texture, from the line `first`. It must have these lines.
pub(crate) fn write_lines(queue: &RenderQueue, image: &GpuImage, first: u32, bytes: &[u8]) {
    let mut target = image.texture.as_image_copy();
    target.origin.y = first;
    let layout = TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(LINE_BYTES),
        rows_per_image: None,
    };
    let lines = bytes.len() as u32 / LINE_BYTES;
    queue.write_texture(target, bytes, layout, size(lines));
}

fn size(lines: u32) -> Extent3d {
    Extent3d {
        width: WIDTH,
        height: lines,
        depth_or_array_layers: 1,
    }
}

/// Adds a table and its systems. Call it in `Plugin::finish`: only then it is known whether there is a renderer.
pub(crate) fn add_pose_table<M>(app: &mut App)
where
    M: Material<Data: PartialEq + Eq + Hash + Clone>,
{
    app.init_resource::<PoseTable<M>>();
    let lines = app.world().resource::<PoseTable<M>>().rows.lines;
    let image = Image::new_uninit(
        size(lines),
        TextureDimension::D2,
        TextureFormat::Rgba32Uint,
        RenderAssetUsages::RENDER_WORLD,
    );
    insert_image(app, &PoseTable::<M>::image(), image);
    let Some(render_app) = app.get_sub_app_mut(RenderApp) else {
        return;
    };
    render_app
        .insert_resource(RenderRows::<M>::default())
        .add_systems(ExtractSchedule, extract_rows::<M>)
        .add_systems(
            Render,
            write_rows::<M>
                .in_set(RenderSystems::PrepareAssets)
                .after(prepare_assets::<GpuImage>)
                .before(prepare_erased_assets::<MeshMaterial3d<M>>)
                .before(RenderSystems::Render)
                .run_if(resource_exists::<RenderQueue>),
        );
    app.add_systems(PostUpdate, resize_texture::<M>.before(AssetEventSystems));
}

/// Resizes the texture to the count of rows. Marks all materials as changed, so that they bind the new texture.
fn resize_texture<M: Material>(
    mut table: ResMut<PoseTable<M>>,
    mut images: ResMut<Assets<Image>>,
    mut materials: ResMut<Assets<M>>,
) {
    if !table.rows.fit() {
        return;
    }
    let lines = table.rows.lines;
    if let Some(mut image) = images.get_mut(&PoseTable::<M>::image()) {
        image.texture_descriptor.size = size(lines);
    }
    // Mutable iteration marks the materials as changed.
    materials.iter_mut().for_each(drop);
}

/// The copy of the rows in the render world.
#[derive(Resource)]
struct RenderRows<M> {
    /// Padded to whole lines of the texture.
    rows: Vec<Row>,
    version: Option<u64>,
    /// The texture that was written last, and the version of its rows.
    written: Option<(TextureId, u64)>,
    material: PhantomData<fn() -> M>,
}

impl<M> Default for RenderRows<M> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            version: None,
            written: None,
            material: PhantomData,
        }
    }
}

fn extract_rows<M: Material>(table: Extract<Res<PoseTable<M>>>, mut copy: ResMut<RenderRows<M>>) {
    let InstanceRows { rows, version, .. } = &table.rows;
    if copy.version == Some(*version) {
        return;
    }
    copy.version = Some(*version);
    copy.rows.clone_from(rows);
    let whole = rows.len().next_multiple_of(ROWS_PER_LINE as usize);
    copy.rows.resize(whole, Row::default());
}

fn write_rows<M: Material>(
    mut copy: ResMut<RenderRows<M>>,
    images: Res<RenderAssets<GpuImage>>,
    queue: Res<RenderQueue>,
) {
    let (Some(image), Some(version)) = (images.get(&PoseTable::<M>::image()), copy.version) else {
        return;
    };
    let written = (image.texture.id(), version);
    if copy.written == Some(written) {
        return;
    }
    let height = image.texture_descriptor.size.height;
    let bytes = copy.rows.as_bytes();
    write_lines(
        &queue,
        image,
        0,
        &bytes[..bytes.len().min((height * LINE_BYTES) as usize)],
    );
    copy.written = Some(written);
}

/// Two poses and the interpolation factor between them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PosePair {
    /// The pose at `towards_b` 0.
    pub a: u32,
    /// The pose at `towards_b` 1.
    pub b: u32,
    /// The interpolation factor from `a` to `b`, from 0 to 1.
    pub towards_b: f32,
}

/// The pose of an instance: two interpolated poses, and during a cross-fade two more with a weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoseBlend {
    /// The poses of the current clip.
    pub to: PosePair,
    /// The poses that the cross-fade starts from.
    pub from: PosePair,
    /// The weight of `from`: 1 at the start of a cross-fade, 0 without one.
    pub from_weight: f32,
}

impl From<PosePair> for PoseBlend {
    /// Two interpolated poses without a cross-fade.
    fn from(to: PosePair) -> Self {
        Self {
            to,
            ..Self::default()
        }
    }
}

impl From<u32> for PoseBlend {
    /// A single pose of the file.
    fn from(pose: u32) -> Self {
        Self::from(PosePair {
            a: pose,
            b: pose,
            towards_b: 0.0,
        })
    }
}

/// The words of a pose in a row. The word after them is not part of it.
///
/// A row has four texels: `to.a, to.b, to.towards_b, from_weight`, then `from.a, from.b, from.towards_b, extra`, then the
/// same two of the previous frame, for motion vectors. `extra` is 0 unless a format sets it.
const POSE_WORDS: usize = 7;

fn encode(blend: PoseBlend) -> [u32; POSE_WORDS] {
    let pair = |pair: PosePair| [pair.a, pair.b, pair.towards_b.to_bits()];
    let ([a, b, c], [d, e, f]) = (pair(blend.to), pair(blend.from));
    [a, b, c, blend.from_weight.to_bits(), d, e, f]
}

fn decode(texels: &[u32]) -> PoseBlend {
    let pair = |index: usize| PosePair {
        a: texels[index],
        b: texels[index + 1],
        towards_b: f32::from_bits(texels[index + 2]),
    };
    PoseBlend {
        to: pair(0),
        from: pair(4),
        from_weight: f32::from_bits(texels[3]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_the_current_and_previous_frame() {
        let mut table = PoseTable::<()>::default();
        let row = table.allocate();
        table.reset(row, PoseBlend::from(3));
        assert_eq!(table.rows.get(row)[8], 3);
        table.set(row, PoseBlend::from(4));
        assert_eq!((table.rows.get(row)[0], table.rows.get(row)[8]), (4, 3));
        assert_eq!(table.get(row), PoseBlend::from(4));
        assert_eq!(table.previous(row), PoseBlend::from(3));
        table.set(row, PoseBlend::from(4));
        assert_eq!(table.rows.get(row)[8], 4);
    }
}
