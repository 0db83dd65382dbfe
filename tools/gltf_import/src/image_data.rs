//! Decoded images.

use crate::error::{At, Error, Result};
use crate::names::Names;
use crate::scene::Scene;
use image::ImageReader;
use std::collections::{BTreeMap, HashMap};
use std::io::Cursor;

/// The maximum count of texels of all textures of a model.
const MAX_TEXELS: u64 = 1 << 25;

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

/// Decodes the images of a scene, up to a count of texels.
#[derive(Default)]
pub(crate) struct Decoder {
    texels: u64,
}

impl Decoder {
    /// Decodes an image: a PNG or JPEG file.
    ///
    /// # Errors
    /// If it does not exist, cannot be decoded, or all decoded images are too large together.
    pub fn decode(&mut self, scene: &Scene, index: usize) -> Result<Pixels> {
        let missing = || Error::new(format_args!("image {index} does not exist"));
        let image = scene.images.get(index).ok_or_else(missing)?;
        let decoded = self.decode_bytes(&image.bytes);
        decoded.at(format_args!("image {:?}", image.name))
    }

    fn decode_bytes(&mut self, bytes: &[u8]) -> Result<Pixels> {
        let reader = || ImageReader::new(Cursor::new(bytes)).with_guessed_format();
        let (width, height) = reader()
            .map_err(Error::new)?
            .into_dimensions()
            .map_err(Error::new)?;
        self.texels += u64::from(width) * u64::from(height);
        if self.texels > MAX_TEXELS {
            return Err(Error::new(format_args!(
                "the textures have more than {MAX_TEXELS} texels"
            )));
        }
        let image = reader()
            .map_err(Error::new)?
            .decode()
            .map_err(Error::new)?
            .into_rgba8();
        Ok(Pixels {
            width,
            height,
            rgba: image.pixels().map(|pixel| pixel.0).collect(),
        })
    }
}

/// The textures of new materials.
pub(crate) struct TextureFiles {
    /// The textures by the names of their files.
    pub files: BTreeMap<String, Pixels>,
    /// The names by image.
    names: HashMap<usize, String>,
    stems: Names,
    decoder: Decoder,
}

impl Default for TextureFiles {
    fn default() -> Self {
        Self {
            files: BTreeMap::new(),
            names: HashMap::new(),
            stems: Names::ignoring_case(),
            decoder: Decoder::default(),
        }
    }
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
        let mut pixels = self.decoder.decode(scene, index)?;
        pixels.rgba.iter_mut().for_each(change);
        let name = scene.images.get(index).map_or("", |image| &image.name);
        let name = format!("{}.tga", self.stems.unique(&file_stem(name, index)));
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
