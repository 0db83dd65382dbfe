//! The pipelines: layouts of bindings and vertices, blend states, and the uniform of an emitter instance.

use crate::formats::alamo::particles::computed::is_computed;
use crate::formats::alamo::particles::draw::rings::RECORD;
use crate::formats::alamo::particles::emitter::{AloEmitter, Style};
use crate::formats::alamo::particles::evaluate::{GroundEffect, PreparedEmitter};
use crate::formats::alamo::particles::plugins::{Anchor, DrawStyle};
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
    ShaderType, SpecializedRenderPipeline, StencilState, TextureSampleType, VertexAttribute,
    VertexFormat, VertexState, VertexStepMode,
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
    /// They show what is opaque and behind them, moved on the screen.
    Heat,
}

/// How an emitter is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DrawMode {
    pub(crate) blend: Blend,
    pub(crate) has_depth_test: bool,
}

impl DrawMode {
    /// The count of modes.
    pub(crate) const COUNT: usize = 2 * (Blend::Heat as usize + 1);

    /// The position of the mode among all.
    pub(crate) fn index(self) -> usize {
        2 * self.blend as usize + usize::from(self.has_depth_test)
    }

    /// Whether it needs what is drawn behind it.
    pub(crate) fn is_heat(self) -> bool {
        self.blend == Blend::Heat
    }

    /// The mode of an emitter; `None` if it is not drawn.
    pub(crate) fn of(info: &AloEmitter) -> Option<Self> {
        if info.style == Style::NotDrawn {
            return None;
        }
        let properties = &info.emitter.properties;
        let blend = match properties.effective_blend_mode() {
            _ if properties.heat => Blend::Heat,
            0 => Blend::Opaque,
            1 | 4 => Blend::Additive,
            2 | 5 | 7 | 11 | 13 => Blend::Alpha,
            3 | 6 => Blend::Modulate,
            10 => Blend::Heat,
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
            Self::Opaque | Self::Heat => return None,
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
            Self::Heat => "HEAT",
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
    let is_cut = key.mode.has_depth_test && key.mode.blend != Blend::Opaque;
    if is_cut && view.contains(MeshPipelineKey::DEPTH_PREPASS) {
        defs.extend(["DEPTH_PREPASS".into(), "SOFT".into()]);
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

/// `Emitter` in `particles.wgsl`.
#[derive(ShaderType, Clone, Copy, Debug, Default)]
pub(crate) struct EmitterUniform {
    /// The transform from the records to the world, as rows.
    pub(crate) world_from_records: [Vec4; 3],
    /// The axes of flat particles in the world.
    pub(crate) flat_x: Vec4,
    pub(crate) flat_y: Vec4,
    pub(crate) tint: Vec4,
    /// The ground's normal and its height, in the space of the records.
    pub(crate) ground: Vec4,
    /// Seconds since the epoch of the records.
    pub(crate) time: f32,
    /// Units of the world per unit of the records.
    pub(crate) size_scale: f32,
    /// Units of the records per unit of the file.
    pub(crate) scale: f32,
    /// Length of the tail, in half sizes; of a kite in units of the file.
    pub(crate) tail_size: f32,
    pub(crate) bounciness: f32,
    pub(crate) ground_effect: u32,
    pub(crate) flags: u32,
    /// Tiles in each row and column.
    pub(crate) tiles: u32,
    /// Edge length of the cube of weather, in units of the records; 0 without weather.
    pub(crate) weather_cube: f32,
    /// Distance of its center from the camera, in units of the records.
    pub(crate) weather_distance: f32,
    /// The turn of a quad along the velocity, in turns.
    pub(crate) turn: f32,
    /// How far such a quad is moved along the velocity, in half sizes.
    pub(crate) anchor: f32,
    /// How far heat moves the background, as a share of the picture.
    pub(crate) heat: f32,
    /// Two tracks per vector: index of the first key; count of keys and interpolation.
    pub(crate) tracks: [UVec4; 4],
}

const FLAT: u32 = 1;
const TAIL: u32 = 2;
const SPEED_TAIL: u32 = 4;
const FIXED_ROTATION: u32 = 8;
/// `MISSING` in `particles.wgsl`.
const MISSING: u32 = 16;
const GIVEN: u32 = 32;
const ALONG: u32 = 64;
const KITE: u32 = 128;

/// The most tiles in a row: the shader's index has 32 bits.
const MAX_TILES: u32 = 32_767;

/// A count of quarter turns from 0 to 3.
fn quarter(turns: i32) -> f32 {
    turns.rem_euclid(4) as f32
}

/// How far a quad is moved along the velocity, in half sizes.
fn shift(anchor: Anchor) -> f32 {
    match anchor {
        Anchor::Center => 0.0,
        Anchor::Bottom => 1.0,
        Anchor::Top => -1.0,
    }
}

impl EmitterUniform {
    /// The values that all instances of an emitter share.
    pub(crate) fn of_emitter(info: &AloEmitter, prepared: &PreparedEmitter) -> Self {
        let properties = &info.emitter.properties;
        let has_tail = properties.has_tail && info.style == Style::Properties;
        // In a kite, the first corner is behind the particle.
        let (along, turn, anchor) = match info.style {
            Style::Renderer(DrawStyle::VelocityAligned {
                anchor,
                quarter_turns,
                ..
            }) => (ALONG, -0.25 * quarter(quarter_turns), shift(anchor)),
            Style::Renderer(DrawStyle::Kite { quarter_turns, .. }) => {
                (ALONG | KITE, 0.375 - 0.25 * quarter(quarter_turns), 0.0)
            }
            _ => (0, 0.0, 0.0),
        };
        let mut flags = along;
        for (is_set, flag) in [
            (properties.flat, FLAT),
            (has_tail, TAIL),
            (properties.emitter_speed != 0.0, SPEED_TAIL),
            (prepared.is_rotation_fixed, FIXED_ROTATION),
            (is_computed(prepared), GIVEN),
        ] {
            if is_set {
                flags |= flag;
            }
        }
        let (ground_effect, bounciness) = match prepared.ground {
            GroundEffect::None => (0, 0.0),
            GroundEffect::Die => (1, 0.0),
            GroundEffect::Bounce { bounciness } => (2, bounciness),
            GroundEffect::Stop => (3, 0.0),
        };
        Self {
            tail_size: properties.tail_size,
            bounciness,
            ground_effect,
            flags,
            weather_cube: prepared.weather_cube.unwrap_or(0.0),
            weather_distance: prepared.weather_distance,
            tiles: prepared.tiles_per_side.clamp(1, MAX_TILES),
            turn,
            anchor,
            heat: match info.style {
                Style::Renderer(DrawStyle::HeatSaturation { distortion, .. }) => 0.5 * distortion,
                _ if properties.heat => 0.5,
                // By the blend mode.
                _ => 0.02,
            },
            ..Self::default()
        }
    }

    /// Draws small outlines in place of a missing texture.
    pub(crate) fn without_texture(self) -> Self {
        Self {
            flags: self.flags | MISSING,
            tiles: 1,
            ..self
        }
    }
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
            Blend::Heat,
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
