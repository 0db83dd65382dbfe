//! Converts models of UFO: Aftermath: a node per mesh. Texture units that glTF cannot express are in `extras`.

use crate::convert::document::{Document, extras, node};
use crate::convert::material::{self, info, matte};
use crate::convert::mesh::{MeshData, named};
use crate::convert::model::{Converted, Request, model_name};
use crate::convert::textures::{Sampling, Textures, Treatment};
use bevy::prelude::*;
use bevy_classic_models::lgw::lgw::{AlphaMode, Material as LgwMaterial, TexGen, Texture};
use bevy_classic_models::lgw::{ConvertedLgw, LgwLoaderSettings};
use gltf_json::material::AlphaMode as GltfAlphaMode;
use gltf_json::{Index, Material};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Converts the bytes of a file.
///
/// # Errors
/// If the file is damaged.
pub fn convert(bytes: &[u8], request: &Request<'_>) -> Result<Converted, String> {
    let settings = LgwLoaderSettings::default();
    let model = ConvertedLgw::load(bytes, &settings).map_err(|error| error.to_string())?;
    let name = model_name(request.path);
    let mut document = Document::new(&name);
    let mut textures = request.textures();
    document.uses(material::SPECULAR);
    let mut materials: HashMap<i64, Index<Material>> = HashMap::new();
    for (index, source) in model.file.materials.iter().enumerate() {
        let material = convert_material(&mut document, &mut textures, (index, source));
        let index = document.root.push(material);
        // If several materials have the same number, meshes use the first.
        materials.entry(source.id).or_insert(index);
    }
    let scale = Vec3::splat(request.options.scale());
    let mut root = node(&name, &Transform::from_scale(scale));
    root.extras = extras(&json!({
        "format": "lgw",
        "name": model.file.name,
        "exportVersion": model.file.version,
        "sourceFile": model.file.source,
        "metersPerUnit": request.options.scale(),
    }));
    let root = document.add_node(None, root);
    for (index, mesh) in model.meshes.iter().enumerate() {
        let mut mesh_node = node(&mesh.name, &Transform::IDENTITY);
        mesh_node.extras = extras(&json!({ "meshIndex": index }));
        if let Some(data) = mesh.mesh.as_ref().and_then(MeshData::of) {
            let material = mesh.material.and_then(|id| materials.get(&id).copied());
            let primitive = data.primitive(&mut document, material);
            mesh_node.mesh = Some(document.root.push(named(&mesh.name, vec![primitive])));
        }
        document.add_node(Some(root), mesh_node);
    }
    let warnings = model.warnings.iter().map(ToString::to_string);
    Ok(Converted {
        warnings: warnings.chain(textures.warnings).collect(),
        document,
    })
}

fn convert_material(
    document: &mut Document,
    textures: &mut Textures<'_>,
    (index, source): (usize, &LgwMaterial<'_>),
) -> Material {
    let mut material = matte(&source.name);
    let units = source.units();
    let base = units
        .iter()
        .flatten()
        .find(|texture| has_own_coordinates(texture));
    let texture = base.and_then(|texture| {
        let name = texture.file.as_deref().filter(|name| !name.is_empty())?;
        let sampling = Sampling {
            wrap: texture.wrap,
            nearest: false,
            mipmaps: texture.mipmaps,
        };
        let alpha = units[0].map(|texture| texture.alpha_mode);
        let treatment = match alpha {
            Some(AlphaMode::Mask | AlphaMode::Blend) => Treatment::Keep,
            Some(AlphaMode::Opaque) | None => Treatment::Opaque,
        };
        textures.named(document, name, treatment, sampling)
    });
    material.pbr_metallic_roughness.base_color_texture = texture.map(info);
    match units[0].map(|texture| texture.alpha_mode) {
        Some(AlphaMode::Mask) => {
            material::set_alpha(&mut material, GltfAlphaMode::Mask, Some(0.5));
        }
        Some(AlphaMode::Blend) => {
            material::set_alpha(&mut material, GltfAlphaMode::Blend, None);
        }
        Some(AlphaMode::Opaque) | None => {}
    }
    let units: Vec<Value> = units.iter().flatten().map(|unit| describe(unit)).collect();
    material.extras = extras(&json!({
        "id": source.id,
        // Blender sorts by names.
        "index": index,
        "diffuseColor": source.diffuse_color,
        "textureUnits": units,
    }));
    material
}

/// Whether a texture is a plain image at the vertices' coordinates, which a base color can be.
fn has_own_coordinates(texture: &Texture<'_>) -> bool {
    !texture.cube_map && !texture.has_texgen()
}

fn describe(texture: &Texture<'_>) -> Value {
    // By name, because Blender makes text of lists with null.
    let generators = ["s", "t", "r"].into_iter().zip(&texture.texgen);
    let generators = generators.filter_map(|(name, TexGen { kind, coefficient })| {
        let value = json!({ "kind": (*kind)?.keyword(), "coefficient": coefficient });
        Some((name.to_owned(), value))
    });
    json!({
        "number": texture.number,
        "file": texture.file,
        "wrap": texture.wrap,
        "mipmaps": texture.mipmaps,
        "mutable": texture.mutable,
        "mode": texture.mode.keyword(),
        "alphaBits": texture.alpha_mode.bits(),
        "cubeMap": texture.cube_map,
        "coordinates": generators.collect::<Map<String, Value>>(),
    })
}
