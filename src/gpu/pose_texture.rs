//! The texture of a [`PoseTable`], which vertex shaders read.
//!
//! The texture is an [`Image`] without data. The render world writes the rows to it after images are prepared and
//! before materials are prepared. Therefore a material never binds a texture of an outdated size, and Bevy's limit of
//! bytes per frame (`RenderAssetBytesPerFrame`) does not delay rows.

use crate::gpu::instance_rows::{InstanceRows, ROWS_PER_LINE, Row, WIDTH};
use crate::gpu::pose_table::PoseTable;
use crate::load::images::insert_image;
use bevy::asset::{AssetEventSystems, RenderAssetUsages};
use bevy::prelude::*;
use bevy::render::erased_render_asset::prepare_erased_assets;
use bevy::render::render_asset::{RenderAssets, prepare_assets};
use bevy::render::render_resource::{
    Extent3d, TexelCopyBufferLayout, TextureDimension, TextureFormat, TextureId,
};
use bevy::render::renderer::RenderQueue;
use bevy::render::texture::GpuImage;
use bevy::render::{Extract, Render, RenderApp, RenderSystems};
use core::hash::Hash;
use core::marker::PhantomData;
use zerocopy::IntoBytes;

/// Bytes per line of the texture.
const LINE_BYTES: u32 = WIDTH * 16;

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
