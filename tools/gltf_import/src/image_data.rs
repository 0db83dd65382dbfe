//! Decoded images.

use crate::error::{At, Error, Result};
use crate::scene::Scene;
use image::RgbaImage;
use std::collections::{BTreeMap, HashMap};

/// The maximum count of texels of the textures of a model.
const MAX_TEXELS: usize = 1 << 28;

/// The texels of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Texels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// sRGB red, green and blue, and alpha: row by row from the top.
    pub rgba: Vec<[u8; 4]>,
}

impl Pixels {
    /// Decodes a PNG or JPEG file.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let image = image::load_from_memory(bytes).map_err(Error::new)?;
        let image: RgbaImage = image.to_rgba8();
        Ok(Self {
            width: image.width(),
            height: image.height(),
            rgba: image.pixels().map(|pixel| pixel.0).collect(),
        })
    }

    /// An image of one color.
    pub(crate) fn plain(width: u32, height: u32, color: [u8; 4]) -> Self {
        let count = width as usize * height as usize;
        Self {
            width,
            height,
            rgba: vec![color; count],
        }
    }

    /// The texel at a column and row inside of the image.
    pub(crate) fn texel(&self, x: u32, y: u32) -> [u8; 4] {
        let index = y as usize * self.width as usize + x as usize;
        self.rgba.get(index).copied().unwrap_or_default()
    }
}

/// The textures of new materials.
#[derive(Default)]
pub(crate) struct TextureFiles {
    /// The textures by the names of their files.
    pub files: BTreeMap<String, Pixels>,
    /// The names by image.
    names: HashMap<usize, String>,
}

impl TextureFiles {
    /// The name of the file of an image, which is written once. `change` changes its texels.
    ///
    /// # Errors
    /// If the image cannot be decoded, or all textures are too large together.
    pub fn add(
        &mut self,
        scene: &Scene,
        index: usize,
        change: impl Fn(&mut [u8; 4]),
    ) -> Result<String> {
        if let Some(name) = self.names.get(&index) {
            return Ok(name.clone());
        }
        let missing = || Error::new(format_args!("image {index} does not exist"));
        let image = scene.images.get(index).ok_or_else(missing)?;
        let mut pixels = Pixels::decode(&image.bytes).at(format_args!("image {:?}", image.name))?;
        pixels.rgba.iter_mut().for_each(change);
        let all: usize = self.files.values().map(|it| it.rgba.len()).sum();
        if all + pixels.rgba.len() > MAX_TEXELS {
            return Err(Error::new(format_args!(
                "the textures have more than {MAX_TEXELS} texels"
            )));
        }
        let stem = file_stem(&image.name, index);
        // Names that differ only in case are the same on some systems.
        let is_free = |name: &String| {
            !self
                .files
                .keys()
                .any(|other| other.eq_ignore_ascii_case(name))
        };
        let numbered = (2..).map(|number| format!("{stem}_{number}.tga"));
        let mut names = [format!("{stem}.tga")].into_iter().chain(numbered);
        let name = names.find(is_free).unwrap_or_default();
        self.files.insert(name.clone(), pixels);
        self.names.insert(index, name.clone());
        Ok(name)
    }
}

/// The name of a file for an image: of ASCII letters, digits, `-` and `_`, because any other may be no name on some system.
fn file_stem(name: &str, index: usize) -> String {
    let stem = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let allowed = |it: char| {
        if it.is_ascii_alphanumeric() || it == '-' {
            it
        } else {
            '_'
        }
    };
    let stem: String = stem.chars().map(allowed).collect();
    match stem.as_str() {
        "" => format!("texture{index}"),
        _ => stem,
    }
}
