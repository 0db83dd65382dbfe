//! Describes Quake models.

use crate::engines::{self, Engine};
use crate::inspect::description::{Description, list, number};
use bevy_classic_models::quake::mdl::{self, MdlFile, Precision};
use bevy_classic_models::quake::{ConvertedMdl, MdlClip, MdlLoaderSettings, Palette};
use bevy_classic_models::read::ParseError;
use serde_json::{Value, json};
use std::fmt::Write;

/// Describes the bytes of a file, and checks the limits of engines.
pub fn describe(bytes: &[u8], engines: &[Engine]) -> Result<Description, ParseError> {
    let file = mdl::parse(bytes)?;
    let settings = MdlLoaderSettings::default();
    let contents = ConvertedMdl::load(bytes, &settings, &Palette::default())?;
    let write = |text: &mut String| write_file(&file, &contents, text);
    Ok(Description {
        limits: engines::of_model(&file, engines),
        ..Description::new(object(&file, &contents), &contents.warnings, write)
    })
}

fn object(file: &MdlFile<'_>, contents: &ConvertedMdl) -> Value {
    let header = &file.header;
    let skin = |skin: &mdl::Skin<'_>| {
        json!({
            "width": header.skin_width,
            "height": header.skin_height,
            "pictures": skin.image_count,
        })
    };
    let clip = |clip: &MdlClip| {
        json!({
            "name": clip.name,
            "first": clip.sequence.first_pose,
            "count": clip.sequence.pose_count,
            "seconds": number(clip.sequence.seconds()),
        })
    };
    json!({
        "format": "mdl",
        "version": 6,
        "skins": list(&file.skins, skin),
        "vertices": file.st_vertices.len(),
        "triangles": file.triangles.len(),
        "frames": contents.frames.len(),
        "poses": contents.poses.pose_count(),
        "flags": header.flags,
        "synctype": header.sync_type,
        "clips": list(&contents.clips, clip),
    })
}

fn write_file(file: &MdlFile<'_>, contents: &ConvertedMdl, text: &mut String) -> std::fmt::Result {
    let header = &file.header;
    let magic = match file.precision {
        Precision::Bits8 => "IDPO",
        Precision::Bits16 => "MD16",
    };
    writeln!(text, "  Quake model, {magic} version 6")?;
    let (width, height) = (header.skin_width, header.skin_height);
    for (index, skin) in file.skins.iter().enumerate() {
        let group = match skin.image_count {
            1 => String::new(),
            images => format!(", a group of {images} images"),
        };
        writeln!(text, "  skin {index}: {width} × {height}{group}")?;
    }
    let (vertices, triangles) = (file.st_vertices.len(), file.triangles.len());
    let (frames, poses) = (contents.frames.len(), contents.poses.pose_count());
    writeln!(
        text,
        "  {vertices} vertices, {triangles} triangles, {frames} frames, {poses} poses"
    )?;
    let (flags, sync_type) = (header.flags, header.sync_type);
    writeln!(text, "  flags {flags:#x}, synctype {sync_type}")?;
    for MdlClip { name, sequence, .. } in &contents.clips {
        let group = if sequence.is_group {
            ", frame group"
        } else {
            ""
        };
        let (count, first) = (sequence.pose_count, sequence.first_pose);
        let seconds = sequence.seconds();
        writeln!(
            text,
            "  clip {name}: {count} poses from {first}, {seconds:.2} s{group}"
        )?;
    }
    Ok(())
}
