//! The materials of models: `StandardMaterial`, and an extension of it for vertex animation.

use crate::formats::lithtech::deform::{ConvertedDeform, texel};
use crate::formats::lithtech::settings::AbcLoaderSettings;
use crate::gpu::pose_table::PosePair;
use crate::gpu::shaders::embedded_shader;
use bevy::pbr::{ExtendedMaterial, MaterialExtension};
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, ShaderType};
use bevy::shader::ShaderRef;
use classic_model_formats::abc::node_flags;

/// The material of a node with vertex animation.
pub type AbcDeformMaterial = ExtendedMaterial<StandardMaterial, AbcDeform>;

/// The extension of [`AbcDeformMaterial`] that positions vertices. The `MeshTag` of a mesh is its row of the
/// [`AbcPoseTable`](crate::lithtech::AbcPoseTable), which has the poses that it shows.
#[derive(Asset, AsBindGroup, Reflect, Clone, Debug)]
pub struct AbcDeform {
    /// One texel per pose and vertex: its quantized position, see [`ConvertedDeform::texels`].
    #[texture(100, sample_type = "u_int", visibility(vertex))]
    pub poses: Handle<Image>,
    /// The triangles at each vertex, see [`ConvertedDeform::vertex_adjacency`].
    #[texture(101, sample_type = "u_int", visibility(vertex))]
    pub vertex_adjacency: Handle<Image>,
    /// How to decode `poses`.
    #[uniform(102, visibility(vertex))]
    pub uniform: AbcDeformUniform,
    /// The pose table, shared by all models.
    #[texture(103, sample_type = "u_int", visibility(vertex))]
    pub instances: Handle<Image>,
}

/// How the shader decodes the poses of an [`AbcDeform`].
#[derive(ShaderType, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct AbcDeformUniform {
    /// Units per quantization step, along each axis.
    pub step: Vec3,
    /// Vertices per pose.
    pub vertex_count: u32,
    /// The position whose quantized coordinates are 0.
    pub origin: Vec3,
    /// Count of poses.
    pub pose_count: u32,
}

impl AbcDeformUniform {
    pub(crate) fn new(converted: &ConvertedDeform) -> Self {
        Self {
            step: converted.step,
            vertex_count: converted.vertices,
            origin: converted.origin,
            pose_count: converted.poses,
        }
    }

    /// The position of a vertex between two poses, as the shader computes it. `texels` are those of [`AbcDeform::poses`].
    /// `None` if the vertex doesn't exist.
    pub(crate) fn position(&self, texels: &[u8], shown: PosePair, vertex: u32) -> Option<Vec3> {
        let position = |pose: u32| {
            // For one frame after a reload, the table may have poses that no longer exist.
            let pose = pose.min(self.pose_count.saturating_sub(1));
            let [x, y, z, _] = texel(texels, pose * self.vertex_count + vertex)?;
            Some(Vec3::from_array([x, y, z].map(f32::from)) * self.step + self.origin)
        };
        let a = position(shown.a).filter(|_| vertex < self.vertex_count)?;
        match shown.towards_b {
            0.0 => Some(a),
            towards_b => Some(a.lerp(position(shown.b)?, towards_b)),
        }
    }
}

pub(crate) fn vertex_shader() -> ShaderRef {
    embedded_shader("formats/lithtech/shaders/deform.wgsl")
}

impl MaterialExtension for AbcDeform {
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

/// The bits of a node's flags that affect its material: environment maps and scrolling. See
/// [`node_flags`](crate::lithtech::abc::node_flags).
pub fn surface_flags(flags: u8) -> u8 {
    const SURFACE: u8 = node_flags::ENVIRONMENT_MAP
        | node_flags::ENVIRONMENT_MAP_ONLY
        | node_flags::SCROLL_U
        | node_flags::SCROLL_V;
    flags & SURFACE
}

/// The material of a model without skins. It is matte, since the games had no specular highlights.
pub(crate) fn plain_material(settings: &AbcLoaderSettings) -> StandardMaterial {
    StandardMaterial {
        base_color: Color::srgb(0.7, 0.7, 0.7),
        alpha_mode: settings
            .alpha_cutoff
            .map_or(AlphaMode::Opaque, AlphaMode::Mask),
        perceptual_roughness: 1.0,
        reflectance: 0.0,
        double_sided: settings.double_sided,
        cull_mode: if settings.double_sided {
            None
        } else {
            StandardMaterial::default().cull_mode
        },
        ..StandardMaterial::default()
    }
}

/// Derives the material of nodes with [`surface_flags`] from that of nodes without. The games reflected one fixed
/// environment texture; here a reflective material shows the environment maps and lights of the scene.
pub(crate) fn surface_material(plain: &StandardMaterial, flags: u8) -> StandardMaterial {
    let mut material = plain.clone();
    if flags & (node_flags::ENVIRONMENT_MAP | node_flags::ENVIRONMENT_MAP_ONLY) != 0 {
        material.metallic = 0.5;
        material.perceptual_roughness = 0.1;
        material.reflectance = StandardMaterial::default().reflectance;
    }
    if flags & node_flags::ENVIRONMENT_MAP_ONLY != 0 {
        material.metallic = 1.0;
        material.base_color = Color::WHITE;
        material.base_color_texture = None;
        material.emissive_texture = None;
        material.emissive = LinearRgba::BLACK;
    }
    material
}
