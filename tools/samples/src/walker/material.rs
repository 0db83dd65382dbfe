//! Materials of the walker's parts: shaders, their parameters, and vertex formats.

use super::effects::{DAZZLES, beam_color};
use super::skeleton::Rig;
use crate::alamo::build::Recipe;
use crate::alamo::color;
use crate::alamo::shape::{Face, Solid};
use crate::alamo::sheet::Sheet;
use crate::math::Transform;
use bevy::prelude::*;
use bevy_classic_models::alamo::alo::write::SubmeshBuffers;
use bevy_classic_models::alamo::alo::{Parameter, Submesh};

/// The default team color: rust.
const OWN_COLOR: Vec3 = Vec3::new(0.78, 0.27, 0.12);

/// A material: shader, parameters and vertex format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MaterialKind {
    /// Rigid, with a normal map and the team color.
    Armor,
    /// Like `Armor`, each vertex with one bone.
    Legs,
    /// Each vertex with two weighted bones.
    Hose,
    /// Rigid, with the gloss in the alpha of its texture.
    Metal,
    /// Half transparent.
    Glass,
    /// Additive, with one color.
    Glow([f32; 3]),
    /// Additive, with vertex colors.
    Beam,
    /// Unlit and untextured.
    Lamp,
    /// A shadow volume.
    Shadow,
    /// A collision mesh.
    Collision,
    /// A mesh at whose vertices particles are born.
    Emitter,
}

impl MaterialKind {
    /// Whether it is painted on the sheet.
    pub fn is_painted(self) -> bool {
        matches!(self, Self::Armor | Self::Legs)
    }

    /// Whether it has collision and picking.
    pub fn is_solid(self) -> bool {
        !matches!(
            self,
            Self::Glow(_) | Self::Beam | Self::Lamp | Self::Shadow | Self::Emitter
        )
    }

    /// The bones of its vertices.
    fn palette(self, rig: &Rig) -> Vec<usize> {
        let names: &[&str] = match self {
            Self::Legs => &["Thigh_L", "Shin_L", "Foot_L", "Thigh_R", "Shin_R", "Foot_R"],
            Self::Hose => &["Body", "Turret"],
            _ => &[],
        };
        names.iter().map(|name| rig.index(name)).collect()
    }

    /// Vertices and triangles of solids, in the space of a bone.
    pub fn buffers(
        self,
        rig: &Rig,
        sheet: &Sheet,
        space: Transform,
        solids: &[Solid],
    ) -> SubmeshBuffers {
        let on_sheet = |face: &Face, uv: Vec2| sheet.uv(face, uv);
        let tiled = |_: &Face, uv: Vec2| uv / 1.5;
        let whole = |face: &Face, uv: Vec2| {
            let uvs = face.corners.iter().map(|corner| corner.uv);
            let least = uvs.clone().fold(Vec2::INFINITY, Vec2::min);
            let greatest = uvs.fold(Vec2::NEG_INFINITY, Vec2::max);
            (uv - least) / (greatest - least)
        };
        let own = |_: &Face, uv: Vec2| uv;
        let uv: &dyn Fn(&Face, Vec2) -> Vec2 = match self {
            Self::Armor | Self::Legs => &on_sheet,
            Self::Hose | Self::Metal => &tiled,
            Self::Glass => &whole,
            _ => &own,
        };
        let beam = |at: Vec3| beam_color(rig, at);
        let white = |_: Vec3| [1.0; 4];
        let recipe = Recipe {
            space,
            palette: &self.palette(rig),
            uv,
            color: if self == Self::Beam { &beam } else { &white },
        };
        recipe.build(solids)
    }

    /// Builds a submesh from buffers.
    pub fn submesh(self, buffers: &SubmeshBuffers) -> Submesh<'_> {
        let (shader, format) = match self {
            Self::Armor => ("MeshBumpColorize.fx", "alD3dVertNU2U3U3"),
            Self::Legs => ("RSkinBumpColorize.fx", "alD3dVertRSkinNU2U3U3"),
            Self::Hose => ("SkinGloss.fx", "alD3dVertB4I4NU2"),
            Self::Metal => ("MeshGloss.fx", "alD3dVertNU2"),
            Self::Glass => ("MeshAlpha.fx", "alD3dVertNU2"),
            Self::Glow(_) => ("MeshAdditive.fx", "alD3dVertNU2"),
            Self::Beam => ("MeshAdditiveVColor.fx", "alD3dVertNU2C"),
            Self::Lamp => ("MeshSolidColor.fx", "alD3dVertN"),
            Self::Shadow => ("MeshShadowVolume.fx", "alD3dVertN"),
            Self::Collision => ("MeshCollision.fx", "alD3dVertN"),
            Self::Emitter => ("alDefault.fx", "alD3dVertNU2"),
        };
        buffers.submesh(shader, format, self.parameters())
    }

    fn parameters(self) -> Vec<Parameter<'static>> {
        let lit = |specular: f32, emissive: f32| {
            vec![
                color("Emissive", Vec3::splat(emissive)),
                color("Diffuse", Vec3::ONE),
                color("Specular", Vec3::splat(specular)),
                Parameter {
                    name: "Shininess".into(),
                    value: bevy_classic_models::alamo::alo::ParameterValue::Float(32.0),
                },
            ]
        };
        // As in the games' files: the names of the artists' source images, not of the files on
        // disk.
        let texture = Parameter::texture;
        match self {
            Self::Armor | Self::Legs => {
                let mut parameters = lit(0.6, 0.0);
                parameters.extend([
                    color("Colorization", OWN_COLOR),
                    color("UVOffset", Vec3::ZERO),
                    texture("BaseTexture", "Walker.tga"),
                    texture("NormalTexture", "Walker_Bump.tga"),
                ]);
                parameters
            }
            Self::Hose | Self::Metal => {
                let mut parameters = lit(0.8, 0.0);
                let tint = if self == Self::Hose { 0.42 } else { 0.9 };
                parameters[1] = color("Diffuse", Vec3::splat(tint));
                parameters.push(texture("BaseTexture", "WALKER_METAL.TGA"));
                parameters
            }
            Self::Glass => {
                let mut parameters = lit(1.0, 0.05);
                parameters[1] = Parameter::float4("Diffuse", [1.0, 1.0, 1.0, 0.5]);
                parameters.push(texture("BaseTexture", "Walker_Glass.tga"));
                parameters
            }
            Self::Glow(rgb) => vec![
                texture("BaseTexture", DAZZLES),
                color("UVScrollRate", Vec3::ZERO),
                color("Color", rgb.into()),
            ],
            Self::Beam | Self::Emitter => vec![texture("BaseTexture", "None")],
            Self::Lamp => vec![color("Color", Vec3::new(1.0, 0.95, 0.82))],
            Self::Shadow => Vec::new(),
            Self::Collision => vec![color("Color", Vec3::new(0.2, 1.0, 0.2))],
        }
    }
}
