//! The options of the subcommand `convert`, and the kind of file that an output path has.

use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// How files are converted.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// Meters per unit of the file
    ///
    /// glTF's unit is the meter, and the games' files have no unit. With 1, the coordinates are those of the file, so that a model
    /// can be converted back. BevySpace multiplies by 0.03125 for Quake, 0.4 for Alamo, 0.025 for LithTech, and 0.01 for UFO:
    /// Aftermath.
    #[arg(long, value_name = "METERS", default_value_t = 1.0, value_parser = scale, allow_negative_numbers = true, verbatim_doc_comment)]
    pub scale: f32,
    /// How Alamo models show and hide parts
    ///
    /// Few programs know the extensions of glTF: others show hidden parts, or reject the file.
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Visibility::Scale, verbatim_doc_comment)]
    pub visibility: Visibility,
    /// Which clips of Quake models are loops, whose last key is the first pose again
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Loops::Names)]
    pub loops: Loops,
    /// More folders with textures and skins; may be given more than once
    #[arg(long = "textures", value_name = "DIR")]
    pub textures: Vec<PathBuf>,
    /// More folders with .ala files; may be given more than once
    #[arg(long = "animations", value_name = "DIR")]
    pub animations: Vec<PathBuf>,
    /// The skin of LithTech models: a .dtx, .dds or .tga file
    #[arg(long, value_name = "FILE")]
    pub skin: Option<PathBuf>,
    /// The palette of Quake models: a file of 768 bytes; default: Quake's
    #[arg(long, value_name = "FILE")]
    pub palette: Option<PathBuf>,
    /// The palette index of holes in Quake models whose flags have bit 14; Hexen II: 0
    #[arg(long, value_name = "INDEX", default_value_t = 255)]
    pub hole_index: u8,
    /// Leave out all textures
    #[arg(long)]
    pub no_textures: bool,
    /// Leave out the lights of Alamo models
    #[arg(long)]
    pub no_lights: bool,
    /// Leave out the coarser levels of detail, which Blender shows together with the finest
    #[arg(long)]
    pub no_lods: bool,
}

/// How the visibility of a model's parts is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Visibility {
    /// A scale of 0, which every program reads
    Scale,
    /// KHR_node_visibility, animated by KHR_animation_pointer
    Extension,
}

/// Which clips of Quake models are loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Loops {
    /// Frame groups, and clips with names such as stand, walk and run
    Names,
    /// All clips
    All,
    /// No clips
    None,
}

/// The kind of file that is written for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Container {
    /// One binary file
    Glb,
    /// One JSON file
    Gltf,
}

/// The kind of file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Model(Container),
    Png,
}

impl Output {
    /// The kind by the extension of a path. `None` for other extensions.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "glb" => Some(Self::Model(Container::Glb)),
            "gltf" => Some(Self::Model(Container::Gltf)),
            "png" => Some(Self::Png),
            _ => None,
        }
    }

    /// The extension of the file.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Model(Container::Glb) => "glb",
            Self::Model(Container::Gltf) => "gltf",
            Self::Png => "png",
        }
    }
}

/// Meters per unit. Other values could give coordinates or inverses of matrices that are not finite.
fn scale(text: &str) -> Result<f32, &'static str> {
    let number = text.parse::<f32>().ok();
    let number = number.filter(|number| (1e-6..=1e6).contains(number));
    number.ok_or("expected a number greater than 0: from 0.000001 to 1000000")
}

/// The options of a command line. For tests.
#[cfg(test)]
pub fn parse(args: &[&str]) -> Options {
    use clap::Parser;
    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        options: Options,
    }
    Cli::parse_from(["convert"].iter().chain(args)).options
}
