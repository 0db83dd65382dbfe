//! What is in a file, read with the same code as the loader.

use crate::pose::Posed;
use bevy_classic_models::quake::mdl::{self, MdlFile, Precision};
use bevy_classic_models::quake::{MdlContents, MdlLoaderSettings, Palette};
use bevy_classic_models::read::ParseError;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// What became of a file.
pub enum Description {
    /// It is a model.
    Model(Box<Model>),
    /// It is none, or something asked of it is not there.
    Failed(Failure),
}

/// Why a file failed.
pub struct Failure {
    /// Offset in the file, where that means something.
    pub offset: Option<u64>,
    pub message: String,
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Self {
        Self {
            offset: Some(error.offset),
            message: error.to_string(),
        }
    }
}

/// A model in numbers.
pub struct Model {
    precision: Precision,
    header: mdl::Header,
    /// Number of pictures of each skin.
    skins: Vec<u32>,
    vertices: usize,
    triangles: usize,
    contents: MdlContents,
    pub posed: Option<Posed>,
}

/// Reads a file.
pub fn describe(path: &Path) -> Description {
    let bytes = match read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            return Description::Failed(Failure {
                offset: None,
                message: error.to_string(),
            });
        }
    };
    let settings = MdlLoaderSettings::default();
    let loaded = mdl::parse(&bytes).and_then(|file| {
        Ok((
            file,
            MdlContents::load(&bytes, &settings, &Palette::default())?,
        ))
    });
    match loaded {
        Ok((file, contents)) => Description::Model(Box::new(Model::new(&file, contents))),
        Err(error) => Description::Failed(error.into()),
    }
}

/// The bytes of a file; not of a pipe or a device, which may have no end.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.is_file() {
        std::fs::read(path)
    } else {
        Err(std::io::Error::other("is not a regular file"))
    }
}

/// A number with the digits that it has as a 32-bit float.
fn number(value: f32) -> Value {
    let digits = value.to_string().parse::<f64>();
    digits.map_or(Value::Null, Value::from)
}

impl Model {
    fn new(file: &MdlFile<'_>, contents: MdlContents) -> Self {
        Self {
            precision: file.precision,
            header: file.header,
            skins: file.skins.iter().map(|skin| skin.pictures).collect(),
            vertices: file.st_vertices.len(),
            triangles: file.triangles.len(),
            contents,
            posed: None,
        }
    }

    fn warnings(&self) -> Vec<String> {
        let warnings = self.contents.warnings.iter();
        warnings.map(ToString::to_string).collect()
    }

    fn to_json(&self, file: &str) -> Value {
        let skin = |pictures: &u32| {
            json!({
                "width": self.header.skin_width,
                "height": self.header.skin_height,
                "pictures": pictures,
            })
        };
        let clips = self.contents.clips.iter().map(|clip| {
            json!({
                "name": clip.name,
                "first": clip.sequence.first_pose,
                "count": clip.sequence.pose_count,
                "seconds": number(clip.sequence.seconds()),
            })
        });
        let mut object = json!({
            "file": file,
            "format": "mdl",
            "ok": true,
            "version": 6,
            "skins": self.skins.iter().map(skin).collect::<Vec<_>>(),
            "vertices": self.vertices,
            "triangles": self.triangles,
            "frames": self.contents.frames.len(),
            "poses": self.contents.poses.pose_count(),
            "flags": self.header.flags,
            "synctype": self.header.sync_type,
            "clips": clips.collect::<Vec<_>>(),
            "warnings": self.warnings(),
        });
        if let Some(posed) = &self.posed {
            object["posed"] = json!({
                "min": posed.min.to_array().map(number),
                "max": posed.max.to_array().map(number),
                "centroid": posed.centroid.to_array().map(number),
            });
        }
        object
    }

    fn write_text(&self, text: &mut String) -> std::fmt::Result {
        let magic = match self.precision {
            Precision::Bits8 => "IDPO",
            Precision::Bits16 => "MD16",
        };
        writeln!(text, "  Quake model, {magic} version 6")?;
        let (width, height) = (self.header.skin_width, self.header.skin_height);
        for (index, pictures) in self.skins.iter().enumerate() {
            let group = match pictures {
                1 => String::new(),
                pictures => format!(", a group of {pictures} pictures"),
            };
            writeln!(text, "  skin {index}: {width} × {height}{group}")?;
        }
        let frames = self.contents.frames.len();
        let poses = self.contents.poses.pose_count();
        writeln!(
            text,
            "  {} vertices, {} triangles, {frames} frames, {poses} poses",
            self.vertices, self.triangles
        )?;
        writeln!(
            text,
            "  flags {:#x}, synctype {}",
            self.header.flags, self.header.sync_type
        )?;
        for clip in &self.contents.clips {
            let sequence = &clip.sequence;
            let kind = if sequence.is_group {
                ", runs by itself"
            } else {
                ""
            };
            writeln!(
                text,
                "  clip {}: {} poses from {}, {:.2} s{kind}",
                clip.name,
                sequence.pose_count,
                sequence.first_pose,
                sequence.seconds()
            )?;
        }
        if let Some(posed) = &self.posed {
            writeln!(text, "  posed from {} to {}", posed.min, posed.max)?;
            writeln!(text, "  centroid {}", posed.centroid)?;
        }
        for warning in self.warnings() {
            writeln!(text, "  warning: {warning}")?;
        }
        Ok(())
    }
}

impl Description {
    /// One line of JSON.
    pub fn to_json(&self, file: &str) -> Value {
        match self {
            Self::Model(model) => model.to_json(file),
            Self::Failed(failure) => json!({
                "file": file,
                "ok": false,
                "error": { "offset": failure.offset, "message": failure.message },
            }),
        }
    }

    /// A paragraph for people.
    pub fn to_text(&self, file: &str) -> String {
        let mut text = format!("{file}\n");
        match self {
            // Writing to a string does not fail.
            Self::Model(model) => drop(model.write_text(&mut text)),
            Self::Failed(failure) => text.push_str(&format!("  error: {}\n", failure.message)),
        }
        text
    }
}
