//! Writes an [`LgwFile`] as text, in the layout of the game's exporter.

use super::file::{Group, GroupKind, LgwFile, Material, Mesh, TexGenKind, Texture, TextureMode};
use super::key::Key;
use crate::read::ErrorKind;
pub use crate::write::WriteError;
use crate::write::{check_finite, fail, within};
use std::fmt::Write;

/// Writes a model as UTF-8 text. [`parse`](super::parse) reads it as the same model. Warnings are not written.
///
/// # Errors
/// [`WriteError`] for values that a file cannot store:
/// - strings with quotes, line ends or NUL,
/// - NaN and infinite numbers,
/// - indices of nonexistent vertices,
/// - vertex attributes of different lengths,
/// - embedded images,
/// - texture numbers other than 0 and 1, or not in ascending order.
pub fn write(file: &LgwFile<'_>) -> Result<Vec<u8>, WriteError> {
    check(file)?;
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    let _ = write_model(file, &mut out);
    Ok(out.into_bytes())
}

fn check(file: &LgwFile<'_>) -> Result<(), WriteError> {
    check_string("MODEL", &file.name)?;
    check_string("SOURCE_FILE", file.source.as_deref().unwrap_or_default())?;
    for material in &file.materials {
        check_material(material).or_else(within(|| format!("material {} /", material.id)))?;
    }
    for (index, mesh) in file.meshes.iter().enumerate() {
        check_mesh(mesh).or_else(within(|| format!("mesh {index} /")))?;
    }
    Ok(())
}

fn check_material(material: &Material<'_>) -> Result<(), WriteError> {
    check_string("name", &material.name)?;
    check_finite("DIFFUSE_COLOR", &material.diffuse_color.unwrap_or_default())?;
    let numbers: Vec<i64> = material
        .textures
        .iter()
        .map(|texture| texture.number)
        .collect();
    if !matches!(*numbers, [] | [0] | [1] | [0, 1]) {
        let reason = "texture numbers are 0 and 1, in this order";
        fail("TEXTURE", ErrorKind::NotStorable { reason })?;
    }
    for texture in &material.textures {
        check_string("FILE_NAME", texture.file.as_deref().unwrap_or_default())?;
        check_finite("TEX_GEN", &texture.texgen.map(|texgen| texgen.coefficient))?;
        if texture.raw_image {
            let hint = " (the format of embedded images is unknown)";
            fail("RAW_IMAGE", ErrorKind::Unsupported { value: 1, hint })?;
        }
        if texture.texgen[2].kind == Some(TexGenKind::SphereMap) {
            let reason = "SPHERE_MAP has no R coordinate";
            fail("TEX_GEN_R", ErrorKind::NotStorable { reason })?;
        }
    }
    Ok(())
}

fn check_mesh(mesh: &Mesh<'_>) -> Result<(), WriteError> {
    check_string("name", &mesh.name)?;
    check_finite("DEFAULT_COLOR", &mesh.default_color.unwrap_or_default())?;
    let vertices = &mesh.vertices;
    let count = vertices.len();
    for (elements, found) in [
        ("uvs", vertices.uvs.len()),
        ("normals", vertices.normals.len()),
    ] {
        if found != count {
            let (found, expected) = (found as u64, count as u64);
            let kind = ErrorKind::CountMismatch {
                elements,
                found,
                expected,
            };
            fail("VERTS", kind)?;
        }
    }
    check_finite("VERTS", vertices.positions.as_flattened())?;
    check_finite("VERTS", vertices.uvs.as_flattened())?;
    check_finite("VERTS", vertices.normals.as_flattened())?;
    for group in &mesh.groups {
        let invalid = group.indices.iter().find(|index| **index as usize >= count);
        if let Some(index) = invalid {
            let kind = ErrorKind::IndexOutOfRange {
                element: "vertex",
                index: (*index).into(),
                count: count as u64,
            };
            fail(format!("group {}", group.id), kind)?;
        }
    }
    Ok(())
}

/// Checks the characters of a string. The format has no escapes.
fn check_string(what: &str, string: &str) -> Result<(), WriteError> {
    let reason = if string.contains(['"', '\n', '\r']) {
        "a string must not contain quotes or line ends"
    } else if string.contains('\0') {
        "a string must not contain NUL"
    } else {
        return Ok(());
    };
    fail(what, ErrorKind::NotStorable { reason })
}

fn write_model(file: &LgwFile<'_>, out: &mut String) -> std::fmt::Result {
    writeln!(out, "MODEL \"{}\"", file.name)?;
    if let Some(version) = file.version {
        writeln!(out, "  EXPORT_VERSION {version}")?;
    }
    if let Some(source) = &file.source {
        writeln!(out, "  SOURCE_FILE \"{source}\"")?;
    }
    if !file.materials.is_empty() {
        writeln!(out, "  MATERIAL_LIST")?;
        for material in &file.materials {
            write_material(material, out)?;
        }
        writeln!(out, "  END_OF_MATERIAL_LIST")?;
    }
    for mesh in &file.meshes {
        write_mesh(mesh, out)?;
    }
    writeln!(out, "END_OF_MODEL")
}

fn write_material(material: &Material<'_>, out: &mut String) -> std::fmt::Result {
    writeln!(out, "    MATERIAL {} \"{}\"", material.id, material.name)?;
    if let Some([r, g, b]) = material.diffuse_color {
        writeln!(out, "      DIFFUSE_COLOR {r} {g} {b}")?;
    }
    for texture in &material.textures {
        write_texture(texture, out)?;
    }
    writeln!(out, "    END_OF_MATERIAL")
}

/// Writes a texture. Values equal to the default are omitted.
fn write_texture(texture: &Texture<'_>, out: &mut String) -> std::fmt::Result {
    writeln!(out, "      TEXTURE {}", texture.number)?;
    if let Some(file) = &texture.file {
        writeln!(out, "        FILE_NAME \"{file}\"")?;
    }
    match texture.wrap {
        [true, true] => writeln!(out, "        U_WRAP V_WRAP")?,
        [true, false] => writeln!(out, "        U_WRAP")?,
        [false, true] => writeln!(out, "        V_WRAP")?,
        [false, false] => {}
    }
    if texture.alpha_mode.bits() != 0 {
        writeln!(out, "        ALPHA_MODE {}", texture.alpha_mode.bits())?;
    }
    for (is_set, key) in [
        (!texture.mipmaps, Key::MipmapOff),
        (texture.mutable, Key::Mutable),
        (texture.cube_map, Key::CubeMap),
    ] {
        if is_set {
            writeln!(out, "        {}", key.keyword())?;
        }
    }
    for (texgen, letter) in texture.texgen.iter().zip(["S", "T", "R"]) {
        if let Some(kind) = texgen.kind {
            writeln!(out, "        TEX_GEN_{letter} {}", kind.keyword())?;
        }
        if texgen.coefficient != 1.0 {
            writeln!(out, "        TEX_GEN_{letter}_KOEF {}", texgen.coefficient)?;
        }
    }
    if texture.mode != TextureMode::default() {
        writeln!(out, "        MODE {}", texture.mode.keyword())?;
    }
    writeln!(out, "      END_OF_TEXTURE")
}

fn write_mesh(mesh: &Mesh<'_>, out: &mut String) -> std::fmt::Result {
    writeln!(out, "  MESH \"{}\"", mesh.name)?;
    if let Some(material) = mesh.material {
        writeln!(out, "    MATERIAL_REF {material}")?;
    }
    if let Some([r, g, b]) = mesh.default_color {
        writeln!(out, "    DEFAULT_COLOR {r} {g} {b}")?;
    }
    let vertices = &mesh.vertices;
    writeln!(out, "    VERTS {}", vertices.len())?;
    let uvs_and_normals = vertices.uvs.iter().zip(&vertices.normals);
    for ([x, y, z], ([u, v], [nx, ny, nz])) in vertices.positions.iter().zip(uvs_and_normals) {
        writeln!(out, "      {x} {y} {z} {u} {v} {nx} {ny} {nz}")?;
    }
    writeln!(out, "    PRIMITIVE_GEOMETRY_GROUPS {}", mesh.groups.len())?;
    for group in &mesh.groups {
        write_group(group, out)?;
    }
    writeln!(out, "  END_OF_MESH \"{}\"", mesh.name)
}

fn write_group(group: &Group, out: &mut String) -> std::fmt::Result {
    const INDICES_PER_LINE: usize = 24;
    let kind = match group.kind {
        GroupKind::List => Key::TypeList,
        GroupKind::Strip => Key::TypeStrip,
        GroupKind::Fan => Key::TypeFan,
    };
    writeln!(out, "      GROUP {} {}", group.id, kind.keyword())?;
    writeln!(out, "        COUNT {}", group.indices.len())?;
    for line in group.indices.chunks(INDICES_PER_LINE) {
        out.push_str("       ");
        for index in line {
            write!(out, " {index}")?;
        }
        out.push('\n');
    }
    writeln!(out, "      END_OF_GROUP {}", group.id)
}
