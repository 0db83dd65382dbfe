//! Lays out the textures of all materials of a model in one image: models of Quake have one skin at a time.

use crate::error::{Error, Result};
use crate::image_data::{Decoder, Pixels};
use crate::palette::Picture;
use crate::scene::{Primitive, Scene, TextureRef};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The side of the image of a material without texture, in texels.
const PLAIN: u32 = 4;

/// The maximum count of texels of all images.
const MAX_TEXELS: u64 = 1 << 26;

/// The maximum count of materials of all variants of all cells.
const MAX_MATERIALS: usize = 1 << 20;

/// The images of a model.
pub struct Skins {
    pub width: u32,
    pub height: u32,
    /// One per variant, at least one.
    pub pictures: Vec<Picture>,
    cells: Vec<Cell>,
    /// The cells by their materials.
    indices: HashMap<Vec<Option<usize>>, usize>,
}

/// The part of the image that has the texture of some primitives. Cells are side by side.
struct Cell {
    /// For each variant, the material.
    materials: Vec<Option<usize>>,
    left: u32,
    width: u32,
    height: u32,
}

impl Skins {
    /// Lays out the textures of these primitives.
    ///
    /// # Errors
    /// If an image cannot be decoded.
    pub fn new<'a>(scene: &Scene, primitives: impl Iterator<Item = &'a Primitive>) -> Result<Self> {
        let mut images = Images::default();
        let mut cells: Vec<Cell> = Vec::new();
        let variants = scene.variants.len().max(1);
        let mut indices = HashMap::new();
        let (mut left, mut rows) = (0_u32, 1);
        for primitive in primitives {
            let materials = materials(scene, primitive);
            if indices.contains_key(&materials) {
                continue;
            }
            if (cells.len() + 1).saturating_mul(variants) > MAX_MATERIALS {
                return Err(Error::new(format_args!(
                    "more than {MAX_MATERIALS} materials of {variants} variants"
                )));
            }
            indices.insert(materials.clone(), cells.len());
            let mut size = None;
            for texture in materials.iter().filter_map(|it| base_texture(scene, *it)) {
                let image = images.get(scene, texture.image)?;
                let (width, height) = size.unwrap_or_default();
                size = Some((image.width.max(width), image.height.max(height)));
            }
            let (width, height) = size.unwrap_or((PLAIN, PLAIN));
            let cell = Cell {
                left,
                width,
                height,
                materials,
            };
            left = left.saturating_add(cell.width);
            rows = rows.max(cell.height);
            cells.push(cell);
        }
        let (width, height) = (left.max(1), rows);
        let texels = u64::from(width) * u64::from(height);
        if texels.saturating_mul(variants as u64) > MAX_TEXELS {
            return Err(Error::new(format_args!(
                "the textures of all materials need {variants} images of {width} x {height} texels; at most {MAX_TEXELS} texels are supported"
            )));
        }
        let pictures = (0..variants).map(|variant| {
            let mut picture = Picture {
                base: Pixels::plain(width, height, [0, 0, 0, 255]),
                emissive: None,
                cutoff: None,
            };
            for cell in &cells {
                cell.draw(scene, variant, &mut images, &mut picture)?;
            }
            Ok(picture)
        });
        let mut pictures: Vec<Picture> = pictures.collect::<Result<_>>()?;
        if pictures.iter().any(|picture| picture.cutoff.is_some()) {
            // Holes are a flag of the whole model, so no picture may use their index for a color.
            for picture in &mut pictures {
                picture.cutoff.get_or_insert(0.0);
            }
        }
        Ok(Self {
            pictures,
            cells,
            indices,
            width,
            height,
        })
    }

    fn cell(&self, materials: &[Option<usize>]) -> Option<&Cell> {
        self.cells.get(*self.indices.get(materials)?)
    }

    /// The texel that each vertex of a primitive has: column and row. Textures that repeat do so only if they are the only ones.
    pub fn texels(&self, scene: &Scene, primitive: &Primitive) -> Vec<[i32; 2]> {
        let materials = materials(scene, primitive);
        let cell = self.cell(&materials);
        let texture = materials.iter().find_map(|it| base_texture(scene, *it));
        let uvs = primitive.uvs.get(texture.map_or(0, |texture| texture.set));
        let (Some(cell), Some(texture), Some(uvs)) = (cell, texture, uvs) else {
            let left = cell.map_or(0, |cell| cell.left as i32);
            return vec![[left + 1, 1]; primitive.positions.len()];
        };
        let repeats = self.cells.len() == 1;
        let texel = |coordinate: f32, size: u32| {
            // The right edge belongs to the last texel.
            let inside = (0.0..=1.0).contains(&coordinate) || !repeats;
            let texel = (coordinate * size as f32).floor() as i32;
            if inside {
                texel.clamp(0, size as i32 - 1)
            } else {
                texel
            }
        };
        let uvs = uvs.iter().map(|uv| texture.transformed(*uv));
        uvs.map(|[u, v]| {
            [
                (cell.left as i32).saturating_add(texel(u, cell.width)),
                texel(v, cell.height),
            ]
        })
        .collect()
    }

    /// The coordinates of each vertex of a primitive in the image. Textures that repeat do so only if they are the only ones.
    pub fn uvs(&self, scene: &Scene, primitive: &Primitive) -> Vec<[f32; 2]> {
        let materials = materials(scene, primitive);
        let cell = self.cell(&materials);
        let texture = materials.iter().find_map(|it| base_texture(scene, *it));
        let uvs = primitive.uvs.get(texture.map_or(0, |texture| texture.set));
        let in_image = |cell: &Cell, [u, v]: [f32; 2]| {
            let left = cell.left as f32 + u.clamp(0.0, 1.0) * cell.width as f32;
            let top = v.clamp(0.0, 1.0) * cell.height as f32;
            [left / self.width as f32, top / self.height as f32]
        };
        let (Some(cell), Some(texture), Some(uvs)) = (cell, texture, uvs) else {
            let middle = cell.map_or([0.0; 2], |cell| in_image(cell, [0.5; 2]));
            return vec![middle; primitive.positions.len()];
        };
        let uvs = uvs.iter().map(|uv| texture.transformed(*uv));
        match self.cells.len() {
            1 => uvs.collect(),
            _ => uvs.map(|uv| in_image(cell, uv)).collect(),
        }
    }
}

impl Cell {
    /// Draws the texture of a variant.
    fn draw(
        &self,
        scene: &Scene,
        variant: usize,
        images: &mut Images,
        picture: &mut Picture,
    ) -> Result<()> {
        let material = self.materials.get(variant).copied().flatten();
        let Some(material) = material.and_then(|it| scene.materials.get(it)) else {
            self.fill(&mut picture.base, &Pixels::plain(1, 1, [255; 4]), [1.0; 4]);
            return Ok(());
        };
        let white = Pixels::plain(1, 1, [255; 4]);
        let base = match &material.base_texture {
            Some(texture) => images.get(scene, texture.image)?,
            None => &white,
        };
        self.fill(&mut picture.base, base, material.base_color);
        if material.cutoff.is_some() {
            picture.cutoff = material.cutoff;
        } else {
            self.make_opaque(&mut picture.base);
        }
        if material.emissive == [0.0; 3] {
            return Ok(());
        }
        let light = match &material.emissive_texture {
            Some(texture) => images.get(scene, texture.image)?,
            None => &white,
        };
        let (width, height) = (picture.base.width, picture.base.height);
        let emissive = picture
            .emissive
            .get_or_insert_with(|| Pixels::plain(width, height, [0; 4]));
        let [red, green, blue] = material.emissive;
        self.fill(emissive, light, [red, green, blue, 1.0]);
        Ok(())
    }

    /// Copies an image into the cell, in its size. `factor` is linear.
    fn fill(&self, target: &mut Pixels, source: &Pixels, factor: [f32; 4]) {
        let width = target.width as usize;
        for y in 0..self.height {
            for x in 0..self.width {
                let at = |at: u32, from: u32, to: u32| {
                    (u64::from(at) * u64::from(from) / u64::from(to)) as u32
                };
                let texel = source.texel(
                    at(x, source.width, self.width),
                    at(y, source.height, self.height),
                );
                let index = y as usize * width + (self.left + x) as usize;
                if let Some(target) = target.rgba.get_mut(index) {
                    *target = tinted(texel, factor);
                }
            }
        }
    }

    fn make_opaque(&self, target: &mut Pixels) {
        let width = target.width as usize;
        let columns = self.left as usize..(self.left + self.width) as usize;
        for row in target.rgba.chunks_mut(width.max(1)) {
            for texel in row.get_mut(columns.clone()).unwrap_or_default() {
                texel[3] = 255;
            }
        }
    }
}

/// A texel times a linear factor.
fn tinted(texel: [u8; 4], factor: [f32; 4]) -> [u8; 4] {
    if factor == [1.0; 4] {
        return texel;
    }
    core::array::from_fn(|channel| {
        let value = f32::from(texel[channel]) / 255.0;
        let value = match channel {
            3 => value * factor[3],
            _ => srgb(linear(value) * factor[channel]),
        };
        (value * 255.0).round() as u8
    })
}

/// The transfer function of sRGB (IEC 61966-2-1).
fn linear(value: f32) -> f32 {
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

/// The inverse of the transfer function of sRGB.
pub(crate) fn srgb(value: f32) -> f32 {
    if value == 1.0 {
        // Rounding would make it less.
        value
    } else if value <= 0.0031308 {
        value * 12.92
    } else {
        1.055 * value.powf(1.0 / 2.4) - 0.055
    }
}

/// For each variant, the material of a primitive.
fn materials(scene: &Scene, primitive: &Primitive) -> Vec<Option<usize>> {
    let variants = 0..scene.variants.len().max(1);
    let material = |variant| {
        primitive
            .variants
            .get(&variant)
            .copied()
            .or(primitive.material)
    };
    variants.map(material).collect()
}

fn base_texture(scene: &Scene, material: Option<usize>) -> Option<&TextureRef> {
    scene.materials.get(material?)?.base_texture.as_ref()
}

/// The images of a scene, each decoded once.
#[derive(Default)]
struct Images {
    decoded: HashMap<usize, Pixels>,
    decoder: Decoder,
}

impl Images {
    fn get(&mut self, scene: &Scene, index: usize) -> Result<&Pixels> {
        match self.decoded.entry(index) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => Ok(entry.insert(self.decoder.decode(scene, index)?)),
        }
    }
}
