//! Rejects values that would not survive a round trip through the parser.
//!
//! Values that the parser rejects need no check here: the writer parses its own output.

use crate::alo::file::{
    AloFile, Bone, Dazzle, Light, Mesh, Parameter, ParameterValue, Proxy, Submesh,
};
use crate::chunk_write::{WriteError, check_finite, check_short_text, check_text, fail, within};
use crate::read::ErrorKind;

/// Checks a model before it is encoded.
pub(super) fn check(file: &AloFile<'_>) -> Result<(), WriteError> {
    let version = if file.dazzles.is_empty() { 1 } else { 2 };
    if file.version != version {
        let kind = ErrorKind::UnsupportedVersion {
            found: file.version.into(),
            supported: version.into(),
            hint: " (a model with dazzles has version 2, others have version 1)",
        };
        return fail("version", kind);
    }
    for (index, bone) in file.bones.iter().enumerate() {
        let context = || format!("0x200 / 0x202 bone {index} {:?}", bone.name);
        check_bone(bone, index).or_else(within(context))?;
    }
    for (index, mesh) in file.meshes.iter().enumerate() {
        let context = || format!("0x400 mesh {index} {:?}", mesh.name);
        check_mesh(mesh).or_else(within(context))?;
    }
    for (index, light) in file.lights.iter().enumerate() {
        let context = || format!("0x1300 light {index} {:?}", light.name);
        check_light(light).or_else(within(context))?;
    }
    for (index, proxy) in file.proxies.iter().enumerate() {
        let context = || format!("0x600 / 0x603 proxy {index} {:?}", proxy.name);
        check_proxy(proxy).or_else(within(context))?;
    }
    for (index, dazzle) in file.dazzles.iter().enumerate() {
        let context = || format!("0x600 / 0x604 dazzle {index} {:?}", dazzle.name);
        check_dazzle(dazzle).or_else(within(context))?;
    }
    Ok(())
}

/// Checks that the parser dropped no collision tree when it read the written file back.
pub(super) fn check_read_back(file: &AloFile<'_>, read: &AloFile<'_>) -> Result<(), WriteError> {
    for (index, (mesh, read)) in file.meshes.iter().zip(&read.meshes).enumerate() {
        let submeshes = mesh.submeshes.iter().zip(&read.submeshes);
        for (submesh_index, (submesh, read)) in submeshes.enumerate() {
            if submesh.tree.is_some() && read.tree.is_none() {
                let kind = ErrorKind::Missing {
                    what: "valid node links or triangles: the parser would drop the tree",
                };
                let name = &mesh.name;
                let context = format!(
                    "0x400 mesh {index} {name:?} / 0x10000 sub-mesh {submesh_index} / 0x1200"
                );
                return fail(context, kind);
            }
        }
    }
    Ok(())
}

fn check_bone(bone: &Bone<'_>, index: usize) -> Result<(), WriteError> {
    check_text("name", &bone.name)?;
    if let Some(parent) = bone.parent.filter(|parent| *parent as usize >= index) {
        let kind = ErrorKind::BadCount {
            value: parent.into(),
            min: -1,
            max: index as i64 - 1,
        };
        return fail("parent", kind);
    }
    if bone.is_v1 && bone.billboard != 0 {
        let reason = "the older bone record (`is_v1`) has no billboard mode";
        return fail("billboard", ErrorKind::NotStorable { reason });
    }
    check_finite("matrix", bone.matrix.as_flattened())
}

fn check_mesh(mesh: &Mesh<'_>) -> Result<(), WriteError> {
    check_text("name", &mesh.name)?;
    check_finite("bounds", mesh.bounds.as_flattened())?;
    for (index, submesh) in mesh.submeshes.iter().enumerate() {
        let context = || format!("/ 0x10000 sub-mesh {index}");
        check_submesh(submesh).or_else(within(context))?;
    }
    Ok(())
}

fn check_submesh(submesh: &Submesh<'_>) -> Result<(), WriteError> {
    check_text("shader", &submesh.shader)?;
    check_text("vertex format", &submesh.vertex_format)?;
    for (index, parameter) in submesh.parameters.iter().enumerate() {
        let context = || format!("parameter {index} {:?}", parameter.name);
        check_parameter(parameter).or_else(within(context))?;
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
        Some(tree) => check_finite("collision tree bounds", tree.bounds.as_flattened()),
        None => Ok(()),
    }
}

fn check_parameter(parameter: &Parameter<'_>) -> Result<(), WriteError> {
    check_short_text("name", &parameter.name)?;
    match &parameter.value {
        ParameterValue::Int(_) => Ok(()),
        ParameterValue::Float(value) => check_finite("value", &[*value]),
        ParameterValue::Float3(values) => check_finite("value", values),
        ParameterValue::Texture(name) => check_short_text("value", name),
        ParameterValue::Float4(values) => check_finite("value", values),
    }
}

fn check_light(light: &Light<'_>) -> Result<(), WriteError> {
    check_text("name", &light.name)?;
    check_finite("color", &light.color)?;
    check_finite("intensity", &[light.intensity])?;
    let distances = [light.far_attenuation_start, light.far_attenuation_end];
    check_finite("far attenuation", &distances)?;
    check_finite("hotspot", &[light.hotspot])?;
    check_finite("falloff", &[light.falloff])
}

fn check_proxy(proxy: &Proxy<'_>) -> Result<(), WriteError> {
    check_short_text("name", &proxy.name)
}

fn check_dazzle(dazzle: &Dazzle<'_>) -> Result<(), WriteError> {
    check_short_text("name", &dazzle.name)?;
    check_short_text("texture", &dazzle.texture)?;
    check_finite("color", &dazzle.color)?;
    check_finite("position", &dazzle.position)?;
    check_finite("radius", &[dazzle.radius])?;
    check_finite("frequency", &[dazzle.frequency])?;
    check_finite("phase", &[dazzle.phase])?;
    check_finite("bias", &[dazzle.bias()])
}
