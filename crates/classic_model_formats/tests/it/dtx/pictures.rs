//! Pictures written, read and damaged.

use classic_model_formats::dtx::write::{DtxDocument, write, write_unchecked};
use classic_model_formats::dtx::*;
use classic_model_formats::read::ErrorKind;

const RED: u8 = 1;
const GREEN: u8 = 2;
const BRIGHT: u8 = 255;

/// Something done to a picture.
type Edit = fn(&mut DtxDocument);

/// 8 × 8, red but for a green column at the left and one texel that is unlit.
fn skin() -> DtxDocument {
    let mut indices = [RED; 64];
    for texel in indices.iter_mut().step_by(8) {
        *texel = GREEN;
    }
    indices[9] = BRIGHT;
    let mut picture = DtxDocument::indexed(8, 8, &[[0; 3], [200, 1, 2], [3, 201, 4]], &indices);
    picture.palette[255] = [255, 250, 251, 252];
    picture
}

fn with_alpha() -> DtxDocument {
    let alpha: Vec<u8> = (0..64).map(|texel| texel * 4).collect();
    skin().with_alpha(&alpha)
}

/// A picture of version −5 with these levels.
fn second(texels: DtxTexels, width: u16, height: u16, mips: u16) -> DtxDocument {
    let mut picture = DtxDocument {
        version: -5,
        width,
        height,
        mips,
        palette: Vec::new(),
        ..skin()
    };
    picture.extra[2] = texels.code();
    let level = |level: u16| {
        let (width, height) = (width >> level, height >> level);
        let length = texels.level_bytes(width.into(), height.into());
        (0..length).map(|at| (at * 7) as u8).collect()
    };
    picture.levels = (0..mips).map(level).collect();
    picture
}

fn all() -> Vec<DtxDocument> {
    let old = DtxDocument {
        version: -2,
        ..with_alpha()
    };
    let mut lights = skin();
    lights.command_string = "DetailTex Textures\\x.dtx".to_owned();
    lights.unknown = [1, 2, 3, 4, 5, 6, 7, 8];
    (lights.sections, lights.user_flags) = (1, 77);
    lights.rest = b"[LIGHTS]".to_vec();
    lights.flags |= picture_flags::FULL_BRIGHT;
    vec![
        skin(),
        with_alpha(),
        old,
        lights,
        second(DtxTexels::Bgra8, 8, 4, 3),
        second(DtxTexels::Bc1, 16, 8, 4),
        second(DtxTexels::Bc2, 8, 8, 1),
        second(DtxTexels::Bc3, 12, 20, 2),
    ]
}

#[test]
fn pictures_come_back() {
    for picture in all() {
        let bytes = write(&picture).unwrap();
        let file = parse(&bytes).unwrap();
        assert_eq!(DtxDocument::from(&file), picture);
        assert_eq!(file.warnings, []);
    }
}

#[test]
fn headers_are_as_long_as_in_real_files() {
    let length = |picture: &DtxDocument| write_unchecked(picture).len();
    let texels = 64 + 16 + 4 + 1;
    assert_eq!(length(&skin()), 1196 + texels);
    assert_eq!(length(&with_alpha()), 1196 + texels + 32 + 8 + 2 + 1);
    let old = DtxDocument {
        version: -2,
        ..skin()
    };
    assert_eq!(length(&old), 1068 + texels);
    assert_eq!(length(&second(DtxTexels::Bc1, 4, 4, 1)), 164 + 8);
}

#[test]
fn indices_become_colors() {
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
    assert_eq!(file.glow(0), None, "it does not say that it is");
}

#[test]
fn alpha_is_in_half_bytes_with_the_low_one_first() {
    let mut picture = with_alpha();
    picture.alpha_levels[0][..2].copy_from_slice(&[0x1F, 0x80]);
    let bytes = write(&picture).unwrap();
    let texels = parse(&bytes).unwrap().rgba(0).unwrap();
    let alpha: Vec<u8> = texels.iter().skip(3).step_by(4).copied().take(4).collect();
    assert_eq!(alpha, [255, 17, 0, 136]);
    // One texel takes a whole byte.
    assert_eq!(picture.alpha_levels[3].len(), 1);
}

#[test]
fn unlit_texels_glow() {
    let mut picture = with_alpha();
    picture.flags |= picture_flags::FULL_BRIGHT;
    let bytes = write_unchecked(&picture);
    let glow = parse(&bytes).unwrap().glow(0).unwrap();
    assert_eq!(glow[32..40], [0, 0, 0, 255, 250, 251, 252, 255]);
    assert_eq!(glow.iter().filter(|value| **value == 251).count(), 1);
    let blocks = second(DtxTexels::Bc1, 4, 4, 1);
    let bytes = write_unchecked(&DtxDocument { flags: 1, ..blocks });
    let file = parse(&bytes).unwrap();
    assert!(!file.is_full_bright());
    assert_eq!((file.glow(0), file.rgba(0)), (None, None));
}

#[test]
fn colors_of_the_second_engine_are_turned_round() {
    let bytes = write_unchecked(&second(DtxTexels::Bgra8, 2, 1, 1));
    let texels = parse(&bytes).unwrap().rgba(0).unwrap();
    assert_eq!(texels, [14, 7, 0, 21, 42, 35, 28, 49]);
}

#[test]
fn bad_pictures_are_refused() {
    let patched = |picture: &DtxDocument, at: usize, by: &[u8]| {
        let mut bytes = write_unchecked(picture);
        bytes[at..at + by.len()].copy_from_slice(by);
        bytes
    };
    let skin = skin();
    let error = |bytes: &[u8]| {
        let error = parse(bytes).map(drop).unwrap_err();
        (error.offset, error.to_string())
    };
    let cases: [(Vec<u8>, u64, &str); 13] = [
        (vec![], 0, "needs 4 bytes"),
        (vec![0; 3], 0, "needs 4 bytes"),
        (vec![0; 6], 4, "version"),
        (b"DDS |\0\0\0".to_vec(), 0, "is a DDS picture"),
        (b"\x89PNG\r\n\x1a\n".to_vec(), 0, "is a PNG picture"),
        (vec![17; 4096], 0, "master palette"),
        (
            vec![0; 4096],
            4,
            "version at offset 4 is 0, which is not supported",
        ),
        (patched(&skin, 4, &(-4_i32).to_le_bytes()), 4, "is -4"),
        (patched(&skin, 8, &[0, 0]), 8, "width"),
        (patched(&skin, 10, &[0, 0]), 10, "height"),
        (patched(&skin, 12, &[0, 0]), 12, "number of levels"),
        (patched(&skin, 8, &[255; 4]), 1196, "level 0"),
        (
            patched(&second(DtxTexels::Bc1, 4, 4, 1), 26, &[7]),
            26,
            "coding of texels",
        ),
    ];
    for (bytes, offset, said) in cases {
        let (at, message) = error(&bytes);
        assert_eq!(at, offset, "{message}");
        assert!(
            message.contains(said) && message.starts_with("DTX: "),
            "{message}"
        );
    }
    // Alpha that is not there.
    let bytes = patched(&skin, 16, &[2]);
    let (offset, message) = error(&bytes);
    assert_eq!(offset, bytes.len() as u64);
    assert!(message.contains("alpha of level 0"), "{message}");
}

#[test]
fn harmless_flaws_are_told() {
    let told = |edit: fn(&mut DtxDocument)| {
        let mut picture = skin();
        edit(&mut picture);
        let bytes = write_unchecked(&picture);
        let file = parse(&bytes).unwrap();
        file.warnings
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        told(|it| it.rest = vec![1, 2, 3]),
        ["3 bytes after the texels are ignored (at offset 1281)"]
    );
    assert_eq!(
        told(|it| it.mips = 9),
        ["of 9 levels only 4 have texels at 8 × 8 (at offset 12)"]
    );
    let mut bytes = write_unchecked(&skin());
    bytes[36..164].fill(0xE4);
    let file = parse(&bytes).unwrap();
    let told: Vec<_> = file
        .warnings
        .iter()
        .map(|it| (it.offset, &it.message[..20]))
        .collect();
    assert_eq!(
        told,
        [(36, "command string has n"), (36, "command string is no")]
    );
}

#[test]
fn what_the_format_cannot_say_is_not_written() {
    let error = |edit: fn(&mut DtxDocument)| {
        let mut picture = with_alpha();
        edit(&mut picture);
        write(&picture).unwrap_err()
    };
    let cases: [(&str, Edit); 7] = [
        ("version", |it| it.version = 1),
        ("command string", |it| it.command_string = "x".repeat(128)),
        ("alpha of level 1", |it| {
            it.palette.pop();
        }),
        ("levels", |it| {
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
    for (place, edit) in cases {
        let error = error(edit).to_string();
        assert!(error.contains(place), "{place}: {error}");
    }
    let kind = error(|it| it.levels[0].truncate(3)).kind;
    assert!(matches!(kind, ErrorKind::Truncated { .. }));
}

#[test]
fn a_file_may_not_end_early() {
    for picture in all() {
        let bytes = write_unchecked(&picture);
        for end in 0..bytes.len() - picture.rest.len() {
            let error = parse(&bytes[..end]).map(drop).unwrap_err();
            assert!(error.offset <= end as u64);
        }
    }
}

#[test]
fn any_bit_may_be_wrong() {
    for picture in all() {
        let mut bytes = write_unchecked(&picture);
        for bit in 0..bytes.len().min(200) * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(file) = parse(&bytes) {
                for level in 0..file.levels.len() {
                    let size = file.levels[level].width * file.levels[level].height * 4;
                    let length = file.rgba(level).map(|texels| texels.len() as u32);
                    assert!(length.is_none_or(|length| length == size));
                    file.glow(level);
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
