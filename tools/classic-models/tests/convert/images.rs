//! Images as textures of games, and palettes.

use super::{Folder, samples};
use bevy_classic_models::texture::Pixels;
use classic_model_formats::dtx;
use classic_model_formats::dtx::write::DtxDocument;
use classic_models_fixtures::mdl::tetrahedron;
use image::{ImageFormat, Rgba, RgbaImage};
use std::io::Cursor;
use std::path::Path;

/// A file of an image.
fn file_of(
    format: ImageFormat,
    (width, height): (u32, u32),
    texel: impl Fn(u32, u32) -> [u8; 4],
) -> Vec<u8> {
    let image = RgbaImage::from_fn(width, height, |x, y| Rgba(texel(x, y)));
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn png(size: (u32, u32), texel: impl Fn(u32, u32) -> [u8; 4]) -> Vec<u8> {
    file_of(ImageFormat::Png, size, texel)
}

/// The bytes of a file after its conversion.
#[track_caller]
fn converted(folder: &Folder, bytes: &[u8], output: &str, options: &[&str]) -> Vec<u8> {
    folder.write("in.png", bytes);
    folder.convert(&[&["in.png", output, "--force"], options].concat());
    std::fs::read(folder.path(output)).unwrap()
}

/// The texels that the plugin reads.
#[track_caller]
fn read(bytes: &[u8]) -> Pixels {
    Pixels::decode(bytes, Path::new("any.name")).unwrap()
}

/// The root of the mean squared difference of all colors.
fn difference(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    let texels = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
    let squares = texels.flat_map(|(a, b)| [0, 1, 2].map(|at| f64::from(a[at].abs_diff(b[at]))));
    let sum: f64 = squares.map(|it| it * it).sum();
    (sum / (a.len() as f64 * 0.75)).sqrt()
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// Sizes, and the count of mip levels of each.
const SIZES: [((u32, u32), u32); 6] = [
    ((1, 1), 1),
    ((5, 3), 3),
    ((1, 16), 5),
    ((16, 16), 5),
    ((64, 32), 7),
    ((3, 2), 2),
];

/// Texels of all alphas.
fn translucent(x: u32, y: u32) -> [u8; 4] {
    [x * 9, y * 13, 40, x * 16 + y].map(|it| it as u8)
}

#[test]
fn dds_files_have_all_mip_levels_and_only_the_alpha_that_they_need() {
    let folder = Folder::new();
    for (size, levels) in SIZES {
        for (alpha, four_cc, block) in [(255, b"DXT1", 8), (254, b"DXT5", 16)] {
            let texel = |x, _| [x as u8 * 3, 99, 7, if x == 0 { alpha } else { 255 }];
            let bytes = converted(&folder, &png(size, texel), "out.dds", &[]);
            assert_eq!(&bytes[84..88], four_cc, "{size:?}");
            assert_eq!(u32_at(&bytes, 28), levels, "{size:?}");
            let blocks = (0..levels).map(|level| {
                let side = |side: u32| (side >> level).max(1).div_ceil(4);
                side(size.0) * side(size.1)
            });
            let length = 128 + blocks.sum::<u32>() * block;
            assert_eq!(bytes.len(), length as usize, "{size:?}");
            let pixels = read(&bytes);
            assert_eq!((pixels.width, pixels.height), size);
        }
    }
}

#[test]
fn flat_colors_of_16_bits_stay_in_dds_files() {
    let folder = Folder::new();
    // A block for each value of 5 bits.
    let color = |x: u32, _| {
        let [five, six] = [x / 4, 63 - x / 4 * 2];
        let [red, green] = [(five * 255 + 15) / 31, (six * 255 + 31) / 63];
        [red as u8, green as u8, 255 - red as u8, 255]
    };
    let file = png((128, 4), color);
    let bytes = converted(&folder, &file, "out.dds", &[]);
    assert_eq!(read(&bytes), read(&file));
}

#[test]
fn gradients_lose_only_the_precision_of_16_bit_colors() {
    let folder = Folder::new();
    let gradient = |x: u32, _| [x as u8 * 4, x as u8 * 2, 255 - x as u8 * 4, 255];
    let file = png((64, 64), gradient);
    let bytes = converted(&folder, &file, "out.dds", &[]);
    let (original, found) = (read(&file), read(&bytes));
    // The four colors of a block are equally spaced, as those that BC1 interpolates, so only both ends are rounded: to 5 bits
    // for red and blue, 6 for green. Interpolation rounds to 8 bits.
    let [five, six] = [255.0 / 31.0 / 2.0 + 0.5, 255.0 / 63.0 / 2.0 + 0.5_f64];
    let bound = ((2.0 * five * five + six * six) / 3.0).sqrt();
    let block = 64 * 4 * 4;
    for (a, b) in original.rgba.chunks(block).zip(found.rgba.chunks(block)) {
        let difference = difference(a, b);
        assert!(difference <= bound, "{difference} > {bound}");
    }
}

#[test]
fn alpha_of_dds_files_has_8_steps_per_block() {
    let folder = Folder::new();
    let file = png((16, 16), translucent);
    let found = read(&converted(&folder, &file, "out.dds", &[]));
    let alphas = |pixels: &Pixels| pixels.rgba.iter().skip(3).step_by(4).copied().collect();
    let [original, found]: [Vec<u8>; 2] = [alphas(&read(&file)), alphas(&found)];
    for (original, found) in original.iter().zip(found) {
        // Alpha grows by 51 in a block, which has 8 values: 7 steps, of which at most half is lost, and rounding.
        let bound = 51.0 / 7.0 / 2.0 + 1.0;
        assert!(f64::from(original.abs_diff(found)) <= bound);
    }
}

#[test]
fn mip_levels_average_light_or_values() {
    let folder = Folder::new();
    let file = png((2, 2), |x, y| {
        let gray = if (x + y) % 2 == 0 { 0 } else { 255 };
        [gray, gray, gray, 255]
    });
    // Half of the light is 188 in sRGB. A color has 5 bits, and is at most half a step from that.
    for (options, value) in [(&[][..], 188_u8), (&["--linear"], 128)] {
        let bytes = converted(&folder, &file, "out.dds", options);
        let mut last = [&bytes[..128], &bytes[bytes.len() - 8..]].concat();
        // Height, width, and count of levels.
        for at in [12, 16, 28] {
            last[at] = 1;
        }
        let red = read(&last).rgba[0];
        assert!(red.abs_diff(value) <= 4, "{options:?}: {red}");
    }
}

#[test]
fn six_sides_become_a_cube_map() {
    let folder = Folder::new();
    let colors = [0, 0x20, 0x41, 0x82, 0xc3, 0xff].map(|it| [it, 0, 255 - it, 255]);
    let strip = png((24, 4), |x, _| colors[x as usize / 4]);
    let bytes = converted(&folder, &strip, "out.dds", &["--cube"]);
    assert_eq!([u32_at(&bytes, 12), u32_at(&bytes, 16)], [4, 4]);
    assert_eq!(u32_at(&bytes, 28), 3, "mip levels");
    assert_eq!(u32_at(&bytes, 112), 0xfe00, "all sides");
    assert_eq!(bytes.len(), 128 + 6 * 3 * 8);
    let sides = read(&bytes);
    assert_eq!([sides.width, sides.height], [24, 4]);
    assert!(difference(&sides.rgba, &read(&strip).rgba) < 3.0);
    folder.write("in.png", &png((25, 4), |_, _| [0; 4]));
    let expected = "25 × 4 texels: a cube map needs six square sides";
    assert_fails(
        &folder,
        &["in.png", "out.dds", "--cube", "--force"],
        expected,
    );
}

#[test]
fn tga_files_have_the_same_texels() {
    let folder = Folder::new();
    for (size, _) in SIZES {
        for is_opaque in [true, false] {
            let texel = |x, y| {
                let [r, g, b, alpha] = translucent(x, y);
                [r, g, b, if is_opaque { 255 } else { alpha }]
            };
            let file = png(size, texel);
            let bytes = converted(&folder, &file, "out.tga", &[]);
            let texels = size.0 * size.1;
            assert_eq!(
                bytes.len() as u32,
                44 + texels * if is_opaque { 3 } else { 4 }
            );
            assert_eq!(read(&bytes), read(&file), "{size:?}");
            let other = image::load_from_memory_with_format(&bytes, ImageFormat::Tga).unwrap();
            assert_eq!(other.into_rgba8().into_raw(), read(&file).rgba, "{size:?}");
        }
    }
}

#[test]
fn dtx_files_keep_up_to_256_colors_and_4_bits_of_alpha() {
    let folder = Folder::new();
    for (size, levels) in SIZES {
        // A level of a DTX file has no texels if a side is halved to nothing.
        let stored = levels.min(size.0.min(size.1).ilog2() + 1).min(4);
        let file = png(size, translucent);
        let bytes = converted(&folder, &file, "out.dtx", &[]);
        let document = DtxDocument::from(&dtx::parse(&bytes).unwrap());
        assert_eq!((document.version, document.mips), (-2, 4));
        assert_eq!(document.levels.len() as u32, stored, "{size:?}");
        let (original, found) = (read(&file), read(&bytes));
        let texels = original.rgba.as_chunks::<4>().0.iter();
        for (original, found) in texels.zip(found.rgba.as_chunks::<4>().0) {
            let [[r, g, b, alpha], [r_2, g_2, b_2, alpha_2]] = [original, found];
            if size != (64, 32) {
                assert_eq!([r, g, b], [r_2, g_2, b_2], "{size:?}");
            }
            // Steps of 17.
            assert!(alpha.abs_diff(*alpha_2) <= 8, "{size:?}");
        }
    }
    let opaque = converted(&folder, &png((8, 8), |_, _| [9, 8, 7, 255]), "out.dtx", &[]);
    assert_eq!(opaque.len(), 1068 + 64 + 16 + 4 + 1);
}

#[test]
fn more_colors_become_similar_ones() {
    let folder = Folder::new();
    let file = png((32, 32), |x, y| [x as u8 * 8, y as u8 * 8, 128, 255]);
    let found = read(&converted(&folder, &file, "out.dtx", &[]));
    // 256 squares of 2 × 2 colors, each with its mean, would have 4 in red and green. The method is not perfect.
    let perfect = (2.0 * 4.0 * 4.0 / 3.0_f64).sqrt();
    let difference = difference(&read(&file).rgba, &found.rgba);
    assert!(difference <= 2.0 * perfect, "{difference}");
}

#[test]
fn texels_of_the_unlit_color_are_unlit() {
    let folder = Folder::new();
    let glow = [255, 128, 0, 255];
    let file = png((32, 32), |x, y| match (x, y) {
        (16.., _) => glow,
        // More colors than the palette has.
        _ => [x as u8 * 16, y as u8 * 8, (x ^ y) as u8 * 8, 255],
    });
    let bytes = converted(&folder, &file, "out.dtx", &["--unlit", "ff8000"]);
    let texture = dtx::parse(&bytes).unwrap();
    for (level, width) in [32, 16, 8, 4].into_iter().enumerate() {
        let emissive = texture.emissive(level).unwrap();
        for (index, texel) in emissive.as_chunks().0.iter().enumerate() {
            let is_unlit = index % width >= width / 2;
            let expected = if is_unlit { glow } else { [0, 0, 0, 255] };
            assert_eq!(*texel, expected, "level {level}, texel {index}");
        }
    }
    assert_eq!(
        Pixels::decode_emissive(&converted(&folder, &file, "out.dtx", &[])),
        None
    );
    // The warning of the way there says how to come back.
    let text = folder.run(&["out.dtx", "there.png"]);
    assert!(text.stderr.is_empty());
    folder.write("unlit.dtx", &bytes);
    let text = folder.convert(&["unlit.dtx", "there.png", "--force"]);
    assert!(text.contains("--unlit ff8000"), "{text}");
    folder.convert(&["there.png", "back.dtx", "--unlit", "#FF8000"]);
    let back = std::fs::read(folder.path("back.dtx")).unwrap();
    assert_eq!(
        Pixels::decode_emissive(&back),
        Pixels::decode_emissive(&bytes)
    );
    assert_eq!(read(&back), read(&bytes));
}

#[test]
fn texels_of_mip_levels_are_unlit_if_half_of_them_is() {
    let folder = Folder::new();
    for (count, expected) in [(1, 0), (2, 4), (4, 4)] {
        let file = png((4, 4), |x, y| match x % 2 + y % 2 * 2 < count {
            true => [255, 128, 0, 255],
            false => [9, 9, 9, 255],
        });
        let bytes = converted(&folder, &file, "out.dtx", &["--unlit", "ff8000"]);
        let texture = dtx::parse(&bytes).unwrap();
        let emissive = texture.emissive(1).unwrap();
        let is_unlit = |texel: &[u8; 4]| texel[0] > 0;
        let unlit = emissive.as_chunks().0.iter().filter(|it| is_unlit(it));
        assert_eq!(unlit.count(), expected, "{count}");
    }
}

#[test]
fn dtx_files_with_a_palette_become_version_2_without_loss() {
    let folder = Folder::new();
    let path = samples().join("skins/warden.dtx");
    let bytes = std::fs::read(&path).unwrap();
    let mut document = DtxDocument::from(&dtx::parse(&bytes).unwrap());
    document.version = -3;
    document.command_string = "Commands".to_owned();
    let bytes = dtx::write::write(&document).unwrap();
    folder.write("in.dtx", &bytes);
    folder.convert(&["in.dtx", "out.dtx"]);
    let found = std::fs::read(folder.path("out.dtx")).unwrap();
    document.version = -2;
    document.command_string.clear();
    assert_eq!(DtxDocument::from(&dtx::parse(&found).unwrap()), document);
    assert_eq!(found.len(), bytes.len() - 128);
}

#[test]
fn samples_become_textures_of_all_kinds() {
    let folder = Folder::new();
    for (name, dds_difference) in [
        ("textures/crate.dds", 6.0),
        // Blocks of this kind already.
        ("textures/walker.dds", 0.5),
        ("textures/walker_metal.tga", 6.0),
        ("textures/courier_wire.tga", 6.0),
        ("skins/warden.dtx", 6.0),
    ] {
        let path = samples().join(name);
        let original = read(&std::fs::read(&path).unwrap());
        let path = path.display().to_string();
        for (output, bound) in [
            ("out.tga", 0.0),
            ("out.png", 0.0),
            ("out.dds", dds_difference),
            ("out.dtx", 2.0),
        ] {
            folder.convert(&[&path, output, "--force"]);
            let found = read(&std::fs::read(folder.path(output)).unwrap());
            let difference = difference(&original.rgba, &found.rgba);
            assert!(difference <= bound, "{name} {output}: {difference}");
            if bound == 0.0 {
                assert_eq!(found, original, "{name} {output}");
            }
        }
    }
}

#[test]
fn jpeg_files_are_images() {
    let folder = Folder::new();
    let mut bytes = Cursor::new(Vec::new());
    let image = image::RgbImage::from_fn(16, 8, |x, y| image::Rgb([x as u8 * 16, y as u8 * 32, 9]));
    image.write_to(&mut bytes, ImageFormat::Jpeg).unwrap();
    let bytes = bytes.into_inner();
    folder.write("a.JPG", &bytes);
    folder.convert(&["a.JPG", "a.tga"]);
    let found = read(&std::fs::read(folder.path("a.tga")).unwrap());
    let expected = image::load_from_memory(&bytes).unwrap().into_rgba8();
    assert_eq!(found.rgba, expected.into_raw());
}

#[test]
fn palettes_become_images_and_come_back() {
    let folder = Folder::new();
    let palette: Vec<u8> = (0..768).map(|at| (at * 7 % 256) as u8).collect();
    folder.write("palette.lmp", &palette);
    folder.convert(&["palette.lmp", "palette.png"]);
    let pixels = read(&std::fs::read(folder.path("palette.png")).unwrap());
    assert_eq!((pixels.width, pixels.height), (16, 16));
    assert_eq!(pixels.rgba[..8], [0, 7, 14, 255, 21, 28, 35, 255]);
    folder.convert(&["palette.lmp", "palette.tga"]);
    let row = png((256, 1), |x, _| {
        let at = x as usize * 3;
        [palette[at], palette[at + 1], palette[at + 2], 255]
    });
    folder.write("row.png", &row);
    for input in ["palette.png", "palette.tga", "row.png"] {
        folder.convert(&[input, "back.lmp", "--force"]);
        let back = std::fs::read(folder.path("back.lmp")).unwrap();
        assert_eq!(back, palette, "{input}");
    }
}

#[test]
fn images_of_a_folder_become_textures() {
    let folder = Folder::new();
    let file = png((4, 4), translucent);
    let tga = converted(&folder, &file, "in/wood/b.tga", &[]);
    let dds = converted(&folder, &file, "in/c.dds", &[]);
    assert!(!tga.is_empty() && !dds.is_empty());
    folder.write("in/a.PNG", &file);
    folder.write("in/m.mdl", &tetrahedron().to_bytes());
    folder.write("in/notes.txt", b"no image");
    for (format, expected) in [
        ("dds", ["a.dds", "wood/b.dds"]),
        ("dtx", ["a.dtx", "c.dtx"]),
        ("tga", ["a.tga", "c.tga"]),
        ("png", ["c.png", "wood/b.png"]),
        ("glb", ["c.png", "m.glb"]),
    ] {
        folder.convert(&["in", format, "--format", format]);
        for name in expected {
            assert!(folder.path(format).join(name).is_file(), "{format}: {name}");
        }
    }
    for missing in [
        "dds/c.dds",
        "dds/m.dds",
        "tga/wood/b.tga",
        "glb/a.png",
        "png/a.png",
    ] {
        assert!(!folder.path(missing).exists(), "{missing}");
    }
}

#[test]
fn every_problem_is_an_error_and_writes_nothing() {
    let folder = Folder::new();
    let models = samples().join("models");
    let [abc, alo] = ["warden.abc", "crate.alo"].map(|it| models.join(it).display().to_string());
    let file = png((5, 3), translucent);
    folder.write("a.png", &file);
    folder.write("cut.png", &file[..file.len() / 2]);
    folder.write("empty.png", b"");
    folder.write("text.png", b"no image at all, only text");
    folder.write("model.png", &tetrahedron().to_bytes());
    folder.write("short.lmp", &[0; 767]);
    folder.write("map.bsp", &[29; 100]);
    for (input, expected) in [
        ("cut.png", "PNG"),
        ("empty.png", "the file is empty"),
        ("text.png", "neither a TGA image"),
        ("model.png", "a Quake model"),
        ("short.lmp", "768"),
        ("map.bsp", "TGA"),
        ("missing.png", "missing.png"),
        (&*abc, "a model can only be converted to"),
        (&*alo, "a model can only be converted to"),
    ] {
        for output in ["out.dds", "out.dtx", "out.tga", "out.lmp", "out.png"] {
            assert_fails(&folder, &[input, output], expected);
            assert!(!folder.path(output).exists(), "{input} {output}");
        }
    }
    assert_fails(
        &folder,
        &["a.png", "out.lmp"],
        "5 × 3 texels: a palette needs 256",
    );
    assert_fails(
        &folder,
        &["a.png", "out.glb"],
        "a texture can only be converted to",
    );
    assert!(!folder.path("out.lmp").exists() && !folder.path("out.glb").exists());
    folder.write("old.dds", b"mine");
    assert_fails(&folder, &["a.png", "old.dds"], "--force");
    assert_eq!(std::fs::read(folder.path("old.dds")).unwrap(), b"mine");
    assert_fails(&folder, &["a.png", "a.png", "--force"], "replace an input");
    let wrong = folder.run(&["a.png", "out.dtx", "--unlit", "orange"]);
    assert_eq!(wrong.status.code(), Some(2));
    let text = String::from_utf8(wrong.stderr).unwrap();
    assert!(text.contains("six hexadecimal digits"), "{text}");
    for (out, option) in [
        ("out.dtx", &["--cube"][..]),
        ("out.png", &["--unlit", "ff8000"]),
        ("out.glb", &["--clips", "walk"]),
        ("out.mdl", &["--lods", "200,1500"]),
        ("out.lgw", &["--engine", "quakespasm"]),
    ] {
        let wrong = folder.run(&[&["a.png", out], option].concat());
        assert_eq!(wrong.status.code(), Some(2), "{option:?}");
        let text = String::from_utf8(wrong.stderr).unwrap();
        let expected = format!("{} has no effect on .{} files", option[0], &out[4..]);
        assert!(text.contains(&expected), "{text}");
    }
}

#[track_caller]
fn assert_fails(folder: &Folder, args: &[&str], expected: &str) {
    let result = folder.run(args);
    let error = String::from_utf8(result.stderr).unwrap();
    assert_eq!(result.status.code(), Some(1), "{args:?}: {error}");
    assert!(error.contains(expected), "{args:?}: {error}");
    assert_eq!(error.lines().count(), 1, "{args:?}: {error}");
}
