//! Texts of UFO: Aftermath models made at random: what is written is what is read, however it is laid out.

use classic_model_formats::lgw::{
    AlphaMode, Group, GroupKind, LgwFile, Material, Mesh, TexGen, TexGenKind, Texture, TextureMode,
    Tolerance, Vertices, parse, write,
};
use classic_models_fixtures::lgw::check_sound;
use classic_models_fixtures::random::Random;
use std::borrow::Cow;

fn any<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len())]
}

fn half(random: &mut Random) -> bool {
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
    let parts = (0..random.below(4)).map(|_| any(random, &PARTS));
    parts.collect::<String>().into()
}

/// Any number that is finite.
fn number(random: &mut Random) -> f32 {
    match random.below(4) {
        0 => any(
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

fn id(random: &mut Random, place: usize) -> i64 {
    match random.below(6) {
        0 => any(random, &[-1, i64::MAX, -i64::MAX, 7]),
        _ => place as i64,
    }
}

fn texture(random: &mut Random, number_of: i64) -> Texture<'static> {
    use TexGenKind::{EyeLinear, NormalMap, ReflectionMap, SphereMap};
    let mut texgen = |kinds: &[Option<TexGenKind>]| TexGen {
        kind: any(random, kinds),
        coefficient: if half(random) { 1.0 } else { number(random) },
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
        wrap: [half(random), half(random)],
        alpha_mode: any(
            random,
            &[AlphaMode::Opaque, AlphaMode::Mask, AlphaMode::Blend],
        ),
        mipmaps: half(random),
        mutable: half(random),
        cube_map: half(random),
        texgen,
        mode: any(
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

fn material(random: &mut Random, place: usize) -> Material<'static> {
    let numbers: &[i64] = any(random, &[&[], &[0], &[1], &[0, 1]]);
    Material {
        id: id(random, place),
        name: name(random),
        diffuse_color: half(random).then(|| self::numbers(random)),
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
    let group = |place: usize| {
        let most = if count == 0 { 1 } else { 12 };
        Group {
            id: id(random, place),
            kind: any(random, &[GroupKind::List, GroupKind::Strip, GroupKind::Fan]),
            indices: (0..random.below(most))
                .map(|_| random.below(count) as u32)
                .collect(),
        }
    };
    let groups = (0..3).map(group).collect::<Vec<_>>();
    Mesh {
        name: name(random),
        material: half(random).then(|| id(random, 0)),
        default_color: half(random).then(|| numbers(random)),
        vertices,
        groups: groups.into_iter().take(random.below(4)).collect(),
    }
}

fn file(random: &mut Random) -> LgwFile<'static> {
    LgwFile {
        name: name(random),
        version: any(random, &[Some(4), Some(4), None, Some(-7), Some(i64::MAX)]),
        source: half(random).then(|| name(random)),
        materials: (0..random.below(4))
            .map(|place| material(random, place))
            .collect(),
        meshes: (0..random.below(4)).map(|_| mesh(random)).collect(),
        warnings: Vec::new(),
    }
}

fn parsed(text: &[u8]) -> LgwFile<'_> {
    let told = || String::from_utf8_lossy(text).into_owned();
    let strict =
        parse(text, Tolerance::Strict).unwrap_or_else(|error| panic!("{error}\n{}", told()));
    assert_eq!(strict, parse(text, Tolerance::Lenient).unwrap());
    check_sound(&strict);
    LgwFile {
        warnings: Vec::new(),
        ..strict
    }
}

#[test]
fn what_is_written_is_what_is_read() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..3000 {
        let file = file(&mut random);
        let text = write(&file).unwrap();
        // Numbers are the same to the last bit, also those below 0.
        assert_eq!(format!("{:?}", parsed(&text)), format!("{file:?}"));
        assert_eq!(write(&parsed(&text)).unwrap(), text);
    }
}

/// The words of a text without comments, strings with their quotes.
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

/// The same words with anything between them, and keys in any case.
fn laid_out(random: &mut Random, text: &str) -> String {
    const BLANKS: [&str; 9] = [
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
        if !needs_none || half(random) {
            out += any(random, &BLANKS);
        }
        for letter in word.chars() {
            let is_key = !word.starts_with('"') && word.starts_with(|of: char| of.is_alphabetic());
            out.push(match letter {
                _ if is_key && half(random) => letter.to_ascii_lowercase(),
                _ => letter,
            });
        }
        last = word;
    }
    out
}

#[test]
fn how_a_text_is_laid_out_means_nothing() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..3000 {
        let file = file(&mut random);
        let text = String::from_utf8(write(&file).unwrap()).unwrap();
        let laid_out = laid_out(&mut random, &text);
        let read = parsed(laid_out.as_bytes());
        assert_eq!(read, file, "{laid_out}");
        assert_eq!(write(&read).unwrap(), text.as_bytes());
    }
}
