//! Decodes DTX files. Compressed blocks are kept if the GPU can sample them; everything else becomes RGBA
//! with 8 bits per channel.
//!
//! The parser is [`classic_model_formats::dtx`].

use crate::texture::dds::append_blocks;
use crate::texture::decoded_image::{DecodedImage, ImageDecodeError, Limits, TexelFormat};
use crate::texture::mips::{Averaging, append_smaller_levels};
use classic_model_formats::dtx::{DtxFile, DtxLevel, DtxTexelFormat, parse};

/// The first bytes of a DTX file. A TGA file can't begin with them: its third byte, the image type, is not 0.
pub(crate) const MAGIC: [u8; 4] = [0; 4];

/// Decodes a whole file.
pub(crate) fn decode(bytes: &[u8], limits: Limits) -> Result<DecodedImage, ImageDecodeError> {
    let file = parse(bytes)?;
    let DtxFile { width, height, .. } = file;
    limits.check(width, height)?;
    let stored = match file.texel_format {
        DtxTexelFormat::Indexed | DtxTexelFormat::Bgra8 => TexelFormat::Rgba8,
        DtxTexelFormat::Bc1 => TexelFormat::Bc1,
        DtxTexelFormat::Bc2 => TexelFormat::Bc2,
        DtxTexelFormat::Bc3 => TexelFormat::Bc3,
    };
    let keeps_blocks = stored != TexelFormat::Rgba8 && limits.supports_blocks(width, height);
    let length = |level: &DtxLevel<'_>| {
        if keeps_blocks {
            level.bytes.len()
        } else {
            // RGBA with 8 bits per channel.
            level.width as usize * level.height as usize * 4
        }
    };
    // With the final capacity: growing would need memory for both the old and the new data.
    let mut data = Vec::with_capacity(file.levels.iter().map(length).sum());
    for (index, level) in file.levels.iter().enumerate().take(file.used_levels()) {
        if keeps_blocks {
            data.extend_from_slice(level.bytes);
        } else if let Some(texels) = file.rgba(index) {
            data.extend(texels);
        } else {
            append_blocks(stored, level.width, level.height, level.bytes, &mut data)?;
        }
    }
    if !keeps_blocks {
        append_unused_levels(&file, &mut data);
    }
    Ok(DecodedImage {
        width,
        height,
        is_cube: false,
        levels: file.levels.len() as u32,
        format: if keeps_blocks {
            stored
        } else {
            TexelFormat::Rgba8
        },
        data,
    })
}

/// Appends the RGBA levels that the file has, but does not use, to those before them. They are averages of the last used level.
fn append_unused_levels(file: &DtxFile<'_>, data: &mut Vec<u8>) {
    let used = file.used_levels();
    if let Some(last) = file.levels.get(used.saturating_sub(1)) {
        let size = [last.width as usize, last.height as usize];
        // Palettes are colors.
        append_smaller_levels(data, size, file.levels.len() - used, Averaging::Srgb);
    }
}

/// Whether a valid DTX file has unlit texels.
pub(crate) fn has_glow(bytes: &[u8]) -> bool {
    parse(bytes).is_ok_and(|file| file.is_full_bright())
}

/// The emissive image of a DTX file: its unlit texels, and black elsewhere. One black texel if all texels
/// are lit, or if the file is invalid.
pub(crate) fn glow(bytes: &[u8], limits: Limits) -> DecodedImage {
    let valid = parse(bytes).ok();
    let valid = valid.filter(|file| limits.check(file.width, file.height).is_ok());
    let image = |width, height, levels, data| DecodedImage {
        width,
        height,
        is_cube: false,
        levels,
        format: TexelFormat::Rgba8,
        data,
    };
    let Some(file) = valid.filter(DtxFile::is_full_bright) else {
        return image(1, 1, 1, vec![0, 0, 0, u8::MAX]);
    };
    let texels: usize = file.levels.iter().map(|level| level.bytes.len()).sum();
    let mut data = Vec::with_capacity(texels * 4);
    for index in 0..file.used_levels() {
        data.extend(file.emissive(index).unwrap_or_default());
    }
    append_unused_levels(&file, &mut data);
    image(file.width, file.height, file.levels.len() as u32, data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::samples::{BC1_BLOCK, BC1_ROW, assert_robust, assert_valid, limits};

    /// The header of an image without flags, up to the first byte that depends on the version.
    fn header(version: i32, width: u16, height: u16, mips: u16, coding: u8) -> Vec<u8> {
        let mut bytes = [[0; 4], version.to_le_bytes()].concat();
        bytes.extend(
            [width, height, mips, 0]
                .map(u16::to_le_bytes)
                .as_flattened(),
        );
        bytes.resize(36, 0);
        bytes[26] = coding;
        bytes
    }

    /// An image of version −2, which is indexed; the palette is gray.
    fn indexed(width: u16, height: u16, mips: u16, texels: &[u8]) -> Vec<u8> {
        let mut bytes = header(-2, width, height, mips, 0);
        bytes.resize(44, 0);
        bytes.extend((0..=255).flat_map(|gray: u8| [0, gray, gray, gray]));
        bytes.extend(texels);
        bytes
    }

    /// An image of version −5, whose format is given by `coding`.
    fn with_coding(width: u16, height: u16, mips: u16, coding: u8, texels: &[u8]) -> Vec<u8> {
        let mut bytes = header(-5, width, height, mips, coding);
        bytes.resize(164, 0);
        bytes.extend(texels);
        bytes
    }

    fn decoded(bytes: &[u8], bc: bool) -> DecodedImage {
        let image = DecodedImage::decode(bytes, limits(bc)).unwrap();
        assert_valid(&image);
        image
    }

    #[test]
    fn indexed_texels_become_colors_at_every_level() {
        let image = decoded(&indexed(4, 2, 2, &[0, 1, 2, 3, 4, 5, 6, 7, 50, 51]), true);
        assert_eq!((image.width, image.height, image.levels), (4, 2, 2));
        let grays = [0, 1, 2, 3, 4, 5, 6, 7, 50, 51];
        let expected: Vec<u8> = grays.iter().flat_map(|&it| [it, it, it, 255]).collect();
        assert_eq!(image.data, expected);
    }

    /// An image of version −2 of 8 × 8 texels and four levels, whose levels after the first `filled` have the index 0.
    fn partly_filled(filled: usize, header: u16, used: u8) -> DecodedImage {
        let texels: Vec<u8> = [64, 16, 4, 1]
            .into_iter()
            .enumerate()
            .flat_map(|(level, count)| vec![if level < filled { 100 } else { 0 }; count])
            .collect();
        let mut bytes = indexed(8, 8, header, &texels);
        bytes[25] = used;
        decoded(&bytes, true)
    }

    #[test]
    fn unused_levels_are_made_from_the_last_used_one() {
        let full = partly_filled(4, 4, 0);
        assert_eq!((full.levels, full.data.len()), (4, 4 * 85));
        for filled in 1..=3 {
            assert_eq!(partly_filled(filled, 4, filled as u8), full, "{filled}");
            // A wrong count in the header.
            assert_eq!(partly_filled(filled, filled as u16, 0), full, "{filled}");
        }
        assert_ne!(partly_filled(1, 4, 0), full, "all levels are used");
        assert_eq!(partly_filled(4, 0, 0), full);
        let mut bytes = indexed(2, 2, 4, &[255, 255, 0, 0, 7]);
        (bytes[16], bytes[25]) = (1, 1);
        let glow = glow(&bytes, limits(true));
        assert_valid(&glow);
        // Half the linear intensity is 188 in sRGB.
        assert_eq!(
            (glow.levels, &glow.data[16..]),
            (2, &[188, 188, 188, 255][..])
        );
    }

    #[test]
    fn levels_without_texels_are_left_out() {
        let image = decoded(&indexed(4, 1, 4, &[1, 2, 3, 4]), true);
        assert_eq!(image.levels, 1);
    }

    #[test]
    fn blocks_are_kept_if_supported_and_decoded_otherwise() {
        let bytes = with_coding(8, 4, 2, 4, &BC1_BLOCK.repeat(3));
        let image = decoded(&bytes, true);
        assert_eq!((image.format, image.levels), (TexelFormat::Bc1, 2));
        assert_eq!(image.data, BC1_BLOCK.repeat(3));
        let image = decoded(&bytes, false);
        assert_eq!(image.format, TexelFormat::Rgba8);
        assert_eq!(image.data.as_chunks::<4>().0[..4], BC1_ROW);
        // The width is not a multiple of 4.
        let image = decoded(&with_coding(6, 4, 1, 5, &[0; 32]), true);
        assert_eq!(image.format, TexelFormat::Rgba8);
        let image = decoded(&with_coding(4, 4, 1, 6, &[0; 16]), true);
        assert_eq!(image.format, TexelFormat::Bc3);
    }

    #[test]
    fn unsupported_images_are_rejected() {
        let error = |bytes: &[u8]| {
            let error = DecodedImage::decode(bytes, limits(true)).unwrap_err();
            error.to_string()
        };
        let long = indexed(4097, 1, 1, &[0; 4097]);
        assert!(error(&long).contains("4097 × 1"), "{}", error(&long));
        assert!(error(&indexed(4, 4, 1, &[0; 15])).starts_with("DTX: mip level 0 at offset 1068"));
        assert!(error(&header(-4, 4, 4, 1, 0)).contains("is -4"));
        assert!(error(&[0; 100]).starts_with("DTX: version"));
    }

    #[test]
    fn truncated_files_are_rejected_and_flipped_bits_do_not_panic() {
        let samples = [
            indexed(4, 4, 2, &[9; 20]),
            with_coding(8, 8, 2, 6, &[0xA5; 80]),
            with_coding(5, 3, 1, 4, &[0x5A; 16]),
        ];
        for bytes in samples {
            for end in 0..bytes.len() {
                assert!(DecodedImage::decode(&bytes[..end], limits(true)).is_err());
            }
            assert_robust(&bytes);
        }
    }
}
