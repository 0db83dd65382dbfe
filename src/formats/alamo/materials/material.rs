//! The material of Alamo models: a `StandardMaterial`, extended by effects of the games' shaders.

use crate::crowd::skinning::JOINTS;
use crate::formats::alamo::materials::shading::{
    AloGloss, AloShader, BlendPhase, SecondLayer, TeamMask,
};
use crate::gpu::shaders::embedded_shader;
use crate::root::environment::Wind;
use crate::texture::placeholder::{PLACEHOLDER_OUTLINE, Placeholder};
use bevy::asset::uuid_handle;
use bevy::material::OpaqueRendererMethod;
use bevy::math::Affine2;
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{
    ExtendedMaterial, MaterialExtension, MaterialExtensionKey, MaterialExtensionPipeline,
};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, Face, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError,
};
use bevy::shader::ShaderRef;

/// The material of Alamo models.
pub type AloMaterial = ExtendedMaterial<StandardMaterial, AloShading>;

/// The extension of [`StandardMaterial`] in an [`AloMaterial`].
///
/// A `MeshTag` on the mesh's entity contains the team's color: see
/// [`TeamColor`](crate::root::TeamColor).
#[derive(Asset, AsBindGroup, Reflect, Clone, Debug)]
#[bind_group_data(AloKey)]
pub struct AloShading {
    /// The shader's parameters.
    #[uniform(100)]
    pub uniform: AloUniform,
    /// The third texture: gloss, clouds or waves. See [`AloUniform::extra`].
    #[texture(101)]
    #[sampler(102)]
    pub extra_texture: Option<Handle<Image>>,
}

/// What selects the pipeline of an [`AloShading`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct AloKey {
    is_grass: bool,
}

impl From<&AloShading> for AloKey {
    fn from(shading: &AloShading) -> Self {
        Self {
            is_grass: shading.uniform.is_grass == 1,
        }
    }
}

/// The shader parameters of an [`AloShading`]. Colors are linear.
#[derive(ShaderType, Reflect, Clone, Copy, Debug, PartialEq)]
pub struct AloUniform {
    /// The file's color, which is used in place of the team's color if the entity has no team color.
    pub colorization: Vec4,
    /// Multiplies reflected light, as the parameter `Diffuse` does, but not `emissive`. It multiplies unlit materials
    /// too. Its fourth component is not used: opacity is the alpha of the base color.
    pub diffuse: Vec4,
    /// Emitted light, which is multiplied by the base texture. The product is limited to 1.
    pub emissive: Vec4,
    /// The color of a planet's rim; the fourth component is its strength.
    pub atmosphere: Vec4,
    /// The color of the lights on a planet's dark side. The fourth component is the exponent of the rim: higher values
    /// make it narrower.
    pub city_color: Vec4,
    /// Multiplies the reflection of the environment map. It replaces the highlight, and the surface if `additive` is 1.
    /// Black does not reflect. The fourth component is not used.
    pub reflection: Vec4,
    /// The direction in which the wind blows, in world space, or 0 without wind. The fourth component is its speed, in
    /// world units per second. It is written to the materials of grass.
    pub wind: Vec4,
    /// Multiplies `diffuse` of grass in waves; the fourth component is a factor for the wind's speed.
    pub grass: Vec4,
    /// The scroll rate of the base texture, in texture coordinates per second. It is added after scaling.
    pub uv_scroll: Vec2,
    /// The scroll rate of the third texture, in texture coordinates per second.
    pub extra_scroll: Vec2,
    /// The scale in the material's `uv_transform`; not 0.
    pub uv_scale: f32,
    /// Multiplies the third texture's coordinates.
    pub extra_scale: f32,
    /// The maximum strength of the highlight, 0 to 1.
    pub specular: f32,
    /// The source of the highlight's strength: 0 none, 1 the base texture's alpha, 2 the normal map's alpha, 3 the red
    /// channel of the third texture, 4 full strength everywhere.
    pub gloss: u32,
    /// The area that takes the team's color: 0 none, 1 masked by the base texture's alpha, 2 everything.
    pub team: u32,
    /// The use of the third texture: 0 none, 1 gloss, 2 a planet's clouds, 3 clouds, 4 a wave, 5 a planet without
    /// clouds.
    pub extra: u32,
    /// 1 for additive blending, which ignores alpha.
    pub additive: u32,
    /// 1 for grass: clumps turn to the camera and bend in the wind. The mesh has the centers of clumps as second texture
    /// coordinates, and vertex colors.
    pub is_grass: u32,
}

impl Default for AloUniform {
    /// Draws as [`StandardMaterial`] does, without highlights.
    fn default() -> Self {
        Self {
            colorization: Vec4::ONE,
            diffuse: Vec4::ONE,
            emissive: Vec4::ZERO,
            atmosphere: Vec4::ZERO,
            city_color: Vec4::ZERO,
            reflection: Vec4::ZERO,
            wind: Vec4::ZERO,
            grass: Vec4::ZERO,
            uv_scroll: Vec2::ZERO,
            extra_scroll: Vec2::ZERO,
            uv_scale: 1.0,
            extra_scale: 1.0,
            specular: 0.0,
            gloss: 0,
            team: 0,
            extra: 0,
            additive: 0,
            is_grass: 0,
        }
    }
}

/// The placeholder for a base texture that cannot be loaded. Its alpha is 0 if alpha is a mask and not opacity.
pub(crate) fn base_placeholder(mode: AlphaMode) -> Placeholder {
    match mode {
        AlphaMode::Add | AlphaMode::Blend => Placeholder::Outline,
        AlphaMode::Opaque => Placeholder::Unmasked,
        _ => Placeholder::Checkers,
    }
}

/// Converts a blend phase to Bevy's alpha mode.
pub(crate) fn alpha_mode(phase: BlendPhase) -> AlphaMode {
    match phase {
        BlendPhase::Opaque | BlendPhase::NotDrawn => AlphaMode::Opaque,
        BlendPhase::Alpha => AlphaMode::Blend,
        BlendPhase::Additive => AlphaMode::Add,
        BlendPhase::Mask(cutoff) => AlphaMode::Mask(cutoff),
    }
}

impl AloShading {
    /// The placeholder for a third texture that cannot be loaded.
    pub(crate) fn extra_placeholder(&self) -> Placeholder {
        match self.uniform.extra {
            // Its alpha is 0, so there are no clouds.
            2 | 3 => Placeholder::Unmasked,
            4 => Placeholder::Outline,
            _ => Placeholder::Black,
        }
    }
}

/// The textures of a material, if they were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Textures {
    pub(crate) base: Option<Handle<Image>>,
    /// Whether the base texture is a placeholder, whose alpha must not be used as a mask.
    pub(crate) base_is_missing: bool,
    pub(crate) normal: Option<Handle<Image>>,
    pub(crate) extra: Option<Handle<Image>>,
}

/// The roughness at which Bevy's highlight is about as wide as the games' Blinn-Phong highlight of exponent 16. It is
/// the square root of √(2 / (16 + 2)), the microfacet roughness for this exponent.
const HIGHLIGHT_ROUGHNESS: f32 = 0.577;

pub(crate) fn material(shading: &AloShader, mut textures: Textures) -> AloMaterial {
    let mut shading = shading.clone();
    if textures.base.is_none() || textures.base_is_missing {
        // Without the texture there is no alpha mask.
        if shading.team == TeamMask::BaseAlpha {
            shading.team = TeamMask::None;
        }
        if shading.gloss == AloGloss::BaseAlpha {
            shading.gloss = AloGloss::None;
        }
        shading.city_color = [0.0; 3];
    }
    if textures.normal.is_none() && shading.gloss == AloGloss::NormalAlpha {
        shading.gloss = match shading.normal_texture {
            // Not found: no highlight, the same as for a normal map that cannot be decoded.
            Some(_) => AloGloss::None,
            None => AloGloss::Full,
        };
    }
    if textures.extra.is_none() {
        if shading.gloss == AloGloss::ExtraRed {
            shading.gloss = AloGloss::None;
        }
        if shading.extra == SecondLayer::Wave {
            textures.extra = Some(PLACEHOLDER_OUTLINE);
        }
    }
    let has_extra = textures.extra.is_some();
    let base = StandardMaterial {
        // The other channels are in the uniform, because they do not multiply Emissive.
        base_color: Color::WHITE.with_alpha(shading.color[3]),
        base_color_texture: textures.base,
        normal_map_texture: textures.normal,
        // The shader sets the strength and width of the highlight.
        perceptual_roughness: HIGHLIGHT_ROUGHNESS,
        reflectance: 0.0,
        unlit: shading.unlit,
        fog_enabled: shading.has_fog,
        // City lights need the directions of the lights, and reflections the environment map, which the deferred pass does
        // not have.
        opaque_render_method: if shading.extra == SecondLayer::Planet || shading.reflects_sky {
            OpaqueRendererMethod::Forward
        } else {
            OpaqueRendererMethod::Auto
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

fn uniform(shading: &AloShader, has_extra: bool) -> AloUniform {
    let specular =
        Vec3::from_array(linear(shading.specular)).dot(Vec3::new(0.2126, 0.7152, 0.0722));
    // Double it as sRGB values, as the games do with all lit colors. Only the product with the texture is limited to 1.
    let emissive = shading.emissive.map(|value| 2.0 * value.clamp(0.0, 1.0));
    let [diffuse_r, diffuse_g, diffuse_b, _] = shading.color;
    let [r, g, b, strength] = shading.atmosphere;
    // Coordinates that are scaled by 0 do not scroll.
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
        reflection: match (shading.reflects_sky, shading.phase) {
            (false, _) => Vec4::ZERO,
            // The color multiplies it.
            (true, BlendPhase::Additive) => Vec4::ONE,
            (true, _) => Vec3::from_array(linear(shading.specular)).extend(1.0),
        },
        wind: Vec4::ZERO,
        grass: shading.grass.map_or(Vec4::ZERO, |grass| {
            let wave = Vec3::from_array(linear(grass.wave_color));
            let color = Vec3::from_array(linear([diffuse_r, diffuse_g, diffuse_b]));
            (wave / color.max(Vec3::splat(1e-3))).extend(grass.bend_scale)
        }),
        uv_scroll,
        uv_scale,
        extra_scroll: Vec2::from_array(shading.extra_scroll),
        extra_scale: shading.extra_scale,
        specular: specular.clamp(0.0, 1.0),
        gloss: match shading.gloss {
            AloGloss::None => 0,
            AloGloss::BaseAlpha => 1,
            AloGloss::NormalAlpha => 2,
            AloGloss::ExtraRed => 3,
            AloGloss::Full => 4,
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
            SecondLayer::AloGloss => 1,
            SecondLayer::Planet => 2,
            SecondLayer::Clouds => 3,
            SecondLayer::Wave => 4,
        },
        additive: u32::from(shading.phase == BlendPhase::Additive),
        is_grass: u32::from(shading.grass.is_some()),
    }
}

fn linear([r, g, b]: [f32; 3]) -> [f32; 3] {
    LinearRgba::from(Color::srgb(r, g, b)).to_f32_array_no_alpha()
}

pub(crate) fn shader() -> ShaderRef {
    embedded_shader("formats/alamo/shaders/alo.wgsl")
}

impl MaterialExtension for AloShading {
    fn fragment_shader() -> ShaderRef {
        shader()
    }

    fn deferred_fragment_shader() -> ShaderRef {
        shader()
    }

    fn specialize(
        _: &MaterialExtensionPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        layout: &MeshVertexBufferLayoutRef,
        key: MaterialExtensionKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        // Crowds and skinned meshes have vertex shaders of their own.
        let is_posed = [JOINTS, Mesh::ATTRIBUTE_JOINT_INDEX]
            .iter()
            .any(|attribute| layout.0.contains(*attribute));
        if key.bind_group_data.is_grass && !is_posed {
            descriptor.vertex.shader = GRASS_SHADER;
        }
        Ok(())
    }
}

/// The vertex shader of grass. Pipelines select it by this handle.
pub(crate) const GRASS_SHADER: Handle<Shader> =
    uuid_handle!("8f0b4c5e-63a1-4d0e-9f63-0b7d2f4c1a96");

/// Writes the wind to new materials of grass, and to all if it has changed.
pub(crate) fn apply_wind(
    wind: Res<Wind>,
    mut events: MessageReader<AssetEvent<AloMaterial>>,
    mut materials: ResMut<Assets<AloMaterial>>,
) {
    let mut ids: Vec<AssetId<AloMaterial>> = events
        .read()
        .filter_map(|event| match event {
            AssetEvent::Added { id } | AssetEvent::Modified { id } => Some(*id),
            _ => None,
        })
        .collect();
    if wind.is_changed() {
        ids = materials.ids().collect();
    }
    let speed = wind.velocity().length();
    let applied = wind.velocity().normalize_or_zero().extend(speed);
    for id in ids {
        let uniform = materials.get(id).map(|it| it.extension.uniform);
        if uniform.is_some_and(|it| it.is_grass == 1 && it.wind != applied)
            && let Some(mut material) = materials.get_mut(id)
        {
            material.extension.uniform.wind = applied;
        }
    }
}

/// Packs a team's color into a `MeshTag`: sRGB with red in the lowest byte, then green and blue, and bit 24 set. The
/// tag of an entity without a team color is 0.
pub(crate) fn team_color_tag(color: Color) -> u32 {
    let color = Srgba::from(color);
    // Casting saturates channels that are out of range.
    let byte = |channel: f32| (channel * 255.0).round() as u8;
    u32::from_le_bytes([byte(color.red), byte(color.green), byte(color.blue), 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn team_color_is_packed_as_srgb_bytes() {
        assert_eq!(team_color_tag(Color::srgb_u8(1, 2, 3)), 0x0103_0201);
        assert_eq!(team_color_tag(Color::BLACK), 0x0100_0000);
        assert_eq!(team_color_tag(Color::srgb(2.0, -1.0, 0.5)), 0x0180_00ff);
        let linear = Color::linear_rgb(0.214_041_14, 0.0, 1.0);
        assert_eq!(team_color_tag(linear), 0x01ff_0080);
    }
}
