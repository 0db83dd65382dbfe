//! DTX: blocks stay as they are where the GPU can sample them, all else becomes RGBA of 8 bits.
//!
//! What the bytes mean is [`classic_model_formats::dtx`]'s to know.

use crate::texture::dds::append_blocks;
use crate::texture::picture::{Limits, Picture, PictureError, Texels};
use classic_model_formats::dtx::{DtxFile, DtxLevel, DtxTexelFormat, parse};

/// What a DTX file begins with. No TGA picture does: its third byte says what kind it is.
pub(super) const MAGIC: [u8; 4] = [0; 4];

/// Decodes a whole file.
pub(super) fn decode(bytes: &[u8], limits: Limits) -> Result<Picture, PictureError> {
    let file = parse(bytes)?;
    let DtxFile { width, height, .. } = file;
    limits.check(width, height)?;
    let stored = match file.texel_format {
        DtxTexelFormat::Indexed | DtxTexelFormat::Bgra8 => Texels::Rgba8,
        DtxTexelFormat::Bc1 => Texels::Bc1,
        DtxTexelFormat::Bc2 => Texels::Bc2,
        DtxTexelFormat::Bc3 => Texels::Bc3,
    };
    let keeps_blocks = stored != Texels::Rgba8 && limits.take_blocks(width, height);
    let length = |level: &DtxLevel<'_>| match keeps_blocks {
        true => level.bytes.len(),
        // As many texels as the bytes of the level stand for.
        false => level.width as usize * level.height as usize * 4,
    };
    // A list that grows would be there twice while it does.
    let mut data = Vec::with_capacity(file.levels.iter().map(length).sum());
    for (number, level) in file.levels.iter().enumerate() {
        if keeps_blocks {
            data.extend_from_slice(level.bytes);
        } else if let Some(texels) = file.rgba(number) {
            data.extend(texels);
        } else {
            append_blocks(stored, level.width, level.height, level.bytes, &mut data)?;
        }
    }
    Ok(Picture {
        width,
        height,
        is_cube: false,
        levels: file.levels.len() as u32,
        texels: if keeps_blocks { stored } else { Texels::Rgba8 },
        data,
    })
}

/// What a picture gives off by itself: its unlit texels, and black elsewhere. One black texel if all
/// are lit, or if it is no picture.
pub(super) fn glow(bytes: &[u8], limits: Limits) -> Picture {
    let sound = parse(bytes).ok();
    let sound = sound.filter(|file| limits.check(file.width, file.height).is_ok());
    let picture = |width, height, levels, data| Picture {
        width,
        height,
        is_cube: false,
        levels,
        texels: Texels::Rgba8,
        data,
    };
    let Some(file) = sound.filter(DtxFile::is_full_bright) else {
        return picture(1, 1, 1, vec![0, 0, 0, u8::MAX]);
    };
    let texels: usize = file.levels.iter().map(|level| level.bytes.len()).sum();
    let mut data = Vec::with_capacity(texels * 4);
    for number in 0..file.levels.len() {
        data.extend(file.emissive(number).unwrap_or_default());
    }
    picture(file.width, file.height, file.levels.len() as u32, data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::samples::{BC1_BLOCK, BC1_ROW, assert_sound, limits};

    /// The header of a picture without flags, up to where the versions differ.
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

    /// A picture of version −2, which is indexed; the palette is grey.
    fn indexed(width: u16, height: u16, mips: u16, texels: &[u8]) -> Vec<u8> {
        let mut bytes = header(-2, width, height, mips, 0);
        bytes.resize(44, 0);
        bytes.extend((0..=255).flat_map(|grey: u8| [0, grey, grey, grey]));
        bytes.extend(texels);
        bytes
    }

    fn second(width: u16, height: u16, mips: u16, coding: u8, texels: &[u8]) -> Vec<u8> {
        let mut bytes = header(-5, width, height, mips, coding);
        bytes.resize(164, 0);
        bytes.extend(texels);
        bytes
    }

    fn decoded(bytes: &[u8], bc: bool) -> Picture {
        let picture = Picture::decode(bytes, limits(bc)).unwrap();
        assert_sound(&picture);
        picture
    }

    #[test]
    fn indices_become_colors_at_every_level() {
        let picture = decoded(&indexed(4, 2, 2, &[0, 1, 2, 3, 4, 5, 6, 7, 50, 51]), true);
        assert_eq!((picture.width, picture.height, picture.levels), (4, 2, 2));
        let greys = [0, 1, 2, 3, 4, 5, 6, 7, 50, 51];
        let expected: Vec<u8> = greys.iter().flat_map(|&it| [it, it, it, 255]).collect();
        assert_eq!(picture.data, expected);
    }

    #[test]
    fn levels_without_texels_are_left_out() {
        let picture = decoded(&indexed(4, 1, 4, &[1, 2, 3, 4]), true);
        assert_eq!(picture.levels, 1);
    }

    #[test]
    fn blocks_pass_through_or_are_decoded() {
        let bytes = second(8, 4, 2, 4, &BC1_BLOCK.repeat(3));
        let picture = decoded(&bytes, true);
        assert_eq!((picture.texels, picture.levels), (Texels::Bc1, 2));
        assert_eq!(picture.data, BC1_BLOCK.repeat(3));
        let picture = decoded(&bytes, false);
        assert_eq!(picture.texels, Texels::Rgba8);
        assert_eq!(picture.data.as_chunks::<4>().0[..4], BC1_ROW);
        // Blocks that are not whole.
        let picture = decoded(&second(6, 4, 1, 5, &[0; 32]), true);
        assert_eq!(picture.texels, Texels::Rgba8);
        let picture = decoded(&second(4, 4, 1, 6, &[0; 16]), true);
        assert_eq!(picture.texels, Texels::Bc3);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let error = |bytes: &[u8]| {
            let error = Picture::decode(bytes, limits(true)).unwrap_err();
            error.to_string()
        };
        let long = indexed(4097, 1, 1, &[0; 4097]);
        assert!(error(&long).contains("4097 × 1"), "{}", error(&long));
        assert!(error(&indexed(4, 4, 1, &[0; 15])).starts_with("DTX: mip level 0 at offset 1068"));
        assert!(error(&header(-4, 4, 4, 1, 0)).contains("is -4"));
        assert!(error(&[0; 100]).starts_with("DTX: version"));
    }

    #[test]
    fn a_file_may_end_anywhere_and_any_bit_may_be_wrong() {
        let samples = [
            indexed(4, 4, 2, &[9; 20]),
            second(8, 8, 2, 6, &[0xA5; 80]),
            second(5, 3, 1, 4, &[0x5A; 16]),
        ];
        for mut bytes in samples {
            for end in 0..bytes.len() {
                assert!(Picture::decode(&bytes[..end], limits(true)).is_err());
            }
            for bit in 0..bytes.len().min(200) * 8 {
                bytes[bit / 8] ^= 1 << (bit % 8);
                for bc in [false, true] {
                    if let Ok(picture) = Picture::decode(&bytes, limits(bc)) {
                        assert_sound(&picture);
                    }
                }
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
}
