//! Textures of a document, as embedded PNG images. Each file is decoded once per use. It must not know models.

use crate::convert::document::Document;
use crate::convert::files::Files;
use crate::convert::options::Options;
use bevy_classic_models::texture::Pixels;
use gltf_json::image::MimeType;
use gltf_json::texture::{MagFilter, MinFilter, Sampler, WrappingMode};
use gltf_json::validation::Checked;
use gltf_json::{Image, Index, Texture};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// How the texels of an image are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Treatment {
    /// Not at all.
    Keep,
    /// For additive blending: alpha is the brightness, and colors are as bright as they can be. Blended by alpha over black,
    /// the result is the original.
    Additive,
    /// Without alpha, which has another use. Some programs show it although the material is opaque.
    Opaque,
    /// Alpha as gray: the team's part of the base texture.
    TeamMask,
    /// Alpha alone, which `KHR_materials_specular` reads.
    AlphaOnly,
    /// Red is also the alpha, which `KHR_materials_specular` reads.
    RedToAlpha,
    /// The emissive part of a DTX file.
    Emissive,
}

impl Treatment {
    /// What is appended to the name of an image.
    fn suffix(self) -> &'static str {
        match self {
            Self::Keep | Self::Opaque => "",
            Self::TeamMask => " team mask",
            Self::AlphaOnly | Self::RedToAlpha => " gloss",
            Self::Additive => " additive",
            Self::Emissive => " emissive",
        }
    }
}

/// The largest side of a texture that Bevy loads by default, in texels. Others have the same limit.
const MAX_SIDE: u32 = 8192;

/// How a texture is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampling {
    /// Whether it repeats along U and V. Otherwise coordinates are clamped to the edge.
    pub wrap: [bool; 2],
    pub nearest: bool,
    pub mipmaps: bool,
}

impl Sampling {
    pub const REPEAT: Self = Self {
        wrap: [true; 2],
        nearest: false,
        mipmaps: true,
    };
}

/// The textures of one model.
pub struct Textures<'a> {
    files: &'a Files,
    options: &'a Options,
    model: &'a Path,
    images: HashMap<(PathBuf, Treatment), Option<Index<Image>>>,
    textures: HashMap<(usize, Sampling), Index<Texture>>,
    samplers: HashMap<Sampling, Index<Sampler>>,
    /// Problems, each once.
    pub warnings: BTreeSet<String>,
}

impl<'a> Textures<'a> {
    pub fn new(files: &'a Files, options: &'a Options, model: &'a Path) -> Self {
        Self {
            files,
            options,
            model,
            images: HashMap::new(),
            textures: HashMap::new(),
            samplers: HashMap::new(),
            warnings: BTreeSet::new(),
        }
    }

    /// The texture with the name that a model has for it. `None` if it is not found or cannot be read, with a warning.
    pub fn named(
        &mut self,
        document: &mut Document,
        name: &str,
        treatment: Treatment,
        sampling: Sampling,
    ) -> Option<Index<Texture>> {
        if self.options.no_textures {
            return None;
        }
        match self.files.texture(self.model, name, self.options) {
            Some(path) => self.file(document, &path, treatment, sampling),
            None => {
                self.warnings
                    .insert(format!("texture \"{name}\" not found"));
                None
            }
        }
    }

    /// The texture of an image file.
    pub fn file(
        &mut self,
        document: &mut Document,
        path: &Path,
        treatment: Treatment,
        sampling: Sampling,
    ) -> Option<Index<Texture>> {
        let key = (path.to_path_buf(), treatment);
        let image = match self.images.get(&key) {
            Some(image) => *image,
            None => {
                let image = self.read(document, path, treatment);
                self.images.insert(key, image);
                image
            }
        };
        Some(self.texture(document, image?, sampling))
    }

    /// The texture of decoded texels. `None` if textures are left out.
    pub fn pixels(
        &mut self,
        document: &mut Document,
        name: &str,
        pixels: &Pixels,
        sampling: Sampling,
    ) -> Option<Index<Texture>> {
        if self.options.no_textures {
            return None;
        }
        self.warn_of_size(name, pixels);
        let png = self.warn(name, png(pixels))?;
        let image = add_image(document, name, &png, "image/png");
        Some(self.texture(document, image, sampling))
    }

    fn read(
        &mut self,
        document: &mut Document,
        path: &Path,
        treatment: Treatment,
    ) -> Option<Index<Image>> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bytes = self.warn(&name, self.files.read(path))?;
        let mime = native_type(&bytes).filter(|mime| match treatment {
            Treatment::Keep => true,
            Treatment::Opaque => *mime == "image/jpeg",
            _ => false,
        });
        if let Some(mime) = mime {
            return Some(add_image(document, &name, &bytes, mime));
        }
        let pixels = match treatment {
            Treatment::Emissive => Pixels::decode_emissive(&bytes)?,
            _ => {
                let decoded = Pixels::decode(&bytes, path).map_err(|error| error.to_string());
                self.warn(&name, decoded)?
            }
        };
        self.warn_of_size(&name, &pixels);
        let png = self.warn(&name, png(&treated(pixels, treatment)))?;
        let name = format!("{name}{}", treatment.suffix());
        Some(add_image(document, &name, &png, "image/png"))
    }

    fn warn_of_size(&mut self, name: &str, Pixels { width, height, .. }: &Pixels) {
        if *width.max(height) > MAX_SIDE {
            self.warnings.insert(format!(
                "texture \"{name}\" has {width} x {height} texels, but many programs load at most {MAX_SIDE} per side"
            ));
        }
    }

    fn warn<T>(&mut self, name: &str, result: Result<T, String>) -> Option<T> {
        result
            .map_err(|error| self.warnings.insert(format!("texture \"{name}\": {error}")))
            .ok()
    }

    fn texture(
        &mut self,
        document: &mut Document,
        image: Index<Image>,
        sampling: Sampling,
    ) -> Index<Texture> {
        let key = (image.value(), sampling);
        if let Some(texture) = self.textures.get(&key) {
            return *texture;
        }
        let samplers = &mut self.samplers;
        let sampler = *samplers
            .entry(sampling)
            .or_insert_with(|| document.root.push(sampler(sampling)));
        let texture = document.root.push(Texture {
            name: None,
            sampler: Some(sampler),
            source: image,
            extensions: None,
            extras: None,
        });
        self.textures.insert(key, texture);
        texture
    }
}

/// The type of an image that glTF stores unchanged.
fn native_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        _ => None,
    }
}

fn add_image(document: &mut Document, name: &str, bytes: &[u8], mime: &str) -> Index<Image> {
    let view = document.push_view(bytes, None);
    document.root.push(Image {
        buffer_view: Some(view),
        mime_type: Some(MimeType(mime.to_owned())),
        name: Some(name.to_owned()),
        uri: None,
        extensions: None,
        extras: None,
    })
}

fn sampler(sampling: Sampling) -> Sampler {
    let wrap = |wraps| {
        Checked::Valid(match wraps {
            true => WrappingMode::Repeat,
            false => WrappingMode::ClampToEdge,
        })
    };
    let (mag, min) = match (sampling.nearest, sampling.mipmaps) {
        (true, true) => (MagFilter::Nearest, MinFilter::NearestMipmapLinear),
        (true, false) => (MagFilter::Nearest, MinFilter::Nearest),
        (false, true) => (MagFilter::Linear, MinFilter::LinearMipmapLinear),
        (false, false) => (MagFilter::Linear, MinFilter::Linear),
    };
    let [wrap_s, wrap_t] = sampling.wrap.map(wrap);
    Sampler {
        mag_filter: Some(Checked::Valid(mag)),
        min_filter: Some(Checked::Valid(min)),
        name: None,
        wrap_s,
        wrap_t,
        extensions: None,
        extras: None,
    }
}

fn treated(mut pixels: Pixels, treatment: Treatment) -> Pixels {
    let treat = match treatment {
        Treatment::Keep | Treatment::Emissive => return pixels,
        Treatment::Opaque => |[r, g, b, _]: [u8; 4]| [r, g, b, u8::MAX],
        Treatment::TeamMask => |[_, _, _, a]: [u8; 4]| [a, a, a, u8::MAX],
        Treatment::AlphaOnly => |[_, _, _, a]: [u8; 4]| [a; 4],
        Treatment::Additive => additive,
        Treatment::RedToAlpha => |[r, _, _, _]: [u8; 4]| [r; 4],
    };
    for texel in pixels.rgba.as_chunks_mut::<4>().0 {
        *texel = treat(*texel);
    }
    pixels
}

fn additive([r, g, b, _]: [u8; 4]) -> [u8; 4] {
    let brightness = r.max(g).max(b);
    let bright = |value: u8| {
        let scaled = u32::from(value) * 255 + u32::from(brightness) / 2;
        scaled.checked_div(brightness.into()).unwrap_or(0) as u8
    };
    [bright(r), bright(g), bright(b), brightness]
}

/// A PNG file of an image. It has alpha only if the image is not opaque.
///
/// # Errors
/// If the encoder rejects the image.
pub fn png(pixels: &Pixels) -> Result<Vec<u8>, String> {
    let (texels, _) = pixels.rgba.as_chunks::<4>();
    let is_opaque = texels.iter().all(|[_, _, _, alpha]| *alpha == u8::MAX);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width, pixels.height);
    encoder.set_depth(png::BitDepth::Eight);
    let opaque: Vec<u8>;
    let data = if is_opaque {
        encoder.set_color(png::ColorType::Rgb);
        opaque = texels
            .iter()
            .flat_map(|[r, g, b, _]| [*r, *g, *b])
            .collect();
        &opaque
    } else {
        encoder.set_color(png::ColorType::Rgba);
        &pixels.rgba
    };
    let text = |error: png::EncodingError| error.to_string();
    let mut writer = encoder.write_header().map_err(text)?;
    writer.write_image_data(data).map_err(text)?;
    writer.finish().map_err(text)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additive_texels_are_the_same_over_black() {
        for texel in [
            [0, 0, 0, 9],
            [255, 255, 255, 0],
            [10, 200, 50, 255],
            [1, 0, 0, 0],
        ] {
            let [r, g, b, alpha] = additive(texel);
            let over_black = [r, g, b].map(|value| u32::from(value) * u32::from(alpha));
            for (found, original) in over_black.iter().zip(texel) {
                let original = u32::from(original) * 255;
                assert!(found.abs_diff(original) <= 255, "{texel:?}");
            }
        }
    }

    #[test]
    fn only_images_with_alpha_have_four_channels() {
        let read = |alpha: u8| {
            let pixels = Pixels {
                width: 1,
                height: 2,
                rgba: vec![1, 2, 3, 255, 4, 5, 6, alpha],
            };
            let bytes = png(&pixels).unwrap();
            let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
            let mut reader = decoder.read_info().unwrap();
            let mut data = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut data).unwrap();
            data
        };
        assert_eq!(read(255), [1, 2, 3, 4, 5, 6]);
        assert_eq!(read(7), [1, 2, 3, 255, 4, 5, 6, 7]);
    }
}
