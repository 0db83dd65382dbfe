//! The material that morphs a model on the GPU.

use crate::gpu::pose_table::PoseTable;
use crate::gpu::shaders::embedded_shader;
use bevy::asset::{RenderAssetUsages, uuid_handle};
use bevy::pbr::{ExtendedMaterial, MaterialExtension};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, Extent3d, ShaderType, TextureDimension, TextureFormat,
};
use bevy::shader::ShaderRef;
use classic_model_formats::mdl::{NORMAL_COUNT, normals};

/// The material of Quake models: `StandardMaterial`, with vertices morphed between the poses that an instance shows.
pub type MdlMaterial = ExtendedMaterial<StandardMaterial, MdlMorph>;

/// The normals that vertices index, as a texture of 162 × 1 texels.
pub(crate) const NORMALS_IMAGE: Handle<Image> =
    uuid_handle!("0b0c1f2e-52a4-4f3f-9ce3-6f0d4c0a4f11");

/// The extension of [`MdlMaterial`] that morphs vertices.
///
/// `UV_1.x` of the mesh must be the index of the vertex in the file. The `MeshTag` of the mesh entity must be its row
/// of the [`MdlPoseTable`](crate::quake::MdlPoseTable).
#[derive(Asset, AsBindGroup, Reflect, Clone, Debug)]
pub struct MdlMorph {
    /// All poses: one texel per vertex, with the quantized position and the normal index as stored in the file.
    #[texture(100, sample_type = "u_int", visibility(vertex))]
    pub poses: Handle<Image>,
    /// The pose table, shared by all models.
    #[texture(101, sample_type = "u_int", visibility(vertex))]
    pub instances: Handle<Image>,
    /// The normals that vertices index, shared by all models.
    #[texture(102, sample_type = "float", filterable = false, visibility(vertex))]
    pub normals: Handle<Image>,
    /// How to decode the poses.
    #[uniform(103, visibility(vertex))]
    pub uniform: MdlMorphUniform,
}

/// The uniform of [`MdlMorph`].
#[derive(ShaderType, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct MdlMorphUniform {
    /// Units per quantization step, along each axis.
    pub step: Vec3,
    /// Vertices per pose.
    pub vertex_count: u32,
    /// The position whose quantized coordinates are 0.
    pub origin: Vec3,
    /// Count of poses.
    pub pose_count: u32,
}

impl MdlMorph {
    pub(crate) fn new(poses: Handle<Image>, uniform: MdlMorphUniform) -> Self {
        Self {
            poses,
            instances: PoseTable::<MdlMaterial>::image(),
            normals: NORMALS_IMAGE,
            uniform,
        }
    }
}

pub(crate) fn vertex_shader() -> ShaderRef {
    embedded_shader("formats/quake/shaders/morph.wgsl")
}

impl MaterialExtension for MdlMorph {
    fn vertex_shader() -> ShaderRef {
        vertex_shader()
    }

    fn prepass_vertex_shader() -> ShaderRef {
        vertex_shader()
    }

    fn deferred_vertex_shader() -> ShaderRef {
        vertex_shader()
    }
}

/// The texture of [`NORMALS_IMAGE`].
pub(crate) fn normals_image() -> Image {
    let texel = |[x, y, z]: &[f32; 3]| [*x, *y, *z, 0.0];
    let data = normals()
        .iter()
        .flat_map(texel)
        .flat_map(f32::to_le_bytes)
        .collect();
    Image::new(
        Extent3d {
            width: NORMAL_COUNT as u32,
            height: 1,
            depth_or_array_layers: 1,
        },
        TextureDimension::D2,
        data,
        TextureFormat::Rgba32Float,
        RenderAssetUsages::RENDER_WORLD,
    )
}
