//! Round trips of random UFO: Aftermath models, in the layout of the writer and in random layouts.

use crate::prelude::*;
use classic_model_formats::lgw::{Group, Material, Mesh, TexGen, Texture, Vertices, parse, write};
use std::borrow::Cow;

fn choose<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len())]
}

fn flip(random: &mut Random) -> bool {
    random.below(2) == 0
}

fn name(random: &mut Random) -> Cow<'static, str> {
    const PARTS: [&str; 12] = [
        "",
        "Mesh01",
        " ",
        "\\",
        "//",
        "čaj",
        "茶",
        "END_OF_MODEL",
        "0.5",
        "'",
        "\t",
        "a.tga",
    ];
    let parts = (0..random.below(4)).map(|_| choose(random, &PARTS));
    parts.collect::<String>().into()
}

/// A random finite number.
fn number(random: &mut Random) -> f32 {
    match random.below(4) {
        0 => choose(
            random,
            &[
                0.0,
                -0.0,
                1.0,
                0.1,
                f32::MAX,
                f32::MIN,
                f32::MIN_POSITIVE,
                1e-45,
            ],
        ),
        1 => random.below(2_000_001) as f32 / 1e6 - 1.0,
        _ => {
            let bits = f32::from_bits(random.below(1 << 32) as u32);
            if bits.is_finite() { bits } else { -87.5 }
        }
    }
}

fn numbers<const N: usize>(random: &mut Random) -> [f32; N] {
    [0; N].map(|_| number(random))
}

fn id(random: &mut Random, index: usize) -> i64 {
    match random.below(6) {
        0 => choose(random, &[-1, i64::MAX, -i64::MAX, 7]),
        _ => index as i64,
    }
}

fn texture(random: &mut Random, number_of: i64) -> Texture<'static> {
    use TexGenKind::{EyeLinear, NormalMap, ReflectionMap, SphereMap};
    let mut texgen = |kinds: &[Option<TexGenKind>]| TexGen {
        kind: choose(random, kinds),
        coefficient: if flip(random) { 1.0 } else { number(random) },
    };
    let two = [
        None,
        Some(EyeLinear),
        Some(ReflectionMap),
        Some(NormalMap),
        Some(SphereMap),
    ];
    let texgen = [texgen(&two), texgen(&two), texgen(&two[..4])];
    Texture {
        number: number_of,
        file: (random.below(4) > 0).then(|| name(random)),
        raw_image: false,
        wrap: [flip(random), flip(random)],
        alpha_mode: choose(
            random,
            &[AlphaMode::Opaque, AlphaMode::Mask, AlphaMode::Blend],
        ),
        mipmaps: flip(random),
        mutable: flip(random),
        cube_map: flip(random),
        texgen,
        mode: choose(
            random,
            &[
                TextureMode::Replace,
                TextureMode::Modulate,
                TextureMode::Decal,
                TextureMode::Blend,
                TextureMode::Add,
                TextureMode::Dot3Bump,
            ],
        ),
    }
}

fn material(random: &mut Random, index: usize) -> Material<'static> {
    let numbers: &[i64] = choose(random, &[&[], &[0], &[1], &[0, 1]]);
    Material {
        id: id(random, index),
        name: name(random),
        diffuse_color: flip(random).then(|| self::numbers(random)),
        textures: numbers
            .iter()
            .map(|number| texture(random, *number))
            .collect(),
    }
}

fn mesh(random: &mut Random) -> Mesh<'static> {
    let mut vertices = Vertices::default();
    for _ in 0..random.below(6) {
        vertices.push(numbers(random));
    }
    let count = vertices.len();
    let group = |index: usize| {
        let most = if count == 0 { 1 } else { 12 };
        Group {
            id: id(random, index),
            kind: choose(random, &[GroupKind::List, GroupKind::Strip, GroupKind::Fan]),
            indices: (0..random.below(most))
                .map(|_| random.below(count) as u32)
                .collect(),
        }
    };
    let groups = (0..3).map(group).collect::<Vec<_>>();
    Mesh {
        name: name(random),
        material: flip(random).then(|| id(random, 0)),
        default_color: flip(random).then(|| numbers(random)),
        vertices,
        groups: groups.into_iter().take(random.below(4)).collect(),
    }
}

fn file(random: &mut Random) -> LgwFile<'static> {
    LgwFile {
        name: name(random),
        version: choose(random, &[Some(4), Some(4), None, Some(-7), Some(i64::MAX)]),
        source: flip(random).then(|| name(random)),
        materials: (0..random.below(4))
            .map(|index| material(random, index))
            .collect(),
        meshes: (0..random.below(4)).map(|_| mesh(random)).collect(),
        warnings: Vec::new(),
    }
}

fn parsed(text: &[u8]) -> LgwFile<'_> {
    let lossy = || String::from_utf8_lossy(text);
    let strict =
        parse(text, Tolerance::Strict).unwrap_or_else(|error| panic!("{error}\n{}", lossy()));
    assert_eq!(strict, parse(text, Tolerance::Lenient).unwrap());
    assert_valid(&strict);
    LgwFile {
        warnings: Vec::new(),
        ..strict
    }
}

#[test]
fn random_models_round_trip() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..3000 {
        let file = file(&mut random);
        let text = write(&file).unwrap();
        // `Debug` output also compares the sign of zero.
        assert_eq!(format!("{:?}", parsed(&text)), format!("{file:?}"));
        assert_eq!(write(&parsed(&text)).unwrap(), text);
    }
}

/// The words of a text without comments. Strings include their quotes.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' => rest[1..].find('"').unwrap() + 2,
            _ => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

/// Replaces the whitespace of a text by random whitespace and comments, and randomizes the case of keys.
fn randomize_layout(random: &mut Random, text: &str) -> String {
    const WHITESPACE: [&str; 9] = [
        " ",
        "\n",
        "\r",
        "\r\n",
        "\t",
        "\x0b\x0c",
        " // END_OF_MODEL \"\n",
        "\n//\r",
        "      \r\r//č/\n\n",
    ];
    let mut out = String::new();
    let mut last = "";
    for word in words(text) {
        let needs_none = last.is_empty() || last.starts_with('"') || word.starts_with('"');
        if !needs_none || flip(random) {
            out += choose(random, &WHITESPACE);
        }
        for letter in word.chars() {
            let is_key = !word.starts_with('"') && word.starts_with(|of: char| of.is_alphabetic());
            out.push(match letter {
                _ if is_key && flip(random) => letter.to_ascii_lowercase(),
                _ => letter,
            });
        }
        last = word;
    }
    out
}

#[test]
fn layout_is_insignificant() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..3000 {
        let file = file(&mut random);
        let text = String::from_utf8(write(&file).unwrap()).unwrap();
        let laid_out = randomize_layout(&mut random, &text);
        let read = parsed(laid_out.as_bytes());
        assert_eq!(read, file, "{laid_out}");
        assert_eq!(write(&read).unwrap(), text.as_bytes());
    }
}
