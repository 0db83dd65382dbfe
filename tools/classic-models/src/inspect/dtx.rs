//! Describes LithTech textures.

use crate::inspect::description::Description;
use bevy_classic_models::lithtech::dtx::{self, DtxFile, DtxTexelFormat, texture_flags};
use bevy_classic_models::read::ParseError;
use serde_json::{Value, json};
use std::fmt::Write;

/// Describes the bytes of a file.
pub fn describe(bytes: &[u8]) -> Result<Description, ParseError> {
    let file = dtx::parse(bytes)?;
    let write = |text: &mut String| write_file(&file, text);
    Ok(Description::new(object(&file), &file.warnings, write))
}

/// The count of alpha mip levels. The header has one count for color and alpha.
fn alpha_mips(file: &DtxFile<'_>) -> u16 {
    let has_alpha = file.palette.is_some() && file.flags & texture_flags::ALPHA != 0;
    if has_alpha { file.mips } else { 0 }
}

fn object(file: &DtxFile<'_>) -> Value {
    json!({
        "format": "dtx",
        "version": file.version,
        "width": file.width,
        "height": file.height,
        "mips": file.mips,
        "flags": file.flags,
        "alpha_mips": alpha_mips(file),
    })
}

fn write_file(file: &DtxFile<'_>, text: &mut String) -> std::fmt::Result {
    let texels = match file.texel_format {
        DtxTexelFormat::Indexed => "palette",
        DtxTexelFormat::Bgra8 => "32 bits",
        DtxTexelFormat::Bc1 => "DXT1",
        DtxTexelFormat::Bc2 => "DXT3",
        DtxTexelFormat::Bc3 => "DXT5",
    };
    writeln!(
        text,
        "  LithTech texture, version {}, {texels}",
        file.version
    )?;
    writeln!(
        text,
        "  {} × {}, {} mips, {} alpha mips, flags {:#x}",
        file.width,
        file.height,
        file.mips,
        alpha_mips(file),
        file.flags
    )?;
    if !file.command_string.is_empty() {
        // In some real files it contains bytes that are not text.
        let command = file.command_string.escape_debug();
        writeln!(text, "  command string: {command}")?;
    }
    Ok(())
}
