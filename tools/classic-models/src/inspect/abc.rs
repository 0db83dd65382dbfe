//! Describes LithTech models and textures.

use crate::inspect::description::{Description, list, number};
use bevy_classic_models::lithtech::abc::{AbcFile, Animation, Keyframe, Node, node_flags};
use bevy_classic_models::lithtech::dtx::{self, DtxFile, DtxTexelFormat, texture_flags};
use bevy_classic_models::lithtech::{AbcLoaderSettings, ConvertedAbc};
use bevy_classic_models::read::ParseError;
use serde_json::{Value, json};
use std::fmt::Write;

/// Describes the bytes of a file.
pub fn describe(bytes: &[u8]) -> Result<Description, ParseError> {
    let ConvertedAbc { file, warnings, .. } =
        ConvertedAbc::load(bytes, &AbcLoaderSettings::default())?;
    let write = |text: &mut String| write_file(&file, text);
    Ok(Description::new(object(&file), &warnings, write))
}

/// Seconds with more digits than the float that clips use.
fn seconds(milliseconds: u32) -> f64 {
    f64::from(milliseconds) / 1000.0
}

/// The count of levels of detail in the file, including unusable ones. The file's list also has an entry for the full
/// model.
fn lods(file: &AbcFile<'_>) -> usize {
    file.geometry.lod_starts.len().saturating_sub(1)
}

fn object(file: &AbcFile<'_>) -> Value {
    let transform = file.transform();
    json!({
        "format": "abc",
        "nodes": list(&file.nodes, node),
        "vertices": file.geometry.vertices.len(),
        "base_vertices": file.geometry.base_vertices,
        "triangles": file.geometry.triangles.len(),
        "lods": lods(file),
        "animations": list(&file.animations, animation),
        "command": file.command_string,
        "flip_geometry": transform.flip_geometry,
        "flip_animation": transform.flip_animation,
        "posed": null,
    })
}

fn node(node: &Node<'_>) -> Value {
    json!({
        "name": node.name,
        "parent": node.parent.map_or(-1, i64::from),
        "flags": node.flags,
        "deform_vertices": node.deform_vertices.len(),
    })
}

fn animation(animation: &Animation<'_>) -> Value {
    let events = events(animation).map(|keyframe| json!([seconds(keyframe.time), keyframe.event]));
    json!({
        "name": animation.name,
        "seconds": seconds(animation.length),
        "keyframes": animation.keyframes.len(),
        "events": events.collect::<Vec<_>>(),
        "dims": animation.dims.map(|dims| dims.map(number)),
    })
}

/// The keyframes with strings.
fn events<'a>(animation: &'a Animation<'_>) -> impl Iterator<Item = &'a Keyframe<'a>> {
    let keyframes = animation.keyframes.iter();
    keyframes.filter(|keyframe| !keyframe.event.is_empty())
}

fn write_file(file: &AbcFile<'_>, text: &mut String) -> std::fmt::Result {
    let geometry = &file.geometry;
    writeln!(text, "  LithTech model, version 6")?;
    writeln!(
        text,
        "  {} vertices and {} more for {} levels of detail, {} triangles, {} nodes",
        geometry.base_vertices,
        geometry.vertices.len() - geometry.base_vertices as usize,
        lods(file),
        geometry.triangles.len(),
        file.nodes.len()
    )?;
    let transform = file.transform();
    let flipped = |flips| if flips { "flipped" } else { "not flipped" };
    writeln!(
        text,
        "  geometry {}, animations {}",
        flipped(transform.flip_geometry),
        flipped(transform.flip_animation)
    )?;
    write_command(&file.command_string, text)?;
    for node in &file.nodes {
        write_node(file, node, text)?;
    }
    for animation in &file.animations {
        write_animation(animation, text)?;
    }
    Ok(())
}

/// The texts of a node's flags. The flags of deformation are described with the node's vertices.
const FLAGS: [(u8, &str); 6] = [
    (node_flags::NULL, "null"),
    (node_flags::TRIANGLES, "triangles"),
    (node_flags::ENVIRONMENT_MAP, "environment map"),
    (node_flags::ENVIRONMENT_MAP_ONLY, "environment map only"),
    (node_flags::SCROLL_U, "scrolls along U"),
    (node_flags::SCROLL_V, "scrolls along V"),
];

fn write_node(file: &AbcFile<'_>, node: &Node<'_>, text: &mut String) -> std::fmt::Result {
    write!(text, "  node {}", node.name)?;
    let parent = node.parent.and_then(|index| file.nodes.get(index as usize));
    if let Some(parent) = parent {
        write!(text, " on {}", parent.name)?;
    }
    for (_, flag) in FLAGS.iter().filter(|(bit, _)| node.flags & bit != 0) {
        write!(text, ", {flag}")?;
    }
    match node.deform_vertices.len() {
        0 => writeln!(text),
        count => writeln!(text, ", deforms {count} vertices"),
    }
}

fn write_animation(animation: &Animation<'_>, text: &mut String) -> std::fmt::Result {
    let (name, keyframes) = (&animation.name, animation.keyframes.len());
    let length = seconds(animation.length);
    write!(
        text,
        "  animation {name}: {keyframes} keyframes, {length:.2} s"
    )?;
    match animation.dims {
        Some([x, y, z]) => writeln!(text, ", half dims {x} × {y} × {z}")?,
        None => writeln!(text)?,
    }
    for keyframe in events(animation) {
        let time = seconds(keyframe.time);
        writeln!(text, "    {time:.2} s: {}", keyframe.event)?;
    }
    Ok(())
}

/// Describes the bytes of a texture.
pub fn describe_texture(bytes: &[u8]) -> Result<Description, ParseError> {
    let file = dtx::parse(bytes)?;
    // The header has one count for color and alpha.
    let has_alpha = file.palette.is_some() && file.flags & texture_flags::ALPHA != 0;
    let alpha_mips = if has_alpha { file.mips } else { 0 };
    let DtxFile {
        version,
        width,
        height,
        mips,
        flags,
        ..
    } = file;
    let object = json!({
        "format": "dtx",
        "version": version,
        "width": width,
        "height": height,
        "mips": mips,
        "flags": flags,
        "alpha_mips": alpha_mips,
    });
    let texels = match file.texel_format {
        DtxTexelFormat::Indexed => "palette",
        DtxTexelFormat::Bgra8 => "32 bits",
        DtxTexelFormat::Bc1 => "DXT1",
        DtxTexelFormat::Bc2 => "DXT3",
        DtxTexelFormat::Bc3 => "DXT5",
    };
    let write = |text: &mut String| {
        writeln!(text, "  LithTech texture, version {version}, {texels}")?;
        writeln!(
            text,
            "  {width} × {height}, {mips} mips, {alpha_mips} alpha mips, flags {flags:#x}"
        )?;
        // In some real files it contains bytes that are not text.
        write_command(&file.command_string, text)
    };
    Ok(Description::new(object, &file.warnings, write))
}

fn write_command(command: &str, text: &mut String) -> std::fmt::Result {
    match command.is_empty() {
        true => Ok(()),
        false => writeln!(text, "  command string: {}", command.escape_debug()),
    }
}
