//! Describes LGW models.

use crate::inspect::description::{Description, Posed, list, number};
use crate::lgw_text;
use bevy::math::Vec3;
use bevy_classic_models::lgw::lgw::{LgwFile, Material, Mesh, TexGen, Texture, parse};
use bevy_classic_models::lgw::{ConvertedLgw, LgwLoaderSettings};
use bevy_classic_models::read::ParseError;
use serde_json::{Value, json};
use std::fmt::Write;

/// Describes the bytes of a file.
pub fn describe(bytes: &[u8]) -> Result<Description, ParseError> {
    let settings = LgwLoaderSettings::default();
    let ConvertedLgw { warnings, .. } = ConvertedLgw::load(bytes, &settings)?;
    // From the file and not from the converted meshes, because those without triangles have no vertices.
    let file = parse(bytes, settings.tolerance)?;
    let write = |text: &mut String| write_file(&file, text);
    Ok(Description {
        posed: posed(&file),
        ..Description::new(object(&file), &warnings, write)
    })
}

/// The vertices as in the file: LGW models have no animations, and by default the file's space is Bevy's.
fn posed(file: &LgwFile<'_>) -> Option<Posed> {
    let meshes = file.meshes.iter();
    let positions = meshes.flat_map(|mesh| &mesh.vertices.positions);
    Posed::of(positions.copied().map(Vec3::from_array))
}

fn object(file: &LgwFile<'_>) -> Value {
    json!({
        "format": "lgw",
        "name": file.name,
        "version": file.version,
        "source": file.source,
        "materials": list(&file.materials, material),
        "meshes": list(&file.meshes, mesh),
        "posed": null,
    })
}

fn material(material: &Material<'_>) -> Value {
    json!({
        "id": material.id,
        "name": material.name,
        "textures": list(&material.textures, texture),
    })
}

fn texture(texture: &Texture<'_>) -> Value {
    json!({
        "file": texture.file,
        "mode": texture.mode.keyword(),
        "alpha_mode": texture.alpha_mode.bits(),
        "wrap": texture.wrap,
        "texgen": texture.has_texgen().then(|| {
            let [s, t, r] = texture.texgen.each_ref().map(texgen);
            json!({ "s": s, "t": t, "r": r })
        }),
        "cube_map": texture.cube_map,
    })
}

fn texgen(texgen: &TexGen) -> Value {
    let generator = |kind| json!([kind, number(texgen.coefficient)]);
    texgen
        .kind
        .map_or(Value::Null, |kind| generator(kind.keyword()))
}

fn mesh(mesh: &Mesh<'_>) -> Value {
    json!({
        "name": mesh.name,
        "material": mesh.material,
        "vertices": mesh.vertices.len(),
        "triangles": mesh.triangles().count(),
        "groups": mesh.groups.len(),
    })
}

fn write_file(file: &LgwFile<'_>, text: &mut String) -> std::fmt::Result {
    write!(text, "  UFO: Aftermath model \"{}\"", file.name)?;
    if let Some(version) = file.version {
        write!(text, ", version {version}")?;
    }
    writeln!(text)?;
    if let Some(source) = &file.source {
        writeln!(text, "  exported from {source}")?;
    }
    for material in &file.materials {
        writeln!(text, "  material {} \"{}\"", material.id, material.name)?;
        for texture in &material.textures {
            let description = lgw_text::texture(texture);
            writeln!(text, "    texture {}: {description}", texture.number)?;
        }
    }
    for mesh in &file.meshes {
        write_mesh(file, mesh, text)?;
    }
    Ok(())
}

fn write_mesh(file: &LgwFile<'_>, mesh: &Mesh<'_>, text: &mut String) -> std::fmt::Result {
    write!(text, "  mesh \"{}\": ", mesh.name)?;
    let material = mesh.material.map(|id| {
        let mut materials = file.materials.iter();
        (id, materials.find(|material| material.id == id))
    });
    match material {
        Some((id, Some(material))) => write!(text, "material {id} \"{}\"", material.name)?,
        Some((id, None)) => write!(text, "material {id} (missing)")?,
        None => write!(text, "no material")?,
    }
    let kinds = mesh.groups.iter().map(|group| group.kind);
    writeln!(
        text,
        ", {} vertices, {} triangles ({})",
        mesh.vertices.len(),
        mesh.triangles().count(),
        lgw_text::groups(kinds)
    )
}
