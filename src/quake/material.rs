//! The material that morphs a model on the GPU.

use crate::quake::mdl::{NORMAL_COUNT, normals};
use crate::scene::{HasTextures, embedded_shader};
use bevy::asset::{Asset, Handle, RenderAssetUsages, uuid_handle};
use bevy::image::Image;
use bevy::math::Vec3;
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{
    ExtendedMaterial, MaterialExtension, MaterialExtensionKey, MaterialExtensionPipeline,
    StandardMaterial,
};
use bevy::reflect::Reflect;
use bevy::render::render_resource::{
    AsBindGroup, Extent3d, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError,
    TextureDimension, TextureFormat,
};
use bevy::shader::ShaderRef;

/// The material of Quake models: Bevy's own, whose vertices are those of the poses that an
/// instance shows.
pub type MdlMaterial = ExtendedMaterial<StandardMaterial, MdlMorph>;

/// The normals that vertices name, as a texture of 162 × 1.
pub(super) const NORMALS_IMAGE: Handle<Image> =
    uuid_handle!("0b0c1f2e-52a4-4f3f-9ce3-6f0d4c0a4f11");

/// What [`MdlMaterial`] adds to a [`StandardMaterial`].
///
/// The mesh must have the index of its vertex in the file in the first of its second texture
/// coordinates, and its entity a `MeshTag` with the row of the [`PoseTable`](super::PoseTable).
#[derive(Asset, AsBindGroup, Reflect, Clone, Debug)]
#[bind_group_data(MdlMorphKey)]
pub struct MdlMorph {
    /// All poses: per vertex one texel of position and normal index, as the file has them.
    #[texture(100, sample_type = "u_int", visibility(vertex))]
    pub poses: Handle<Image>,
    /// What every instance shows; shared by all models.
    #[texture(101, sample_type = "u_int", visibility(vertex))]
    pub instances: Handle<Image>,
    /// The normals that vertices name; shared by all models.
    #[texture(102, sample_type = "float", filterable = false, visibility(vertex))]
    pub normals: Handle<Image>,
    /// How to read the poses, and the player's colours.
    #[uniform(103, visibility(vertex, fragment))]
    pub uniform: MdlMorphUniform,
    /// The palette indices of the skin. Read only with player's colours.
    #[texture(104, sample_type = "u_int", visibility(fragment))]
    pub indices: Handle<Image>,
    /// The palette, 256 × 1. Read only with player's colours.
    #[texture(105, visibility(fragment))]
    pub palette: Handle<Image>,
    /// Whether texels of the two rows of player's colours are replaced.
    pub recolor: bool,
}

/// The numbers of a [`MdlMorph`].
#[derive(ShaderType, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct MdlMorphUniform {
    /// Units per step of the quantised positions, per axis.
    pub step: Vec3,
    /// Number of vertices of each pose.
    pub vertex_count: u32,
    /// Position of the quantised (0, 0, 0).
    pub origin: Vec3,
    /// Number of poses.
    pub pose_count: u32,
    /// Palette row that replaces the shirt's.
    pub shirt: u32,
    /// Palette row that replaces the pants'.
    pub pants: u32,
    /// 1 if the skin is filtered linearly, else 0.
    pub linear: u32,
    /// Keeps the size a multiple of 16 bytes, which WebGL2 asks for.
    pub padding: u32,
}

/// Selects the pipeline of a [`MdlMorph`].
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
    /// Morphs between the poses of an image, without player's colours.
    pub(super) fn new(
        poses: Handle<Image>,
        indices: Handle<Image>,
        palette: Handle<Image>,
        uniform: MdlMorphUniform,
    ) -> Self {
        Self {
            poses,
            instances: POSE_TABLE_IMAGE,
            normals: NORMALS_IMAGE,
            uniform,
            indices,
            palette,
            recolor: false,
        }
    }
}

pub(super) fn vertex_shader() -> ShaderRef {
    embedded_shader("quake/shaders/morph.wgsl")
}

pub(super) fn fragment_shader() -> ShaderRef {
    embedded_shader("quake/shaders/skin.wgsl")
}

impl HasTextures for MdlMorph {
    fn pictures(&self) -> Vec<&Handle<Image>> {
        vec![&self.poses, &self.indices, &self.palette]
    }
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
pub(super) fn normals_image() -> Image {
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

/// The table as a texture, one for all models.
pub(super) const POSE_TABLE_IMAGE: Handle<Image> =
    uuid_handle!("6a1c0dd0-61f5-4d62-8e0c-5b7a5f7b9a52");
