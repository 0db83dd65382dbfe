//! What a shader's name and parameters mean: the table from the games' shaders to how Bevy draws.
//!
//! The facts are those of the games' own shader sources. Colours there are of the screen, not
//! linear, and lit colours are doubled: `2 × (light × Diffuse + Emissive) × texture + specular`.

use crate::alamo::alo::{Parameter, ParameterValue};
use crate::alamo::tags::begins_with_fc;

/// How a sub-mesh is blended with what is behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BlendPhase {
    /// Not at all.
    Opaque,
    /// By its alpha, without writing depth.
    Alpha,
    /// Added, whatever its alpha, without writing depth.
    Additive,
    /// Not at all, with holes where alpha is less than this.
    Mask(f32),
    /// Not drawn: collision meshes, shadow volumes and the like, which are data.
    NotDrawn,
}

/// Where the strength of the highlight comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gloss {
    /// There is no highlight.
    #[default]
    None,
    /// The base texture's alpha.
    BaseAlpha,
    /// The normal map's alpha.
    NormalAlpha,
    /// Red of the third texture.
    ExtraRed,
    /// It is the same everywhere.
    Full,
}

/// What takes the colour of the player's team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TeamMask {
    /// Nothing.
    #[default]
    None,
    /// The base texture where its alpha is 1, multiplied by the colour.
    BaseAlpha,
    /// Everything: the colour replaces the parameter `Color`.
    All,
}

/// What the third texture is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecondLayer {
    /// There is none.
    #[default]
    None,
    /// Gloss, in red.
    Gloss,
    /// Clouds over the base texture, by their alpha; city lights and an atmosphere with them.
    Planet,
    /// Clouds over the base texture, by their alpha.
    Clouds,
    /// A wave that the base texture is multiplied by.
    Wave,
}

/// Everything that decides how a sub-mesh is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Shading {
    /// Whether the shader is one that this table knows.
    pub known: bool,
    /// How it is blended.
    pub phase: BlendPhase,
    /// Whether light has no effect on it.
    pub unlit: bool,
    /// Whether distance fog has an effect on it.
    pub has_fog: bool,
    /// Whether its backs are drawn as well.
    pub double_sided: bool,
    /// Whether it casts shadows. Blended sub-meshes and sky domes do not: the games cast shadows from shadow volumes.
    pub casts_shadows: bool,
    /// File name of the base texture, as the model has it.
    pub base_texture: Option<String>,
    /// File name of the normal map.
    pub normal_texture: Option<String>,
    /// File name of the third texture.
    pub extra_texture: Option<String>,
    /// What the third texture is for.
    pub extra: SecondLayer,
    /// Multiplies the base texture: colours of the screen, and opacity.
    pub color: [f32; 4],
    /// Light of its own, which the base texture multiplies: colours of the screen, not doubled yet.
    pub emissive: [f32; 3],
    /// Colour of the highlight: colours of the screen.
    pub specular: [f32; 3],
    /// Where the highlight's strength comes from.
    pub gloss: Gloss,
    /// What takes the team's colour.
    pub team: TeamMask,
    /// The colour that the file has where the team's would be, of the screen.
    pub colorization: [f32; 3],
    /// Added to the base texture's coordinates.
    pub uv_offset: [f32; 2],
    /// Added to the base texture's coordinates every second.
    pub uv_scroll: [f32; 2],
    /// Multiplies the base texture's coordinates.
    pub uv_scale: f32,
    /// Added to the third texture's coordinates every second.
    pub extra_scroll: [f32; 2],
    /// Multiplies the third texture's coordinates.
    pub extra_scale: f32,
    /// Colour of the rim of a planet, and its strength.
    pub atmosphere: [f32; 4],
    /// How narrow that rim is.
    pub atmosphere_power: f32,
    /// Colour of the lights on a planet's dark side.
    pub city_color: [f32; 3],
}

impl Shading {
    /// Reads the table for a shader's file name and its parameters.
    ///
    /// `mesh` is the name of the mesh: one that begins with `FC_` wears the team's colour.
    pub fn new(shader: &str, parameters: &[Parameter<'_>], mesh: &str) -> Self {
        let kind = Kind::of(shader);
        let parameters = Parameters(parameters);
        let mut shading = kind.shading();
        shading.base_texture = parameters.texture("BaseTexture");
        shading.normal_texture = parameters.texture("NormalTexture");
        shading.read_colors(kind, &parameters);
        shading.uv_offset = parameters.pair("UVOffset").unwrap_or_default();
        shading.uv_scroll = parameters.pair("UVScrollRate").unwrap_or_default();
        shading.read_extra(kind, &parameters);
        if kind == Kind::Nebula {
            // Its shader has the factor.
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

    /// Whether it is drawn at all.
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
            Kind::AdditiveVertexColor | Kind::Nebula | Kind::Skydome => white,
            Kind::Default => {
                let grey = [0.59, 0.59, 0.59, 1.0];
                let [r, g, b, _] = match &self.base_texture {
                    Some(_) => white,
                    None => parameters.vector("DiffuseColor").unwrap_or(grey),
                };
                // Black is what exporters write who were not asked.
                if [r, g, b] == [0.0; 3] {
                    grey
                } else {
                    [r, g, b, 1.0]
                }
            }
            _ => {
                let [r, g, b, a] = parameters.vector("Diffuse").unwrap_or(white);
                // Alpha of shaders that are not blended means nothing, and is 0 in most files.
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
                self.extra = SecondLayer::Gloss;
                self.gloss = Gloss::ExtraRed;
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
            if self.gloss == Gloss::ExtraRed {
                self.gloss = Gloss::Full;
            }
        }
        if kind == Kind::Shield {
            let rate = parameters.float("BaseUVScrollRate").unwrap_or(1.0);
            self.uv_scroll = [0.0, rate];
        }
    }
}

/// The shaders that are drawn differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    BumpColorize,
    GlossColorize,
    Gloss,
    Bump,
    Alpha,
    AlphaGloss,
    Additive,
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
    fn of(shader: &str) -> Self {
        let file = shader.rsplit(['/', '\\']).next().unwrap_or(shader);
        let name = file.to_ascii_lowercase();
        let name = name.split('.').next().unwrap_or(&name);
        let mut base = name;
        for prefix in ["batchmesh", "terrainmesh", "rskin", "mesh"] {
            if let Some(rest) = name.strip_prefix(prefix) {
                base = rest;
                break;
            }
        }
        // "Skydome" begins so too.
        if let Some(rest) = base.strip_prefix("skin") {
            base = rest;
        }
        match base {
            "bumpcolorize"
            | "bumpreflectcolorize"
            | "bumpcolorizevertex"
            | "bumpcolorizedetail" => Self::BumpColorize,
            "glosscolorize" => Self::GlossColorize,
            "gloss" | "sphgloss" => Self::Gloss,
            "bump" | "bumpspec" => Self::Bump,
            "alpha" | "alphascroll" => Self::Alpha,
            "alphagloss" => Self::AlphaGloss,
            "additive" | "additiveoffset" | "additivebloom" | "additivereflection" => {
                Self::Additive
            }
            "additivevcolor" => Self::AdditiveVertexColor,
            "shield" => Self::Shield,
            "nebula" => Self::Nebula,
            "tree" => Self::Tree,
            "grass" => Self::Grass,
            "skydome" => Self::Skydome,
            "planet" => Self::Planet,
            "solidcolor" => Self::SolidColor,
            "aldefault" | "default" => Self::Default,
            "shadowvolume" | "collision" | "heat" | "occludedunit" | "lightvisualize" => {
                Self::NotDrawn
            }
            _ => Self::Unknown,
        }
    }

    fn shading(self) -> Shading {
        let unlit = matches!(
            self,
            Self::Additive
                | Self::AdditiveVertexColor
                | Self::Shield
                | Self::Nebula
                | Self::Skydome
                | Self::SolidColor
        );
        Shading {
            known: self != Self::Unknown,
            phase: match self {
                Self::Alpha | Self::AlphaGloss => BlendPhase::Alpha,
                Self::Additive | Self::AdditiveVertexColor | Self::Shield | Self::Nebula => {
                    BlendPhase::Additive
                }
                Self::Tree => BlendPhase::Mask(128.0 / 255.0),
                // The games blended it, with a test at 8 of 255. Opaque, its soft edges would be a
                // halo at that value.
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
                    | Self::AdditiveVertexColor
                    | Self::Shield
                    | Self::Nebula
                    | Self::Skydome
            ),
            gloss: match self {
                Self::BumpColorize | Self::Planet => Gloss::NormalAlpha,
                Self::Gloss | Self::Bump | Self::Tree => Gloss::BaseAlpha,
                Self::Alpha => Gloss::Full,
                _ => Gloss::None,
            },
            team: match self {
                Self::BumpColorize | Self::GlossColorize => TeamMask::BaseAlpha,
                _ => TeamMask::None,
            },
            base_texture: None,
            normal_texture: None,
            extra_texture: None,
            extra: SecondLayer::None,
            color: [1.0; 4],
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

/// Looks parameters up by name, in any case.
struct Parameters<'a>(&'a [Parameter<'a>]);

impl Parameters<'_> {
    fn value(&self, name: &str) -> Option<&ParameterValue<'_>> {
        let named = |parameter: &&Parameter<'_>| parameter.name.eq_ignore_ascii_case(name);
        self.0.iter().find(named).map(|parameter| &parameter.value)
    }

    fn texture(&self, name: &str) -> Option<String> {
        match self.value(name)? {
            ParameterValue::Texture(file) => {
                // The folders may have dots.
                let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
                let stem = name.split('.').next().unwrap_or_default().trim();
                let names_one = !stem.is_empty() && !stem.eq_ignore_ascii_case("none");
                names_one.then(|| file.clone().into_owned())
            }
            _ => None,
        }
    }

    /// Up to four numbers; the fourth is 1 unless given.
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
    fn names_are_told_without_their_prefix_case_and_extension() {
        for (name, kind) in [
            ("MeshBumpColorize.fx", Kind::BumpColorize),
            ("RSkinBumpReflectColorize.fxo", Kind::BumpColorize),
            ("SKINGLOSSCOLORIZE.FX", Kind::GlossColorize),
            ("Engine\\MeshAlphaScroll.fx", Kind::Alpha),
            ("BatchMeshAlpha", Kind::Alpha),
            ("TerrainMeshBump.fx", Kind::Bump),
            ("Skydome.fx", Kind::Skydome),
            ("alDefault.fx", Kind::Default),
            ("RSkinShadowVolume.fx", Kind::NotDrawn),
            ("MeshCollision.fx", Kind::NotDrawn),
            ("MeshSomethingNew.fx", Kind::Unknown),
        ] {
            assert_eq!(Kind::of(name), kind, "{name}");
        }
    }

    #[test]
    fn alpha_of_opaque_shaders_is_ignored_and_that_of_alpha_shaders_is_not() {
        let diffuse = [color("diffuse", [0.5, 0.5, 0.5, 0.0])];
        let opaque = Shading::new("MeshBumpColorize.fx", &diffuse, "Hull");
        assert_eq!(opaque.color, [0.5, 0.5, 0.5, 1.0]);
        let blended = Shading::new("MeshAlpha.fx", &diffuse, "Hull");
        assert_eq!(blended.color, [0.5, 0.5, 0.5, 0.0]);
    }

    #[test]
    fn a_texture_called_none_is_none() {
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
            let shading = Shading::new("MeshGloss.fx", &[texture(file)], "Hull");
            assert_eq!(shading.base_texture, expected, "{file}");
        }
    }

    #[test]
    fn meshes_of_the_faction_take_the_teams_colour_as_a_whole() {
        let shading = Shading::new("MeshAdditive.fx", &[], "fc_banner");
        assert_eq!(
            (shading.team, shading.phase),
            (TeamMask::All, BlendPhase::Additive)
        );
    }
}
