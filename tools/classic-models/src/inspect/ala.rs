//! Alamo animations in numbers.

use crate::inspect::output::{number, write_warnings};
use bevy_classic_models::alamo::ala::{self, AlaBone, AlaFile};
use bevy_classic_models::read::ParseError;
use serde_json::{Value, json};
use std::fmt::Write;

/// An Alamo animation in numbers.
pub struct AlaDescription {
    object: Value,
    text: String,
}

impl AlaDescription {
    /// Reads the bytes of a file.
    pub fn load(bytes: &[u8]) -> Result<Self, ParseError> {
        let file = ala::parse(bytes)?;
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = write_file(&file, &mut text);
        Ok(Self {
            object: object(&file),
            text,
        })
    }

    pub fn to_json(&self) -> Value {
        self.object.clone()
    }

    pub fn write_text(&self, text: &mut String) -> std::fmt::Result {
        text.write_str(&self.text)
    }
}

/// From the first frame to the last, with more digits than the float that is played.
fn seconds(file: &AlaFile<'_>) -> f64 {
    f64::from(file.frames.saturating_sub(1)) / f64::from(file.fps)
}

fn warnings(file: &AlaFile<'_>) -> Vec<String> {
    file.warnings.iter().map(ToString::to_string).collect()
}

fn object(file: &AlaFile<'_>) -> Value {
    json!({
        "format": "ala",
        "version": file.version,
        "frames": file.frames,
        "fps": number(file.fps),
        "seconds": seconds(file),
        "bones": file.bones.iter().map(bone).collect::<Vec<_>>(),
        "warnings": warnings(file),
    })
}

fn bone(bone: &AlaBone<'_>) -> Value {
    let mut object = json!({ "name": bone.name, "index": bone.index });
    for track in &TRACKS {
        object[track.key] = (track.is_in)(bone).into();
    }
    object
}

/// What a bone can have a value of for each frame.
struct Track {
    key: &'static str,
    /// What a bone does that has it, and what several do.
    verb: [&'static str; 2],
    is_in: fn(&AlaBone<'_>) -> bool,
}

const TRACKS: [Track; 5] = [
    Track {
        key: "translation",
        verb: ["moves", "move"],
        is_in: |bone| bone.translation.is_some(),
    },
    Track {
        key: "rotation",
        verb: ["turns", "turn"],
        is_in: |bone| bone.rotation.is_some(),
    },
    Track {
        key: "scale",
        verb: ["grows", "grow"],
        is_in: |bone| bone.scale.is_some(),
    },
    Track {
        key: "visibility",
        verb: ["has visibility", "have visibility"],
        is_in: |bone| bone.visibility.is_some(),
    },
    Track {
        key: "step",
        verb: ["has steps", "have steps"],
        is_in: |bone| bone.steps.is_some(),
    },
];

fn write_file(file: &AlaFile<'_>, text: &mut String) -> std::fmt::Result {
    writeln!(text, "  Alamo animation, format {}", file.version)?;
    let (frames, fps, seconds) = (file.frames, file.fps, seconds(file));
    writeln!(text, "  {frames} frames, {fps} a second, {seconds:.2} s")?;
    let counts = TRACKS.iter().map(|track| {
        let count = file.bones.iter().filter(|bone| (track.is_in)(bone)).count();
        let [one, several] = track.verb;
        format!("{count} {}", if count == 1 { one } else { several })
    });
    let counts = counts.collect::<Vec<_>>().join(", ");
    writeln!(text, "  {} bones: {counts}", file.bones.len())?;
    write_bones(&file.bones, text)?;
    write_warnings(&warnings(file), text)
}

/// A line for each bone with a track, and one for all others.
fn write_bones(bones: &[AlaBone<'_>], text: &mut String) -> std::fmt::Result {
    let mut still = Vec::new();
    for bone in bones {
        let tracks = TRACKS.iter().filter(|track| (track.is_in)(bone));
        let does: Vec<_> = tracks.map(|track| track.verb[0]).collect();
        let (index, name) = (bone.index, &bone.name);
        if does.is_empty() {
            still.push(format!("{index} {name}"));
        } else {
            writeln!(text, "  bone {index} {name}: {}", does.join(", "))?;
        }
    }
    if still.is_empty() {
        return Ok(());
    }
    writeln!(text, "  constant: {}", still.join(", "))
}
