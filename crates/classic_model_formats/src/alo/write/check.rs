//! What the parser would read otherwise than it was meant. What it would refuse, it refuses itself.

use crate::alo::file::{
    AloFile, Bone, Dazzle, Light, Mesh, Parameter, ParameterValue, Proxy, Submesh,
};
use crate::chunk_write::{WriteError, fail, finite, short_text, text, within};
use crate::read::ErrorKind;

pub(super) fn check(file: &AloFile<'_>) -> Result<(), WriteError> {
    let version = if file.dazzles.is_empty() { 1 } else { 2 };
    if file.version != version {
        let kind = ErrorKind::UnsupportedVersion {
            found: file.version.into(),
            supported: version.into(),
            hint: " (dazzles make version 2)",
        };
        return fail("version", kind);
    }
    for (number, item) in file.bones.iter().enumerate() {
        let place = || format!("0x200 / 0x202 bone {number} {:?}", item.name);
        bone(item, number).or_else(within(place))?;
    }
    for (number, item) in file.meshes.iter().enumerate() {
        let place = || format!("0x400 mesh {number} {:?}", item.name);
        mesh(item).or_else(within(place))?;
    }
    for (number, item) in file.lights.iter().enumerate() {
        light(item).or_else(within(|| format!("0x1300 light {number} {:?}", item.name)))?;
    }
    for (number, item) in file.proxies.iter().enumerate() {
        let place = || format!("0x600 / 0x603 proxy {number} {:?}", item.name);
        proxy(item).or_else(within(place))?;
    }
    for (number, item) in file.dazzles.iter().enumerate() {
        let place = || format!("0x600 / 0x604 dazzle {number} {:?}", item.name);
        dazzle(item).or_else(within(place))?;
    }
    Ok(())
}

/// Trees that lead astray are dropped when they are read.
pub(super) fn check_read_back(file: &AloFile<'_>, read: &AloFile<'_>) -> Result<(), WriteError> {
    for (number, (mesh, read)) in file.meshes.iter().zip(&read.meshes).enumerate() {
        for (part, (submesh, read)) in mesh.submeshes.iter().zip(&read.submeshes).enumerate() {
            if submesh.tree.is_some() && read.tree.is_none() {
                let kind = ErrorKind::Missing {
                    what: "links, ranges and triangles that exist",
                };
                let name = &mesh.name;
                let context =
                    format!("0x400 mesh {number} {name:?} / 0x10000 sub-mesh {part} / 0x1200");
                return fail(context, kind);
            }
        }
    }
    Ok(())
}

fn bone(bone: &Bone<'_>, number: usize) -> Result<(), WriteError> {
    text("name", &bone.name)?;
    if let Some(parent) = bone.parent.filter(|parent| *parent as usize >= number) {
        let kind = ErrorKind::BadCount {
            value: parent.into(),
            min: -1,
            max: number as i64 - 1,
        };
        return fail("parent", kind);
    }
    if bone.is_v1 && bone.billboard != 0 {
        let limit = "the older record of a bone has no billboard mode";
        return fail("billboard", ErrorKind::LimitExceeded { limit });
    }
    finite("matrix", bone.matrix.as_flattened())
}

fn mesh(mesh: &Mesh<'_>) -> Result<(), WriteError> {
    text("name", &mesh.name)?;
    finite("bounds", mesh.bounds.as_flattened())?;
    for (number, part) in mesh.submeshes.iter().enumerate() {
        submesh(part).or_else(within(|| format!("/ 0x10000 sub-mesh {number}")))?;
    }
    Ok(())
}

fn submesh(submesh: &Submesh<'_>) -> Result<(), WriteError> {
    text("shader", &submesh.shader)?;
    text("vertex format", &submesh.vertex_format)?;
    for (number, item) in submesh.parameters.iter().enumerate() {
        let place = || format!("parameter {number} {:?}", item.name);
        parameter(item).or_else(within(place))?;
    }
    let indices = submesh.indices.len() as u64;
    if !indices.is_multiple_of(3) {
        let kind = ErrorKind::WrongLength {
            found: 2 * indices,
            expected: 2 * indices.next_multiple_of(3),
        };
        return fail("/ 0x10004", kind);
    }
    match &submesh.tree {
        Some(tree) => finite("collision tree bounds", tree.bounds.as_flattened()),
        None => Ok(()),
    }
}

fn parameter(parameter: &Parameter<'_>) -> Result<(), WriteError> {
    short_text("name", &parameter.name)?;
    match &parameter.value {
        ParameterValue::Int(_) => Ok(()),
        ParameterValue::Float(value) => finite("value", &[*value]),
        ParameterValue::Float3(values) => finite("value", values),
        ParameterValue::Texture(name) => short_text("value", name),
        ParameterValue::Float4(values) => finite("value", values),
    }
}

fn light(light: &Light<'_>) -> Result<(), WriteError> {
    text("name", &light.name)?;
    finite("colour", &light.color)?;
    let numbers = [
        light.intensity,
        light.far_attenuation_end,
        light.far_attenuation_start,
        light.hotspot,
        light.falloff,
    ];
    finite("numbers", &numbers)
}

fn proxy(proxy: &Proxy<'_>) -> Result<(), WriteError> {
    short_text("name", &proxy.name)
}

fn dazzle(dazzle: &Dazzle<'_>) -> Result<(), WriteError> {
    short_text("name", &dazzle.name)?;
    short_text("texture", &dazzle.texture)?;
    finite("colour", &dazzle.color)?;
    finite("position", &dazzle.position)?;
    let numbers = [dazzle.radius, dazzle.frequency, dazzle.phase, dazzle.bias()];
    finite("numbers", &numbers)
}
