//! Describes Alamo animations.

use crate::inspect::description::{Description, number};
use bevy_classic_models::alamo::ala::{self, AlaBone, AlaFile};
use bevy_classic_models::read::ParseError;
use serde_json::{Value, json};
use std::fmt::Write;

/// Describes the bytes of a file.
pub fn describe(bytes: &[u8]) -> Result<Description, ParseError> {
    let file = ala::parse(bytes)?;
    let write = |text: &mut String| write_file(&file, text);
    Ok(Description::new(object(&file), &file.warnings, write))
}

/// Seconds from the first frame to the last, with more digits than the float that clips use.
fn seconds(file: &AlaFile<'_>) -> f64 {
    f64::from(file.frames.saturating_sub(1)) / f64::from(file.fps)
}

fn object(file: &AlaFile<'_>) -> Value {
    json!({
        "format": "ala",
        "version": file.version,
        "frames": file.frames,
        "fps": number(file.fps),
        "seconds": seconds(file),
        "bones": file.bones.iter().map(bone).collect::<Vec<_>>(),
    })
}

fn bone(bone: &AlaBone<'_>) -> Value {
    let mut object = json!({ "name": bone.name, "index": bone.index });
    for track in &TRACKS {
        object[track.key] = (track.is_in)(bone).into();
    }
    object
}

/// A kind of track: a property with a value per frame.
struct Track {
    key: &'static str,
    /// The name in the text output.
    label: &'static str,
    is_in: fn(&AlaBone<'_>) -> bool,
}

const TRACKS: [Track; 5] = [
    Track {
        key: "translation",
        label: "translation",
        is_in: |bone| bone.translation.is_some(),
    },
    Track {
        key: "rotation",
        label: "rotation",
        is_in: |bone| bone.rotation.is_some(),
    },
    Track {
        key: "scale",
        label: "scale",
        is_in: |bone| bone.scale.is_some(),
    },
    Track {
        key: "visibility",
        label: "visibility",
        is_in: |bone| bone.visibility.is_some(),
    },
    Track {
        key: "step",
        label: "steps",
        is_in: |bone| bone.steps.is_some(),
    },
];

fn write_file(file: &AlaFile<'_>, text: &mut String) -> std::fmt::Result {
    writeln!(text, "  Alamo animation, format {}", file.version)?;
    let (frames, fps, seconds) = (file.frames, file.fps, seconds(file));
    writeln!(text, "  {frames} frames, {fps} fps, {seconds:.2} s")?;
    let counts = TRACKS.iter().map(|track| {
        let count = file.bones.iter().filter(|bone| (track.is_in)(bone)).count();
        format!("{count} with {}", track.label)
    });
    let counts = counts.collect::<Vec<_>>().join(", ");
    writeln!(text, "  {} bones: {counts}", file.bones.len())?;
    write_bones(&file.bones, text)
}

/// A line for each bone with a track, and one line for all other bones.
fn write_bones(bones: &[AlaBone<'_>], text: &mut String) -> std::fmt::Result {
    let mut constant = Vec::new();
    for bone in bones {
        let tracks = TRACKS.iter().filter(|track| (track.is_in)(bone));
        let labels: Vec<_> = tracks.map(|track| track.label).collect();
        let (index, name) = (bone.index, &bone.name);
        if labels.is_empty() {
            constant.push(format!("{index} {name}"));
        } else {
            writeln!(text, "  bone {index} {name}: {}", labels.join(", "))?;
        }
    }
    if constant.is_empty() {
        return Ok(());
    }
    writeln!(text, "  constant: {}", constant.join(", "))
}
