//! What draws models: plain pictures, and the same on vertices that deform.

use crate::lithtech::abc::node_flags;
use crate::lithtech::deform::ConvertedDeform;
use crate::lithtech::settings::AbcLoaderSettings;
use crate::scene::{HasTextures, embedded_shader};
use bevy::asset::{Asset, Handle};
use bevy::color::{Color, LinearRgba};
use bevy::image::Image;
use bevy::material::AlphaMode;
use bevy::math::Vec3;
use bevy::pbr::{ExtendedMaterial, MaterialExtension, StandardMaterial};
use bevy::reflect::Reflect;
use bevy::render::render_resource::{AsBindGroup, ShaderType};
use bevy::shader::ShaderRef;

/// Draws the vertices of a node that moves them one by one.
pub type AbcDeformMaterial = ExtendedMaterial<StandardMaterial, AbcDeform>;

/// The part of [`AbcDeformMaterial`] that places vertices. Which poses an instance shows is in the row of
/// the [`AbcPoseTable`](super::AbcPoseTable) that its `MeshTag` names.
#[derive(Asset, AsBindGroup, Reflect, Clone, Debug)]
pub struct AbcDeform {
    /// Per pose and vertex one texel: a place in steps.
    #[texture(100, sample_type = "u_int", visibility(vertex))]
    pub poses: Handle<Image>,
    /// Per vertex one texel that says where the triangles around it are in this picture; then the
    /// triangles.
    #[texture(101, sample_type = "u_int", visibility(vertex))]
    pub around: Handle<Image>,
    /// How to read them.
    #[uniform(102, visibility(vertex))]
    pub uniform: AbcDeformUniform,
    /// What every instance shows; shared by all models.
    #[texture(103, sample_type = "u_int", visibility(vertex))]
    pub instances: Handle<Image>,
}

/// How the shader reads the poses of an [`AbcDeform`].
#[derive(ShaderType, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct AbcDeformUniform {
    /// Units per step.
    pub step: Vec3,
    /// Texels of a pose.
    pub vertex_count: u32,
    /// Place of step 0.
    pub origin: Vec3,
    /// How many poses there are.
    pub pose_count: u32,
}

impl AbcDeformUniform {
    pub(super) fn new(contents: &ConvertedDeform) -> Self {
        Self {
            step: contents.step,
            vertex_count: contents.vertices,
            origin: contents.origin,
            pose_count: contents.poses,
        }
    }
}

pub(super) fn vertex_shader() -> ShaderRef {
    embedded_shader("lithtech/shaders/deform.wgsl")
}

impl HasTextures for AbcDeform {
    fn pictures(&self) -> Vec<&Handle<Image>> {
        vec![&self.poses, &self.around]
    }
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

/// What of a node's flags says how it is drawn, beside its skin. See
/// [`node_flags`](super::abc::node_flags).
pub fn surface_flags(flags: u8) -> u8 {
    const SURFACE: u8 = node_flags::ENVIRONMENT_MAP
        | node_flags::ENVIRONMENT_MAP_ONLY
        | node_flags::SCROLL_U
        | node_flags::SCROLL_V;
    flags & SURFACE
}

/// What draws a model without a picture. The games knew no gloss.
pub(super) fn plain_material(settings: &AbcLoaderSettings) -> StandardMaterial {
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

/// The material of nodes of some [`surface_flags`], of that of plain ones. What the games' one picture
/// of the surroundings was, is here what the scene reflects: its environment maps and lights.
pub(super) fn surface_material(plain: &StandardMaterial, flags: u8) -> StandardMaterial {
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
