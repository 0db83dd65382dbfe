//! The options of the subcommand `convert`, and the kind of file that an output path has.

use crate::engines::Engine;
use crate::file_format::{has_extension, is_gltf, is_image, is_manifest, is_model, is_texture};
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// How files are converted.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// Meters per unit of the game's file; default: 1, or the value with which a model was converted
    ///
    /// glTF's unit is the meter, and the games' files have no unit. With 1, the coordinates are those of the file. BevySpace
    /// multiplies by 0.03125 for Quake, 0.4 for Alamo, 0.025 for LithTech, and 0.01 for UFO: Aftermath.
    #[arg(long, value_name = "METERS", value_parser = scale, allow_negative_numbers = true, verbatim_doc_comment)]
    scale: Option<f32>,
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
    /// To .abc, .alo and .mdl: the animations that become clips, in this order: run,stand
    ///
    /// Default: all, in the order of the file. The code of a game refers to Quake's frames by their numbers.
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        verbatim_doc_comment
    )]
    pub clips: Vec<String>,
    /// To .abc: make levels of detail, which begin at the distance NEAR and have an eighth of the triangles at FAR
    ///
    /// In units of the game's file. Default: those of a model that was converted, if its mesh is the same.
    #[arg(long, value_name = "NEAR,FAR", value_parser = lods, verbatim_doc_comment)]
    pub lods: Option<[f32; 2]>,
    /// To .mdl: the animations that become frame groups, which engines play on their own, such as a flame
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub groups: Vec<String>,
    /// To .mdl: mix the colors that the palette does not have from neighboring texels
    #[arg(long)]
    pub dither: bool,
    /// To .mdl: 8 or 16 bits per coordinate; default: 8, or those of a model that was converted
    ///
    /// With 16, the file is of the kind MD16, which few engines read.
    #[arg(long, value_name = "BITS", value_parser = bits, verbatim_doc_comment)]
    pub bits: Option<u8>,
    /// To .mdl: fail if the model exceeds a limit of an engine
    ///
    /// Without this option, the limits of all engines that it exceeds are warnings.
    #[arg(long, value_name = "ENGINE,…", value_enum, value_delimiter = ',')]
    pub engine: Vec<Engine>,
    /// To .dds: mip levels are averages of values, such as normals, instead of colors
    #[arg(long)]
    pub linear: bool,
    /// To .dds: the image has the six sides of a cube map side by side: +X, −X, +Y, −Y, +Z, −Z
    #[arg(long)]
    pub cube: bool,
    /// To .dtx, also for new skins of .abc: the color whose texels are unlit, such as ff8000
    #[arg(long, value_name = "COLOR", value_parser = color)]
    pub unlit: Option<[u8; 3]>,
}

impl Options {
    /// Meters per unit of the game's file.
    pub fn scale(&self) -> f32 {
        self.scale.unwrap_or(1.0)
    }

    /// An option that is given, but has no effect on a kind of result.
    pub fn without_effect(&self, kind: Output) -> Option<&'static str> {
        use Output::{Abc, Alo, Dds, Dtx, Mdl};
        let options: [(&str, bool, &[Output]); 9] = [
            ("--clips", !self.clips.is_empty(), &[Abc, Alo, Mdl]),
            ("--lods", self.lods.is_some(), &[Abc]),
            ("--groups", !self.groups.is_empty(), &[Mdl]),
            ("--dither", self.dither, &[Mdl]),
            ("--bits", self.bits.is_some(), &[Mdl]),
            ("--engine", !self.engine.is_empty(), &[Mdl]),
            ("--linear", self.linear, &[Dds]),
            ("--cube", self.cube, &[Dds]),
            ("--unlit", self.unlit.is_some(), &[Abc, Dtx]),
        ];
        let mut given = options.into_iter().filter(|(_, is_given, _)| *is_given);
        let (name, ..) = given.find(|(.., kinds)| !kinds.contains(&kind))?;
        Some(name)
    }

    /// Meters per unit of the game's file, if the option is given.
    pub fn stated_scale(&self) -> Option<f32> {
        self.scale
    }
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

/// The kind of file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// glTF: one binary file
    Glb,
    /// glTF: one JSON file
    Gltf,
    /// A page that shows a model in a browser, also from glTF
    Html,
    /// Quake models, from glTF
    Mdl,
    /// Models of UFO: Aftermath, from glTF
    Lgw,
    /// LithTech models, from glTF
    Abc,
    /// Alamo particle systems as text
    Ron,
    /// Alamo models with animations from glTF, and particle systems from text or glTF
    Alo,
    /// Textures for other programs
    Png,
    /// DirectX textures with mip levels, from images: BC1, or BC3 with alpha
    Dds,
    /// LithTech textures of version -2 with a palette, from images
    Dtx,
    /// Uncompressed textures, from images
    Tga,
    /// Palettes of Quake, from images of 256 texels
    Lmp,
}

impl Output {
    /// The extensions of all kinds, for a message.
    pub fn extensions() -> String {
        let kinds = Self::value_variants().iter();
        let mut extensions: Vec<_> = kinds.map(|kind| format!(".{}", kind.extension())).collect();
        extensions.sort();
        extensions.join(", ")
    }

    /// The kind by the extension of a path. `None` for other extensions.
    pub fn of(path: &Path) -> Option<Self> {
        let mut kinds = Self::value_variants().iter().copied();
        kinds.find(|kind| has_extension(path, kind.extension()))
    }

    /// The extension of the file.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Gltf => "gltf",
            Self::Html => "html",
            Self::Mdl => "mdl",
            Self::Lgw => "lgw",
            Self::Abc => "abc",
            Self::Ron => "ron",
            Self::Alo => "alo",
            Self::Png => "png",
            Self::Dds => "dds",
            Self::Dtx => "dtx",
            Self::Tga => "tga",
            Self::Lmp => "lmp",
        }
    }

    /// Whether a file can be converted to this kind of file, by its extension.
    pub fn takes(self) -> fn(&Path) -> bool {
        match self {
            Self::Glb | Self::Gltf => |path| is_model(path) || is_texture(path),
            Self::Html => |path| is_model(path) || is_gltf(path),
            Self::Png => is_texture,
            // In a folder, textures that have the kind already are not encoded again.
            Self::Dds => |path| is_image(path) && !has_extension(path, "dds"),
            Self::Dtx => |path| is_image(path) && !has_extension(path, "dtx"),
            Self::Tga => |path| is_image(path) && !has_extension(path, "tga"),
            Self::Lmp => is_image,
            Self::Mdl | Self::Lgw | Self::Abc => is_gltf,
            Self::Ron => |path| has_extension(path, "alo"),
            Self::Alo => |path| is_gltf(path) || has_extension(path, "ron") && !is_manifest(path),
        }
    }

    /// What can be converted to this kind of file.
    pub fn inputs(self) -> &'static str {
        match self {
            Self::Glb | Self::Gltf => "models or textures",
            Self::Html => "models or glTF files",
            Self::Png => "textures",
            Self::Dds => "images other than .dds",
            Self::Dtx => "images other than .dtx",
            Self::Tga => "images other than .tga",
            Self::Lmp => "images",
            Self::Mdl | Self::Lgw | Self::Abc => "glTF files",
            Self::Ron => "particle systems",
            Self::Alo => "glTF files or particle systems in .ron files",
        }
    }
}

/// Bits per coordinate.
fn bits(text: &str) -> Result<u8, &'static str> {
    let bits = text.parse().ok().filter(|bits| matches!(bits, 8 | 16));
    bits.ok_or("expected 8 or 16")
}

/// Two distances.
fn lods(text: &str) -> Result<[f32; 2], &'static str> {
    let distances = text
        .split_once(',')
        .and_then(|(near, far)| Some([near.trim().parse().ok()?, far.trim().parse().ok()?]));
    let is_valid = |[near, far]: &[f32; 2]| *near >= 0.0 && near < far && far.is_finite();
    let distances = distances.filter(is_valid);
    distances.ok_or("expected two distances, the smaller first, such as 200,1500")
}

/// A color in hexadecimal digits.
fn color(text: &str) -> Result<[u8; 3], &'static str> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    let is_color = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_color);
    let number = number.ok_or("expected six hexadecimal digits, such as ff8000")?;
    let [_, r, g, b] = number.to_be_bytes();
    Ok([r, g, b])
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
