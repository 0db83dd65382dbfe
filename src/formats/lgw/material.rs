//! Makes Bevy materials: a [`StandardMaterial`] if it can draw the material, otherwise
//! [`LgwTexEnvMaterial`], which computes OpenGL texture environments.

use crate::appearance::rebind_textures::rebind_changed_textures;
use crate::formats::lgw::settings::LgwLoaderSettings;
use crate::gpu::shaders::{embedded_shader, preload_shader};
use bevy::asset::embedded_asset;
use bevy::material::OpaqueRendererMethod;
use bevy::pbr::{ExtendedMaterial, MaterialExtension};
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, ShaderType};
use bevy::shader::ShaderRef;
use classic_model_formats::lgw as text;
use classic_model_formats::lgw::{TexGenKind, TextureMode};

/// The material for two textures, for texture modes other than modulate, for generated coordinates and for
/// cube maps. Other materials are a [`StandardMaterial`].
pub type LgwTexEnvMaterial = ExtendedMaterial<StandardMaterial, LgwTexEnv>;

/// The texture units of a [`LgwTexEnvMaterial`]: OpenGL's texture environments.
///
/// The games' hardware computed with sRGB values from 0 to 1, and so does this material. The lit white
/// surface is converted to sRGB; texels are used as stored. The result of the units is converted to linear
/// values for fog and tone mapping. The first unit combines its texels with the lit surface, the second
/// with the result of the first. The color of the environment is black with an alpha of 0.
///
/// Light above 1 is divided by its largest component before the units, and their result is multiplied by
/// it. A bright surface is therefore as bright as one that a [`StandardMaterial`] draws. Texels that
/// replace the lit surface (`REPLACE`, `DECAL`) are not multiplied: they are unlit.
///
/// Texture coordinates are generated in view space, from the position and the normal of each pixel. In
/// shadow passes, view space is that of the light. Passes without normals use the triangle's normal.
#[derive(Asset, AsBindGroup, Reflect, Clone, Debug, Default)]
pub struct LgwTexEnv {
    /// The parameters of the units.
    #[uniform(100)]
    pub uniform: LgwTexEnvUniform,
    /// The 2D texture of the first unit, not decoded from sRGB.
    #[texture(101)]
    #[sampler(102)]
    pub flat_0: Option<Handle<Image>>,
    /// The cube map of the first unit, not decoded from sRGB.
    #[texture(103, dimension = "cube")]
    #[sampler(104)]
    pub cube_0: Option<Handle<Image>>,
    /// The 2D texture of the second unit, not decoded from sRGB.
    #[texture(105)]
    #[sampler(106)]
    pub flat_1: Option<Handle<Image>>,
    /// The cube map of the second unit, not decoded from sRGB.
    #[texture(107, dimension = "cube")]
    #[sampler(108)]
    pub cube_1: Option<Handle<Image>>,
}

/// The uniform of a [`LgwTexEnv`].
#[derive(ShaderType, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct LgwTexEnvUniform {
    /// The units, in the order in which they are applied.
    pub units: [LgwTexEnvUnit; 2],
}

/// The parameters of a texture unit. Their size is a multiple of 16 bytes, as WebGL2 requires.
#[derive(ShaderType, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct LgwTexEnvUnit {
    /// For coordinates of kind 1 in `texgen`: texture coordinates per Bevy unit in view space.
    pub coefficients: Vec3,
    /// The texture mode: 0 replace, 1 modulate, 2 decal, 3 blend, 4 add, 5 dot product.
    pub mode: u32,
    /// The source of S, T and R: 0 vertex UV, 1 view-space position, 2 sphere map, 3 reflection, 4 normal.
    pub texgen: UVec3,
    /// See [`tex_env_flags`].
    pub flags: u32,
}

/// The [`flags`](LgwTexEnvUnit::flags) of a texture unit.
pub mod tex_env_flags {
    /// The unit has a texture. Otherwise it changes nothing.
    pub const HAS_TEXTURE: u32 = 1;
    /// The alpha of the texture is used.
    pub const HAS_ALPHA: u32 = 2;
    /// The texture is the cube map.
    pub const IS_CUBE: u32 = 4;
    /// V points up in the file, and down in the mesh.
    pub const FLIP_V: u32 = 8;
}

/// Whether a [`StandardMaterial`] can draw a material.
pub(crate) fn is_plain(material: &text::Material<'_>) -> bool {
    match material.units() {
        [None, None] => true,
        [Some(first), None] => {
            first.mode == TextureMode::Modulate && !first.cube_map && !first.has_texgen()
        }
        _ => false,
    }
}

/// The [`StandardMaterial`] of a material. Without specular reflection, which the games don't have.
pub(crate) fn standard(
    material: &text::Material<'_>,
    texture: Option<Handle<Image>>,
    settings: &LgwLoaderSettings,
) -> StandardMaterial {
    let first = material.units()[0];
    StandardMaterial {
        base_color: Color::WHITE,
        base_color_texture: texture,
        perceptual_roughness: 1.0,
        reflectance: 0.0,
        alpha_mode: match first.map(|first| first.alpha_mode).unwrap_or_default() {
            text::AlphaMode::Opaque => AlphaMode::Opaque,
            text::AlphaMode::Mask => AlphaMode::Mask(0.5),
            text::AlphaMode::Blend => AlphaMode::Blend,
        },
        unlit: settings.unlit,
        double_sided: settings.double_sided,
        cull_mode: if settings.double_sided {
            None
        } else {
            StandardMaterial::default().cull_mode
        },
        ..StandardMaterial::default()
    }
}

/// The material for a material that is not [plain](is_plain). `images` are by texture unit.
pub(crate) fn tex_env(
    material: &text::Material<'_>,
    images: [Option<Handle<Image>>; 2],
    settings: &LgwLoaderSettings,
) -> LgwTexEnvMaterial {
    let base = StandardMaterial {
        // The G-buffer of the deferred pass can't store the result of the units.
        opaque_render_method: OpaqueRendererMethod::Forward,
        ..standard(material, None, settings)
    };
    let mut units = [LgwTexEnvUnit::default(); 2];
    let mut flats = [None, None];
    let mut cubes = [None, None];
    for (index, (texture, image)) in material.units().into_iter().zip(images).enumerate() {
        if let Some(texture) = texture {
            units[index] = unit(texture, image.is_some(), settings);
            if texture.cube_map {
                cubes[index] = image
            } else {
                flats[index] = image
            }
        }
    }
    let [flat_0, flat_1] = flats;
    let [cube_0, cube_1] = cubes;
    LgwTexEnvMaterial {
        base,
        extension: LgwTexEnv {
            uniform: LgwTexEnvUniform { units },
            flat_0,
            cube_0,
            flat_1,
            cube_1,
        },
    }
}

fn unit(
    texture: &text::Texture<'_>,
    has_texture: bool,
    settings: &LgwLoaderSettings,
) -> LgwTexEnvUnit {
    let flag = |is_set, flag| if is_set { flag } else { 0 };
    LgwTexEnvUnit {
        // Positions are scaled, so coefficients are scaled inversely.
        coefficients: Vec3::from(texture.texgen.map(|texgen| texgen.coefficient)) / settings.scale,
        mode: match texture.mode {
            TextureMode::Replace => 0,
            TextureMode::Modulate => 1,
            TextureMode::Decal => 2,
            TextureMode::Blend => 3,
            TextureMode::Add => 4,
            TextureMode::Dot3Bump => 5,
        },
        texgen: UVec3::from(texture.texgen.map(|texgen| source(texgen.kind))),
        flags: flag(has_texture, tex_env_flags::HAS_TEXTURE)
            | flag(
                texture.alpha_mode != text::AlphaMode::Opaque,
                tex_env_flags::HAS_ALPHA,
            )
            | flag(texture.cube_map, tex_env_flags::IS_CUBE)
            | flag(settings.flip_v, tex_env_flags::FLIP_V),
    }
}

/// The code of a coordinate source: see [`LgwTexEnvUnit::texgen`].
fn source(kind: Option<TexGenKind>) -> u32 {
    match kind {
        None => 0,
        Some(TexGenKind::EyeLinear) => 1,
        Some(TexGenKind::SphereMap) => 2,
        Some(TexGenKind::ReflectionMap) => 3,
        Some(TexGenKind::NormalMap) => 4,
    }
}

/// Registers the materials and the shader.
pub(crate) fn register(app: &mut App) {
    embedded_asset!(app, "shaders/tex_env.wgsl");
    preload_shader(app, shader());
    rebind_changed_textures::<StandardMaterial>(app);
    rebind_changed_textures::<LgwTexEnvMaterial>(app);
    app.add_plugins(MaterialPlugin::<LgwTexEnvMaterial>::default())
        .register_type::<MeshMaterial3d<LgwTexEnvMaterial>>()
        .register_type::<MeshMaterial3d<StandardMaterial>>();
}

fn shader() -> ShaderRef {
    embedded_shader("formats/lgw/shaders/tex_env.wgsl")
}

impl MaterialExtension for LgwTexEnv {
    fn fragment_shader() -> ShaderRef {
        shader()
    }

    fn prepass_fragment_shader() -> ShaderRef {
        shader()
    }
}
