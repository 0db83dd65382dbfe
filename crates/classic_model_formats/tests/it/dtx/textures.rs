//! LithTech textures: round trips, colors, malformed files, and the checks of the writer.

use crate::prelude::*;
use classic_model_formats::dtx::write::{packed_alpha, write, write_unchecked};
use classic_model_formats::dtx::*;

const RED: u8 = 1;
const GREEN: u8 = 2;
const BRIGHT: u8 = 255;

/// A modification of a texture.
type Edit = fn(&mut DtxDocument);

/// A texture of 8 × 8 texels: red, with a green left column and one texel of palette index 255.
fn skin() -> DtxDocument {
    let mut indices = [RED; 64];
    for texel in indices.iter_mut().step_by(8) {
        *texel = GREEN;
    }
    indices[9] = BRIGHT;
    let mut texture = DtxDocument::indexed(8, 8, &[[0; 3], [200, 1, 2], [3, 201, 4]], &indices);
    texture.palette[255] = [255, 250, 251, 252];
    texture
}

fn with_alpha() -> DtxDocument {
    let alpha: Vec<u8> = (0..64).map(|texel| texel * 4).collect();
    skin().with_alpha(&alpha)
}

/// A texture of version −5.
fn version_5(format: DtxTexelFormat, width: u16, height: u16, mips: u16) -> DtxDocument {
    let mut texture = DtxDocument {
        version: -5,
        width,
        height,
        mips,
        palette: Vec::new(),
        ..skin()
    };
    texture.extra[2] = format.code();
    let level = |level: u16| {
        let (width, height) = (width >> level, height >> level);
        let length = format.level_bytes(width.into(), height.into());
        (0..length).map(|at| (at * 7) as u8).collect()
    };
    texture.levels = (0..mips).map(level).collect();
    texture
}

fn all() -> Vec<DtxDocument> {
    let version_2 = DtxDocument {
        version: -2,
        ..with_alpha()
    };
    let mut lights = skin();
    lights.command_string = "DetailTex Textures\\x.dtx".to_owned();
    lights.unknown = [1, 2, 3, 4, 5, 6, 7, 8];
    (lights.sections, lights.user_flags) = (1, 77);
    lights.rest = b"[LIGHTS]".to_vec();
    lights.flags |= texture_flags::FULL_BRIGHT;
    vec![
        skin(),
        with_alpha(),
        version_2,
        lights,
        version_5(DtxTexelFormat::Bgra8, 8, 4, 3),
        version_5(DtxTexelFormat::Bc1, 16, 8, 4),
        version_5(DtxTexelFormat::Bc2, 8, 8, 1),
        version_5(DtxTexelFormat::Bc3, 12, 20, 2),
    ]
}

#[test]
fn written_textures_parse_to_the_same_values() {
    for texture in all() {
        let bytes = write(&texture).unwrap();
        let file = parse(&bytes).unwrap();
        assert_eq!(DtxDocument::from(&file), texture);
        assert_eq!(file.warnings, []);
    }
}

#[test]
fn headers_have_the_length_of_real_files() {
    let length = |texture: &DtxDocument| write_unchecked(texture).len();
    let texels = 64 + 16 + 4 + 1;
    assert_eq!(length(&skin()), 1196 + texels);
    assert_eq!(length(&with_alpha()), 1196 + texels + 32 + 8 + 2 + 1);
    let version_2 = DtxDocument {
        version: -2,
        ..skin()
    };
    assert_eq!(length(&version_2), 1068 + texels);
    assert_eq!(length(&version_5(DtxTexelFormat::Bc1, 4, 4, 1)), 164 + 8);
}

#[test]
fn rgba_looks_up_palette_colors() {
    let bytes = write_unchecked(&skin());
    let file = parse(&bytes).unwrap();
    let sizes: Vec<_> = file.levels.iter().map(|it| (it.width, it.height)).collect();
    assert_eq!(sizes, [(8, 8), (4, 4), (2, 2), (1, 1)]);
    let texels = file.rgba(0).unwrap();
    assert_eq!(texels[..8], [3, 201, 4, 255, 200, 1, 2, 255]);
    assert_eq!(texels[36..40], [250, 251, 252, 255]);
    assert_eq!(texels.len(), 256);
    assert_eq!(file.rgba(3).unwrap(), [3, 201, 4, 255]);
    assert_eq!(file.rgba(4), None);
    assert_eq!(file.emissive(0), None, "without the flag `FULL_BRIGHT`");
}

#[test]
fn alpha_has_4_bits_per_texel_low_half_first() {
    let mut texture = with_alpha();
    texture.alpha_levels[0][..2].copy_from_slice(&[0x1F, 0x80]);
    let bytes = write(&texture).unwrap();
    let texels = parse(&bytes).unwrap().rgba(0).unwrap();
    let alpha: Vec<u8> = texels.iter().skip(3).step_by(4).copied().take(4).collect();
    assert_eq!(alpha, [255, 17, 0, 136]);
    // A single texel takes a whole byte.
    assert_eq!(texture.alpha_levels[3].len(), 1);
}

#[test]
fn packed_alpha_is_the_nearest_of_4_bits() {
    let alpha: Vec<u8> = (0..=255).collect();
    let packed = packed_alpha(&alpha);
    let halves = packed.iter().flat_map(|byte| [byte & 0xF, byte >> 4]);
    for (alpha, half) in alpha.iter().zip(halves) {
        assert!(alpha.abs_diff(half * 17) <= 8, "{alpha}: {half}");
    }
    assert_eq!(packed_alpha(&[255, 0, 17]), [0x0F, 0x01]);
}

#[test]
fn palette_files_have_4_levels_even_if_the_header_declares_fewer() {
    let texture = with_alpha();
    let expected = write(&texture).unwrap();
    let expected = parse(&expected).unwrap();
    for (mips, used) in [(0, 4), (1, 1), (2, 2), (3, 3), (4, 4)] {
        let bytes = write_unchecked(&DtxDocument {
            mips,
            ..texture.clone()
        });
        let file = parse(&bytes).unwrap();
        assert_eq!(file.mips, mips);
        assert_eq!(file.levels, expected.levels, "{mips}");
        assert_eq!(file.alpha_levels, expected.alpha_levels, "{mips}");
        assert_eq!(file.used_levels(), used, "{mips}");
    }
    // Exactly the bytes of the declared count.
    let mut short = DtxDocument { mips: 2, ..texture };
    short.levels.truncate(2);
    short.alpha_levels.truncate(2);
    let bytes = write(&short).unwrap();
    let file = parse(&bytes).unwrap();
    assert_eq!((file.levels.len(), file.warnings.len()), (2, 0));
    assert_eq!(file.rgba(1), expected.rgba(1));
}

#[test]
fn extra_byte_limits_the_levels_to_show() {
    for (used, expected) in [(0, 4), (1, 1), (2, 2), (3, 3), (4, 4), (5, 4), (255, 4)] {
        let mut texture = skin();
        texture.extra[1] = used;
        let bytes = write(&texture).unwrap();
        let file = parse(&bytes).unwrap();
        assert_eq!((file.levels.len(), file.used_levels()), (4, expected));
        assert_eq!(file.warnings, []);
        let mut blocks = version_5(DtxTexelFormat::Bc1, 16, 8, 4);
        blocks.extra[1] = used;
        let bytes = write(&blocks).unwrap();
        assert_eq!(parse(&bytes).unwrap().used_levels(), 4);
    }
}

#[test]
fn unlit_texels_are_emissive() {
    let mut texture = with_alpha();
    texture.flags |= texture_flags::FULL_BRIGHT;
    let bytes = write_unchecked(&texture);
    let glow = parse(&bytes).unwrap().emissive(0).unwrap();
    assert_eq!(glow[32..40], [0, 0, 0, 255, 250, 251, 252, 255]);
    assert_eq!(glow.iter().filter(|value| **value == 251).count(), 1);
    let blocks = version_5(DtxTexelFormat::Bc1, 4, 4, 1);
    let bytes = write_unchecked(&DtxDocument { flags: 1, ..blocks });
    let file = parse(&bytes).unwrap();
    assert!(!file.is_full_bright());
    assert_eq!((file.emissive(0), file.rgba(0)), (None, None));
}

#[test]
fn bgra_texels_are_converted_to_rgba() {
    let bytes = write_unchecked(&version_5(DtxTexelFormat::Bgra8, 2, 1, 1));
    let texels = parse(&bytes).unwrap().rgba(0).unwrap();
    assert_eq!(texels, [14, 7, 0, 21, 42, 35, 28, 49]);
}

#[test]
fn malformed_files_are_errors() {
    let patched = |texture: &DtxDocument, at: usize, by: &[u8]| {
        let mut bytes = write_unchecked(texture);
        bytes[at..at + by.len()].copy_from_slice(by);
        bytes
    };
    let skin = skin();
    let error = |bytes: &[u8]| {
        let error = parse(bytes).map(drop).unwrap_err();
        (error.offset, error.to_string())
    };
    let cases: [(Vec<u8>, u64, &str); 13] = [
        (vec![], 0, "is empty"),
        (vec![0; 3], 0, "needs 4 bytes"),
        (vec![0; 6], 4, "version"),
        (b"DDS |\0\0\0".to_vec(), 0, "is a DDS image"),
        (b"\x89PNG\r\n\x1a\n".to_vec(), 0, "is a PNG image"),
        (vec![17; 4096], 0, "master palette"),
        (
            vec![0; 4096],
            4,
            "version at offset 4 is 0, which is not supported",
        ),
        (patched(&skin, 4, &(-4_i32).to_le_bytes()), 4, "is -4"),
        (patched(&skin, 8, &[0, 0]), 8, "width"),
        (patched(&skin, 10, &[0, 0]), 10, "height"),
        (
            patched(&version_5(DtxTexelFormat::Bc1, 4, 4, 1), 12, &[0, 0]),
            12,
            "mip level count",
        ),
        (patched(&skin, 8, &[255; 4]), 1196, "mip level 0"),
        (
            patched(&version_5(DtxTexelFormat::Bc1, 4, 4, 1), 26, &[7]),
            26,
            "texel format",
        ),
    ];
    for (bytes, expected_offset, expected) in cases {
        let (offset, message) = error(&bytes);
        assert_eq!(offset, expected_offset, "{message}");
        assert!(
            message.contains(expected) && message.starts_with("DTX: "),
            "{message}"
        );
    }
    // The flag `ALPHA` without alpha.
    let bytes = patched(&skin, 16, &[2]);
    let (offset, message) = error(&bytes);
    assert_eq!(offset, bytes.len() as u64);
    assert!(message.contains("alpha of mip level 0"), "{message}");
}

#[test]
fn harmless_flaws_are_warnings() {
    let warnings = |edit: fn(&mut DtxDocument)| {
        let mut texture = skin();
        edit(&mut texture);
        let bytes = write_unchecked(&texture);
        let file = parse(&bytes).unwrap();
        file.warnings
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        warnings(|it| it.rest = vec![1, 2, 3]),
        ["3 bytes after the texels are ignored (at offset 1281)"]
    );
    assert_eq!(
        warnings(|it| it.mips = 9),
        ["the header declares 9 mip levels, but only 4 have texels at 8 × 8 (at offset 12)"]
    );
    for mips in 0..4 {
        let texture = DtxDocument {
            mips,
            ..DtxDocument::indexed(16, 16, &[], &[0; 256])
        };
        let bytes = write_unchecked(&texture);
        let [warning] = &parse(&bytes).unwrap().warnings[..] else {
            panic!("{mips}");
        };
        assert_eq!(
            warning.to_string(),
            format!("the header declares {mips} mip levels, but the file has 4 (at offset 12)")
        );
    }
    let mut bytes = write_unchecked(&skin());
    bytes[36..164].fill(0xE4);
    let file = parse(&bytes).unwrap();
    let found: Vec<_> = file
        .warnings
        .iter()
        .map(|it| (it.offset, &it.message[..20]))
        .collect();
    assert_eq!(
        found,
        [(36, "command string has n"), (36, "command string is no")]
    );
}

#[test]
fn writing_rejects_values_that_the_format_cannot_store() {
    let error = |edit: fn(&mut DtxDocument)| {
        let mut texture = with_alpha();
        edit(&mut texture);
        write(&texture).unwrap_err()
    };
    let cases: [(&str, Edit); 7] = [
        ("version", |it| it.version = 1),
        ("command string", |it| it.command_string = "x".repeat(128)),
        ("alpha of mip level 1", |it| {
            it.palette.pop();
        }),
        ("mip levels", |it| {
            let last = it.levels[0].pop();
            it.levels[1].extend(last);
        }),
        ("alpha", |it| {
            it.alpha_levels.pop();
        }),
        ("alpha", |it| it.flags = 0),
        ("command string", |it| {
            it.version = -2;
            it.command_string = "x".to_owned();
        }),
    ];
    for (context, edit) in cases {
        let error = error(edit).to_string();
        assert!(error.contains(context), "{context}: {error}");
    }
    let kind = error(|it| it.levels[0].truncate(3)).kind;
    assert!(matches!(kind, ErrorKind::Truncated { .. }));
}

#[test]
fn truncated_files_are_errors() {
    for texture in all() {
        let bytes = write_unchecked(&texture);
        for end in 0..bytes.len() - texture.rest.len() {
            let error = parse(&bytes[..end]).map(drop).unwrap_err();
            assert!(error.offset <= end as u64);
        }
    }
}

#[test]
fn flipped_bits_are_handled() {
    for texture in all() {
        let mut bytes = write_unchecked(&texture);
        for bit in 0..bytes.len().min(200) * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(file) = parse(&bytes) {
                for level in 0..file.levels.len() {
                    let size = file.levels[level].width * file.levels[level].height * 4;
                    let length = file.rgba(level).map(|texels| texels.len() as u32);
                    assert!(length.is_none_or(|length| length == size));
                    file.emissive(level);
                }
                let document = DtxDocument::from(&file);
                if let Ok(written) = write(&document) {
                    assert_eq!(DtxDocument::from(&parse(&written).unwrap()), document);
                }
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}
