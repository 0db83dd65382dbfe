//! The material of Alamo models: Bevy's own, and what the games' shaders did beyond it.

use crate::alamo::shading::{BlendPhase, Gloss, SecondLayer, Shading, TeamMask};
use crate::scene::{HasTextures, embedded_shader};
use crate::texture::Placeholder;
use bevy::asset::{Asset, Handle};
use bevy::color::{Alpha, Color, ColorToComponents, LinearRgba};
use bevy::image::Image;
use bevy::material::{AlphaMode, OpaqueRendererMethod};
use bevy::math::{Affine2, Vec2, Vec3, Vec4};
use bevy::pbr::{ExtendedMaterial, MaterialExtension, StandardMaterial};
use bevy::reflect::Reflect;
use bevy::render::render_resource::{AsBindGroup, Face, ShaderType};
use bevy::shader::ShaderRef;

/// The material of Alamo models.
pub type AloMaterial = ExtendedMaterial<StandardMaterial, AloShading>;

/// What [`AloMaterial`] adds to a [`StandardMaterial`].
///
/// A `MeshTag` on the mesh's entity holds the team's colour: see
/// [`TeamColor`](crate::scene::TeamColor).
#[derive(Asset, AsBindGroup, Reflect, Clone, Debug)]
pub struct AloShading {
    /// The numbers.
    #[uniform(100)]
    pub uniform: AloUniform,
    /// Gloss, clouds or waves: see [`AloUniform::extra`].
    #[texture(101)]
    #[sampler(102)]
    pub extra_texture: Option<Handle<Image>>,
}

/// The numbers of an [`AloShading`]. Colours are linear.
#[derive(ShaderType, Reflect, Clone, Copy, Debug, PartialEq)]
pub struct AloUniform {
    /// The colour of the file where the team's would be.
    pub colorization: Vec4,
    /// Multiplies reflected light, as the parameter `Diffuse` does, but not `emissive`. Unlit
    /// materials are multiplied by it too. Its fourth component is not used: opacity is the alpha of
    /// the base color.
    pub diffuse: Vec4,
    /// Emitted light, which the base texture multiplies. The product ends at 1.
    pub emissive: Vec4,
    /// Rim of a planet, and its strength.
    pub atmosphere: Vec4,
    /// Lights of a planet's dark side; the fourth is how narrow the rim is.
    pub city_color: Vec4,
    /// Added every second to the base texture's coordinates, after they are scaled.
    pub uv_scroll: Vec2,
    /// Added to the third texture's coordinates every second.
    pub extra_scroll: Vec2,
    /// The scale in the material's `uv_transform`; not 0.
    pub uv_scale: f32,
    /// Multiplies the third texture's coordinates.
    pub extra_scale: f32,
    /// How strong the highlight is at most, 0 to 1.
    pub specular: f32,
    /// Where the strength of the highlight comes from: 0 nowhere, 1 the base texture's alpha, 2 the
    /// normal map's alpha, 3 red of the third texture, 4 full.
    pub gloss: u32,
    /// What takes the team's colour: 0 nothing, 1 by the base texture's alpha, 2 all.
    pub team: u32,
    /// What the third texture is for: 0 nothing, 1 gloss, 2 a planet's clouds, 3 clouds, 4 a wave,
    /// 5 nothing, but of a planet.
    pub extra: u32,
    /// 1 if what is drawn is added, whatever its alpha.
    pub additive: u32,
    /// Keep the size a multiple of 16 bytes, which WebGL2 asks for.
    pub padding: u32,
}

impl Default for AloUniform {
    /// Changes nothing of what [`StandardMaterial`] draws, but for highlights, which are off.
    fn default() -> Self {
        Self {
            colorization: Vec4::ONE,
            diffuse: Vec4::ONE,
            emissive: Vec4::ZERO,
            atmosphere: Vec4::ZERO,
            city_color: Vec4::ZERO,
            uv_scroll: Vec2::ZERO,
            extra_scroll: Vec2::ZERO,
            uv_scale: 1.0,
            extra_scale: 1.0,
            specular: 0.0,
            gloss: 0,
            team: 0,
            extra: 0,
            additive: 0,
            padding: 0,
        }
    }
}

/// The image in the place of a base texture that cannot be loaded. Its alpha is 0 where alpha is no opacity.
pub(super) fn base_placeholder(mode: AlphaMode) -> Placeholder {
    match mode {
        AlphaMode::Add => Placeholder::Black,
        AlphaMode::Opaque => Placeholder::Unmasked,
        _ => Placeholder::Checkers,
    }
}

/// How a sub-mesh is blended with what is behind it.
pub(super) fn alpha_mode(phase: BlendPhase) -> AlphaMode {
    match phase {
        BlendPhase::Opaque | BlendPhase::NotDrawn => AlphaMode::Opaque,
        BlendPhase::Alpha => AlphaMode::Blend,
        BlendPhase::Additive => AlphaMode::Add,
        BlendPhase::Mask(least) => AlphaMode::Mask(least),
    }
}

impl AloShading {
    /// The image in the place of a third texture that cannot be loaded.
    pub(super) fn extra_placeholder(&self) -> Placeholder {
        match self.uniform.extra {
            // Its alpha is 0: no clouds.
            2 | 3 => Placeholder::Unmasked,
            _ => Placeholder::Black,
        }
    }
}

/// Textures of a material, found.
#[derive(Clone, Debug, Default)]
pub(super) struct Textures {
    pub(super) base: Option<Handle<Image>>,
    /// The base texture is a placeholder, whose alpha means nothing.
    pub(super) base_is_missing: bool,
    pub(super) normal: Option<Handle<Image>>,
    pub(super) extra: Option<Handle<Image>>,
}

/// Roughness at which Bevy's highlight is about as wide as the games', of exponent 16: the square
/// root of √(2 / (16 + 2)), the width of a Blinn-Phong highlight as microfacets have it.
const SHINY: f32 = 0.577;

pub(super) fn material(shading: &Shading, mut textures: Textures) -> AloMaterial {
    let mut shading = shading.clone();
    if textures.base.is_none() || textures.base_is_missing {
        // Alpha of what is not there says nothing.
        if shading.team == TeamMask::BaseAlpha {
            shading.team = TeamMask::None;
        }
        if shading.gloss == Gloss::BaseAlpha {
            shading.gloss = Gloss::None;
        }
        shading.city_color = [0.0; 3];
    }
    if textures.base_is_missing && shading.phase == BlendPhase::Additive {
        // A light that nobody knows the shape of would hide what it is to light.
        shading.color = [0.0, 0.0, 0.0, 1.0];
        shading.colorization = [0.0; 3];
        shading.team = TeamMask::None;
        textures.base = None;
    }
    if textures.normal.is_none() && shading.gloss == Gloss::NormalAlpha {
        shading.gloss = match shading.normal_texture {
            // Not found: no highlight, as with one that cannot be decoded.
            Some(_) => Gloss::None,
            None => Gloss::Full,
        };
    }
    if textures.extra.is_none() {
        if shading.gloss == Gloss::ExtraRed {
            shading.gloss = Gloss::None;
        }
        if shading.extra == SecondLayer::Wave {
            shading.color = [0.0, 0.0, 0.0, 1.0];
        }
    }
    let has_extra = textures.extra.is_some();
    let base = StandardMaterial {
        // The other channels are in the uniform, for they do not multiply Emissive.
        base_color: Color::WHITE.with_alpha(shading.color[3]),
        base_color_texture: textures.base,
        normal_map_texture: textures.normal,
        // The highlight's strength and width are the shader's business.
        perceptual_roughness: SHINY,
        reflectance: 0.0,
        unlit: shading.unlit,
        fog_enabled: shading.has_fog,
        // City lights need the directions of the lights, which the deferred pass does not have.
        opaque_render_method: match shading.extra {
            SecondLayer::Planet => OpaqueRendererMethod::Forward,
            _ => OpaqueRendererMethod::Auto,
        },
        alpha_mode: alpha_mode(shading.phase),
        double_sided: shading.double_sided,
        cull_mode: (!shading.double_sided).then_some(Face::Back),
        uv_transform: Affine2::from_scale_angle_translation(
            Vec2::splat(shading.uv_scale),
            0.0,
            Vec2::from_array(shading.uv_offset),
        ),
        ..StandardMaterial::default()
    };
    AloMaterial {
        base,
        extension: AloShading {
            uniform: uniform(&shading, has_extra),
            extra_texture: textures.extra,
        },
    }
}

fn uniform(shading: &Shading, has_extra: bool) -> AloUniform {
    let specular =
        Vec3::from_array(linear(shading.specular)).dot(Vec3::new(0.2126, 0.7152, 0.0722));
    // Doubled as all lit colors are, where the games computed: with sRGB values. Only the product
    // with the texture ends at 1.
    let emissive = shading.emissive.map(|value| 2.0 * value.clamp(0.0, 1.0));
    let [diffuse_r, diffuse_g, diffuse_b, _] = shading.color;
    let [r, g, b, strength] = shading.atmosphere;
    // Coordinates that are scaled by 0 do not move.
    let (uv_scroll, uv_scale) = match shading.uv_scale {
        0.0 => (Vec2::ZERO, 1.0),
        scale => (Vec2::from_array(shading.uv_scroll), scale),
    };
    AloUniform {
        colorization: Vec3::from_array(linear(shading.colorization)).extend(1.0),
        diffuse: Vec3::from_array(linear([diffuse_r, diffuse_g, diffuse_b])).extend(1.0),
        emissive: Vec3::from_array(linear(emissive)).extend(0.0),
        atmosphere: Vec3::from_array(linear([r, g, b])).extend(strength),
        city_color: Vec3::from_array(linear(shading.city_color)).extend(shading.atmosphere_power),
        uv_scroll,
        uv_scale,
        extra_scroll: Vec2::from_array(shading.extra_scroll),
        extra_scale: shading.extra_scale,
        specular: specular.clamp(0.0, 1.0),
        gloss: match shading.gloss {
            Gloss::None => 0,
            Gloss::BaseAlpha => 1,
            Gloss::NormalAlpha => 2,
            Gloss::ExtraRed => 3,
            Gloss::Full => 4,
        },
        team: match shading.team {
            TeamMask::None => 0,
            TeamMask::BaseAlpha => 1,
            TeamMask::All => 2,
        },
        extra: match shading.extra {
            SecondLayer::None => 0,
            SecondLayer::Planet if !has_extra => 5,
            _ if !has_extra => 0,
            SecondLayer::Gloss => 1,
            SecondLayer::Planet => 2,
            SecondLayer::Clouds => 3,
            SecondLayer::Wave => 4,
        },
        additive: u32::from(shading.phase == BlendPhase::Additive),
        padding: 0,
    }
}

fn linear([r, g, b]: [f32; 3]) -> [f32; 3] {
    LinearRgba::from(Color::srgb(r, g, b)).to_f32_array_no_alpha()
}

pub(super) fn shader() -> ShaderRef {
    embedded_shader("alamo/shaders/alo.wgsl")
}

impl HasTextures for AloShading {
    fn pictures(&self) -> Vec<&Handle<Image>> {
        self.extra_texture.iter().collect()
    }
}

impl MaterialExtension for AloShading {
    fn fragment_shader() -> ShaderRef {
        shader()
    }

    fn deferred_fragment_shader() -> ShaderRef {
        shader()
    }
}
