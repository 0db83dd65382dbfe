//! Interprets the names and parameters of the games' shaders, to draw them with Bevy.
//!
//! The rules come from the games' own shader sources. These compute with sRGB values, not linear ones. Lit colors are
//! doubled: `2 × (light × Diffuse + Emissive) × texture + specular`.

use crate::formats::alamo::materials::tags::begins_with_fc;
use classic_model_formats::alo::{Parameter, ParameterValue};

/// How a sub-mesh is blended with the background.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BlendPhase {
    /// Opaque.
    Opaque,
    /// Blended by alpha, without depth writes.
    Alpha,
    /// Additive, without depth writes. Alpha is ignored.
    Additive,
    /// Opaque, with holes where alpha is less than this cutoff.
    Mask(f32),
    /// Not drawn, such as collision meshes and shadow volumes.
    NotDrawn,
}

/// The source of the highlight's strength.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AloGloss {
    /// No highlight.
    #[default]
    None,
    /// The base texture's alpha.
    BaseAlpha,
    /// The normal map's alpha.
    NormalAlpha,
    /// The red channel of the third texture.
    ExtraRed,
    /// Full strength everywhere.
    Full,
}

/// The area that takes the color of the player's team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TeamMask {
    /// None.
    #[default]
    None,
    /// The base texture is multiplied by the color where its alpha is 1. Lower alpha values blend.
    BaseAlpha,
    /// Everything: the color replaces the parameter `Color`.
    All,
}

/// The use of the third texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SecondLayer {
    /// No third texture.
    #[default]
    None,
    /// AloGloss, in the red channel.
    AloGloss,
    /// Clouds over the base texture, blended by their alpha, with city lights and an atmosphere.
    Planet,
    /// Clouds over the base texture, blended by their alpha.
    Clouds,
    /// A wave, which multiplies the base texture.
    Wave,
}

/// How grass moves in the wind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AloGrass {
    /// A factor for the wind's speed.
    pub bend_scale: f32,
    /// The color that replaces [`AloShader::color`] in waves.
    pub wave_color: [f32; 3],
}

/// The drawing parameters of a sub-mesh. Colors are sRGB.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AloShader {
    /// Whether the shader's name is known. Other shaders are drawn as the longest known one that their name begins with,
    /// otherwise as opaque.
    pub is_supported: bool,
    /// How the sub-mesh is blended.
    pub phase: BlendPhase,
    /// Whether lighting is disabled.
    pub unlit: bool,
    /// Whether distance fog is applied.
    pub has_fog: bool,
    /// Whether backfaces are drawn.
    pub double_sided: bool,
    /// Whether it casts shadows. Blended sub-meshes and sky domes do not, because the games cast shadows only from
    /// shadow volumes.
    pub casts_shadows: bool,
    /// File name of the base texture, as stored in the model.
    pub base_texture: Option<String>,
    /// File name of the normal map.
    pub normal_texture: Option<String>,
    /// File name of the third texture.
    pub extra_texture: Option<String>,
    /// The use of the third texture.
    pub extra: SecondLayer,
    /// Multiplies the base texture; the fourth component is the opacity.
    pub color: [f32; 4],
    /// How it moves in the wind. Each of its clumps turns to the camera. `None` if it is not grass.
    pub grass: Option<AloGrass>,
    /// Emitted light, which is multiplied by the base texture. It is not doubled yet.
    pub emissive: [f32; 3],
    /// The color of the highlight.
    pub specular: [f32; 3],
    /// Whether it reflects the sky cube, in place of a highlight of the sun. Additive meshes show nothing else.
    pub reflects_sky: bool,
    /// The source of the highlight's strength.
    pub gloss: AloGloss,
    /// The area that takes the team's color.
    pub team: TeamMask,
    /// The file's color, which is used in place of the team's color if the entity has no team color.
    pub colorization: [f32; 3],
    /// Added to the base texture's coordinates.
    pub uv_offset: [f32; 2],
    /// The scroll rate of the base texture, in texture coordinates per second.
    pub uv_scroll: [f32; 2],
    /// Multiplies the base texture's coordinates.
    pub uv_scale: f32,
    /// The scroll rate of the third texture, in texture coordinates per second.
    pub extra_scroll: [f32; 2],
    /// Multiplies the third texture's coordinates.
    pub extra_scale: f32,
    /// The color of a planet's rim; the fourth component is its strength.
    pub atmosphere: [f32; 4],
    /// The exponent of the rim: higher values make it narrower.
    pub atmosphere_power: f32,
    /// The color of the lights on a planet's dark side.
    pub city_color: [f32; 3],
}

impl AloShader {
    /// Interprets a shader's file name and its parameters.
    ///
    /// `mesh` is the name of the mesh. If it begins with `FC_`, the mesh shows the team's color.
    pub fn new(shader: &str, parameters: &[Parameter<'_>], mesh: &str) -> Self {
        let (kind, is_supported) = Kind::of(shader);
        let parameters = Parameters(parameters);
        let mut shading = kind.shading();
        shading.is_supported = is_supported;
        shading.base_texture = parameters.texture("BaseTexture");
        shading.normal_texture = parameters.texture("NormalTexture");
        shading.read_colors(kind, &parameters);
        shading.uv_offset = parameters.pair("UVOffset").unwrap_or_default();
        shading.uv_scroll = parameters.pair("UVScrollRate").unwrap_or_default();
        shading.read_extra(kind, &parameters);
        if kind == Kind::Grass {
            let [r, g, b, _] = parameters.vector("Diffuse1").unwrap_or([1.0; 4]);
            shading.grass = Some(AloGrass {
                bend_scale: parameters.float("BendScale").unwrap_or(1.0),
                wave_color: [r, g, b],
            });
        }
        if kind == Kind::Nebula {
            // The games' shader has this factor.
            shading.uv_scroll = shading.uv_scroll.map(|rate| 3.0 * rate);
        }
        if begins_with_fc(mesh) && shading.team == TeamMask::None {
            shading.team = TeamMask::All;
            let [r, g, b, a] = shading.color;
            shading.colorization = [r, g, b];
            shading.color = [1.0, 1.0, 1.0, a];
        }
        shading
    }

    /// Whether the sub-mesh is drawn.
    pub fn is_drawn(&self) -> bool {
        self.phase != BlendPhase::NotDrawn
    }

    fn read_colors(&mut self, kind: Kind, parameters: &Parameters<'_>) {
        let white = [1.0; 4];
        self.color = match kind {
            Kind::Additive | Kind::Shield | Kind::SolidColor => {
                let [r, g, b, _] = parameters.vector("Color").unwrap_or(white);
                [r, g, b, 1.0]
            }
            Kind::AdditiveReflection => {
                let [r, g, b, _] = parameters.vector("Color").unwrap_or([0.5; 4]);
                [r, g, b, 1.0]
            }
            Kind::AdditiveVertexColor | Kind::Nebula | Kind::Skydome => white,
            Kind::Default => {
                let gray = [0.59, 0.59, 0.59, 1.0];
                let [r, g, b, _] = match &self.base_texture {
                    Some(_) => white,
                    None => parameters.vector("DiffuseColor").unwrap_or(gray),
                };
                // Exporters write black if the user has not set a color.
                if [r, g, b] == [0.0; 3] {
                    gray
                } else {
                    [r, g, b, 1.0]
                }
            }
            _ => {
                let [r, g, b, a] = parameters.vector("Diffuse").unwrap_or(white);
                // Alpha has no meaning for shaders without blending, and is 0 in most files.
                [
                    r,
                    g,
                    b,
                    if self.phase == BlendPhase::Alpha {
                        a
                    } else {
                        1.0
                    },
                ]
            }
        };
        if !self.unlit {
            let [r, g, b, _] = parameters.vector("Emissive").unwrap_or_default();
            self.emissive = [r, g, b];
        }
        let [r, g, b, _] = parameters.vector("Specular").unwrap_or(white);
        self.specular = [r, g, b];
        let [r, g, b, _] = parameters
            .vector("Colorization")
            .unwrap_or([0.0, 1.0, 0.0, 1.0]);
        self.colorization = [r, g, b];
    }

    fn read_extra(&mut self, kind: Kind, parameters: &Parameters<'_>) {
        let rate = parameters.float("CloudScrollRate").unwrap_or(0.0025);
        match kind {
            Kind::GlossColorize | Kind::AlphaGloss => {
                self.extra_texture = parameters.texture("GlossTexture");
                self.extra = SecondLayer::AloGloss;
                self.gloss = AloGloss::ExtraRed;
            }
            Kind::Planet => {
                self.extra_texture = parameters.texture("CloudTexture");
                self.extra = SecondLayer::Planet;
                self.extra_scroll = [rate, 0.0];
                self.atmosphere = parameters
                    .vector("Atmosphere")
                    .unwrap_or([0.0, 0.0, 0.0, 1.0]);
                self.atmosphere_power = parameters.float("AtmospherePower").unwrap_or(4.5);
                let [r, g, b, _] = parameters.vector("CityColor").unwrap_or([1.0; 4]);
                self.city_color = [r, g, b];
            }
            Kind::Skydome => {
                self.extra_texture = parameters.texture("CloudTexture");
                self.extra = SecondLayer::Clouds;
                self.extra_scale = parameters.float("CloudScale").unwrap_or(0.0025);
                self.extra_scroll = [rate * self.extra_scale, 0.0];
            }
            Kind::Shield => {
                self.extra_texture = parameters.texture("WaveTexture");
                self.extra = SecondLayer::Wave;
                let scale = |name, default| parameters.float(name).unwrap_or(default);
                self.uv_scale = scale("BaseUVScale", 20.0);
                self.extra_scale = scale("DistortUVScale", 1.0);
                self.extra_scroll = [0.0, scale("DistortUVScrollRate", 1.0)];
            }
            _ => {}
        }
        if self.extra_texture.is_none() && self.extra != SecondLayer::Planet {
            self.extra = SecondLayer::None;
            if self.gloss == AloGloss::ExtraRed {
                self.gloss = AloGloss::Full;
            }
        }
        if kind == Kind::Shield {
            let rate = parameters.float("BaseUVScrollRate").unwrap_or(1.0);
            self.uv_scroll = [0.0, rate];
        }
    }
}

/// The names of the games' shaders in lower case, without prefix and extension.
const SHADERS: [(&str, Kind); 31] = [
    ("additive", Kind::Additive),
    ("additivebloom", Kind::Additive),
    ("additiveoffset", Kind::Additive),
    ("additivereflection", Kind::AdditiveReflection),
    ("additivevcolor", Kind::AdditiveVertexColor),
    ("aldefault", Kind::Default),
    ("alpha", Kind::Alpha),
    ("alphagloss", Kind::AlphaGloss),
    ("alphascroll", Kind::Alpha),
    ("bump", Kind::Bump),
    ("bumpcolorize", Kind::BumpColorize),
    ("bumpcolorizedetail", Kind::BumpColorize),
    ("bumpcolorizevertex", Kind::BumpColorize),
    ("bumpreflectcolorize", Kind::BumpReflectColorize),
    ("bumpspec", Kind::Bump),
    ("collision", Kind::NotDrawn),
    ("default", Kind::Default),
    ("gloss", Kind::AloGloss),
    ("glosscolorize", Kind::GlossColorize),
    ("grass", Kind::Grass),
    ("heat", Kind::NotDrawn),
    ("lightvisualize", Kind::NotDrawn),
    ("nebula", Kind::Nebula),
    ("occludedunit", Kind::NotDrawn),
    ("planet", Kind::Planet),
    ("shadowvolume", Kind::NotDrawn),
    ("shield", Kind::Shield),
    ("skydome", Kind::Skydome),
    ("solidcolor", Kind::SolidColor),
    ("sphgloss", Kind::AloGloss),
    ("tree", Kind::Tree),
];

/// The kinds of shaders that are drawn differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    BumpColorize,
    BumpReflectColorize,
    GlossColorize,
    AloGloss,
    Bump,
    Alpha,
    AlphaGloss,
    Additive,
    AdditiveReflection,
    AdditiveVertexColor,
    Shield,
    Nebula,
    Tree,
    Grass,
    Skydome,
    Planet,
    SolidColor,
    Default,
    NotDrawn,
    Unknown,
}

impl Kind {
    /// The kind of a shader, and whether its name is known. An unknown name has the kind of the longest known name that
    /// it begins with.
    fn of(shader: &str) -> (Self, bool) {
        let file = shader.rsplit(['/', '\\']).next().unwrap_or(shader);
        let name = file.to_ascii_lowercase();
        let name = name.split('.').next().unwrap_or(&name);
        // One mod has the misspelled `MshAlphaScroll.fx`.
        let prefixes = ["batchmesh", "terrainmesh", "rskin", "mesh", "msh"];
        let mut rests = prefixes.iter().filter_map(|it| name.strip_prefix(it));
        let base = rests.next().unwrap_or(name);
        // A name can have this prefix after another one.
        let base = base.strip_prefix("skin").unwrap_or(base);
        let families = SHADERS.iter().filter(|(known, _)| base.starts_with(known));
        match families.max_by_key(|(known, _)| known.len()) {
            Some((known, kind)) => (*kind, *known == base && !name.starts_with("msh")),
            None => (Self::Unknown, false),
        }
    }

    fn shading(self) -> AloShader {
        let unlit = matches!(
            self,
            Self::Additive
                | Self::AdditiveReflection
                | Self::AdditiveVertexColor
                | Self::Shield
                | Self::Nebula
                | Self::Skydome
                | Self::SolidColor
        );
        AloShader {
            is_supported: true,
            phase: match self {
                Self::Alpha | Self::AlphaGloss => BlendPhase::Alpha,
                Self::Additive
                | Self::AdditiveReflection
                | Self::AdditiveVertexColor
                | Self::Shield
                | Self::Nebula => BlendPhase::Additive,
                Self::Tree => BlendPhase::Mask(128.0 / 255.0),
                // The games blended grass, with an alpha test at 8 of 255. It is opaque here, so such a low cutoff
                // would show its soft edges as a halo.
                Self::Grass => BlendPhase::Mask(0.5),
                Self::NotDrawn => BlendPhase::NotDrawn,
                _ => BlendPhase::Opaque,
            },
            unlit,
            has_fog: self != Self::Skydome,
            double_sided: matches!(self, Self::Shield | Self::Nebula),
            casts_shadows: !matches!(
                self,
                Self::Alpha
                    | Self::AlphaGloss
                    | Self::Additive
                    | Self::AdditiveReflection
                    | Self::AdditiveVertexColor
                    | Self::Shield
                    | Self::Nebula
                    | Self::Skydome
            ),
            reflects_sky: matches!(self, Self::BumpReflectColorize | Self::AdditiveReflection),
            gloss: match self {
                Self::BumpColorize | Self::BumpReflectColorize | Self::Planet => {
                    AloGloss::NormalAlpha
                }
                Self::AloGloss | Self::Bump | Self::Tree => AloGloss::BaseAlpha,
                Self::Alpha => AloGloss::Full,
                _ => AloGloss::None,
            },
            team: match self {
                Self::BumpColorize | Self::BumpReflectColorize | Self::GlossColorize => {
                    TeamMask::BaseAlpha
                }
                _ => TeamMask::None,
            },
            base_texture: None,
            normal_texture: None,
            extra_texture: None,
            extra: SecondLayer::None,
            color: [1.0; 4],
            grass: None,
            emissive: [0.0; 3],
            specular: [1.0; 3],
            colorization: [1.0; 3],
            uv_offset: [0.0; 2],
            uv_scroll: [0.0; 2],
            uv_scale: 1.0,
            extra_scroll: [0.0; 2],
            extra_scale: 1.0,
            atmosphere: [0.0; 4],
            atmosphere_power: 1.0,
            city_color: [0.0; 3],
        }
    }
}

/// Looks up parameters by name (case-insensitive).
struct Parameters<'a>(&'a [Parameter<'a>]);

impl Parameters<'_> {
    fn value(&self, name: &str) -> Option<&ParameterValue<'_>> {
        let named = |parameter: &&Parameter<'_>| parameter.name.eq_ignore_ascii_case(name);
        self.0.iter().find(named).map(|parameter| &parameter.value)
    }

    fn texture(&self, name: &str) -> Option<String> {
        match self.value(name)? {
            ParameterValue::Texture(file) => {
                // Remove folders first, because their names may contain dots.
                let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
                let stem = name.split('.').next().unwrap_or_default().trim();
                let is_file = !stem.is_empty() && !stem.eq_ignore_ascii_case("none");
                is_file.then(|| file.clone().into_owned())
            }
            _ => None,
        }
    }

    /// A parameter of three or four numbers; the fourth is 1 by default.
    fn vector(&self, name: &str) -> Option<[f32; 4]> {
        match *self.value(name)? {
            ParameterValue::Float4(value) => Some(value),
            ParameterValue::Float3([x, y, z]) => Some([x, y, z, 1.0]),
            _ => None,
        }
    }

    fn pair(&self, name: &str) -> Option<[f32; 2]> {
        self.vector(name).map(|[x, y, ..]| [x, y])
    }

    fn float(&self, name: &str) -> Option<f32> {
        match *self.value(name)? {
            ParameterValue::Float(value) => Some(value),
            ParameterValue::Int(value) => Some(value as f32),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn color(name: &'static str, value: [f32; 4]) -> Parameter<'static> {
        Parameter {
            name: name.into(),
            value: ParameterValue::Float4(value),
        }
    }

    #[test]
    fn shader_names_match_without_prefix_case_and_extension() {
        for (name, kind) in [
            ("MeshBumpColorize.fx", Kind::BumpColorize),
            ("RSkinBumpReflectColorize.fxo", Kind::BumpReflectColorize),
            ("SKINGLOSSCOLORIZE.FX", Kind::GlossColorize),
            ("Engine\\MeshAlphaScroll.fx", Kind::Alpha),
            ("BatchMeshAlpha", Kind::Alpha),
            ("TerrainMeshBump.fx", Kind::Bump),
            ("Skydome.fx", Kind::Skydome),
            ("alDefault.fx", Kind::Default),
            ("RSkinShadowVolume.fx", Kind::NotDrawn),
            ("MeshCollision.fx", Kind::NotDrawn),
        ] {
            assert_eq!(Kind::of(name), (kind, true), "{name}");
        }
    }

    #[test]
    fn unknown_shaders_have_the_kind_of_the_longest_name_that_they_begin_with() {
        for (name, kind) in [
            ("MeshAdditive2x.fx", Kind::Additive),
            ("MeshAdditiveEmissive.fx", Kind::Additive),
            ("MeshAdditiveVColor2.fx", Kind::AdditiveVertexColor),
            ("MeshBumpColorizeScroll.fx", Kind::BumpColorize),
            ("RSkinGlossColorizeNew.fxo", Kind::GlossColorize),
            ("MshAlphaGlow.fx", Kind::Alpha),
            ("MshAlphaScroll.fx", Kind::Alpha),
            ("MeshAlphaGlossy.fx", Kind::AlphaGloss),
            ("PlanetRing.fx", Kind::Planet),
            ("MeshCollisionHull.fx", Kind::NotDrawn),
            ("MeshSomethingNew.fx", Kind::Unknown),
            ("MeshAdd.fx", Kind::Unknown),
            ("", Kind::Unknown),
        ] {
            assert_eq!(Kind::of(name), (kind, false), "{name}");
        }
    }

    #[test]
    fn unknown_additive_shaders_are_not_supported_but_additive() {
        let shading = AloShader::new("MeshAdditive2x.fx", &[], "glow");
        assert_eq!(shading.phase, BlendPhase::Additive);
        assert!(!shading.is_supported);
    }

    #[test]
    fn only_alpha_shaders_use_the_alpha_of_diffuse() {
        let diffuse = [color("diffuse", [0.5, 0.5, 0.5, 0.0])];
        let opaque = AloShader::new("MeshBumpColorize.fx", &diffuse, "Hull");
        assert_eq!(opaque.color, [0.5, 0.5, 0.5, 1.0]);
        let blended = AloShader::new("MeshAlpha.fx", &diffuse, "Hull");
        assert_eq!(blended.color, [0.5, 0.5, 0.5, 0.0]);
    }

    #[test]
    fn texture_named_none_is_ignored() {
        let texture = |name: &'static str| Parameter {
            name: "BaseTexture".into(),
            value: ParameterValue::Texture(name.into()),
        };
        for (file, expected) in [
            ("None", None),
            ("none.dds", None),
            ("", None),
            ("hull.tga", Some("hull.tga".to_owned())),
        ] {
            let shading = AloShader::new("MeshGloss.fx", &[texture(file)], "Hull");
            assert_eq!(shading.base_texture, expected, "{file}");
        }
    }

    #[test]
    fn meshes_with_the_prefix_fc_take_the_team_color_everywhere() {
        let shading = AloShader::new("MeshAdditive.fx", &[], "fc_banner");
        assert_eq!(
            (shading.team, shading.phase),
            (TeamMask::All, BlendPhase::Additive)
        );
    }
}
