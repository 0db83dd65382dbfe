//! Materials of Alamo models, from the games' shaders as the plugin interprets them.
//!
//! glTF has no team colors, no additive blending, no scrolling and no third textures. They are in `extras`.

use crate::convert::document::{Document, extras};
use crate::convert::material::{self, SPECULAR, info, linear};
use crate::convert::textures::{Sampling, Textures, Treatment};
use bevy_classic_models::alamo::alo::{ParameterValue, Submesh};
use bevy_classic_models::alamo::{AloGloss, AloShader, BlendPhase, SecondLayer, TeamMask};
use gltf_json::material::{AlphaMode, EmissiveFactor, NormalTexture, StrengthFactor};
use gltf_json::texture::Info;
use gltf_json::{Index, Material, Texture};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The roughness at which highlights are about as wide as the games', as in the plugin.
const HIGHLIGHT_ROUGHNESS: f32 = 0.577;

const UNLIT: &str = "KHR_materials_unlit";
const TRANSFORM: &str = "KHR_texture_transform";

/// The materials of a model. Sub-meshes with equal parameters share one.
pub struct Materials<'a> {
    textures: Textures<'a>,
    made: Vec<(AloShader, String, Index<Material>)>,
}

impl<'a> Materials<'a> {
    pub fn new(textures: Textures<'a>) -> Self {
        Self {
            textures,
            made: Vec::new(),
        }
    }

    /// The problems of textures.
    pub fn into_warnings(self) -> BTreeSet<String> {
        self.textures.warnings
    }

    /// The material of a sub-mesh.
    pub fn get(
        &mut self,
        document: &mut Document,
        submesh: &Submesh<'_>,
        shading: &AloShader,
    ) -> Index<Material> {
        let mut values = describe(submesh, shading);
        let key = values.to_string();
        let same = |(other, text, _): &&(AloShader, String, Index<Material>)| {
            other == shading && *text == key
        };
        if let Some((_, _, material)) = self.made.iter().find(same) {
            return *material;
        }
        let mut material = self.material(document, shading);
        let name = shading.base_texture.as_deref().unwrap_or(&submesh.shader);
        material.name = Some(name.to_owned());
        if shading.team == TeamMask::BaseAlpha {
            self.describe_mask(document, shading, &mut values["teamColor"]);
        }
        material.extras = extras(&values);
        let index = document.root.push(material);
        self.made.push((shading.clone(), key, index));
        index
    }

    /// Names the image of the team mask, which no part of the material refers to.
    fn describe_mask(&mut self, document: &mut Document, shading: &AloShader, values: &mut Value) {
        let base = shading.base_texture.as_deref();
        let Some(texture) = self.texture(document, base, Treatment::TeamMask) else {
            return;
        };
        let image = document
            .root
            .textures
            .get(texture.value())
            .map(|it| it.source);
        let image = image.and_then(|image| document.root.images.get(image.value()));
        values["mask"] = json!(image.and_then(|image| image.name.as_deref()));
        values["texture"] = json!(texture.value());
    }

    fn material(&mut self, document: &mut Document, shading: &AloShader) -> Material {
        let mut material = Material::default();
        let is_additive = shading.phase == BlendPhase::Additive;
        // The alpha of opaque materials is the team mask or the gloss.
        let treatment = match shading.phase {
            BlendPhase::Additive => Treatment::Additive,
            BlendPhase::Alpha | BlendPhase::Mask(_) => Treatment::Keep,
            _ => Treatment::Opaque,
        };
        let base = self.texture(document, shading.base_texture.as_deref(), treatment);
        let normal = shading.normal_texture.as_deref().filter(|_| !shading.unlit);
        let normal = self.texture(document, normal, Treatment::Keep);
        let [r, g, b, a] = shading.color;
        let [r, g, b] = linear([r, g, b]);
        // Without the texture that it names, an additive mesh would be a solid bright shape.
        let is_invisible = is_additive && base.is_none() && shading.base_texture.is_some();
        let alpha = if is_invisible || a.is_nan() {
            0.0
        } else {
            a.clamp(0.0, 1.0)
        };
        let factors = &mut material.pbr_metallic_roughness;
        factors.base_color_factor.0 = match adds_only_colors(shading) {
            true => additive_colors(&[[r, g, b, alpha]])[0],
            false => [r, g, b, alpha],
        };
        factors.metallic_factor = StrengthFactor(0.0);
        factors.roughness_factor = StrengthFactor(HIGHLIGHT_ROUGHNESS);
        factors.base_color_texture = base.map(|base| placed(document, base, shading));
        material.double_sided = shading.double_sided;
        match shading.phase {
            BlendPhase::Alpha | BlendPhase::Additive => {
                material::set_alpha(&mut material, AlphaMode::Blend, None);
            }
            BlendPhase::Mask(cutoff) => {
                material::set_alpha(&mut material, AlphaMode::Mask, Some(cutoff));
            }
            _ => {}
        }
        if shading.unlit {
            document.uses(UNLIT);
            material::extend(&mut material, UNLIT, json!({}));
            return material;
        }
        material.normal_texture = normal.map(|index| {
            let placed = placed(document, index, shading);
            NormalTexture {
                index,
                scale: 1.0,
                tex_coord: 0,
                extensions: placed
                    .extensions
                    .map(|it| gltf_json::extensions::material::NormalTexture { others: it.others }),
                extras: None,
            }
        });
        // The games double lit colors.
        let emissive = linear(shading.emissive.map(|value| 2.0 * value.clamp(0.0, 1.0)));
        if emissive != [0.0; 3] {
            material.emissive_factor = EmissiveFactor(emissive);
            material.emissive_texture = base.map(|base| placed(document, base, shading));
        }
        let specular = self.specular(document, shading, [base, normal]);
        document.uses(SPECULAR);
        material::extend(&mut material, SPECULAR, specular);
        material
    }

    /// The strength of the highlight, with the texture whose alpha has it.
    fn specular(
        &mut self,
        document: &mut Document,
        shading: &AloShader,
        [base, normal]: [Option<Index<Texture>>; 2],
    ) -> Value {
        let [r, g, b] = linear(shading.specular);
        let strength = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        let none = json!({ "specularFactor": 0.0 });
        // The base texture of opaque materials has no alpha.
        let is_blended = matches!(shading.phase, BlendPhase::Alpha | BlendPhase::Mask(_));
        let texture = match shading.gloss {
            AloGloss::Full => return json!({ "specularFactor": strength }),
            AloGloss::BaseAlpha if is_blended => base,
            AloGloss::BaseAlpha => {
                let base = shading.base_texture.as_deref();
                self.texture(document, base, Treatment::AlphaOnly)
            }
            AloGloss::NormalAlpha if shading.normal_texture.is_none() => {
                return json!({ "specularFactor": strength });
            }
            AloGloss::NormalAlpha => normal,
            AloGloss::ExtraRed => {
                let extra = shading.extra_texture.as_deref();
                self.texture(document, extra, Treatment::RedToAlpha)
            }
            _ => return none,
        };
        match texture {
            Some(texture) => {
                let texture = placed(document, texture, shading);
                json!({ "specularFactor": strength, "specularTexture": texture })
            }
            None => none,
        }
    }

    fn texture(
        &mut self,
        document: &mut Document,
        name: Option<&str>,
        treatment: Treatment,
    ) -> Option<Index<Texture>> {
        self.textures
            .named(document, name?, treatment, Sampling::REPEAT)
    }
}

/// A reference to a texture with the scale and offset of the texture coordinates.
fn placed(document: &mut Document, texture: Index<Texture>, shading: &AloShader) -> Info {
    let mut info = info(texture);
    let (offset, scale) = (shading.uv_offset, shading.uv_scale);
    let is_finite = scale.is_finite() && offset.iter().all(|value| value.is_finite());
    if is_finite && (offset != [0.0; 2] || scale != 1.0) {
        document.uses(TRANSFORM);
        let transform = json!({ "offset": offset, "scale": [scale, scale] });
        let extensions = info.extensions.get_or_insert_default();
        extensions.others.insert(TRANSFORM.to_owned(), transform);
    }
    info
}

/// The shader with its parameters, and what glTF cannot express.
fn describe(submesh: &Submesh<'_>, shading: &AloShader) -> Value {
    let parameters: Map<String, Value> = submesh
        .parameters
        .iter()
        .map(|parameter| {
            let value = match &parameter.value {
                ParameterValue::Int(value) => json!(value),
                ParameterValue::Float(value) => json!(value),
                ParameterValue::Float3(value) => json!(value),
                ParameterValue::Float4(value) => json!(value),
                ParameterValue::Texture(value) => json!(value),
            };
            (parameter.name.to_string(), value)
        })
        .collect();
    let mut values = json!({
        "shader": submesh.shader,
        "vertexFormat": submesh.vertex_format,
        "parameters": parameters,
    });
    let team = match shading.team {
        TeamMask::BaseAlpha => json!({ "defaultColor": shading.colorization }),
        TeamMask::All => json!({ "mask": "all", "defaultColor": shading.colorization }),
        _ => Value::Null,
    };
    if !team.is_null() {
        values["teamColor"] = team;
    }
    if shading.phase == BlendPhase::Additive {
        values["blend"] = json!("additive");
    }
    if shading.uv_scroll != [0.0; 2] {
        values["uvScroll"] = json!(shading.uv_scroll);
    }
    if shading.extra != SecondLayer::None {
        values["secondLayer"] = json!({
            "use": format!("{:?}", shading.extra).to_lowercase(),
            "texture": shading.extra_texture,
            "scale": shading.extra_scale,
            "scroll": shading.extra_scroll,
        });
    }
    values
}

/// Whether a mesh adds the color of its material and of its vertices, without a texture.
pub fn adds_only_colors(shading: &AloShader) -> bool {
    shading.phase == BlendPhase::Additive && shading.base_texture.is_none()
}

/// Colors for additive blending, as colors for alpha blending: alpha is the brightness, and colors are as bright as they can
/// be. Black ones get the mean hue, because colors are interpolated apart from alpha.
pub fn additive_colors(colors: &[[f32; 4]]) -> Vec<[f32; 4]> {
    let sum = |channel: usize| colors.iter().map(|color| color[channel]).sum::<f32>();
    let bright = |[r, g, b]: [f32; 3]| {
        let brightness = r.max(g).max(b);
        (brightness > 0.0).then(|| ([r, g, b].map(|value| value / brightness), brightness))
    };
    let mean = bright([sum(0), sum(1), sum(2)]).map_or([0.0; 3], |(mean, _)| mean);
    let converted = colors.iter().map(|[r, g, b, _]| {
        let ([r, g, b], brightness) = bright([*r, *g, *b]).unwrap_or((mean, 0.0));
        [r, g, b, brightness.min(1.0)]
    });
    converted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_colors_are_blended_by_their_brightness() {
        let colors = [[0.2, 0.4, 0.0, 0.7], [0.0, 0.0, 0.0, 1.0]];
        assert_eq!(
            additive_colors(&colors),
            [[0.5, 1.0, 0.0, 0.4], [0.5, 1.0, 0.0, 0.0]]
        );
        assert!(additive_colors(&[]).is_empty());
        assert_eq!(additive_colors(&[[0.0; 4]]), [[0.0; 4]]);
    }
}
