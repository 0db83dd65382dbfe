//! Files generated in memory, for the tests of this module.

use crate::texture::decoded_image::{DecodedImage, Limits, TexelFormat};
use bevy::image::CompressedImageFormats;

/// A BC1 block of four equal rows: red, blue, and two colors between them.
pub const BC1_BLOCK: [u8; 8] = [0, 0xF8, 0x1F, 0, 0xE4, 0xE4, 0xE4, 0xE4];

/// A row of [`BC1_BLOCK`].
pub const BC1_ROW: [[u8; 4]; 4] = [
    [255, 0, 0, 255],
    [0, 0, 255, 255],
    [170, 0, 85, 255],
    [85, 0, 170, 255],
];

pub fn limits(bc: bool) -> Limits {
    Limits {
        max_side: 4096,
        compressed: if bc {
            CompressedImageFormats::BC
        } else {
            CompressedImageFormats::NONE
        },
    }
}

/// A DDS pixel format with a four-character code.
pub fn four_cc(code: &[u8; 4]) -> [u32; 8] {
    [32, 4, u32::from_le_bytes(*code), 0, 0, 0, 0, 0]
}

/// A DDS pixel format with bit masks for red, green, blue and alpha.
pub fn masks(flags: u32, bits: u32, [r, g, b, a]: [u32; 4]) -> [u32; 8] {
    [32, flags, 0, bits, r, g, b, a]
}

pub struct DdsSample {
    pub width: u32,
    pub height: u32,
    pub levels: u32,
    pub format: [u32; 8],
    pub caps2: u32,
    pub data: Vec<u8>,
}

impl DdsSample {
    pub fn new(width: u32, height: u32, format: [u32; 8], data: &[u8]) -> Self {
        Self {
            width,
            height,
            levels: 1,
            format,
            caps2: 0,
            data: data.to_vec(),
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut words = vec![124, 0x2_1007, self.height, self.width, 0, 0, self.levels];
        words.extend([0; 11]);
        words.extend(self.format);
        words.extend([0x40_1008, self.caps2, 0, 0, 0]);
        let words = words.iter().flat_map(|word| word.to_le_bytes());
        let header: Vec<u8> = b"DDS ".iter().copied().chain(words).collect();
        assert_eq!(header.len(), 128);
        [header, self.data.clone()].concat()
    }
}

/// A TGA file without color map, whose rows are from top to bottom.
pub fn tga(kind: u8, width: u16, height: u16, bits: u8, alpha: u8, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 12];
    bytes[2] = kind;
    bytes.extend(width.to_le_bytes());
    bytes.extend(height.to_le_bytes());
    bytes.extend([bits, 0x20 | alpha]);
    bytes.extend(data);
    bytes
}

/// Pseudorandom bytes, the same for the same seed.
pub fn noise(length: usize, seed: u32) -> Vec<u8> {
    let mut state = u64::from(seed) << 1 | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005);
        state = state.wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// Checks that the GPU accepts an image; otherwise wgpu would abort the app.
pub fn assert_valid(image: &DecodedImage) {
    let block: usize = match image.format {
        TexelFormat::Rgba8 => 0,
        TexelFormat::Bc1 => 8,
        TexelFormat::Bc2 | TexelFormat::Bc3 | TexelFormat::Bc7 => 16,
    };
    let (width, height) = (image.width as usize, image.height as usize);
    assert!(block == 0 || (width.is_multiple_of(4) && height.is_multiple_of(4)));
    assert!(!image.is_cube || width == height);
    assert!((1..=4096).contains(&width) && (1..=4096).contains(&height));
    let possible = width.max(height).ilog2() + 1;
    assert!((1..=possible).contains(&image.levels));
    let level = |level: u32| {
        let (width, height) = ((width >> level).max(1), (height >> level).max(1));
        if block == 0 {
            width * height * 4
        } else {
            width.div_ceil(4) * height.div_ceil(4) * block
        }
    };
    let face: usize = (0..image.levels).map(level).sum();
    assert_eq!(image.data.len(), face * if image.is_cube { 6 } else { 1 });
}

/// Decodes every beginning of a file, and the file with each bit of its first 200 bytes flipped. Images must be valid.
pub fn assert_robust(bytes: &[u8]) {
    let assert_decodable = |bytes: &[u8]| {
        for bc in [false, true] {
            if let Ok(image) = DecodedImage::decode(bytes, limits(bc)) {
                assert_valid(&image);
            }
        }
    };
    for end in 0..bytes.len() {
        assert_decodable(&bytes[..end]);
    }
    let mut bytes = bytes.to_vec();
    for bit in 0..bytes.len().min(200) * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert_decodable(&bytes);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}
