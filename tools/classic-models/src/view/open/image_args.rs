//! The options of images: the background, the light, the floor, and animations.

use crate::file_format::has_extension;
use crate::view::draw::lighting::{EXPOSURES, LightSet, Lighting};
use bevy::prelude::*;
use classic_models_support::images::{Alpha, RATE};
use std::path::{Path, PathBuf};

/// The background, the floor and the lights.
#[derive(clap::Args, Clone, Debug)]
pub struct StageArgs {
    /// Color of the background; none: transparent, in images
    #[arg(long, value_name = "RRGGBB|none", value_parser = background)]
    pub background: Option<Color>,
    /// Draw a floor with shadows
    #[arg(long)]
    pub floor: bool,
    /// Use these lights
    #[arg(long, value_enum, default_value_t)]
    pub light: LightSet,
    /// Make lit surfaces brighter; each stop doubles the light, and negative ones halve it
    #[arg(long, value_name = "STOPS", value_parser = exposure, default_value_t = 0.0, allow_hyphen_values = true)]
    pub exposure: f32,
}

impl StageArgs {
    pub fn lighting(&self) -> Lighting {
        Lighting {
            set: self.light,
            exposure: self.exposure,
        }
    }

    /// What the alpha of images becomes.
    pub fn alpha(&self) -> Alpha {
        match self.background {
            Some(Color::NONE) => Alpha::Straight,
            _ => Alpha::Opaque,
        }
    }
}

/// An animation without a window.
#[derive(clap::Args, Clone, Debug)]
pub struct AnimationArgs {
    /// Write an animation that loops, and exit: OUT.gif, OUT.png, or a folder for an image of each frame
    ///
    /// It is one pass of the clip or the particle system, from --time, otherwise from the start. A GIF has 256 colors;
    /// a PNG has all. In a folder, the images are 000.png, 001.png and so on.
    #[arg(long = "animation", id = "animation", value_name = "OUT", value_parser = animation, conflicts_with = "capture", verbatim_doc_comment)]
    pub file: Option<PathBuf>,
    /// Length of the animation; default: one pass of the clip
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "animation", conflicts_with = "capture")]
    pub seconds: Option<f32>,
    /// The most frames per second of the animation
    #[arg(long, value_name = "N", value_parser = rate, default_value_t = RATE, requires = "animation", conflicts_with = "capture")]
    pub fps: f32,
}

/// A color of six hexadecimal digits.
pub fn color(text: &str) -> Result<Color, &'static str> {
    let color = Srgba::hex(text).map(Color::from);
    color.map_err(|_| "expected a color of six hexadecimal digits, such as c01818")
}

fn background(text: &str) -> Result<Color, &'static str> {
    match text {
        "none" => Ok(Color::NONE),
        _ => color(text).map_err(|_| "expected six hexadecimal digits, such as 202428, or none"),
    }
}

fn exposure(text: &str) -> Result<f32, &'static str> {
    let [least, most] = EXPOSURES;
    in_range(text, least, most).ok_or("expected stops from -5 to 5")
}

// A file to write with another extension could be a model, which would be replaced.
fn animation(text: &str) -> Result<PathBuf, &'static str> {
    let path = Path::new(text);
    let is_file = has_extension(path, "gif") || has_extension(path, "png");
    let is_folder = path.extension().is_none() || text.ends_with('/') || path.is_dir();
    let path = (is_file || is_folder).then(|| path.to_owned());
    path.ok_or("expected the path of a .gif or .png file, or of a folder")
}

fn seconds(text: &str) -> Result<f32, &'static str> {
    in_range(text, 0.1, 60.0).ok_or("expected seconds from 0.1 to 60")
}

fn rate(text: &str) -> Result<f32, &'static str> {
    in_range(text, 1.0, 60.0).ok_or("expected frames per second from 1 to 60")
}

fn in_range(text: &str, least: f32, most: f32) -> Option<f32> {
    let value = text.parse().ok();
    value.filter(|value| (least..=most).contains(value))
}

#[cfg(test)]
mod tests {
    use super::{animation, background};
    use bevy::prelude::*;

    #[test]
    fn animations_are_not_written_over_models() {
        for text in ["a.gif", "a/b.PNG", "frames", "out.d/", "."] {
            assert!(animation(text).is_ok(), "{text}");
        }
        for text in ["a.alo", "a.jpg", "walker.model.ron"] {
            assert!(animation(text).is_err(), "{text}");
        }
    }

    #[test]
    fn backgrounds_are_colors_or_none() {
        assert_eq!(background("none"), Ok(Color::NONE));
        assert_eq!(background("ff8000"), Ok(Color::srgb_u8(255, 128, 0)));
        assert!(background("nothing").is_err());
    }
}
