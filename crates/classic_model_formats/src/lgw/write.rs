//! [`LgwFile`] to text, as the game's exporter laid it out.

use super::file::{Group, GroupKind, LgwFile, Material, Mesh, TexGenKind, Texture, TextureMode};
use super::key::Key;
use crate::read::ErrorKind;
pub use crate::write::WriteError;
use crate::write::{fail, finite, within};
use std::fmt::Write;

/// Writes a model as UTF-8, which [`parse`](super::parse) reads back as the same model.
///
/// # Errors
/// [`WriteError`] for what no file can say: strings with quotes, line ends or NULs in them, numbers that are
/// not finite, vertices that are not there, lists of vertices of several lengths, pictures in the file,
/// textures that are not 0 and 1.
pub fn write(file: &LgwFile<'_>) -> Result<Vec<u8>, WriteError> {
    check(file)?;
    let mut out = String::new();
    // Writing to a string does not fail.
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
    finite("DIFFUSE_COLOR", &material.diffuse_color.unwrap_or_default())?;
    let numbers: Vec<i64> = material.textures.iter().map(|of| of.number).collect();
    if !matches!(*numbers, [] | [0] | [1] | [0, 1]) {
        let limit = "textures are numbered 0 and 1";
        fail("TEXTURE", ErrorKind::LimitExceeded { limit })?;
    }
    for texture in &material.textures {
        check_string("FILE_NAME", texture.file.as_deref().unwrap_or_default())?;
        finite("TEX_GEN", &texture.texgen.map(|of| of.coefficient))?;
        if texture.raw_image {
            let hint = ", for its form is not known";
            fail("RAW_IMAGE", ErrorKind::Unsupported { value: 1, hint })?;
        }
        if texture.texgen[2].kind == Some(TexGenKind::SphereMap) {
            let hint = " (SPHERE_MAP makes no third coordinate)";
            fail("TEX_GEN_R", ErrorKind::Unsupported { value: 1, hint })?;
        }
    }
    Ok(())
}

fn check_mesh(mesh: &Mesh<'_>) -> Result<(), WriteError> {
    check_string("name", &mesh.name)?;
    finite("DEFAULT_COLOR", &mesh.default_color.unwrap_or_default())?;
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
    finite("VERTS", vertices.positions.as_flattened())?;
    finite("VERTS", vertices.uvs.as_flattened())?;
    finite("VERTS", vertices.normals.as_flattened())?;
    for group in &mesh.groups {
        let missing = group.indices.iter().find(|index| **index as usize >= count);
        if let Some(index) = missing {
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

/// There are no escapes.
fn check_string(what: &str, string: &str) -> Result<(), WriteError> {
    let limit = if string.contains(['"', '\n', '\r']) {
        "strings are in quotes, and in one line"
    } else if string.contains('\0') {
        "text has no NUL"
    } else {
        return Ok(());
    };
    fail(what, ErrorKind::LimitExceeded { limit })
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

/// Only what is not so by default.
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
    for (is_so, key) in [
        (!texture.mipmaps, Key::MipmapOff),
        (texture.mutable, Key::Mutable),
        (texture.cube_map, Key::CubeMap),
    ] {
        if is_so {
            writeln!(out, "        {}", key.word())?;
        }
    }
    for (texgen, letter) in texture.texgen.iter().zip(["S", "T", "R"]) {
        if let Some(kind) = texgen.kind {
            writeln!(out, "        TEX_GEN_{letter} {}", kind.word())?;
        }
        if texgen.coefficient != 1.0 {
            writeln!(out, "        TEX_GEN_{letter}_KOEF {}", texgen.coefficient)?;
        }
    }
    if texture.mode != TextureMode::default() {
        writeln!(out, "        MODE {}", texture.mode.word())?;
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
    let rest = vertices.uvs.iter().zip(&vertices.normals);
    for ([x, y, z], ([u, v], [nx, ny, nz])) in vertices.positions.iter().zip(rest) {
        writeln!(out, "      {x} {y} {z} {u} {v} {nx} {ny} {nz}")?;
    }
    writeln!(out, "    PRIMITIVE_GEOMETRY_GROUPS {}", mesh.groups.len())?;
    for group in &mesh.groups {
        write_group(group, out)?;
    }
    writeln!(out, "  END_OF_MESH \"{}\"", mesh.name)
}

fn write_group(group: &Group, out: &mut String) -> std::fmt::Result {
    const IN_LINE: usize = 24;
    let kind = match group.kind {
        GroupKind::List => Key::TypeList,
        GroupKind::Strip => Key::TypeStrip,
        GroupKind::Fan => Key::TypeFan,
    };
    writeln!(out, "      GROUP {} {}", group.id, kind.word())?;
    writeln!(out, "        COUNT {}", group.indices.len())?;
    for line in group.indices.chunks(IN_LINE) {
        out.push_str("       ");
        for index in line {
            write!(out, " {index}")?;
        }
        out.push('\n');
    }
    writeln!(out, "      END_OF_GROUP {}", group.id)
}
