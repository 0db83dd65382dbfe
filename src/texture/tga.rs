//! Decodes TGA files to RGBA with 8 bits per channel.

use crate::texture::decoded_image::{DecodedImage, ImageDecodeError, Limits, TexelFormat};
use image::DynamicImage;
use image::codecs::tga::TgaDecoder;
use std::io::Read;

const HEADER: usize = 18;

// Offsets in the header.
const KIND: usize = 2;
const MAP_BITS: usize = 7;
const TEXEL_BITS: usize = 16;
const DESCRIPTOR: usize = 17;

/// Decodes a whole file.
pub(crate) fn decode(bytes: &[u8], limits: Limits) -> Result<DecodedImage, ImageDecodeError> {
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else {
        return Err(unknown_format());
    };
    let header = Header::new(header)?;
    let (width, height) = (header.width, header.height);
    limits.check(width, height)?;
    if u64::from(width) * u64::from(height) > header.max_texels(rest) {
        return Err(ImageDecodeError::TooShort {
            width,
            height,
            bytes: bytes.len(),
        });
    }
    let bytes = header.for_decoder();
    // The size was checked against the file's length.
    let decoder = TgaDecoder::new(bytes.chain(rest));
    let image = decoder.and_then(DynamicImage::from_decoder);
    let image = image.map_err(tga_error)?;
    let mut data = if header.is_5_bit_color() {
        rgba_of_5_bits(image.as_bytes(), header.alpha_bits() > 0)
    } else {
        image.into_rgba8().into_raw()
    };
    if header.alpha_bits() == 0 {
        make_opaque_if_invisible(&mut data);
    }
    Ok(DecodedImage {
        width,
        height,
        is_cube: false,
        levels: 1,
        format: TexelFormat::Rgba8,
        data,
    })
}

/// Makes an image opaque whose texels all have the alpha 0. Use it if the header says that there is no alpha.
///
/// Otherwise the header is not reliable: of 1,127 images with 32 bits in a large mod of Empire at War
/// (cch2319/UFoCP-EAW-Campaign), 1,115 say so, as the games' tools write it. In 766 of them the fourth bytes vary, and are the
/// outlines of icons; in 334 all are 255, in 5 another value, and only in 10 all are 0.
fn make_opaque_if_invisible(rgba: &mut [u8]) {
    let texels = rgba.as_chunks_mut::<4>().0;
    if texels.iter().all(|[.., alpha]| *alpha == 0) {
        texels.iter_mut().for_each(|[.., alpha]| *alpha = u8::MAX);
    }
}

/// Converts texels with 5 bits per color, and one for alpha, which counts only if the header says so.
fn rgba_of_5_bits(raw: &[u8], has_alpha: bool) -> Vec<u8> {
    let texel = |bytes: &[u8; 2]| {
        let bits = u16::from_le_bytes(*bytes);
        let color = |shift: u16| ((u32::from(bits >> shift & 31) * 255 + 15) / 31) as u8;
        let is_transparent = has_alpha && bits >> 15 == 0;
        let alpha = if is_transparent { 0 } else { u8::MAX };
        [color(10), color(5), color(0), alpha]
    };
    raw.as_chunks::<2>().0.iter().flat_map(texel).collect()
}

fn tga_error(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ImageDecodeError {
    ImageDecodeError::Tga(error.into())
}

fn unknown_format() -> ImageDecodeError {
    let what = "is neither a TGA image nor of another known image format".to_owned();
    ImageDecodeError::NotAnImage { what }
}

/// The header fields that are checked before anything is allocated.
struct Header {
    bytes: [u8; HEADER],
    kind: u8,
    width: u32,
    height: u32,
    texel_bits: u8,
}

impl Header {
    fn new(bytes: &[u8; HEADER]) -> Result<Self, ImageDecodeError> {
        let kind = bytes[KIND];
        // The format has no magic bytes; other values of this byte are not defined.
        if !matches!(kind, 1..=3 | 9..=11) {
            return Err(unknown_format());
        }
        let side = |low: usize| u16::from_le_bytes([bytes[low], bytes[low + 1]]).into();
        Ok(Self {
            bytes: *bytes,
            kind,
            width: side(12),
            height: side(14),
            texel_bits: bytes[TEXEL_BITS],
        })
    }

    /// The greatest count of texels that the bytes after the header can encode.
    fn max_texels(&self, rest: &[u8]) -> u64 {
        let bytes = rest.len() as u64;
        let texel = u64::from(self.texel_bits.div_ceil(8).max(1));
        let is_packed = self.kind >= 9;
        if is_packed {
            // A packet is one byte and at least one texel, and encodes at most 128 texels.
            bytes / (1 + texel) * 128
        } else {
            bytes / texel
        }
    }

    /// The count of alpha bits per texel that the descriptor says.
    fn alpha_bits(&self) -> u8 {
        self.bytes[DESCRIPTOR] & 0x0F
    }

    /// Whether texels have 5 bits per color, and are not in a color map.
    fn is_5_bit_color(&self) -> bool {
        self.texel_bits == 16 && matches!(self.kind, 2 | 10)
    }

    /// The header for the decoder, which rejects counts of alpha bits that do not fit the texel size: many tools write them.
    /// It also drops the alpha of 16 bits, so it reads such texels as pairs of bytes: grayscale with alpha.
    fn for_decoder(&self) -> [u8; HEADER] {
        let mut bytes = self.bytes;
        if self.is_5_bit_color() {
            // From 2 to 3, and from 10 to 11.
            bytes[KIND] += 1;
        }
        let is_mapped = matches!(bytes[KIND], 1 | 9);
        let is_gray = matches!(bytes[KIND], 3 | 11);
        let bits = bytes[if is_mapped { MAP_BITS } else { TEXEL_BITS }];
        let alpha = match (bits, is_gray) {
            (32, false) | (16, true) => 8,
            _ => 0,
        };
        bytes[DESCRIPTOR] = bytes[DESCRIPTOR] & 0xF0 | alpha;
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::samples::{assert_robust, assert_valid, limits, tga};

    fn texels(bytes: &[u8]) -> Vec<[u8; 4]> {
        let image = DecodedImage::decode(bytes, limits(true)).unwrap();
        assert_valid(&image);
        image.data.as_chunks().0.to_vec()
    }

    #[test]
    fn true_color_is_decoded_at_16_24_and_32_bits() {
        let bgr = tga(2, 2, 1, 24, 0, &[1, 2, 3, 4, 5, 6]);
        assert_eq!(texels(&bgr), [[3, 2, 1, 255], [6, 5, 4, 255]]);
        let bgra = tga(2, 2, 1, 32, 8, &[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(texels(&bgra), [[3, 2, 1, 4], [7, 6, 5, 8]]);
        let r5g5b5 = tga(2, 1, 1, 16, 0, &[0x01, 0x40]);
        assert_eq!(texels(&r5g5b5), [[132, 0, 8, 255]]);
    }

    #[test]
    fn rows_are_bottom_up_unless_the_descriptor_is_top_down() {
        let mut bytes = tga(3, 1, 2, 8, 0, &[1, 2]);
        assert_eq!(texels(&bytes), [[1, 1, 1, 255], [2, 2, 2, 255]]);
        bytes[17] = 0;
        assert_eq!(texels(&bytes), [[2, 2, 2, 255], [1, 1, 1, 255]]);
    }

    #[test]
    fn grayscale_is_decoded_with_and_without_alpha() {
        assert_eq!(texels(&tga(3, 1, 1, 8, 0, &[7])), [[7, 7, 7, 255]]);
        assert_eq!(texels(&tga(3, 1, 1, 16, 8, &[7, 9])), [[7, 7, 7, 9]]);
    }

    #[test]
    fn run_length_packets_are_decoded() {
        // A run of three equal texels, then two raw texels.
        let data = [0x82, 1, 2, 3, 0x01, 4, 5, 6, 7, 8, 9];
        let run = [3, 2, 1, 255];
        let expected = [run, run, run, [6, 5, 4, 255], [9, 8, 7, 255]];
        assert_eq!(texels(&tga(10, 5, 1, 24, 0, &data)), expected);
        let most = tga(10, 128, 1, 32, 8, &[0xFF, 1, 2, 3, 4]);
        assert_eq!(texels(&most), [[3, 2, 1, 4]; 128]);
        assert_eq!(
            texels(&tga(11, 4, 1, 8, 0, &[0x83, 6])),
            [[6, 6, 6, 255]; 4]
        );
    }

    #[test]
    fn color_mapped_image_is_decoded() {
        let mut bytes = tga(1, 2, 1, 8, 0, &[]);
        // Two entries of 24 bits.
        (bytes[1], bytes[5], bytes[7]) = (1, 2, 24);
        bytes.extend([1, 2, 3, 4, 5, 6]);
        bytes.extend([1, 0]);
        assert_eq!(texels(&bytes), [[6, 5, 4, 255], [3, 2, 1, 255]]);
    }

    #[test]
    fn one_alpha_bit_of_16_bits_is_kept() {
        let data = [0x01, 0x40, 0x01, 0xC0];
        let a1r5g5b5 = tga(2, 2, 1, 16, 1, &data);
        assert_eq!(texels(&a1r5g5b5), [[132, 0, 8, 0], [132, 0, 8, 255]]);
        let x1r5g5b5 = tga(2, 2, 1, 16, 0, &data);
        assert_eq!(texels(&x1r5g5b5), [[132, 0, 8, 255]; 2]);
        let packed = tga(10, 3, 1, 16, 1, &[0x81, 0x01, 0x40, 0x00, 0x01, 0xC0]);
        let [clear, opaque] = [[132, 0, 8, 0], [132, 0, 8, 255]];
        assert_eq!(texels(&packed), [clear, clear, opaque]);
    }

    #[test]
    fn image_without_alpha_bits_is_opaque_if_all_fourth_bytes_are_0() {
        let zeros = [1, 2, 3, 0, 4, 5, 6, 0];
        let opaque = [[3, 2, 1, 255], [6, 5, 4, 255]];
        assert_eq!(texels(&tga(2, 2, 1, 32, 0, &zeros)), opaque);
        assert_eq!(
            texels(&tga(3, 2, 1, 16, 0, &[1, 0, 2, 0]))[1],
            [2, 2, 2, 255]
        );
        // The header says that there is alpha.
        assert_eq!(texels(&tga(2, 2, 1, 32, 8, &zeros))[0], [3, 2, 1, 0]);
        // The fourth bytes are a mask, whatever the header says.
        let mask = [1, 2, 3, 0, 4, 5, 6, 7];
        assert_eq!(
            texels(&tga(2, 2, 1, 32, 0, &mask)),
            [[3, 2, 1, 0], [6, 5, 4, 7]]
        );
    }

    #[test]
    fn header_like_that_of_an_icon_is_not_taken_for_one() {
        // Without the color map that this kind needs, the file begins like an icon.
        let result = DecodedImage::decode(&tga(1, 1, 1, 8, 0, &[0]), limits(true));
        let is_icon = |error: ImageDecodeError| error.to_string().contains("ICO");
        assert!(!result.is_err_and(is_icon));
    }

    #[test]
    fn wrong_alpha_bit_count_is_corrected() {
        let bgr = tga(2, 1, 1, 24, 8, &[1, 2, 3]);
        assert_eq!(texels(&bgr), [[3, 2, 1, 255]]);
        let bgra = tga(2, 1, 1, 32, 0, &[1, 2, 3, 4]);
        assert_eq!(texels(&bgra), [[3, 2, 1, 4]]);
    }

    #[test]
    fn size_larger_than_the_file_is_rejected() {
        let error = |bytes: &[u8]| {
            let error = DecodedImage::decode(bytes, limits(true)).unwrap_err();
            error.to_string()
        };
        assert!(error(&tga(2, 2, 1, 24, 0, &[0; 5])).contains("the 23 bytes"));
        assert!(error(&tga(10, 129, 1, 32, 8, &[0xFF, 1, 2, 3, 4])).contains("129 × 1"));
        assert!(error(&tga(2, 4097, 1, 24, 0, &[0; 5])).contains("from 1 to 4096"));
        assert!(error(&tga(2, 0, 1, 24, 0, &[0; 5])).contains("from 1 to 4096"));
        assert!(error(b"not an image at all").contains("neither"));
        assert_eq!(error(b""), "the file is empty");
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
        assert!(error(pointer).contains("a Git LFS pointer"));
        assert!(error(b"IDPO\x06\0\0\0").contains("but a Quake model (MDL)"));
        assert!(error(b"<!doctype html><title>404</title>").contains("but an HTML page"));
    }

    fn samples() -> Vec<Vec<u8>> {
        let packed = [0x82, 1, 2, 3, 0x01, 4, 5, 6, 7, 8, 9];
        let mut mapped = tga(9, 4, 1, 8, 0, &[]);
        (mapped[1], mapped[5], mapped[7]) = (1, 2, 24);
        mapped.extend([1, 2, 3, 4, 5, 6, 0x83, 1]);
        vec![
            tga(10, 5, 1, 24, 0, &packed),
            tga(2, 5, 5, 32, 8, &[0x5A; 100]),
            tga(2, 5, 5, 16, 1, &[0x5A; 50]),
            tga(3, 5, 5, 8, 0, &[0x5A; 25]),
            mapped,
        ]
    }

    #[test]
    fn damaged_files_do_not_panic() {
        samples().iter().for_each(|bytes| assert_robust(bytes));
    }
}
