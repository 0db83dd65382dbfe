//! Materials, their textures and variants.

use super::checked;
use crate::error::{At, Result};
use crate::json::{self, Object, Root};
use crate::scene::{Material, TextureRef};
use serde_json::Value;
use std::collections::BTreeMap;

/// The materials of the variants of a primitive.
pub fn variants(extensions: &Object, materials: usize) -> Result<BTreeMap<usize, usize>> {
    let mappings = extensions.get("KHR_materials_variants");
    let mappings = mappings.and_then(|it| it.get("mappings")?.as_array());
    let mut variants = BTreeMap::new();
    for mapping in mappings.into_iter().flatten() {
        let material = mapping
            .get("material")
            .and_then(Value::as_u64)
            .map(|it| it as usize);
        let Some(material) = checked(material, materials, "material")? else {
            continue;
        };
        let of = mapping
            .get("variants")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        variants.extend(
            of.filter_map(Value::as_u64)
                .map(|variant| (variant as usize, material)),
        );
    }
    Ok(variants)
}

pub fn material(root: &Root, material: &json::Material) -> Result<Material> {
    let pbr = &material.pbr_metallic_roughness;
    let texture = |info: &Option<json::TextureInfo>| {
        let info = info.as_ref().map(|info| texture(root, info));
        info.transpose().map(Option::flatten)
    };
    Ok(Material {
        name: material.name.clone(),
        extras: material.extras.as_object().cloned().unwrap_or_default(),
        is_blended: material.alpha_mode.as_deref() == Some("BLEND"),
        base_color: pbr.base_color_factor.unwrap_or([1.0; 4]),
        base_texture: texture(&pbr.base_color_texture).at("baseColorTexture")?,
        emissive: material.emissive_factor.unwrap_or_default(),
        normal_texture: texture(&material.normal_texture).at("normalTexture")?,
        emissive_texture: texture(&material.emissive_texture).at("emissiveTexture")?,
        cutoff: match material.alpha_mode.as_deref() {
            Some("MASK") => Some(material.alpha_cutoff.unwrap_or(0.5)),
            Some("BLEND") => Some(0.5),
            _ => None,
        },
    })
}

/// A texture. `None` if it has no image that is read.
fn texture(root: &Root, info: &json::TextureInfo) -> Result<Option<TextureRef>> {
    let texture = checked(Some(info.index), root.textures.len(), "texture")?;
    let source = texture.and_then(|texture| root.textures.get(texture)?.source);
    let Some(image) = checked(source, root.images.len(), "image")? else {
        return Ok(None);
    };
    let transform = info.extensions.get("KHR_texture_transform");
    let number = |value: &Value| value.as_f64().unwrap_or_default() as f32;
    let pair = |name: &str, default: f32| {
        let values = transform.and_then(|it| it.get(name)?.as_array());
        let mut values = values.into_iter().flatten().map(number);
        [
            values.next().unwrap_or(default),
            values.next().unwrap_or(default),
        ]
    };
    /// The value of `CLAMP_TO_EDGE`; other values repeat.
    const CLAMP: u32 = 33071;
    let sampler = texture.and_then(|texture| root.textures.get(texture)?.sampler);
    let sampler = checked(sampler, root.samplers.len(), "sampler")?;
    let sampler = sampler.and_then(|sampler| root.samplers.get(sampler));
    let wrap = sampler.map_or([None; 2], |sampler| [sampler.wrap_s, sampler.wrap_t]);
    let set = transform.and_then(|it| it.get("texCoord")?.as_u64());
    Ok(Some(TextureRef {
        image,
        set: set.map_or(info.tex_coord, |set| set as usize),
        offset: pair("offset", 0.0),
        rotation: transform
            .and_then(|it| it.get("rotation"))
            .map_or(0.0, number),
        scale: pair("scale", 1.0),
        wrap: wrap.map(|wrap| wrap != Some(CLAMP)),
    }))
}
