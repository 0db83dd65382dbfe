//! Decodes DDS files. Formats that the GPU can sample are kept; all others become RGBA with 8 bits per
//! channel.

use crate::texture::decoded_image::{DecodedImage, ImageDecodeError, Limits, TexelFormat};
use dds::header::{Caps2, Dx9PixelFormat, Header, MaskPixelFormat, ParseOptions, PixelFormatFlags};
use dds::{ColorFormat, DecodeOptions, DecodingError, Format, ImageViewMut, PixelInfo, Size};

/// The first bytes of a DDS file.
pub(crate) const MAGIC: [u8; 4] = Header::MAGIC;

/// Decodes a whole file.
pub(crate) fn decode(bytes: &[u8], limits: Limits) -> Result<DecodedImage, ImageDecodeError> {
    let header = read_header(bytes)?;
    limits.check(header.width(), header.height())?;
    let faces = faces(&header)?;
    let coding = Coding::of(&header)?;
    check_density(coding.pixels())?;
    let data = bytes.get(MAGIC.len() + header.byte_len()..);
    let surfaces = Surfaces::new(&header, coding.pixels(), faces, data.unwrap_or_default());
    let (levels, surfaces) = surfaces.complete().ok_or(ImageDecodeError::TooShort {
        width: header.width(),
        height: header.height(),
        bytes: bytes.len(),
    })?;
    let (format, data) = match coding.gpu_format(&header, limits) {
        Some(format) => (format, concatenated(&surfaces)),
        None => (TexelFormat::Rgba8, coding.decode_all(&surfaces)?),
    };
    Ok(DecodedImage {
        width: header.width(),
        height: header.height(),
        is_cube: faces == 6,
        levels,
        format,
        data,
    })
}

fn dds_error(error: impl Into<DecodingError>) -> ImageDecodeError {
    ImageDecodeError::Dds(Box::new(error.into()))
}

fn read_header(bytes: &[u8]) -> Result<Header, ImageDecodeError> {
    // Old tools write wrong sizes and level counts, which the parser corrects by the length of the file.
    let options = ParseOptions::new_permissive(Some(bytes.len() as u64));
    let mut reader = bytes;
    Header::read(&mut reader, &options).map_err(dds_error)
}

/// Rejects formats with less than 4 bits per texel. No game uses them, and they would decode to far more
/// memory than the file's size.
fn check_density(pixels: PixelInfo) -> Result<(), ImageDecodeError> {
    // A multiple of the block sizes of all formats.
    const SIDE: u32 = 120;
    let bytes = pixels.surface_bytes(Size::new(SIDE, SIDE));
    // BC1 has 4 bits per texel.
    if bytes.is_some_and(|bytes| bytes < u64::from(SIDE * SIDE / 2)) {
        let what = "a format with less than 4 bits per texel".to_owned();
        return Err(ImageDecodeError::Unsupported { what });
    }
    Ok(())
}

/// The count of faces: 1, or 6 for a cube map.
fn faces(header: &Header) -> Result<u32, ImageDecodeError> {
    let unsupported = |what| Err(ImageDecodeError::Unsupported { what });
    if header.is_volume() {
        return unsupported("a volume texture".to_owned());
    }
    if header.array_size() > 1 {
        return unsupported(format!("an array of {} textures", header.array_size()));
    }
    if !header.is_cube_map() {
        return Ok(1);
    }
    if header.width() != header.height() {
        return unsupported("a cube map whose faces are not square".to_owned());
    }
    let all = Caps2::CUBE_MAP_ALL_FACES;
    if header
        .dx9()
        .is_some_and(|header| !header.caps2.contains(all))
    {
        return unsupported("a cube map without all of its faces".to_owned());
    }
    Ok(6)
}

/// One mip level of one face.
struct Surface<'a> {
    size: Size,
    bytes: &'a [u8],
}

/// The layout of the surfaces in a file.
struct Surfaces<'a> {
    size: Size,
    pixels: PixelInfo,
    faces: u32,
    /// The count of levels per face in the header.
    declared: u8,
    /// The greatest count of levels of an image of this size.
    possible: u8,
    data: &'a [u8],
}

impl<'a> Surfaces<'a> {
    fn new(header: &Header, pixels: PixelInfo, faces: u32, data: &'a [u8]) -> Self {
        let longest = header.width().max(header.height());
        Self {
            size: header.size(),
            pixels,
            faces,
            // A 32-bit size can be halved at most 32 times.
            declared: header.mipmap_count().get().min(32) as u8,
            possible: (32 - longest.leading_zeros()) as u8,
            data,
        }
    }

    /// The count of levels that are complete in every face, and their surfaces. `None` if the first level is
    /// incomplete.
    fn complete(&self) -> Option<(u32, Vec<Surface<'a>>)> {
        let stride = self.stride();
        let faces: Vec<Vec<Surface>> = (0..u64::from(self.faces))
            .map(|face| self.face(face.saturating_mul(stride)))
            .collect();
        let levels = faces
            .iter()
            .map(Vec::len)
            .min()
            .filter(|&levels| levels > 0)?;
        let surfaces = faces
            .into_iter()
            .flat_map(|face| face.into_iter().take(levels));
        Some((levels as u32, surfaces.collect()))
    }

    /// The levels of one face before the first that is truncated.
    fn face(&self, mut offset: u64) -> Vec<Surface<'a>> {
        let mut surfaces = Vec::new();
        for level in 0..self.declared.min(self.possible) {
            let size = self.size.get_mipmap(level);
            let end = offset.saturating_add(self.length(size));
            let range = usize::try_from(offset).ok().zip(usize::try_from(end).ok());
            let Some(bytes) = range.and_then(|(from, to)| self.data.get(from..to)) else {
                break;
            };
            surfaces.push(Surface { size, bytes });
            offset = end;
        }
        surfaces
    }

    /// Bytes from one face to the next. Some tools declare more levels than they write, others write more
    /// than the size allows.
    fn stride(&self) -> u64 {
        let chain = |levels| {
            (0..levels)
                .map(|level| self.length(self.size.get_mipmap(level)))
                .fold(0, u64::saturating_add)
        };
        let length = chain(self.declared);
        if length.saturating_mul(self.faces.into()) <= self.data.len() as u64 {
            length
        } else {
            chain(self.declared.min(self.possible))
        }
    }

    fn length(&self, size: Size) -> u64 {
        self.pixels.surface_bytes(size).unwrap_or(u64::MAX)
    }
}

/// The texel format of the file.
enum Coding<'a> {
    /// Given by bit masks. Decoded by [`append_masked`], because there are too many combinations to list.
    Masks(&'a MaskPixelFormat),
    /// A format that the decoder supports.
    Named(Format),
}

impl<'a> Coding<'a> {
    fn of(header: &'a Header) -> Result<Self, ImageDecodeError> {
        if let Header::Dx9(header) = header
            && let Dx9PixelFormat::Mask(format) = &header.pixel_format
            && is_plain(format)
        {
            return Ok(Self::Masks(format));
        }
        Format::from_header(header)
            .map(Self::Named)
            .map_err(dds_error)
    }

    fn pixels(&self) -> PixelInfo {
        match self {
            Self::Masks(format) => PixelInfo::fixed(texel_length(format) as u8),
            Self::Named(format) => PixelInfo::from(*format),
        }
    }

    /// The GPU's format with the same bytes, if the GPU supports it at this size.
    ///
    /// BC4 and BC5 are always decoded: the GPU would sample gray as red.
    fn gpu_format(&self, header: &Header, limits: Limits) -> Option<TexelFormat> {
        if !limits.supports_blocks(header.width(), header.height()) {
            return None;
        }
        match self {
            Self::Named(Format::BC1_UNORM) => Some(TexelFormat::Bc1),
            // DXT2 and DXT4 declare premultiplied alpha, which games ignore.
            Self::Named(Format::BC2_UNORM | Format::BC2_UNORM_PREMULTIPLIED_ALPHA) => {
                Some(TexelFormat::Bc2)
            }
            Self::Named(Format::BC3_UNORM | Format::BC3_UNORM_PREMULTIPLIED_ALPHA) => {
                Some(TexelFormat::Bc3)
            }
            Self::Named(Format::BC7_UNORM) => Some(TexelFormat::Bc7),
            Self::Named(_) | Self::Masks(_) => None,
        }
    }

    fn decode_all(&self, surfaces: &[Surface]) -> Result<Vec<u8>, ImageDecodeError> {
        let texels = surfaces.iter().map(|surface| surface.size.pixels());
        let length = usize::try_from(texels.sum::<u64>().saturating_mul(4));
        let length = length.map_err(|_| dds_error(DecodingError::MemoryLimitExceeded))?;
        // With the final capacity: growing would need memory for both the old and the new data.
        let mut data = Vec::with_capacity(length);
        for surface in surfaces {
            match self {
                Self::Masks(format) => append_masked(format, surface.bytes, &mut data),
                Self::Named(format) => append_named(*format, surface, &mut data)?,
            }
        }
        Ok(data)
    }
}

fn concatenated(surfaces: &[Surface]) -> Vec<u8> {
    let bytes: Vec<&[u8]> = surfaces.iter().map(|surface| surface.bytes).collect();
    bytes.concat()
}

/// Decodes one mip level and appends it as RGBA. The count of bytes must match its size.
pub(crate) fn append_blocks(
    format: TexelFormat,
    width: u32,
    height: u32,
    bytes: &[u8],
    data: &mut Vec<u8>,
) -> Result<(), ImageDecodeError> {
    let format = match format {
        TexelFormat::Bc1 => Format::BC1_UNORM,
        TexelFormat::Bc2 => Format::BC2_UNORM,
        TexelFormat::Bc3 => Format::BC3_UNORM,
        TexelFormat::Bc7 => Format::BC7_UNORM,
        TexelFormat::Rgba8 => Format::R8G8B8A8_UNORM,
    };
    let size = Size::new(width, height);
    append_named(format, &Surface { size, bytes }, data)
}

fn append_named(
    format: Format,
    surface: &Surface,
    data: &mut Vec<u8>,
) -> Result<(), ImageDecodeError> {
    match format {
        Format::BC2_UNORM_PREMULTIPLIED_ALPHA => {
            append_as(Format::BC2_UNORM, ColorFormat::RGBA_U8, surface, data)
        }
        Format::BC3_UNORM | Format::BC3_UNORM_PREMULTIPLIED_ALPHA => append_bc3(surface, data),
        format => append_as(format, ColorFormat::RGBA_U8, surface, data),
    }
}

/// Decodes BC3 with the colors of BC2. GPUs interpolate BC3 colors like those of BC2, in either order of
/// a block's end colors; the decoder interpolates them like those of BC1.
fn append_bc3(surface: &Surface, data: &mut Vec<u8>) -> Result<(), ImageDecodeError> {
    let start = data.len();
    append_as(Format::BC3_UNORM, ColorFormat::RGBA_U8, surface, data)?;
    let mut colors = Vec::new();
    append_as(Format::BC2_UNORM, ColorFormat::RGB_U8, surface, &mut colors)?;
    let texels = data.get_mut(start..).unwrap_or_default();
    let colors = colors.as_chunks::<3>().0;
    for ([r, g, b, _], color) in texels.as_chunks_mut::<4>().0.iter_mut().zip(colors) {
        [*r, *g, *b] = *color;
    }
    Ok(())
}

/// Decodes directly into `data`, without a second copy of the level.
fn append_as(
    format: Format,
    color: ColorFormat,
    surface: &Surface,
    data: &mut Vec<u8>,
) -> Result<(), ImageDecodeError> {
    // The surface has all its bytes, so its size is limited by the length of the file.
    let length = surface.size.pixels() * u64::from(color.bytes_per_pixel());
    let length =
        usize::try_from(length).map_err(|_| dds_error(DecodingError::MemoryLimitExceeded))?;
    let start = data.len();
    data.resize(start.saturating_add(length), 0);
    let texels = data.get_mut(start..).unwrap_or_default();
    let view = ImageViewMut::new(texels, surface.size, color)
        .ok_or_else(|| dds_error(DecodingError::UnexpectedSurfaceSize))?;
    let options = DecodeOptions::default();
    let mut reader = surface.bytes;
    dds::decode(&mut reader, view, format, &options).map_err(dds_error)
}

/// Whether a format is RGB, grayscale or alpha with integer channels. Some tools write no flags.
fn is_plain(format: &MaskPixelFormat) -> bool {
    let plain = PixelFormatFlags::RGBA | PixelFormatFlags::ALPHA | PixelFormatFlags::LUMINANCE;
    let masks = format.r_bit_mask | format.g_bit_mask | format.b_bit_mask | format.a_bit_mask;
    plain.contains(format.flags) && masks != 0
}

fn texel_length(format: &MaskPixelFormat) -> usize {
    u32::from(format.rgb_bit_count) as usize / 8
}

/// Appends texels in a format of bit masks as RGBA.
fn append_masked(format: &MaskPixelFormat, bytes: &[u8], data: &mut Vec<u8>) {
    let (r, g, b) = (format.r_bit_mask, format.g_bit_mask, format.b_bit_mask);
    // Not by the flag: some tools store grayscale with that of RGB.
    let masks = if g == 0 && b == 0 { [r; 3] } else { [r, g, b] };
    // X8R8G8B8 may have a mask for X, but not the flags of alpha.
    let alpha_flags = PixelFormatFlags::ALPHAPIXELS | PixelFormatFlags::ALPHA;
    let has_alpha = format.flags.intersects(alpha_flags) || masks == [0; 3];
    let alpha_mask = if has_alpha { format.a_bit_mask } else { 0 };
    let length = texel_length(format);
    data.reserve(bytes.len() / length * 4);
    for texel in bytes.chunks_exact(length) {
        let little_endian = |all: u32, &byte: &u8| all << 8 | u32::from(byte);
        let texel = texel.iter().rev().fold(0, little_endian);
        data.extend(masks.map(|mask| channel(texel, mask).unwrap_or(0)));
        data.push(channel(texel, alpha_mask).unwrap_or(u8::MAX));
    }
}

/// The value under a mask, scaled to 8 bits; `None` if the mask is 0.
fn channel(texel: u32, mask: u32) -> Option<u8> {
    if mask == 0 {
        return None;
    }
    let shift = mask.trailing_zeros();
    let (value, max) = (u64::from((texel & mask) >> shift), u64::from(mask >> shift));
    if max == 255 {
        return Some(value as u8);
    }
    Some(((value * 255 + max / 2) / max) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::samples::{
        BC1_BLOCK, BC1_ROW, DdsSample, assert_robust, assert_valid, four_cc, limits, masks, noise,
    };

    const CUBE: u32 = 0xFE00;

    fn rgba(sample: &DdsSample) -> Vec<[u8; 4]> {
        let image = decode(&sample.bytes(), limits(false)).unwrap();
        assert_valid(&image);
        assert_eq!(image.format, TexelFormat::Rgba8);
        image.data.as_chunks().0.to_vec()
    }

    /// Pixel formats of bit masks: flags, count of bits, masks, a texel, and its color.
    type Masked = (u32, u32, [u32; 4], &'static [u8], [u8; 4]);

    /// The flags of RGB, of alpha in addition, of grayscale and of alpha alone.
    const RGB: u32 = 0x40;
    const RGBA: u32 = 0x41;
    const GRAY: u32 = 0x2_0000;
    const GRAY_ALPHA: u32 = 0x2_0001;
    const ALPHA: u32 = 0x2;

    #[rustfmt::skip]
    const MASKED: [(&str, Masked); 31] = [
        ("A8R8G8B8", (RGBA, 32, [0x00FF_0000, 0xFF00, 0xFF, 0xFF00_0000], &[1, 2, 3, 4], [3, 2, 1, 4])),
        ("X8R8G8B8 with a mask for X", (RGB, 32, [0x00FF_0000, 0xFF00, 0xFF, 0xFF00_0000], &[1, 2, 3, 4], [3, 2, 1, 255])),
        ("A8B8G8R8", (RGBA, 32, [0xFF, 0xFF00, 0x00FF_0000, 0xFF00_0000], &[1, 2, 3, 4], [1, 2, 3, 4])),
        ("X8B8G8R8", (RGB, 32, [0xFF, 0xFF00, 0x00FF_0000, 0], &[1, 2, 3, 4], [1, 2, 3, 255])),
        ("R8G8B8", (RGB, 24, [0x00FF_0000, 0xFF00, 0xFF, 0], &[1, 2, 3], [3, 2, 1, 255])),
        ("B8G8R8", (RGB, 24, [0xFF, 0xFF00, 0x00FF_0000, 0], &[1, 2, 3], [1, 2, 3, 255])),
        ("R5G6B5", (RGB, 16, [0xF800, 0x07E0, 0x001F, 0], &[0x1F, 0xF8], [255, 0, 255, 255])),
        ("R5G6B5, green", (RGB, 16, [0xF800, 0x07E0, 0x001F, 0], &[0xE0, 0x07], [0, 255, 0, 255])),
        ("R5G6B5, 16 of 31, 32 of 63, 1 of 31", (RGB, 16, [0xF800, 0x07E0, 0x001F, 0], &[0x01, 0x84], [132, 130, 8, 255])),
        ("A1R5G5B5, opaque", (RGBA, 16, [0x7C00, 0x03E0, 0x001F, 0x8000], &[0x01, 0xC0], [132, 0, 8, 255])),
        ("A1R5G5B5, clear", (RGBA, 16, [0x7C00, 0x03E0, 0x001F, 0x8000], &[0x01, 0x40], [132, 0, 8, 0])),
        ("X1R5G5B5", (RGB, 16, [0x7C00, 0x03E0, 0x001F, 0], &[0x01, 0x40], [132, 0, 8, 255])),
        ("A4R4G4B4", (RGBA, 16, [0x0F00, 0x00F0, 0x000F, 0xF000], &[0x01, 0x8F], [255, 0, 17, 136])),
        ("X4R4G4B4", (RGB, 16, [0x0F00, 0x00F0, 0x000F, 0], &[0x01, 0x8F], [255, 0, 17, 255])),
        ("L8", (GRAY, 8, [0xFF, 0, 0, 0], &[7], [7, 7, 7, 255])),
        ("L16", (GRAY, 16, [0xFFFF, 0, 0, 0], &[0, 0x80], [128, 128, 128, 255])),
        ("A8L8", (GRAY_ALPHA, 16, [0xFF, 0, 0, 0xFF00], &[7, 9], [7, 7, 7, 9])),
        ("A4L4", (GRAY_ALPHA, 8, [0x0F, 0, 0, 0xF0], &[0x8F], [255, 255, 255, 136])),
        ("A8", (ALPHA, 8, [0, 0, 0, 0xFF], &[9], [0, 0, 0, 9])),
        // The masks decide that a format is grayscale or alpha, whatever the flags.
        ("L8 as RGB", (RGB, 8, [0xFF, 0, 0, 0], &[7], [7, 7, 7, 255])),
        ("L8 without flags", (0, 8, [0xFF, 0, 0, 0], &[7], [7, 7, 7, 255])),
        ("L16 as RGB", (RGB, 16, [0xFFFF, 0, 0, 0], &[0x40, 0x40], [64, 64, 64, 255])),
        ("L16 without flags", (0, 16, [0xFFFF, 0, 0, 0], &[0x40, 0x40], [64, 64, 64, 255])),
        ("L16 as grayscale", (GRAY, 16, [0xFFFF, 0, 0, 0], &[0x40, 0x40], [64, 64, 64, 255])),
        ("A8 as RGB", (RGB, 8, [0, 0, 0, 0xFF], &[9], [0, 0, 0, 9])),
        ("A8 without flags", (0, 8, [0, 0, 0, 0xFF], &[9], [0, 0, 0, 9])),
        ("A8 as grayscale", (GRAY, 8, [0, 0, 0, 0xFF], &[9], [0, 0, 0, 9])),
        ("B8G8R8 without flags", (0, 24, [0xFF, 0xFF00, 0x00FF_0000, 0], &[1, 2, 3], [1, 2, 3, 255])),
        ("B8G8R8 as grayscale", (GRAY, 24, [0xFF, 0xFF00, 0x00FF_0000, 0], &[1, 2, 3], [1, 2, 3, 255])),
        ("R8G8", (RGB, 16, [0xFF, 0xFF00, 0, 0], &[1, 2], [1, 2, 0, 255])),
        ("A8L8 as RGB", (RGBA, 16, [0xFF, 0, 0, 0xFF00], &[7, 9], [7, 7, 7, 9])),
    ];

    #[test]
    fn bit_masks_are_decoded() {
        for (name, (flags, bits, masks_of, texel, expected)) in MASKED {
            let sample = DdsSample::new(1, 1, masks(flags, bits, masks_of), texel);
            assert_eq!(rgba(&sample)[0], expected, "{name}");
        }
    }

    #[test]
    fn supported_blocks_are_kept_with_their_levels() {
        // 8 × 8 is 4 blocks, 4 × 4, 2 × 2 and 1 × 1 are 1 each.
        let bytes = BC1_BLOCK.repeat(7);
        let mut sample = DdsSample::new(8, 8, four_cc(b"DXT1"), &bytes);
        sample.levels = 4;
        let image = decode(&sample.bytes(), limits(true)).unwrap();
        assert_valid(&image);
        assert_eq!((image.format, image.levels), (TexelFormat::Bc1, 4));
        assert_eq!(image.data, bytes);
        assert_eq!(rgba(&sample).len(), 64 + 16 + 4 + 1);
    }

    #[test]
    fn blocks_of_unaligned_size_are_decoded() {
        let bytes = BC1_BLOCK.repeat(2);
        let sample = DdsSample::new(5, 3, four_cc(b"DXT1"), &bytes);
        let image = decode(&sample.bytes(), limits(true)).unwrap();
        assert_valid(&image);
        assert_eq!((image.width, image.height), (5, 3));
        assert_eq!(image.format, TexelFormat::Rgba8);
        let texels = image.data.as_chunks::<4>().0;
        let [red, ..] = BC1_ROW;
        assert_eq!(texels[..4], BC1_ROW);
        assert_eq!(texels[4], red);
        assert_eq!(texels[5..9], BC1_ROW);
    }

    #[test]
    fn bc1_block_may_have_transparent_texels() {
        // The smaller end color first: the third color is the average, the fourth is transparent.
        let block = [0x1F, 0, 0, 0xF8, 0xE4, 0xE4, 0xE4, 0xE4];
        let texels = rgba(&DdsSample::new(4, 4, four_cc(b"DXT1"), &block));
        assert_eq!(texels[0], [0, 0, 255, 255]);
        assert_eq!(texels[1], [255, 0, 0, 255]);
        assert_eq!(texels[3], [0; 4]);
    }

    #[test]
    fn bc2_and_bc3_blocks_have_four_colors_in_either_order() {
        let color = [0x1F, 0, 0, 0xF8, 0xE4, 0xE4, 0xE4, 0xE4];
        let expected = |alpha: [u8; 4]| {
            let [a, b, c, d] = alpha;
            [
                [0, 0, 255, a],
                [255, 0, 0, b],
                [85, 0, 170, c],
                [170, 0, 85, d],
            ]
        };
        for code in [b"DXT2", b"DXT3"] {
            let block = [[0x10, 0xF8].repeat(4), color.to_vec()].concat();
            let texels = rgba(&DdsSample::new(4, 4, four_cc(code), &block));
            assert_eq!(texels[..4], expected([0, 17, 136, 255]));
        }
        for code in [b"DXT4", b"DXT5"] {
            // End values 200 and 100. The first texel has the first, the rest of its row the second.
            let alpha = [200, 100, 0b0100_1000, 0b0000_0010, 0, 0, 0, 0];
            let block = [alpha.to_vec(), color.to_vec()].concat();
            let texels = rgba(&DdsSample::new(4, 4, four_cc(code), &block));
            assert_eq!(texels[..4], expected([200, 100, 100, 100]));
        }
    }

    #[test]
    fn cube_maps_keep_the_order_of_faces_and_levels() {
        let l8 = masks(0x2_0000, 8, [0xFF, 0, 0, 0]);
        // Each face: 4 texels of level 0, then 1 of level 1.
        let bytes: Vec<u8> = (0..30).collect();
        let mut sample = DdsSample::new(2, 2, l8, &bytes);
        (sample.levels, sample.caps2) = (2, CUBE);
        let image = decode(&sample.bytes(), limits(true)).unwrap();
        assert_valid(&image);
        assert!(image.is_cube);
        assert_eq!(image.levels, 2);
        let gray: Vec<u8> = bytes.iter().flat_map(|&l| [l, l, l, 255]).collect();
        assert_eq!(image.data, gray);
    }

    #[test]
    fn truncated_cube_map_loses_the_level_in_every_face() {
        let l8 = masks(0x2_0000, 8, [0xFF, 0, 0, 0]);
        let mut sample = DdsSample::new(2, 2, l8, &[5; 29]);
        (sample.levels, sample.caps2) = (2, CUBE);
        let image = decode(&sample.bytes(), limits(true)).unwrap();
        assert_valid(&image);
        assert_eq!(image.levels, 1);
        sample.data.truncate(28);
        assert!(decode(&sample.bytes(), limits(true)).is_err());
    }

    #[test]
    fn truncated_and_excess_levels_are_left_out() {
        let levels = |declared, bytes: usize| {
            let mut sample = DdsSample::new(8, 8, four_cc(b"DXT1"), &BC1_BLOCK.repeat(7)[..bytes]);
            sample.levels = declared;
            let image = decode(&sample.bytes(), limits(true)).unwrap();
            assert_valid(&image);
            image.levels
        };
        assert_eq!(levels(4, 55), 3);
        assert_eq!(levels(4, 32), 1);
        assert_eq!(levels(4, 39), 1);
        assert_eq!(levels(9, 56), 4);
        assert_eq!(levels(u32::MAX, 56), 4);
        assert_eq!(levels(0, 56), 4, "by the length of the file");
    }

    #[test]
    fn one_texel_wide_image_is_decoded() {
        let l8 = masks(0x2_0000, 8, [0xFF, 0, 0, 0]);
        let image = decode(&DdsSample::new(1, 4, l8, &[1; 4]).bytes(), limits(true)).unwrap();
        assert_valid(&image);
        assert_eq!((image.width, image.height), (1, 4));
    }

    #[test]
    fn unsupported_images_are_rejected() {
        let l8 = masks(0x2_0000, 8, [0xFF, 0, 0, 0]);
        let error = |sample: &DdsSample| {
            let error = decode(&sample.bytes(), limits(true)).unwrap_err();
            error.to_string()
        };
        let mut volume = DdsSample::new(1, 1, l8, &[0]);
        volume.caps2 = 0x20_0000;
        assert_eq!(error(&volume), "a volume texture is not supported");
        let mut partial = DdsSample::new(1, 1, l8, &[0]);
        partial.caps2 = 0x600;
        assert!(error(&partial).contains("all of its faces"));
        let oblong = DdsSample {
            caps2: CUBE,
            ..DdsSample::new(1, 2, l8, &[0; 12])
        };
        assert!(error(&oblong).contains("not square"));
        assert!(error(&DdsSample::new(0, 1, l8, &[0])).contains("sides from 1"));
        assert!(error(&DdsSample::new(4097, 1, l8, &[0])).contains("4097 × 1"));
        assert!(error(&DdsSample::new(4096, 4096, l8, &[0])).contains("the 129 bytes"));
        assert!(error(&DdsSample::new(1, 1, four_cc(b"????"), &[0])).starts_with("DDS: "));
    }

    #[test]
    fn formats_of_less_than_4_bits_per_texel_are_rejected() {
        // R1 has 1 bit per texel. Then two ASTC formats with large blocks.
        for format in [66, 150, 186] {
            let mut bytes = DdsSample::new(120, 120, four_cc(b"DX10"), &[]).bytes();
            let header = [format, 3, 0, 1, 0_u32];
            bytes.extend(header.iter().flat_map(|it| it.to_le_bytes()));
            bytes.extend(noise(20_000, format));
            let error = decode(&bytes, limits(true)).unwrap_err().to_string();
            assert!(error.contains("less than 4 bits"), "{format}: {error}");
        }
    }

    #[test]
    fn random_data_of_any_format_does_not_panic() {
        for format in 0..=200 {
            let mut bytes = DdsSample::new(24, 20, four_cc(b"DX10"), &[]).bytes();
            // 2D, no flags, array size 1.
            bytes.extend(
                [format, 3, 0, 1, 0]
                    .iter()
                    .flat_map(|it: &u32| it.to_le_bytes()),
            );
            bytes.extend(noise(20_000, format));
            for bc in [false, true] {
                if let Ok(image) = decode(&bytes, limits(bc)) {
                    assert_valid(&image);
                }
            }
        }
    }

    fn samples() -> Vec<DdsSample> {
        let rgb = masks(0x40, 16, [0xF800, 0x07E0, 0x001F, 0]);
        let mut flat = DdsSample::new(8, 8, four_cc(b"DXT1"), &BC1_BLOCK.repeat(7));
        flat.levels = 4;
        let mut cube = DdsSample::new(4, 4, rgb, &[0x55; 6 * 2 * (16 + 4 + 1)]);
        (cube.levels, cube.caps2) = (3, CUBE);
        let bc3 = DdsSample::new(5, 4, four_cc(b"DXT5"), &[0xA5; 32]);
        vec![flat, cube, bc3]
    }

    #[test]
    fn damaged_files_do_not_panic() {
        for sample in samples() {
            assert_robust(&sample.bytes());
        }
    }
}
