//! What draws materials: Bevy's own where it can, else texture units as the games' hardware had them.

use crate::lgw::settings::LgwLoaderSettings;
use crate::lgw::text::{self, TexGenKind, TextureMode};
use crate::scene::{HasTextures, embedded_shader, follow_pictures, hold_shader};
use bevy::app::App;
use bevy::asset::{Asset, Handle, embedded_asset};
use bevy::color::Color;
use bevy::image::Image;
use bevy::material::{AlphaMode, OpaqueRendererMethod};
use bevy::math::{UVec3, Vec3};
use bevy::pbr::{
    ExtendedMaterial, MaterialExtension, MaterialPlugin, MeshMaterial3d, StandardMaterial,
};
use bevy::reflect::Reflect;
use bevy::render::render_resource::{AsBindGroup, ShaderType};
use bevy::shader::ShaderRef;

/// Draws materials of two textures, of other modes than the product, with coordinates that are made, or
/// with cube maps. The others are a [`StandardMaterial`].
pub type LgwTexEnvMaterial = ExtendedMaterial<StandardMaterial, LgwTexEnv>;

/// The texture units of a [`LgwTexEnvMaterial`]: OpenGL's texture environments.
///
/// The games' hardware computed with the numbers that go to the screen, each from 0 to 1. So does this:
/// what light makes of the white surface becomes colours of the screen (sRGB), texels are taken as
/// the file has them, and what the units make of both is light again, for fog and tone mapping. The first
/// unit lays its texels over the lit surface, the second over what the first has made. The colour of
/// the environment is black and clear.
///
/// Light above 1 is divided by its largest component before the units, and their result is multiplied by
/// it. A bright surface is therefore as bright as one that a [`StandardMaterial`] draws. Texels that
/// replace the lit surface (`REPLACE`, `DECAL`) are not multiplied: they are unlit.
///
/// Coordinates are made in the space of the eye, from the place and the normal of each pixel. In shadows
/// the light is the eye. Depth alone has no normals, so that there the triangle's own is taken.
#[derive(Asset, AsBindGroup, Reflect, Clone, Debug, Default)]
pub struct LgwTexEnv {
    /// The numbers.
    #[uniform(100)]
    pub uniform: LgwTexEnvUniform,
    /// The first unit's flat picture, not decoded from sRGB.
    #[texture(101)]
    #[sampler(102)]
    pub flat_0: Option<Handle<Image>>,
    /// The first unit's cube map likewise.
    #[texture(103, dimension = "cube")]
    #[sampler(104)]
    pub cube_0: Option<Handle<Image>>,
    /// The second unit's flat picture likewise.
    #[texture(105)]
    #[sampler(106)]
    pub flat_1: Option<Handle<Image>>,
    /// The second unit's cube map likewise.
    #[texture(107, dimension = "cube")]
    #[sampler(108)]
    pub cube_1: Option<Handle<Image>>,
}

/// The numbers of a [`LgwTexEnv`].
#[derive(ShaderType, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct LgwTexEnvUniform {
    /// The units, in the order of drawing.
    pub units: [LgwTexEnvUnit; 2],
}

/// The numbers of a texture unit. Their size is a multiple of 16 bytes, which WebGL2 asks for.
#[derive(ShaderType, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct LgwTexEnvUnit {
    /// What linear coordinates multiply the place by, per Bevy unit.
    pub coefficients: Vec3,
    /// What becomes of the texels: 0 replace, 1 modulate, 2 decal, 3 blend, 4 add, 5 dot product.
    pub mode: u32,
    /// Where S, T and R come from: 0 the vertex, 1 the place, 2 a sphere map, 3 the reflection, 4 the
    /// normal.
    pub texgen: UVec3,
    /// See [`tex_env_flags`].
    pub flags: u32,
}

/// The [`flags`](LgwTexEnvUnit::flags) of a texture unit.
pub mod tex_env_flags {
    /// There is a texture. Without one the unit changes nothing.
    pub const IS_THERE: u32 = 1;
    /// The alpha of texels counts.
    pub const HAS_ALPHA: u32 = 2;
    /// The texture is the cube map.
    pub const IS_CUBE: u32 = 4;
    /// V goes up in the file, and down in the mesh.
    pub const FLIP_V: u32 = 8;
}

/// Whether a material needs nothing but Bevy's own.
pub(super) fn is_plain(material: &text::Material<'_>) -> bool {
    match material.units() {
        [None, None] => true,
        [Some(first), None] => {
            first.mode == TextureMode::Modulate && !first.cube_map && !first.has_texgen()
        }
        _ => false,
    }
}

/// Bevy's own material. The games knew no gloss.
pub(super) fn standard(
    material: &text::Material<'_>,
    picture: Option<Handle<Image>>,
    settings: &LgwLoaderSettings,
) -> StandardMaterial {
    let first = material.units()[0];
    StandardMaterial {
        base_color: Color::WHITE,
        base_color_texture: picture,
        perceptual_roughness: 1.0,
        reflectance: 0.0,
        alpha_mode: match first.map(|first| first.alpha_mode).unwrap_or_default() {
            text::AlphaMode::Opaque => AlphaMode::Opaque,
            text::AlphaMode::Mask => AlphaMode::Mask(0.5),
            text::AlphaMode::Blend => AlphaMode::Blend,
        },
        unlit: settings.unlit,
        double_sided: settings.double_sided,
        cull_mode: match settings.double_sided {
            true => None,
            false => StandardMaterial::default().cull_mode,
        },
        ..StandardMaterial::default()
    }
}

/// What draws a material that is not [plain](is_plain), of the pictures of its units.
pub(super) fn tex_env(
    material: &text::Material<'_>,
    pictures: [Option<Handle<Image>>; 2],
    settings: &LgwLoaderSettings,
) -> LgwTexEnvMaterial {
    let base = StandardMaterial {
        // What the deferred pass stores of a surface has no room for this.
        opaque_render_method: OpaqueRendererMethod::Forward,
        ..standard(material, None, settings)
    };
    let mut units = [LgwTexEnvUnit::default(); 2];
    let mut flats = [None, None];
    let mut cubes = [None, None];
    for (number, (texture, picture)) in material.units().into_iter().zip(pictures).enumerate() {
        if let Some(texture) = texture {
            units[number] = unit(texture, picture.is_some(), settings);
            match texture.cube_map {
                true => cubes[number] = picture,
                false => flats[number] = picture,
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
    is_there: bool,
    settings: &LgwLoaderSettings,
) -> LgwTexEnvUnit {
    let flag = |is_set, flag| if is_set { flag } else { 0 };
    LgwTexEnvUnit {
        // Places are those of the file, scaled.
        coefficients: Vec3::from(texture.texgen.map(|of| of.coefficient)) / settings.scale,
        mode: match texture.mode {
            TextureMode::Replace => 0,
            TextureMode::Modulate => 1,
            TextureMode::Decal => 2,
            TextureMode::Blend => 3,
            TextureMode::Add => 4,
            TextureMode::Dot3Bump => 5,
        },
        texgen: UVec3::from(texture.texgen.map(|of| source(of.kind))),
        flags: flag(is_there, tex_env_flags::IS_THERE)
            | flag(
                texture.alpha_mode != text::AlphaMode::Opaque,
                tex_env_flags::HAS_ALPHA,
            )
            | flag(texture.cube_map, tex_env_flags::IS_CUBE)
            | flag(settings.flip_v, tex_env_flags::FLIP_V),
    }
}

/// The number of a way to make coordinates: see [`LgwTexEnvUnit::texgen`].
fn source(kind: Option<TexGenKind>) -> u32 {
    match kind {
        None => 0,
        Some(TexGenKind::EyeLinear) => 1,
        Some(TexGenKind::SphereMap) => 2,
        Some(TexGenKind::ReflectionMap) => 3,
        Some(TexGenKind::NormalMap) => 4,
    }
}

/// Tells an app of what draws.
pub(super) fn register(app: &mut App) {
    embedded_asset!(app, "shaders/tex_env.wgsl");
    hold_shader(app, shader());
    follow_pictures::<StandardMaterial>(app);
    follow_pictures::<LgwTexEnvMaterial>(app);
    app.add_plugins(MaterialPlugin::<LgwTexEnvMaterial>::default())
        .register_type::<MeshMaterial3d<LgwTexEnvMaterial>>()
        .register_type::<MeshMaterial3d<StandardMaterial>>();
}

impl HasTextures for LgwTexEnv {
    fn pictures(&self) -> Vec<&Handle<Image>> {
        let pictures = [&self.flat_0, &self.cube_0, &self.flat_1, &self.cube_1];
        pictures.into_iter().flatten().collect()
    }
}

fn shader() -> ShaderRef {
    embedded_shader("lgw/shaders/tex_env.wgsl")
}

impl MaterialExtension for LgwTexEnv {
    fn fragment_shader() -> ShaderRef {
        shader()
    }

    fn prepass_fragment_shader() -> ShaderRef {
        shader()
    }
}
