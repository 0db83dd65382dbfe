//! The pipelines: layouts of bindings and vertices, and the blend states.

use crate::formats::alamo::particles::Properties;
use crate::formats::alamo::particles::draw::pages::RECORD;
use crate::formats::alamo::particles::draw::uniform::EmitterUniform;
use crate::gpu::shaders::embedded_shader;
use bevy::core_pipeline::core_3d::CORE_3D_DEPTH_FORMAT;
use bevy::mesh::VertexBufferLayout;
use bevy::pbr::{
    MeshPipeline, MeshPipelineKey, TONEMAPPING_LUT_SAMPLER_BINDING_INDEX,
    TONEMAPPING_LUT_TEXTURE_BINDING_INDEX,
};
use bevy::prelude::*;
use bevy::render::render_resource::binding_types::{sampler, texture_2d, uniform_buffer};
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntries, BlendComponent, BlendFactor, BlendOperation,
    BlendState, ColorTargetState, ColorWrites, CompareFunction, DepthBiasState, DepthStencilState,
    FragmentState, MultisampleState, RenderPipelineDescriptor, SamplerBindingType, ShaderStages,
    SpecializedRenderPipeline, StencilState, TextureSampleType, VertexAttribute, VertexFormat,
    VertexState, VertexStepMode,
};
use bevy::shader::{ShaderDefVal, ShaderRef};

/// How the particles of an emitter are combined with the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Blend {
    /// They replace it, and write depth.
    Opaque,
    /// They are added. Alpha has no effect.
    Additive,
    /// By alpha.
    Alpha,
    /// They multiply it.
    Modulate,
}

/// How an emitter is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DrawMode {
    pub(crate) blend: Blend,
    pub(crate) has_depth_test: bool,
}

impl DrawMode {
    /// The count of modes.
    pub(crate) const COUNT: usize = 2 * (Blend::Modulate as usize + 1);

    /// The position of the mode among all.
    pub(crate) fn index(self) -> usize {
        2 * self.blend as usize + usize::from(self.has_depth_test)
    }

    /// The mode of an emitter; `None` if it is not drawn.
    pub(crate) fn of(properties: &Properties) -> Option<Self> {
        if properties.heat {
            return None;
        }
        let blend = match properties.effective_blend_mode() {
            0 => Blend::Opaque,
            1 | 4 => Blend::Additive,
            2 | 5 | 7 | 11 | 13 => Blend::Alpha,
            3 | 6 => Blend::Modulate,
            _ => return None,
        };
        Some(Self {
            blend,
            has_depth_test: !properties.no_depth_test,
        })
    }
}

/// A pipeline for views of this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ParticlePipelineKey {
    pub(crate) view: MeshPipelineKey,
    pub(crate) mode: DrawMode,
}

/// Makes the pipelines of particles.
#[derive(Resource)]
pub(crate) struct ParticlePipeline {
    mesh_pipeline: MeshPipeline,
    shader: Handle<Shader>,
    /// The uniform of an emitter instance.
    pub(crate) instance_layout: BindGroupLayoutDescriptor,
    /// The tracks and the texture.
    pub(crate) asset_layout: BindGroupLayoutDescriptor,
}

pub(crate) fn shader() -> ShaderRef {
    embedded_shader("formats/alamo/particles/draw/particles.wgsl")
}

pub(crate) fn init_pipeline(
    mut commands: Commands,
    mesh_pipeline: Res<MeshPipeline>,
    server: Res<AssetServer>,
) {
    let shader = match shader() {
        ShaderRef::Path(path) => server.load(path),
        ShaderRef::Handle(handle) => handle,
        ShaderRef::Default => Handle::default(),
    };
    commands.insert_resource(ParticlePipeline {
        mesh_pipeline: mesh_pipeline.clone(),
        shader,
        instance_layout: BindGroupLayoutDescriptor::new(
            "particle emitter instance",
            &BindGroupLayoutEntries::single(
                ShaderStages::VERTEX_FRAGMENT,
                uniform_buffer::<EmitterUniform>(true),
            ),
        ),
        asset_layout: BindGroupLayoutDescriptor::new(
            "particle tracks and texture",
            &BindGroupLayoutEntries::sequential(
                ShaderStages::VERTEX_FRAGMENT,
                (
                    texture_2d(TextureSampleType::Float { filterable: false }),
                    texture_2d(TextureSampleType::Float { filterable: true }),
                    sampler(SamplerBindingType::Filtering),
                ),
            ),
        ),
    });
}

impl SpecializedRenderPipeline for ParticlePipeline {
    type Key = ParticlePipelineKey;

    fn specialize(&self, key: ParticlePipelineKey) -> RenderPipelineDescriptor {
        let view_layout = self.mesh_pipeline.get_view_layout(key.view.into());
        let shader_defs = shader_defs(key);
        let writes_depth = key.mode.blend == Blend::Opaque;
        RenderPipelineDescriptor {
            label: Some("particles".into()),
            layout: vec![
                view_layout.main_layout.clone(),
                self.instance_layout.clone(),
                self.asset_layout.clone(),
            ],
            vertex: VertexState {
                shader: self.shader.clone(),
                shader_defs: shader_defs.clone(),
                buffers: vec![record_layout()],
                ..Default::default()
            },
            fragment: Some(FragmentState {
                shader: self.shader.clone(),
                shader_defs,
                targets: vec![Some(ColorTargetState {
                    format: key.view.target_format(),
                    blend: key.mode.blend.state(),
                    write_mask: ColorWrites::ALL,
                })],
                ..Default::default()
            }),
            // Particles are seen from both sides, so the primitive state has no culling.
            depth_stencil: Some(DepthStencilState {
                format: CORE_3D_DEPTH_FORMAT,
                depth_write_enabled: Some(writes_depth),
                depth_compare: Some(if key.mode.has_depth_test {
                    CompareFunction::GreaterEqual
                } else {
                    CompareFunction::Always
                }),
                stencil: StencilState::default(),
                bias: DepthBiasState::default(),
            }),
            multisample: MultisampleState {
                count: key.view.msaa_samples(),
                ..Default::default()
            },
            ..Default::default()
        }
    }
}

/// The vertex buffer of birth records.
fn record_layout() -> VertexBufferLayout {
    let attribute = |shader_location, offset, format| VertexAttribute {
        format,
        offset,
        shader_location,
    };
    VertexBufferLayout {
        array_stride: RECORD,
        step_mode: VertexStepMode::Instance,
        attributes: vec![
            attribute(0, 0, VertexFormat::Float32x4),
            attribute(1, 16, VertexFormat::Float32x4),
            attribute(2, 32, VertexFormat::Float32x4),
            attribute(3, 48, VertexFormat::Snorm16x4),
            attribute(4, 56, VertexFormat::Float32x2),
        ],
    }
}

impl Blend {
    /// The blend state. The alpha of the target stays that of the background, unless particles hide it.
    fn state(self) -> Option<BlendState> {
        let sum = |src_factor, dst_factor| BlendComponent {
            src_factor,
            dst_factor,
            operation: BlendOperation::Add,
        };
        let keep = sum(BlendFactor::Zero, BlendFactor::One);
        let (color, alpha) = match self {
            Self::Opaque => return None,
            Self::Additive => (sum(BlendFactor::One, BlendFactor::One), keep),
            Self::Alpha => (
                sum(BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha),
                BlendComponent::OVER,
            ),
            Self::Modulate => (sum(BlendFactor::Zero, BlendFactor::Src), keep),
        };
        Some(BlendState { color, alpha })
    }

    fn shader_def(self) -> &'static str {
        match self {
            Self::Opaque => "OPAQUE",
            Self::Additive => "ADDITIVE",
            Self::Alpha => "ALPHA_BLEND",
            Self::Modulate => "MODULATE",
        }
    }
}

/// The definitions that the shader and the imported parts of Bevy's shaders read.
fn shader_defs(key: ParticlePipelineKey) -> Vec<ShaderDefVal> {
    let view = key.view;
    let mut defs: Vec<ShaderDefVal> = vec![key.mode.blend.shader_def().into()];
    if view.msaa_samples() > 1 {
        defs.push("MULTISAMPLED".into());
    }
    let projection = view.intersection(MeshPipelineKey::VIEW_PROJECTION_RESERVED_BITS);
    defs.push(match projection {
        MeshPipelineKey::VIEW_PROJECTION_PERSPECTIVE => "VIEW_PROJECTION_PERSPECTIVE".into(),
        MeshPipelineKey::VIEW_PROJECTION_ORTHOGRAPHIC => "VIEW_PROJECTION_ORTHOGRAPHIC".into(),
        _ => "VIEW_PROJECTION_NONSTANDARD".into(),
    });
    if !view.contains(MeshPipelineKey::TONEMAP_IN_SHADER) {
        return defs;
    }
    defs.push("TONEMAP_IN_SHADER".into());
    defs.push(ShaderDefVal::UInt(
        "TONEMAPPING_LUT_TEXTURE_BINDING_INDEX".into(),
        TONEMAPPING_LUT_TEXTURE_BINDING_INDEX,
    ));
    defs.push(ShaderDefVal::UInt(
        "TONEMAPPING_LUT_SAMPLER_BINDING_INDEX".into(),
        TONEMAPPING_LUT_SAMPLER_BINDING_INDEX,
    ));
    let method = view.intersection(MeshPipelineKey::TONEMAP_METHOD_RESERVED_BITS);
    let method = match method {
        MeshPipelineKey::TONEMAP_METHOD_REINHARD => "REINHARD",
        MeshPipelineKey::TONEMAP_METHOD_REINHARD_LUMINANCE => "REINHARD_LUMINANCE",
        MeshPipelineKey::TONEMAP_METHOD_ACES_FITTED => "ACES_FITTED",
        MeshPipelineKey::TONEMAP_METHOD_AGX => "AGX",
        MeshPipelineKey::TONEMAP_METHOD_SOMEWHAT_BORING_DISPLAY_TRANSFORM => {
            "SOMEWHAT_BORING_DISPLAY_TRANSFORM"
        }
        MeshPipelineKey::TONEMAP_METHOD_TONY_MC_MAPFACE => "TONY_MC_MAPFACE",
        MeshPipelineKey::TONEMAP_METHOD_BLENDER_FILMIC => "BLENDER_FILMIC",
        MeshPipelineKey::TONEMAP_METHOD_PBR_NEUTRAL => "PBR_NEUTRAL",
        _ => "NONE",
    };
    defs.push(format!("TONEMAP_METHOD_{method}").into());
    defs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_have_indices_of_their_own() {
        let blends = [
            Blend::Opaque,
            Blend::Additive,
            Blend::Alpha,
            Blend::Modulate,
        ];
        let modes = blends.into_iter().flat_map(|blend| {
            [false, true].map(|has_depth_test| DrawMode {
                blend,
                has_depth_test,
            })
        });
        let indices: Vec<_> = modes.map(DrawMode::index).collect();
        assert_eq!(indices, (0..DrawMode::COUNT).collect::<Vec<_>>());
    }
}
