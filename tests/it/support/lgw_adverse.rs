//! Texts of UFO: Aftermath models made to cost as much heap and time as they can.

use super::lgw::{BICYCLE, EVERYTHING, FLAWED};

/// A text, and how it is called.
pub type Named = (String, Vec<u8>);

fn model(body: &[u8]) -> Vec<u8> {
    [b"MODEL\"\"EXPORT_VERSION 4 ", body, b" END_OF_MODEL"].concat()
}

/// Filled up with a byte to a length.
fn filled(block: &str, byte: u8, length: usize) -> Vec<u8> {
    let (before, after) = block.split_once('~').expect("there is a place to fill");
    let fill = vec![byte; length.saturating_sub(block.len() - 1)];
    [before.as_bytes(), &fill, after.as_bytes()].concat()
}

/// A letter of Windows-1250 that has three bytes in UTF-8.
const EURO: u8 = 0x80;

/// Texts that cost as much as they can, in each of the things that a model has.
pub fn adversaries() -> Vec<Named> {
    let texts = [BICYCLE, EVERYTHING, FLAWED];
    let names = ["bicycle", "everything", "flawed"];
    let mut all: Vec<_> = names
        .iter()
        .zip(texts)
        .map(|(name, text)| named(name, text))
        .collect();
    all.extend(many_meshes());
    all.extend(many_materials());
    all.extend(many_numbers());
    all.extend(long_names());
    all.extend(lies());
    all
}

fn named(name: &str, text: impl Into<Vec<u8>>) -> Named {
    (name.to_owned(), text.into())
}

/// As many blocks as are allowed, or more, of a length each.
fn repeated(name: &str, block: &[u8], counts: &[usize], head: &str, tail: &str) -> Vec<Named> {
    let text = |count: &usize| {
        let body = [head.as_bytes(), &block.repeat(*count), tail.as_bytes()].concat();
        (format!("{name}-{count}"), model(&body))
    };
    counts.iter().map(text).collect()
}

fn many_meshes() -> Vec<Named> {
    const COUNTS: &[usize] = &[190, 400, 3000, 20_000];
    let small = "VERTS 3 0 0 0 0 0 0 0 1 1 0 0 0 0 0 0 1 0 1 0 0 0 0 0 1";
    let group = "GROUP 0 TYPE_FAN COUNT 3 0 1 2 END_OF_GROUP";
    let blocks = [
        (
            "empty-meshes",
            "MESH\"\"END_OF_MESH\"\"~".to_owned(),
            b' ',
            0,
        ),
        (
            "padded-meshes",
            "MESH\"\"END_OF_MESH\"\"~".to_owned(),
            b' ',
            256,
        ),
        (
            "named-meshes",
            "MESH\"~\"END_OF_MESH\"\"".to_owned(),
            EURO,
            256,
        ),
        (
            "lost-meshes",
            "MESH\"\"MATERIAL_REF 9 END_OF_MESH~".to_owned(),
            b' ',
            256,
        ),
        (
            "triangles",
            format!("MESH\"~\"{small} {group} END_OF_MESH "),
            EURO,
            256,
        ),
        (
            "groups-of-meshes",
            format!("MESH\"\"{small} {group} {group} {group} END_OF_MESH ~"),
            b' ',
            0,
        ),
        (
            "hollow-groups",
            "MESH\"\"GROUP 0 TYPE_FAN COUNT 0 END_OF_GROUP END_OF_MESH~".into(),
            b' ',
            64,
        ),
    ];
    let mut all: Vec<_> = blocks
        .iter()
        .flat_map(|(name, block, byte, length)| {
            repeated(name, &filled(block, *byte, *length), COUNTS, "", "")
        })
        .collect();
    let group = b"GROUP 0 TYPE_LIST COUNT 0 END_OF_GROUP ";
    all.extend(repeated(
        "groups",
        group,
        &[50_000],
        "MESH\"\"",
        "END_OF_MESH",
    ));
    all
}

fn many_materials() -> Vec<Named> {
    const COUNTS: &[usize] = &[126, 400, 3000, 20_000];
    let texture =
        |number: u8, keys: &str| format!("TEXTURE {number} FILE_NAME\"~\"{keys} END_OF_TEXTURE ");
    let twice = "TEX_GEN_S NORMAL_MAP CUBE_MAP";
    let blocks = [
        (
            "materials",
            "MATERIAL 0\"\"END_OF_MATERIAL ~".to_owned(),
            b' ',
            0,
        ),
        (
            "padded-materials",
            "MATERIAL 0\"\"END_OF_MATERIAL ~".to_owned(),
            b' ',
            512,
        ),
        (
            "named-materials",
            "MATERIAL 0\"~\"END_OF_MATERIAL ".to_owned(),
            EURO,
            512,
        ),
        (
            "textures",
            format!("MATERIAL 0\"\"{} END_OF_MATERIAL ", texture(0, "")),
            EURO,
            512,
        ),
        (
            "two-textures",
            format!(
                "MATERIAL 0\"\"{}{} END_OF_MATERIAL ",
                texture(0, twice),
                texture(1, twice).replace('~', "")
            ),
            b'a',
            512,
        ),
    ];
    let head = "MATERIAL_LIST ";
    let tail = "END_OF_MATERIAL_LIST";
    let mut all: Vec<_> = blocks
        .iter()
        .flat_map(|(name, block, byte, length)| {
            repeated(name, &filled(block, *byte, *length), COUNTS, head, tail)
        })
        .collect();
    // Each has a picture of its own to look for.
    let own = |index: usize| {
        let texture = texture(0, "U_WRAP").replace('~', &format!("{index}/{}", "a/".repeat(200)));
        format!("MATERIAL {index} \"\"{texture} END_OF_MATERIAL ")
    };
    let own: String = (0..1000).map(own).collect();
    all.push(named(
        "own-textures",
        model(format!("{head}{own}{tail}").as_bytes()),
    ));
    all
}

fn many_numbers() -> Vec<Named> {
    let vertices = |count: usize| format!("VERTS {count} {}", "0 0 0 0 0 0 0 0 ".repeat(count));
    let group = |kind: &str, count: usize| {
        let indices = "0 1 2 ".repeat(count / 3);
        format!("GROUP 0 TYPE_{kind} COUNT {count} {indices}END_OF_GROUP 0 ")
    };
    let mesh = |name: &str, body: String| {
        let text = format!("MESH\"\"{body} END_OF_MESH\"\"");
        named(name, model(text.as_bytes()))
    };
    let mut all = vec![mesh("vertices", vertices(70_000))];
    for kind in ["LIST", "STRIP", "FAN"] {
        let indices = group(kind, 300_000);
        all.push(mesh(
            &format!("{kind}-of-few"),
            format!("{}{indices}", vertices(3)),
        ));
        all.push(mesh(
            &format!("{kind}-of-many"),
            format!("{}{indices}", vertices(66_000)),
        ));
        all.push(mesh(
            &format!("{kind}-and-more"),
            format!("{}{}", vertices(66_000), group(kind, 3000)),
        ));
    }
    all
}

fn long_names() -> Vec<Named> {
    let keys = "A ".repeat(300_000);
    let mut all = vec![
        named("unknown-keys", model(keys.as_bytes())),
        named(
            "unknown-key-of-numbers",
            model(format!("A {}", "1 ".repeat(300_000)).as_bytes()),
        ),
    ];
    for (name, block) in [
        ("long-model", "MODEL\"~\"END_OF_MODEL"),
        ("long-source", "MODEL\"\"SOURCE_FILE \"~\"END_OF_MODEL"),
        ("long-mesh", "MODEL\"\"MESH\"~\"END_OF_MESH END_OF_MODEL"),
        ("long-end", "MODEL\"\"MESH\"\"END_OF_MESH\"~\"END_OF_MODEL"),
        (
            "long-material",
            "MODEL\"\"MATERIAL_LIST MATERIAL 0\"~\"END_OF_MATERIAL END_OF_MATERIAL_LIST END_OF_MODEL",
        ),
        (
            "long-texture",
            "MODEL\"\"MATERIAL_LIST MATERIAL 0\"\"TEXTURE 0 FILE_NAME\"~\"END_OF_TEXTURE END_OF_MATERIAL \
             END_OF_MATERIAL_LIST END_OF_MODEL",
        ),
        ("long-trail", "MODEL\"\"END_OF_MODEL ~"),
        ("long-word", "MODEL\"\"~"),
        ("unterminated", "MODEL\"~"),
        ("no-model", "~"),
    ] {
        for byte in [b'a', EURO, b'/', b'\\', b'.'] {
            let told = format!("{name}-{}", byte.escape_ascii());
            all.push((told, filled(block, byte, 300_000)));
        }
    }
    all
}

fn lies() -> Vec<Named> {
    let mut all = Vec::new();
    for count in ["4294967295", "1000000000000", "100000000"] {
        for block in [
            "VERTS ~",
            "PRIMITIVE_GEOMETRY_GROUPS ~",
            "GROUP 0 TYPE_LIST COUNT ~ 0 1 2 END_OF_GROUP 0",
        ] {
            let body = format!("MESH\"\"{} END_OF_MESH\"\"", block.replace('~', count));
            let name = format!("lying-{}-{count}", &block[..5]);
            all.push((name, model(body.as_bytes())));
        }
    }
    all
}

/// Texts of a length that are nothing but one thing, and take no time but that of reading them.
pub fn endless(length: usize) -> impl Iterator<Item = Named> {
    let all = [
        ("unterminated", "MODEL \"", "a"),
        ("parentheses", "MODEL \"\" ", "("),
        ("parentheses-apart", "MODEL \"\" ", "( "),
        ("quotes", "MODEL ", "\""),
        ("quotes-of-a-key", "MODEL \"\" A ", "\""),
        ("comments", "MODEL \"\" ", "//\n"),
        ("comment", "MODEL \"\" //", "/"),
        ("blanks", "MODEL \"\" ", " "),
        ("lines", "MODEL \"\" ", "\n"),
        ("returns", "MODEL \"\" ", "\r"),
        ("numbers", "MODEL \"\" A ", "1 "),
        ("digits", "MODEL \"\" EXPORT_VERSION ", "1"),
        ("digits-of-a-number", "MODEL \"\" MESH \"\" VERTS 1 0.", "1"),
        ("zeros", "MODEL \"\" MESH \"\" VERTS 1 0.", "0"),
        ("vertices", "MODEL \"\" MESH \"\" VERTS 4294967295 ", "1 "),
        (
            "no-numbers",
            "MODEL \"\" MESH \"\" VERTS 4294967295 ",
            "1.#QNAN ",
        ),
        (
            "indices",
            "MODEL \"\" MESH \"\" GROUP 0 COUNT 4294967295 ",
            "1 ",
        ),
        (
            "more-indices",
            "MODEL \"\" MESH \"\" GROUP 0 COUNT 1 ",
            "1 ",
        ),
        ("nonsense", "MODEL \"\" ", "BLOCK 1 \"a\" "),
        ("meshes", "MODEL \"\" ", "MESH \"\" END_OF_MESH \"\" "),
        (
            "picture",
            "MODEL \"\" MATERIAL_LIST MATERIAL 0 \"\" TEXTURE 0 RAW_IMAGE ",
            "END_OF_TEXTUR ",
        ),
        ("nothing", "", "\0"),
        ("words", "", "v 1 2 3\n"),
    ];
    all.into_iter().map(move |(name, head, unit)| {
        let mut text = head.as_bytes().to_vec();
        text.extend(unit.bytes().cycle().take(length));
        (name.to_owned(), text)
    })
}
