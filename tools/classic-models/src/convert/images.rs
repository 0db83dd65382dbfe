//! Converts images to those of games, and palettes.

use crate::convert::model::{Request, Written};
use crate::convert::options::{Options, Output};
use crate::convert::textures;
use crate::file_format::has_extension;
use bevy_classic_models::quake;
use bevy_classic_models::texture::Pixels;
use classic_model_formats::dtx::write::{DtxDocument, packed_alpha, write};
use classic_model_formats::dtx::{self, DtxFile, texture_flags};
use classic_models_gltf_import::{Nearest, Palette};
use dds::header::Header;
use dds::{ColorFormat, Encoder, EncodingError, Format, ImageView, Size};
use std::collections::BTreeMap;
use std::path::Path;

/// The count of mip levels of LithTech's textures with a palette.
const DTX_LEVELS: usize = 4;

/// The palette index of unlit texels.
const UNLIT: u8 = 255;

/// The end of TGA files, without other data after the texels. Pillow rejects files that are shorter than it.
const TGA_FOOTER: &[u8; 26] = b"\0\0\0\0\0\0\0\0TRUEVISION-XFILE.\0";

/// Converts the bytes of an image or of a palette to an image or a palette of this kind.
///
/// # Errors
/// If the file cannot be read, or the kind cannot store the image.
pub fn convert(bytes: &[u8], kind: Output, request: &Request<'_>) -> Result<Written, String> {
    let indexed = dtx::parse(bytes).ok().filter(|file| file.palette.is_some());
    if let (Output::Dtx, Some(file)) = (kind, &indexed) {
        return version_2(file);
    }
    let pixels = decode(bytes, request)?;
    let options = request.options;
    let bytes = match kind {
        Output::Dds => dds(&pixels, options)?,
        Output::Dtx => dtx(&pixels, options.unlit)?,
        Output::Lmp => lmp(&pixels)?,
        Output::Tga => tga(&pixels)?,
        _ => textures::png(&pixels)?,
    };
    let unlit = indexed.as_ref().and_then(unlit_color);
    let warning = unlit.map(|[r, g, b]| {
        let color = format!("{r:02x}{g:02x}{b:02x}");
        format!(
            "texels of the color {color} are unlit: convert the result back with --unlit {color}"
        )
    });
    Ok(Written::new(bytes, warning.into_iter().collect()))
}

/// The bytes of a texture of a new model, by the extension of its name: `.dtx` or `.tga`.
///
/// # Errors
/// If the kind cannot store its size.
pub fn encode(
    name: &str,
    texture: classic_models_gltf_import::Pixels,
    options: &Options,
) -> Result<Vec<u8>, String> {
    let pixels = Pixels {
        width: texture.width,
        height: texture.height,
        rgba: texture.rgba.into_flattened(),
    };
    let bytes = match has_extension(Path::new(name), "dtx") {
        true => dtx(&pixels, options.unlit),
        false => tga(&pixels),
    };
    bytes.map_err(|error| format!("texture {name:?}: {error}"))
}

/// The texels of an image, or the colors of a palette, 16 in a row.
fn decode(bytes: &[u8], request: &Request<'_>) -> Result<Pixels, String> {
    if !has_extension(request.path, "lmp") {
        return Pixels::decode(bytes, request.path).map_err(|error| error.to_string());
    }
    let palette = quake::Palette::parse(bytes).map_err(|error| error.to_string())?;
    let opaque = |[r, g, b]: &[u8; 3]| [*r, *g, *b, u8::MAX];
    Ok(Pixels {
        width: 16,
        height: 16,
        rgba: palette.0.iter().flat_map(opaque).collect(),
    })
}

fn texels(pixels: &Pixels) -> &[[u8; 4]] {
    pixels.rgba.as_chunks().0
}

fn is_opaque(pixels: &Pixels) -> bool {
    texels(pixels).iter().all(|[.., alpha]| *alpha == u8::MAX)
}

/// The bytes of a DDS file with all mip levels: BC1 (DXT1) if the image is opaque, otherwise BC3 (DXT5).
fn dds(pixels: &Pixels, options: &Options) -> Result<Vec<u8>, String> {
    let format = match is_opaque(pixels) {
        true => Format::BC1_UNORM,
        false => Format::BC3_UNORM,
    };
    let (header, images) = if options.cube {
        let sides = cube_sides(pixels)?;
        let side = pixels.height;
        (Header::new_cube_map(side, side, format), sides)
    } else {
        let header = Header::new_image(pixels.width, pixels.height, format);
        (header, vec![pixels.clone()])
    };
    let header = header.with_mipmaps();
    // Programs of the games' time do not know the newer header.
    let header = header.to_dx9().map_or(header, Header::Dx9);
    let mut bytes = Vec::new();
    let text = |error: EncodingError| error.to_string();
    let mut encoder = Encoder::new(&mut bytes, format, &header).map_err(text)?;
    for level in images
        .iter()
        .flat_map(|image| image.mip_levels(!options.linear))
    {
        let size = Size::new(level.width, level.height);
        let view = ImageView::new(&level.rgba, size, ColorFormat::RGBA_U8);
        let view = view.ok_or("the count of texels does not fit the size")?;
        encoder.write_surface(view).map_err(text)?;
    }
    encoder.finish().map_err(text)?;
    Ok(bytes)
}

/// The six sides of a cube map, which are side by side in the image, as in the images to which cube maps are converted.
fn cube_sides(pixels: &Pixels) -> Result<Vec<Pixels>, String> {
    let Pixels { width, height, .. } = *pixels;
    if u64::from(width) != 6 * u64::from(height) {
        return Err(format!(
            "the image has {width} × {height} texels: a cube map needs six square sides side by side, such as 384 × 64"
        ));
    }
    let side = |index: usize| Pixels {
        width: height,
        height,
        rgba: texels(pixels)
            .chunks_exact(width as usize)
            .flat_map(|row| &row[index * height as usize..][..height as usize])
            .flatten()
            .copied()
            .collect(),
    };
    Ok((0..6).map(side).collect())
}

/// The bytes of an uncompressed TGA file of 24 bits per texel if the image is opaque, otherwise 32.
fn tga(pixels: &Pixels) -> Result<Vec<u8>, String> {
    let [width, height] = sides(pixels, "TGA")?.map(u16::to_le_bytes);
    let (bits, alpha_bits) = if is_opaque(pixels) { (24, 0) } else { (32, 8) };
    // No name, no color map, plain colors, rows from the bottom: the order of files without flags, which GLQuake assumes.
    let mut bytes = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend([width, height].as_flattened());
    bytes.extend([bits, alpha_bits]);
    for row in texels(pixels).chunks(pixels.width as usize).rev() {
        for [r, g, b, alpha] in row {
            bytes.extend([b, g, r]);
            bytes.extend((alpha_bits > 0).then_some(alpha));
        }
    }
    bytes.extend(TGA_FOOTER);
    Ok(bytes)
}

/// The bytes of a palette file.
fn lmp(pixels: &Pixels) -> Result<Vec<u8>, String> {
    let texels = texels(pixels);
    if texels.len() != 256 {
        let Pixels { width, height, .. } = pixels;
        return Err(format!(
            "the image has {width} × {height} texels: a palette needs 256, such as 16 × 16"
        ));
    }
    Ok(texels
        .iter()
        .flat_map(|[r, g, b, _]| [*r, *g, *b])
        .collect())
}

/// Width and height, if they have 16 bits.
fn sides(pixels: &Pixels, format: &str) -> Result<[u16; 2], String> {
    let Pixels { width, height, .. } = *pixels;
    let sides = u16::try_from(width).ok().zip(u16::try_from(height).ok());
    let error =
        || format!("the image has {width} × {height} texels: {format} stores sides up to 65535");
    sides
        .map(|(width, height)| [width, height])
        .ok_or_else(error)
}

/// The bytes of a LithTech texture of version −2, with a palette. Texels of the unlit color are unlit.
fn dtx(pixels: &Pixels, unlit: Option<[u8; 3]>) -> Result<Vec<u8>, String> {
    let [width, height] = sides(pixels, "DTX")?;
    let mut levels = pixels.mip_levels(true);
    // Sides are halved and rounded down. A level without texels is not stored.
    let halvings = pixels.width.min(pixels.height).ilog2() as usize;
    levels.truncate(DTX_LEVELS.min(halvings + 1));
    let mut indexed = IndexedColors::of(pixels, unlit);
    let unlit_levels = unlit_shares(pixels, unlit).mip_levels(false);
    let levels_with_shares = levels.iter().zip(&unlit_levels);
    let indices: Vec<_> = levels_with_shares
        .map(|(level, shares)| indexed.indices(level, shares))
        .collect();
    let mut document = DtxDocument {
        version: -2,
        levels: indices,
        ..DtxDocument::indexed(width, height, &indexed.colors, &[])
    };
    let is_unlit = |level: &Vec<u8>| level.contains(&UNLIT);
    if unlit.is_some() && document.levels.first().is_some_and(is_unlit) {
        document.flags |= texture_flags::FULL_BRIGHT;
    }
    if !is_opaque(pixels) {
        document.flags |= texture_flags::ALPHA;
        let alpha = |level: &Pixels| {
            let alpha: Vec<u8> = texels(level).iter().map(|[.., alpha]| *alpha).collect();
            packed_alpha(&alpha)
        };
        document.alpha_levels = levels.iter().map(alpha).collect();
    }
    write(&document).map_err(|error| error.to_string())
}

/// A LithTech texture with a palette, as version −2.
fn version_2(file: &DtxFile<'_>) -> Result<Written, String> {
    let mut document = DtxDocument::from(file);
    document.version = -2;
    let commands = std::mem::take(&mut document.command_string);
    let warning = (!commands.is_empty())
        .then(|| format!("the command string \"{commands}\" is left out: version -2 has none"));
    let bytes = write(&document).map_err(|error| error.to_string())?;
    Ok(Written::new(bytes, warning.into_iter().collect()))
}

/// The color of the unlit texels of a texture.
fn unlit_color(file: &DtxFile<'_>) -> Option<[u8; 3]> {
    let [_, r, g, b] = file.palette?[usize::from(UNLIT)];
    let is_used = file.levels.first()?.bytes.contains(&UNLIT);
    (file.is_full_bright() && is_used).then_some([r, g, b])
}

/// The palette of an image.
struct IndexedColors {
    colors: Vec<[u8; 3]>,
    nearest: Nearest,
}

impl IndexedColors {
    /// All colors of the image if they fit the palette, otherwise similar ones. The unlit color has its index for itself.
    fn of(pixels: &Pixels, unlit: Option<[u8; 3]>) -> Self {
        let free = 256 - usize::from(unlit.is_some());
        let mut counts = BTreeMap::new();
        for [r, g, b, _] in texels(pixels) {
            let count: &mut u32 = counts.entry([*r, *g, *b]).or_default();
            *count += 1;
        }
        if let Some(unlit) = unlit {
            counts.remove(&unlit);
        }
        let mut colors: Vec<_> = match counts.len() <= free {
            true => counts.into_keys().collect(),
            false => similar(counts, free),
        };
        let mut palette = Palette([[0; 3]; 256]);
        let count = colors.len().max(1);
        for (entry, color) in palette.0.iter_mut().zip(&colors) {
            *entry = *color;
        }
        if let Some(unlit) = unlit {
            colors.resize(usize::from(UNLIT), [0; 3]);
            colors.push(unlit);
        }
        let indices = (0..=u8::MAX).take(count);
        Self {
            nearest: Nearest::new(&palette, indices),
            colors,
        }
    }

    /// The palette indices of a level. Texels of which at least half is unlit are unlit.
    fn indices(&mut self, level: &Pixels, unlit_shares: &Pixels) -> Vec<u8> {
        let shares = texels(unlit_shares).iter();
        let texels = texels(level).iter().zip(shares);
        let index = |([r, g, b, _], [.., share]): (&[u8; 4], &[u8; 4])| match share {
            128.. => UNLIT,
            _ => self.nearest.of([*r, *g, *b]),
        };
        texels.map(index).collect()
    }
}

/// An image whose alpha is the unlit share of each texel.
fn unlit_shares(pixels: &Pixels, unlit: Option<[u8; 3]>) -> Pixels {
    let share = |[r, g, b, _]: &[u8; 4]| match unlit == Some([*r, *g, *b]) {
        true => [u8::MAX; 4],
        false => [0; 4],
    };
    Pixels {
        rgba: texels(pixels).iter().flat_map(share).collect(),
        ..*pixels
    }
}

/// Colors that are similar to all of these: groups of similar colors are divided until there are enough, and each becomes its
/// mean.
fn similar(colors: BTreeMap<[u8; 3], u32>, count: usize) -> Vec<[u8; 3]> {
    let mut groups = vec![Group::of(colors.into_iter().collect())];
    while groups.len() < count {
        let indexed = groups.iter().enumerate();
        let widest = indexed.max_by(|(_, a), (_, b)| a.deviation.total_cmp(&b.deviation));
        let Some(index) = widest.map(|(index, _)| index) else {
            break;
        };
        let widest = groups.swap_remove(index);
        groups.extend(widest.halves());
    }
    groups.iter().map(Group::color).collect()
}

/// Colors, and how often each occurs.
struct Group {
    colors: Vec<([u8; 3], u32)>,
    mean: [f64; 3],
    /// The component in which the colors differ most.
    axis: usize,
    /// The sum of the squared differences from the mean in this component.
    deviation: f64,
}

impl Group {
    fn of(colors: Vec<([u8; 3], u32)>) -> Self {
        let sum = |value: &dyn Fn([u8; 3]) -> f64| -> f64 {
            let values = colors.iter();
            values
                .map(|(it, count)| value(*it) * f64::from(*count))
                .sum()
        };
        let count = sum(&|_| 1.0).max(1.0);
        let mean = [0, 1, 2].map(|axis| sum(&|color| f64::from(color[axis])) / count);
        let deviations =
            [0, 1, 2].map(|axis| sum(&|color| (f64::from(color[axis]) - mean[axis]).powi(2)));
        let widest = (0..3).max_by(|a, b| deviations[*a].total_cmp(&deviations[*b]));
        let axis = widest.unwrap_or_default();
        Self {
            colors,
            mean,
            axis,
            deviation: deviations[axis],
        }
    }

    /// The colors below the mean, and the others.
    fn halves(self) -> [Self; 2] {
        let Self { mean, axis, .. } = self;
        let is_below = |(color, _): &([u8; 3], u32)| f64::from(color[axis]) < mean[axis];
        let (below, above) = self.colors.into_iter().partition(is_below);
        [below, above].map(Self::of)
    }

    fn color(&self) -> [u8; 3] {
        self.mean.map(|value| value.round() as u8)
    }
}
