//! The material extension that poses the vertices of a crowd.

use crate::crowd::mesh::joints::{JOINTS, VISIBILITY, WEIGHTS};
use crate::gpu::shaders::{embedded_shader, preload_shader};
use bevy::asset::embedded_asset;
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{MaterialExtension, MaterialExtensionKey, MaterialExtensionPipeline};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, RenderPipelineDescriptor, SpecializedMeshPipelineError,
};
use bevy::shader::ShaderRef;

/// The most texels of the baked clips of one model: 256 MiB. An adapter with smaller textures allows less.
pub const MAX_CROWD_TEXELS: u32 = 16 << 20;

/// The extension that poses the vertices of a crowd, over the material of a format.
///
/// The `MeshTag` of a mesh entity must be its row of the pose table.
#[derive(Asset, AsBindGroup, Reflect, Clone, Debug)]
pub struct CrowdSkinning {
    /// The baked clips of the model.
    #[texture(110, sample_type = "float", filterable = false, visibility(vertex))]
    pub poses: Handle<Image>,
    /// The pose table, shared by all models of the format.
    #[texture(111, sample_type = "u_int", visibility(vertex, fragment))]
    pub instances: Handle<Image>,
}

fn vertex_shader() -> ShaderRef {
    embedded_shader("crowd/mesh/crowd.wgsl")
}

impl MaterialExtension for CrowdSkinning {
    fn vertex_shader() -> ShaderRef {
        vertex_shader()
    }

    fn prepass_vertex_shader() -> ShaderRef {
        vertex_shader()
    }

    fn deferred_vertex_shader() -> ShaderRef {
        vertex_shader()
    }

    fn specialize(
        _: &MaterialExtensionPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        layout: &MeshVertexBufferLayoutRef,
        _: MaterialExtensionKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        // Behind the locations that Bevy uses.
        let own = layout.0.get_layout(&[
            JOINTS.at_shader_location(10),
            WEIGHTS.at_shader_location(11),
            VISIBILITY.at_shader_location(12),
        ])?;
        if let Some(buffer) = descriptor.vertex.buffers.first_mut() {
            buffer.attributes.extend(own.attributes);
        }
        if let Some(fragment) = &mut descriptor.fragment {
            fragment.shader_defs.push("CROWD".into());
        }
        Ok(())
    }
}

/// Adds the shader of crowds to an app. Calling it again has no effect.
pub(crate) fn add_crowd_shader(app: &mut App) {
    embedded_asset!(app, "crowd.wgsl");
    preload_shader(app, vertex_shader());
}
