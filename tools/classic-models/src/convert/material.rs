//! Parts of materials that all formats use. It must not know the games' formats.

use bevy::prelude::*;
use gltf_json::material::{AlphaCutoff, AlphaMode, PbrMetallicRoughness, StrengthFactor};
use gltf_json::texture::Info;
use gltf_json::validation::Checked;
use gltf_json::{Index, Material, Texture};
use serde_json::{Value, json};

/// A material without highlights, as the games had.
pub fn matte(name: &str) -> Material {
    let mut material = Material {
        name: Some(name.to_owned()),
        pbr_metallic_roughness: PbrMetallicRoughness {
            metallic_factor: StrengthFactor(0.0),
            roughness_factor: StrengthFactor(1.0),
            ..PbrMetallicRoughness::default()
        },
        ..Material::default()
    };
    extend(&mut material, SPECULAR, json!({ "specularFactor": 0.0 }));
    material
}

/// The extension of [`matte`].
pub const SPECULAR: &str = "KHR_materials_specular";

/// Sets an extension.
pub fn extend(material: &mut Material, extension: &str, value: Value) {
    let extensions = material.extensions.get_or_insert_default();
    extensions.others.insert(extension.to_owned(), value);
}

/// A reference to a texture.
pub fn info(texture: Index<Texture>) -> Info {
    Info {
        index: texture,
        tex_coord: 0,
        extensions: None,
        extras: None,
    }
}

/// Sets the alpha mode, with a cutoff for a mask.
pub fn set_alpha(material: &mut Material, mode: AlphaMode, cutoff: Option<f32>) {
    material.alpha_mode = Checked::Valid(mode);
    material.alpha_cutoff = cutoff.map(AlphaCutoff);
}

/// An sRGB color as linear values from 0 to 1, which factors of materials have.
pub fn linear([r, g, b]: [f32; 3]) -> [f32; 3] {
    let color = LinearRgba::from(Color::srgb(r, g, b));
    let values = color.to_f32_array_no_alpha();
    values.map(|value| if value > 0.0 { value.min(1.0) } else { 0.0 })
}
