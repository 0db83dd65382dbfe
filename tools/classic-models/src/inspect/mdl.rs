//! Describes Quake models.

use crate::engines::{self, BrokenLimit, Engine};
use crate::inspect::output::{number, write_limits, write_warnings};
use crate::inspect::posed::Posed;
use bevy_classic_models::quake::mdl::{self, MdlFile, Precision};
use bevy_classic_models::quake::{ConvertedMdl, MdlLoaderSettings, Palette};
use bevy_classic_models::read::ParseError;
use serde_json::{Value, json};
use std::fmt::Write;

/// The description of a Quake model.
pub struct MdlDescription {
    precision: Precision,
    header: mdl::Header,
    /// Image count of each skin.
    skins: Vec<u32>,
    vertices: usize,
    triangles: usize,
    contents: ConvertedMdl,
    /// The limits of engines that the model exceeds.
    pub limits: Vec<BrokenLimit>,
    pub posed: Option<Posed>,
}

impl MdlDescription {
    /// Reads the bytes of a file.
    pub fn load(bytes: &[u8], engines: &[Engine]) -> Result<Self, ParseError> {
        let file = mdl::parse(bytes)?;
        let settings = MdlLoaderSettings::default();
        let contents = ConvertedMdl::load(bytes, &settings, &Palette::default())?;
        Ok(Self::new(&file, contents, engines))
    }

    fn new(file: &MdlFile<'_>, contents: ConvertedMdl, engines: &[Engine]) -> Self {
        Self {
            precision: file.precision,
            header: file.header,
            skins: file.skins.iter().map(|skin| skin.image_count).collect(),
            vertices: file.st_vertices.len(),
            triangles: file.triangles.len(),
            contents,
            limits: engines::of_model(file, engines),
            posed: None,
        }
    }

    fn warnings(&self) -> Vec<String> {
        let warnings = self.contents.warnings.iter();
        warnings.map(ToString::to_string).collect()
    }

    pub fn to_json(&self) -> Value {
        let skin = |images: &u32| {
            json!({
                "width": self.header.skin_width,
                "height": self.header.skin_height,
                "pictures": images,
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
            "format": "mdl",
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
            object["posed"] = posed.to_json();
        }
        object
    }

    pub fn write_text(&self, text: &mut String) -> std::fmt::Result {
        let magic = match self.precision {
            Precision::Bits8 => "IDPO",
            Precision::Bits16 => "MD16",
        };
        writeln!(text, "  Quake model, {magic} version 6")?;
        let (width, height) = (self.header.skin_width, self.header.skin_height);
        for (index, images) in self.skins.iter().enumerate() {
            let group = match images {
                1 => String::new(),
                images => format!(", a group of {images} images"),
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
                ", frame group"
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
            posed.write_text(text)?;
        }
        write_limits(&self.limits, text)?;
        write_warnings(&self.warnings(), text)
    }
}
