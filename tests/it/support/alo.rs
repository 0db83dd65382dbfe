//! Alamo models made by our own writer, and their chunks taken apart by code of the tests' own.

use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write, write_unchecked};
use bevy_classic_models::alamo::alo::{
    AloFile, Bone, Dazzle, Light, Mesh, Parameter, ParameterValue, Proxy, Vertex, parse,
};

/// One bone and one triangle.
pub fn minimal() -> Vec<u8> {
    let buffers = SubmeshBuffers::new(&square()[..3], &[[0, 1, 2]]);
    let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", Vec::new());
    let mut file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3])]);
    file.meshes = vec![Mesh::new("Hull", 0, vec![submesh])];
    write(&file).unwrap()
}

/// A square in the plane of X and Z, whose front looks along −Y.
fn square() -> [Vertex; 4] {
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[u, v]| Vertex {
        position: [4.0 * u - 2.0, 0.5, 3.0 * v],
        normal: [0.0, -1.0, 0.0],
        tex_coords: [[u, 1.0 - v], [0.0; 2], [0.0; 2], [0.0; 2]],
        tangent: [1.0, 0.0, 0.0],
        binormal: [0.0, 0.0, 1.0],
        color: [1.0, 0.5, 0.25, 1.0],
        bone_indices: [0; 4],
        bone_weights: [1.0, 0.0, 0.0, 0.0],
    })
}

/// A strip of squares above each other, as many as a tree needs to have a few nodes.
fn strip(squares: u16) -> (Vec<Vertex>, Vec<[u16; 3]>) {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for number in 0..squares {
        let first = 4 * number;
        triangles.push([first, first + 1, first + 2]);
        triangles.push([first, first + 2, first + 3]);
        vertices.extend(square().map(|mut vertex| {
            vertex.position[2] += 4.0 * f32::from(number);
            vertex
        }));
    }
    (vertices, triangles)
}

/// The triangles between rings of vertices around an axis, from below. Each ring has one vertex more
/// than sides, since the last is where the first is.
pub fn between_rings(rings: u16, sides: u16) -> Vec<[u16; 3]> {
    let quad = |(ring, side)| {
        let a = ring * (sides + 1) + side;
        let b = a + sides + 1;
        [[a, a + 1, b + 1], [a, b + 1, b]]
    };
    let places = (0..rings).flat_map(|ring| (0..sides).map(move |side| (ring, side)));
    places.flat_map(quad).collect()
}

/// A square whose vertices follow all four entries of a palette.
fn blended() -> SubmeshBuffers {
    let vertices = square().map(|vertex| Vertex {
        bone_indices: [0, 1, 2, 3],
        bone_weights: [0.4, 0.3, 0.2, 0.1],
        ..vertex
    });
    SubmeshBuffers::new(&vertices, &[[0, 1, 2], [0, 2, 3]]).with_palette(&[1, 2, 3, 4])
}

/// A square whose vertices follow one bone each.
fn rigid() -> SubmeshBuffers {
    let mut vertices = square();
    vertices[2].bone_indices[0] = 1;
    vertices[3].bone_indices[0] = 1;
    SubmeshBuffers::new(&vertices, &[[0, 1, 2], [0, 2, 3]])
        .with_palette(&[2, 1])
        .older()
}

/// Bones with all modes of billboards, of which one has the older record and one is hidden.
fn bones() -> Vec<Bone<'static>> {
    let mut bones = vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Hull", Some(0), [0.0, 1.0, 2.0]),
        Bone::new("Turret", Some(1), [0.0, 0.0, 5.0]),
        Bone::new("Barrel", Some(2), [0.0, -3.0, 0.0]),
        Bone::new("Lamp.Target", Some(0), [0.0, 0.0, -9.0]),
    ];
    bones[2].is_v1 = true;
    bones[3].visible = false;
    // A quarter turn about Z.
    bones[3].matrix[0][..2].copy_from_slice(&[0.0, -1.0]);
    bones[3].matrix[1][..2].copy_from_slice(&[1.0, 0.0]);
    let faces = [
        "Parallel", "Face", "ZView", "ZLight", "ZWind", "SunGlow", "Sun",
    ];
    for (mode, name) in (1..).zip(faces) {
        bones.push(Bone {
            billboard: mode,
            ..Bone::new(name, Some(0), [mode as f32, 0.0, 0.0])
        });
    }
    bones
}

fn parameters() -> Vec<Parameter<'static>> {
    let parameter = |name: &'static str, value| Parameter {
        name: name.into(),
        value,
    };
    vec![
        Parameter::float4("Emissive", [0.0, 0.1, 0.2, 1.0]),
        Parameter::texture("BaseTexture", "EV_Hull.tga"),
        parameter("Mode", ParameterValue::Int(-3)),
        parameter("Shininess", ParameterValue::Float(0.5)),
        parameter("Colorization", ParameterValue::Float3([0.0, 1.0, 0.0])),
    ]
}

fn light(name: &'static str, kind: u32, bone: u32) -> Light<'static> {
    Light {
        name: name.into(),
        bone: Some(bone),
        kind,
        color: [1.0, 0.9, 0.8],
        intensity: 2.0,
        far_attenuation_end: 40.0,
        far_attenuation_start: 10.0,
        hotspot: 0.75,
        falloff: 0.785,
    }
}

fn proxy(name: &'static str, bone: u32, flags: [Option<bool>; 2]) -> Proxy<'static> {
    Proxy {
        name: name.into(),
        bone,
        hidden: flags[0],
        alt_decrease_stay_hidden: flags[1],
    }
}

fn dazzle(name: &'static str, bone: u32, bias: Option<f32>) -> Dazzle<'static> {
    Dazzle {
        color: [1.0, 0.0, 0.0],
        position: [0.0, 0.0, 1.0],
        radius: 2.0,
        slot_x: 1,
        slot_y: 2,
        num_slots: 4,
        texture: "W_Dazzles.tga".into(),
        frequency: 1.5,
        phase: 0.25,
        night_only: true,
        bone,
        name: name.into(),
        is_hidden: bias.is_some(),
        bias,
    }
}

/// Everything that the format can say, of which no real file has all, and nothing to warn about.
pub fn clean() -> Vec<u8> {
    let (vertices, triangles) = strip(5);
    let hull = SubmeshBuffers::new(&vertices, &triangles).with_tree();
    let wing = SubmeshBuffers::new(&square(), &[[0, 1, 2], [2, 3, 0]]).older();
    let (blended, rigid, nothing) = (blended(), rigid(), SubmeshBuffers::default());
    let box_of_hull = SubmeshBuffers::new(&square(), &[[0, 1, 2], [2, 3, 0]]).with_tree();

    let mut file = AloFile::new(bones());
    file.meshes = vec![
        Mesh::new(
            "Hull_LOD1",
            1,
            vec![
                hull.submesh("MeshBumpColorize.fx", "alD3dVertNU2U3U3", parameters()),
                wing.submesh(
                    "MeshAlpha.fx",
                    "alD3dVertNU2C",
                    vec![Parameter::texture("BaseTexture", "None")],
                ),
            ],
        ),
        Mesh::new(
            "Crew",
            0,
            vec![
                blended.submesh("SkinBumpColorize.fx", "alD3dVertB4I4NU2U3U3", vec![]),
                rigid.submesh("RSkinGloss.fx", "alD3dVertRSkinNU2", vec![]),
            ],
        ),
        Mesh {
            hidden: true,
            ..Mesh::new(
                "Wreck_ALT1",
                2,
                vec![nothing.submesh("alDefault.fxo", "alD3dVertN", vec![])],
            )
        },
        Mesh {
            hidden: true,
            ..Mesh::new(
                "Collision",
                1,
                vec![box_of_hull.submesh("Collision.fx", "alD3dVertN", vec![])],
            )
        },
    ];
    file.lights = vec![light("Omni", 0, 1), light("Sun", 1, 2), light("Lamp", 2, 3)];
    file.proxies = vec![
        proxy("p_fire_ALT1", 2, [Some(true), Some(true)]),
        proxy("pe_engine", 3, [None, None]),
        proxy("lensflare0", 1, [Some(false), None]),
        proxy("p_smoke_LOD0", 1, [None, Some(false)]),
    ];
    file.version = 2;
    file.dazzles = vec![dazzle("Blink", 1, Some(0.5)), dazzle("FC_Glow", 2, None)];
    write(&file).unwrap()
}

/// The same with what is harmless: repeated names of bones, a mesh that nothing connects, colours
/// that are no numbers, and normals of no length.
pub fn flawed() -> Vec<u8> {
    let bytes = edited(&clean(), |file| {
        file.bones[4].name = "Hull".into();
        file.meshes[3].bone = None;
    });
    let vertices = place(&bytes, "400/10000/10007").body;
    let bytes = patched(&bytes, vertices + 80, &f32::NAN.to_le_bytes());
    patched(&bytes, vertices + 144 + 12, &[0; 12])
}

/// Whatever the file says now.
pub fn edited(bytes: &[u8], edit: impl FnOnce(&mut AloFile)) -> Vec<u8> {
    let mut file = parse(bytes).unwrap();
    edit(&mut file);
    write_unchecked(&file)
}

/// A file with some of its bytes replaced.
pub fn patched(bytes: &[u8], at: u64, by: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = at as usize;
    bytes[at..at + by.len()].copy_from_slice(by);
    bytes
}

/// A chunk taken apart.
#[derive(Clone, Debug)]
pub struct Raw {
    pub id: u32,
    pub body: Body,
}

/// What a chunk holds.
#[derive(Clone, Debug)]
pub enum Body {
    Data(Vec<u8>),
    Chunks(Vec<Raw>),
}

/// Where a chunk is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pub header: u64,
    pub body: u64,
    pub end: u64,
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// Type, place and kind of the chunks from `begin` to `end`.
fn siblings(bytes: &[u8], begin: u64, end: u64) -> Vec<(u32, Place, bool)> {
    let mut found = Vec::new();
    let mut at = begin;
    while at < end {
        let [id, size] = [0, 4].map(|field| u32_at(bytes, at as usize + field));
        let place = Place {
            header: at,
            body: at + 8,
            end: at + 8 + u64::from(size << 1 >> 1),
        };
        found.push((id, place, size >> 31 == 1));
        at = place.end;
    }
    assert_eq!(at, end);
    found
}

/// The place of a chunk by its path: types, each with a number if it is not the first of its type
/// there, as in `400.1/10000/10007`.
pub fn place(bytes: &[u8], path: &str) -> Place {
    let mut place = Place {
        header: 0,
        body: 0,
        end: bytes.len() as u64,
    };
    for step in path.split('/') {
        let (id, number) = step.split_once('.').unwrap_or((step, "0"));
        let id = u32::from_str_radix(id, 16).unwrap();
        let number: usize = number.parse().unwrap();
        let mut found = siblings(bytes, place.body, place.end).into_iter();
        let chunk = found.by_ref().filter(|chunk| chunk.0 == id).nth(number);
        place = chunk.unwrap_or_else(|| panic!("no {step} of {path}")).1;
    }
    place
}

/// The place of a mini-chunk's header, in a chunk by its path.
pub fn mini(bytes: &[u8], path: &str, id: u8) -> u64 {
    let Place { body, end, .. } = place(bytes, path);
    let minis = minis(&bytes[..end as usize], body);
    minis.into_iter().find(|mini| mini.0 == id).unwrap().1
}

/// Type and place of the header of each mini-chunk from `begin` to the end.
pub fn minis(bytes: &[u8], begin: u64) -> Vec<(u8, u64)> {
    let mut found = Vec::new();
    let mut at = begin as usize;
    while at < bytes.len() {
        found.push((bytes[at], at as u64));
        at += 2 + usize::from(bytes[at + 1]);
    }
    found
}

/// Every chunk of a file, with its type and whether it is a container.
pub fn all_chunks(bytes: &[u8]) -> Vec<(u32, Place, bool)> {
    let mut found = siblings(bytes, 0, bytes.len() as u64);
    let mut next = 0;
    while let Some(&(_, place, is_container)) = found.get(next) {
        if is_container {
            found.extend(siblings(bytes, place.body, place.end));
        }
        next += 1;
    }
    found
}

/// A file taken apart.
pub fn taken_apart(bytes: &[u8]) -> Vec<Raw> {
    let chunks = |begin, end| siblings(bytes, begin, end).into_iter();
    chunks(0, bytes.len() as u64)
        .map(|(id, place, is_container)| {
            let body = &bytes[place.body as usize..place.end as usize];
            Raw {
                id,
                body: if is_container {
                    Body::Chunks(taken_apart(body))
                } else {
                    Body::Data(body.to_vec())
                },
            }
        })
        .collect()
}

/// The bytes of chunks.
pub fn put_together(chunks: &[Raw]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in chunks {
        let (body, bit) = match &chunk.body {
            Body::Data(body) => (body.clone(), 0),
            Body::Chunks(chunks) => (put_together(chunks), 1 << 31),
        };
        bytes.extend_from_slice(&chunk.id.to_le_bytes());
        bytes.extend_from_slice(&(body.len() as u32 | bit).to_le_bytes());
        bytes.extend_from_slice(&body);
    }
    bytes
}

/// A file with the chunks in one of its containers changed; an empty path is the file.
pub fn rearranged(bytes: &[u8], path: &str, edit: impl FnOnce(&mut Vec<Raw>)) -> Vec<u8> {
    let mut file = taken_apart(bytes);
    let mut chunks = &mut file;
    for step in path.split('/').filter(|step| !step.is_empty()) {
        let (id, number) = step.split_once('.').unwrap_or((step, "0"));
        let id = u32::from_str_radix(id, 16).unwrap();
        let mut found = chunks.iter_mut().filter(|chunk| chunk.id == id);
        let found = found.nth(number.parse().unwrap()).unwrap();
        let Body::Chunks(inner) = &mut found.body else {
            panic!("{path} is no container");
        };
        chunks = inner;
    }
    edit(chunks);
    put_together(&file)
}

/// A file with other data in one of its chunks.
pub fn with_data(bytes: &[u8], path: &str, edit: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let (container, last) = path.rsplit_once('/').unwrap_or(("", path));
    let (id, number) = last.split_once('.').unwrap_or((last, "0"));
    let id = u32::from_str_radix(id, 16).unwrap();
    rearranged(bytes, container, |chunks| {
        let mut found = chunks.iter_mut().filter(|chunk| chunk.id == id);
        match &mut found.nth(number.parse().unwrap()).unwrap().body {
            Body::Data(data) => edit(data),
            Body::Chunks(_) => panic!("{path} is a container"),
        }
    })
}

/// A chunk of data.
pub fn data(id: u32, body: &[u8]) -> Raw {
    Raw {
        id,
        body: Body::Data(body.to_vec()),
    }
}

/// Containers of an unknown type within each other.
pub fn nest(depth: usize) -> Raw {
    let inner = if depth > 1 {
        vec![nest(depth - 1)]
    } else {
        Vec::new()
    };
    Raw {
        id: 0x7777,
        body: Body::Chunks(inner),
    }
}

/// Every `.alo` file of the corpus, wherever it is, by name and in order.
pub fn corpus_alo(test: &str) -> Vec<(String, Vec<u8>)> {
    let Some(folder) = super::corpus(test) else {
        return Vec::new();
    };
    let mut folders = vec![folder];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension().unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if extension.eq_ignore_ascii_case("alo") {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                files.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    if files.is_empty() {
        println!("{test}: skipped, no .alo file in the corpus");
    }
    files.sort();
    files
}
