//! Shaders of Alamo models, and their parameters.

use crate::error::Result;
use crate::image_data::{Pixels, TextureFiles};
use crate::scene::{Material, Scene, TextureRef};
use crate::skin::srgb;
use classic_model_formats::alo::{Parameter, ParameterValue};
use serde_json::Value;
use std::collections::BTreeMap;

/// How vertices are connected to bones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skinning {
    /// All to the bone of the mesh.
    Rigid,
    /// Each to one bone.
    Single,
    /// Each to up to four bones.
    Weighted,
}

/// The shader of a sub-mesh.
#[derive(Clone, Debug)]
pub struct Shader {
    pub name: String,
    pub vertex_format: String,
    pub parameters: Vec<Parameter<'static>>,
    /// Whether rays and selection hit it.
    pub is_solid: bool,
}

/// The materials of a scene, and the files of their textures.
pub struct Materials<'a> {
    scene: &'a Scene,
    textures: TextureFiles,
}

impl<'a> Materials<'a> {
    pub fn new(scene: &'a Scene) -> Self {
        Self {
            scene,
            textures: TextureFiles::default(),
        }
    }

    /// The textures by the names of their files.
    pub fn into_textures(self) -> BTreeMap<String, Pixels> {
        self.textures.files
    }

    /// The shader of a material: that of a converted model, otherwise one of the games' by what the material has.
    pub fn shader(
        &mut self,
        material: Option<usize>,
        skinning: Skinning,
        has_colors: bool,
    ) -> Result<Shader> {
        let scene = self.scene;
        let material = material.and_then(|material| scene.materials.get(material));
        let stated = material.and_then(|material| {
            let shader = material.extras.get("shader")?.as_str()?;
            Some((material, shader))
        });
        if let Some((material, name)) = stated {
            let format = material.extras.get("vertexFormat").and_then(Value::as_str);
            let parameters = material.extras.get("parameters").and_then(Value::as_object);
            let parameters = parameters.into_iter().flatten();
            let parameters: Vec<_> = parameters
                .filter_map(|(name, value)| parameter(name, value))
                .collect();
            let has_tangents = name.to_lowercase().contains("bump");
            return Ok(Shader {
                vertex_format: format.map_or_else(
                    || vertex_format(skinning, has_tangents, has_colors),
                    str::to_owned,
                ),
                name: name.to_owned(),
                parameters,
                is_solid: !["additive", "alpha", "shadow"]
                    .iter()
                    .any(|it| name.to_lowercase().contains(it)),
            });
        }
        self.new_shader(material, skinning, has_colors)
    }

    fn new_shader(
        &mut self,
        material: Option<&Material>,
        skinning: Skinning,
        has_colors: bool,
    ) -> Result<Shader> {
        let is_blended =
            material.is_some_and(|material| material.is_blended || material.cutoff.is_some());
        let normal = material
            .and_then(|material| material.normal_texture)
            .filter(|_| !is_blended);
        let prefix = match skinning {
            Skinning::Rigid => "Mesh",
            Skinning::Single => "RSkin",
            Skinning::Weighted => "Skin",
        };
        let kind = match (is_blended, normal.is_some()) {
            (true, _) => "Alpha",
            (false, true) => "BumpColorize",
            (false, false) => "Gloss",
        };
        let [red, green, blue, alpha] = material.map_or([1.0; 4], |material| material.base_color);
        // The games double lit colors.
        let [glow_red, glow_green, glow_blue] = material.map_or([0.0; 3], |it| it.emissive);
        let four = |name: &'static str, value: [f32; 4]| Parameter::float4(name, value);
        let mut parameters = vec![
            four(
                "Emissive",
                [
                    srgb(glow_red) / 2.0,
                    srgb(glow_green) / 2.0,
                    srgb(glow_blue) / 2.0,
                    0.0,
                ],
            ),
            four(
                "Diffuse",
                [
                    srgb(red),
                    srgb(green),
                    srgb(blue),
                    if is_blended { alpha } else { 0.0 },
                ],
            ),
            four("Specular", [0.0; 4]),
            Parameter {
                name: "Shininess".into(),
                value: ParameterValue::Float(32.0),
            },
        ];
        if normal.is_some() {
            parameters.push(four("Colorization", [1.0, 1.0, 1.0, 0.0]));
            parameters.push(four("UVOffset", [0.0; 4]));
        }
        let base = material.and_then(|material| material.base_texture);
        for (name, texture) in [("BaseTexture", base), ("NormalTexture", normal)] {
            if let Some(texture) = texture {
                parameters.push(Parameter::texture(
                    name,
                    self.texture(&texture, is_blended)?,
                ));
            }
        }
        Ok(Shader {
            name: format!("{prefix}{kind}.fx"),
            vertex_format: vertex_format(skinning, normal.is_some(), has_colors),
            parameters,
            is_solid: !is_blended,
        })
    }

    /// The name of the file of a texture. Alpha that is not used is left out, because opaque shaders use it for other values.
    fn texture(&mut self, texture: &TextureRef, keeps_alpha: bool) -> Result<String> {
        self.textures.add(self.scene, texture.image, |texel| {
            if !keeps_alpha {
                texel[3] = 0;
            }
        })
    }
}

/// A parameter of a converted model, whose kind is that of its JSON value.
fn parameter(name: &str, value: &Value) -> Option<Parameter<'static>> {
    let numbers = |values: &[Value]| -> Option<Vec<f32>> {
        values.iter().map(|it| Some(it.as_f64()? as f32)).collect()
    };
    let value = match value {
        Value::String(text) => ParameterValue::Texture(text.clone().into()),
        Value::Number(number) if number.is_f64() => ParameterValue::Float(number.as_f64()? as f32),
        Value::Number(number) => ParameterValue::Int(number.as_i64()? as i32),
        Value::Array(values) => match numbers(values)?.as_slice() {
            [x, y, z] => ParameterValue::Float3([*x, *y, *z]),
            [x, y, z, w] => ParameterValue::Float4([*x, *y, *z, *w]),
            _ => return None,
        },
        _ => return None,
    };
    Some(Parameter {
        name: name.to_owned().into(),
        value,
    })
}

/// The name of a vertex format.
fn vertex_format(skinning: Skinning, has_tangents: bool, has_colors: bool) -> String {
    let bones = match skinning {
        Skinning::Rigid => "",
        Skinning::Single => "RSkin",
        Skinning::Weighted => "B4I4",
    };
    let tangents = if has_tangents { "U3U3" } else { "" };
    let colors = if has_colors { "C" } else { "" };
    format!("alD3dVert{bones}NU2{tangents}{colors}")
}
