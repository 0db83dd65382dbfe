//! The material that morphs a model on the GPU.

use crate::gpu::pose_table::PoseTable;
use crate::gpu::shaders::embedded_shader;
use bevy::asset::{RenderAssetUsages, uuid_handle};
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{
    ExtendedMaterial, MaterialExtension, MaterialExtensionKey, MaterialExtensionPipeline,
};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, Extent3d, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError,
    TextureDimension, TextureFormat,
};
use bevy::shader::ShaderRef;
use classic_model_formats::mdl::{NORMAL_COUNT, normals};

/// The material of Quake models: `StandardMaterial`, with vertices morphed between the poses that an instance shows.
pub type MdlMaterial = ExtendedMaterial<StandardMaterial, MdlMorph>;

/// The normals that vertices index, as a texture of 162 × 1 texels.
pub(crate) const NORMALS_IMAGE: Handle<Image> =
    uuid_handle!("0b0c1f2e-52a4-4f3f-9ce3-6f0d4c0a4f11");

/// The extension of [`MdlMaterial`] that morphs vertices and recolors skins.
///
/// `UV_1.x` of the mesh must be the index of the vertex in the file. The `MeshTag` of the mesh entity must be its row
/// of the [`MdlPoseTable`](crate::quake::MdlPoseTable).
#[derive(Asset, AsBindGroup, Reflect, Clone, Debug)]
#[bind_group_data(MdlMorphKey)]
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
    /// How to decode the poses, and the player colors.
    #[uniform(103, visibility(vertex, fragment))]
    pub uniform: MdlMorphUniform,
    /// The palette indices of the skin. Used only if `recolor` is set.
    #[texture(104, sample_type = "u_int", visibility(fragment))]
    pub indices: Handle<Image>,
    /// The palette, 256 × 1 texels. Used only if `recolor` is set.
    #[texture(105, visibility(fragment))]
    pub palette: Handle<Image>,
    /// Whether texels with the palette rows [`SHIRT_ROW`](crate::quake::SHIRT_ROW) and [`PANTS_ROW`](crate::quake::PANTS_ROW) are
    /// recolored.
    pub recolor: bool,
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
    /// Palette row that replaces [`SHIRT_ROW`](crate::quake::SHIRT_ROW).
    pub shirt: u32,
    /// Palette row that replaces [`PANTS_ROW`](crate::quake::PANTS_ROW).
    pub pants: u32,
    /// 1 if the skin is filtered linearly, otherwise 0.
    pub linear: u32,
    /// Makes the size a multiple of 16 bytes, which WebGL2 requires.
    pub padding: u32,
}

/// Pipeline key of [`MdlMorph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct MdlMorphKey {
    recolor: bool,
}

impl From<&MdlMorph> for MdlMorphKey {
    fn from(morph: &MdlMorph) -> Self {
        Self {
            recolor: morph.recolor,
        }
    }
}

impl MdlMorph {
    /// An extension without recoloring.
    pub(crate) fn new(
        poses: Handle<Image>,
        indices: Handle<Image>,
        palette: Handle<Image>,
        uniform: MdlMorphUniform,
    ) -> Self {
        Self {
            poses,
            instances: PoseTable::<MdlMaterial>::image(),
            normals: NORMALS_IMAGE,
            uniform,
            indices,
            palette,
            recolor: false,
        }
    }
}

pub(crate) fn vertex_shader() -> ShaderRef {
    embedded_shader("formats/quake/shaders/morph.wgsl")
}

pub(crate) fn fragment_shader() -> ShaderRef {
    embedded_shader("formats/quake/shaders/skin.wgsl")
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

    fn fragment_shader() -> ShaderRef {
        fragment_shader()
    }

    fn deferred_fragment_shader() -> ShaderRef {
        fragment_shader()
    }

    fn specialize(
        _: &MaterialExtensionPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        _: &MeshVertexBufferLayoutRef,
        key: MaterialExtensionKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        if key.bind_group_data.recolor
            && let Some(fragment) = &mut descriptor.fragment
        {
            fragment.shader_defs.push("MDL_PLAYER_COLORS".into());
        }
        Ok(())
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
