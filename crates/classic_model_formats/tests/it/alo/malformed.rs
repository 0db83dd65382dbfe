//! Malformed Alamo models: the error or warning of every class of malformation with its offset, truncation at every
//! byte, and flips of every bit.
//!
//! The first argument of [`case`] is the number of the class of malformation, 1 to 23.

use crate::prelude::*;
use classic_model_formats::alo::parse;
use classic_models_fixtures::alo::{clean, data, edited, flawed, mini, minimal, patched, span};
use classic_models_fixtures::chunk_malformed;
use classic_models_fixtures::chunk_malformed::{
    magic, mismatch, missing, not_finite, wrong_length,
};

error_kinds! {
    bad_vertex: ErrorKind::IndexOutOfRange { element: "vertex", .. },
    bad_entry: ErrorKind::IndexOutOfRange { element: "palette entry", .. },
    bad_bone: ErrorKind::IndexOutOfRange { element: "bone", .. },
    bad_object: ErrorKind::IndexOutOfRange { element: "object", .. },
}

/// The valid file with the bytes at an offset replaced.
fn at(offset: u64, bytes: &[u8]) -> Vec<u8> {
    patched(&clean(), offset, bytes)
}

fn at_u32(offset: u64, value: u32) -> Vec<u8> {
    at(offset, &value.to_le_bytes())
}

fn at_f32(offset: u64, value: f32) -> Vec<u8> {
    at(offset, &value.to_le_bytes())
}

/// The offset of a chunk's body in the valid file.
fn body(path: &str) -> u64 {
    span(&clean(), path).body
}

/// Paths of containers in the valid file, one of each type.
const CONTAINERS: [&str; 9] = [
    "200",
    "200/202.1",
    "400",
    "400/10100",
    "400/10000",
    "400/10000/1200",
    "1300.1",
    "600",
    "600/604",
];

/// Paths of chunks with mini-chunks, and the types of those mini-chunks that are texts.
const MINIS: [(&str, &[u8]); 10] = [
    ("400/10100/10102", &[1]),
    ("400/10100/10103", &[1]),
    ("400/10100/10104", &[1]),
    ("400/10100/10105", &[1, 2]),
    ("400/10100/10106", &[1]),
    ("400/10000/1200/1201", &[]),
    ("600/601", &[]),
    ("600/602", &[]),
    ("600/603", &[5]),
    ("600/604/0", &[5, 11]),
];

fn cases() -> Vec<Case> {
    let mut cases = Cases::default();
    file_cases(&mut cases);
    chunk_cases(&mut cases);
    chunk_malformed::mini_cases(&mut cases, &clean(), &MINIS);
    number_cases(&mut cases);
    text_cases(&mut cases);
    count_cases(&mut cases);
    bone_cases(&mut cases);
    mesh_cases(&mut cases);
    connection_cases(&mut cases);
    tree_cases(&mut cases);
    cases.rows
}

fn file_cases(cases: &mut Cases) {
    let file = clean();
    let end = file.len() as u64;
    let with = |tail: &[u8]| [&file[..], tail].concat();
    let skeleton = span(&file, "200").end;
    chunk_malformed::end_cases(cases, &file);
    add_cases! { cases:
        1, Reject(missing, skeleton), "a skeleton and nothing else" =>
            file[..skeleton as usize].to_vec();
        4, Reject(truncated, end + 8), "a truncated mesh" =>
            with(&file[skeleton as usize..skeleton as usize + 60]);
    }
    for (id, class, expected) in [
        (0x900, 9, "Alamo particle system (version 1)"),
        (0x1500, 9, "Alamo particle system (version 2)"),
        (0x1000, 2, "Alamo animation (ALA)"),
        (u32::from_le_bytes(*b"IDPO"), 2, "Quake model (MDL)"),
        (u32::from_le_bytes(*b"IDST"), 2, "IDST"),
        (u32::from_le_bytes(*b"MDL5"), 2, "MDL5"),
        (u32::from_le_bytes(*b"\x89HDF"), 2, "Alembic cache (HDF5)"),
        (u32::from_le_bytes(*b"Ogaw"), 2, "Ogaw"),
        (0, 2, "\\x00\\x00\\x00\\x00"),
    ] {
        let bytes = at_u32(0, id);
        let message = parse(&bytes).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
        cases.expect(class, Reject(magic, 0));
        cases.add(expected, bytes);
    }
}

fn chunk_cases(cases: &mut Cases) {
    let file = clean();
    chunk_malformed::chunk_cases(cases, &file, &CONTAINERS);
    add_cases! { cases:
        10, Reject(truncated, span(&file, "400").end), "three bytes instead of a chunk header" =>
            with_short_tail(&file);
    }
}

/// Appends three bytes to the first mesh, too few for a chunk header.
fn with_short_tail(file: &[u8]) -> Vec<u8> {
    let mesh = span(file, "400");
    let mut bytes = file.to_vec();
    let size = (mesh.end - mesh.body + 3) as u32 | 1 << 31;
    bytes.splice(mesh.end as usize..mesh.end as usize, [1, 2, 3]);
    patched(&bytes, mesh.header + 4, &size.to_le_bytes())
}

fn number_cases(cases: &mut Cases) {
    let file = clean();
    let vertices = body("400/10000/10007");
    let v1_vertices = body("400/10000.1/10005");
    let matrix = body("200/202.1/206") + 12;
    let v1_matrix = body("200/202.2/205") + 8;
    let bounds = body("400/402") + 4;
    let light = body("1300/1302");
    let (nan, infinity) = (f32::NAN, f32::INFINITY);
    let value = |path, id| mini(&file, path, id) + 2;
    let expected = "not finite";
    let [float3, dazzle] = [value("400/10100/10104", 2), value("600/604/0", 1)];
    let corner = value("400/10000/1200/1201", 1);
    add_cases! { cases:
        6, Reject(not_finite, matrix), "matrix" => at_f32(matrix, nan);
        6, Reject(not_finite, matrix + 44), "last number of a matrix" =>
            at_f32(matrix + 44, infinity);
        6, Reject(not_finite, v1_matrix + 16), "matrix of an older bone record" =>
            at_f32(v1_matrix + 16, -infinity);
        6, Warn(expected, vertices), "position" => at_f32(vertices, nan);
        6, Warn("vertex 2", vertices + 2 * 144), "color of a vertex" =>
            at_f32(vertices + 2 * 144 + 92, infinity);
        6, Warn("vertex 3", v1_vertices + 3 * 128), "weight of an older vertex record" =>
            at_f32(v1_vertices + 3 * 128 + 112, nan);
        6, Silent, "unused" => at_f32(vertices + 96, nan);
        6, Warn(expected, bounds + 4), "bounding box" => at_f32(bounds + 4, nan);
        6, Warn(expected, light + 4), "light" => at_f32(light + 4, nan);
        6, Warn(expected, light + 32), "cone" => at_f32(light + 32, nan);
        6, Warn(expected, float3), "float3" => at_f32(float3, nan);
        6, Warn(expected, dazzle + 8), "dazzle" => at_f32(dazzle + 8, nan);
        6, Warn(expected, corner + 8), "collision tree bounds" => at_f32(corner + 8, infinity);
        21, Warn("cannot be inverted", matrix), "matrix with a row of zeros" => at(matrix, &[0; 16]);
        21, Warn("cannot be inverted", v1_matrix), "zero matrix in an older bone record" =>
            at(v1_matrix, &[0; 48]);
        21, Silent, "matrix with a scale of 1e-6" => {
            let scaled = [1e-6_f32, 0.0, 0.0, 0.0, 0.0, 1e-6, 0.0, 0.0, 0.0, 0.0, 1e-6];
            at(matrix, scaled.map(f32::to_le_bytes).as_flattened())
        };
    }
}

fn text_cases(cases: &mut Cases) {
    let file = clean();
    let texts = [
        "200/202.1/203",
        "400/401",
        "400/10100/10101",
        "400/10000/10002",
        "1300/1301",
    ];
    for path in texts {
        let chunk = span(&file, path);
        cases.expect(7, Warn("not UTF-8", chunk.body));
        cases.add(format!("{path} not UTF-8"), at(chunk.body, &[0xff]));
        cases.expect(7, Warn("no NUL", chunk.body));
        cases.add(format!("{path} without NUL"), at(chunk.end - 1, b"x"));
        cases.add(format!("{path} empty"), with_data(&file, path, Vec::clear));
        cases.expect(7, Silent);
        cases.add(format!("{path} a NUL"), at(chunk.body, &[0]));
    }
    for (path, id) in [("600/603.1", 5), ("600/604/0", 11), ("400/10100/10103", 1)] {
        let header = mini(&file, path, id);
        let last = header + 1 + u64::from(file[header as usize + 1]);
        cases.expect(7, Warn("not UTF-8", header + 2));
        cases.add(format!("{path} not UTF-8"), at(header + 2, &[0xc0]));
        cases.expect(7, Warn("no NUL", header + 2));
        cases.add(format!("{path} without NUL"), at(last, b"x"));
    }
    let texture = mini(&file, "400/10100/10105", 2) + 2;
    for name in ["..\\x.tga", "C:x.tga", "/etc/x", "a/b.dds", "\\\\x\\y"] {
        let expect = Warn("names a folder", texture);
        cases.expect(7, expect);
        cases.add(name, at(texture, name.as_bytes()));
    }
    let texture = mini(&file, "600/604/0", 5) + 2;
    let expect = Warn("names a folder", texture);
    cases.expect(7, expect);
    cases.add("dazzle's texture", at(texture, b"../"));
}

fn count_cases(cases: &mut Cases) {
    let file = clean();
    let counts = |id| mini(&file, "600/601", id) + 2;
    let [objects, proxies, dazzles] = [1, 4, 9].map(counts);
    let bones = body("200/201");
    let materials = body("400/402");
    for (offset, count) in [
        (bones, 12),
        (materials, 2),
        (objects, 7),
        (proxies, 4),
        (dazzles, 2),
    ] {
        for declared in [count - 1, count + 1, i32::MAX as u32] {
            let name = format!("count {declared} instead of {count} at {offset}");
            cases.expect(14, Reject(mismatch, offset));
            cases.add(name, at_u32(offset, declared));
        }
    }
    let offset = body("600");
    let uncounted = with_data(&file, "600/601", |data| data.truncate(12));
    add_cases! { cases:
        14, Reject(bad_count, bones), "no bones" => at_u32(bones, 0);
        14, Reject(bad_count, bones), "-1 bones" => at_u32(bones, u32::MAX);
        14, Reject(bad_count, materials), "-1 materials" => at_u32(materials, u32::MAX);
        14, Reject(mismatch, offset), "dazzles without a count" => uncounted;
    }
    // Each chunk that must occur exactly once.
    for (container, id) in [
        ("", 0x200),
        ("", 0x600),
        ("200", 0x201),
        ("200/202.1", 0x203),
        ("200/202.1", 0x206),
        ("200/202.2", 0x205),
        ("400", 0x401),
        ("400", 0x402),
        ("400/10100", 0x10101),
        ("400/10000", 0x10001),
        ("400/10000", 0x10004),
        ("400/10000", 0x10007),
        ("400/10000.1", 0x10005),
        ("1300", 0x1301),
        ("1300", 0x1302),
        ("600", 0x601),
        ("600/604", 0),
    ] {
        let without = rearranged(&file, container, |chunks| {
            let found = chunks.iter().position(|chunk| chunk.id == id);
            chunks.remove(found.unwrap());
        });
        let begin = if container.is_empty() {
            without.len() as u64
        } else {
            body(container)
        };
        let name = format!("{id:#x} missing in {container:?}");
        cases.expect(14, Reject(missing, begin));
        cases.add(name, without);
        let twice = rearranged(&file, container, |chunks| {
            let found = chunks.iter().find(|chunk| chunk.id == id).cloned();
            chunks.extend(found);
        });
        let end = if container.is_empty() {
            file.len() as u64
        } else {
            span(&file, container).end
        };
        let name = format!("{id:#x} twice in {container:?}");
        cases.expect(14, Reject(mismatch, end));
        cases.add(name, twice);
    }
    let material = span(&file, "400/10100.1").header;
    add_cases! { cases:
        14, Reject(mismatch, span(&file, "400/10100").end), "two materials before a sub-mesh" =>
            rearranged(&file, "400", |chunks| chunks.swap(3, 4));
        14, Reject(missing, material + 8), "a sub-mesh without a material" =>
            rearranged(&file, "400", |chunks| drop(chunks.remove(4)));
        14, Reject(missing, body("400")), "a material without a sub-mesh" =>
            rearranged(&file, "400", |chunks| drop(chunks.pop()));
    }
}

fn shorten(data: &mut Vec<u8>) {
    data.pop();
}

fn bone_cases(cases: &mut Cases) {
    let file = clean();
    let record = body("200/202.1/206");
    for parent in [1, 2, -2, 12, i32::MAX, i32::MIN] {
        cases.expect(15, Reject(bad_count, record));
        let bytes = at(record, &parent.to_le_bytes());
        cases.add(format!("parent {parent} of bone 1"), bytes);
    }
    let repeated = edited(&file, |file| file.bones[3].name = "Hull".into());
    let short = with_data(&file, "200/202.1/206", shorten);
    let long = with_data(&file, "200/202.2/205", |data| data.push(0));
    let v1_record = body("200/202.2/205");
    let unpadded = with_data(&file, "200/201", |data| data.truncate(4));
    let count = body("200/201");
    let short_count = with_data(&file, "200/201", |data| data.truncate(3));
    add_cases! { cases:
        15, Silent, "a second root" => at(record, &[0xff; 4]);
        16, Warn("1 bone names", 0), "repeated name" => repeated;
        14, Reject(wrong_length, record), "short record" => short;
        14, Reject(wrong_length, v1_record), "long older record" => long;
        14, Warn("4 bytes long", count), "count not padded" => unpadded;
        14, Reject(wrong_length, count), "count of 3 bytes" => short_count;
    }
}

fn mesh_cases(cases: &mut Cases) {
    let file = clean();
    let counts = body("400/10000/10001");
    let vertices = body("400/10000/10007");
    let indices = body("400/10000/10004");
    let palette = body("400.1/10000/10006");
    let weighted = body("400.1/10000/10007");
    let unweighted = body("400.1/10000.1/10005");
    let bounds = body("400/402") + 4;
    for count in [0, 19, 21, i32::MAX as u32] {
        let bytes = at_u32(counts, count);
        let name = format!("{count} vertices");
        cases.expect(17, Reject(wrong_length, vertices));
        cases.add(name, bytes);
    }
    for count in [0, 9, 11, i32::MAX as u32] {
        let bytes = at_u32(counts + 4, count);
        let name = format!("{count} triangles");
        cases.expect(17, Reject(wrong_length, indices));
        cases.add(name, bytes);
    }
    let chunk = span(&file, "400/10000/10007").header;
    let last_entry = palette + 12;
    let with_palette_length =
        |length| with_data(&file, "400.1/10000/10006", |data| data.resize(length, 0));
    add_cases! { cases:
        17, Reject(bad_count, counts), "-1 vertices" => at_u32(counts, u32::MAX);
        17, Reject(bad_count, counts + 4), "-1 triangles" => at_u32(counts + 4, u32::MAX);
        17, Reject(wrong_length, vertices), "vertices of chunk 0x10007 in chunk 0x10005" =>
            at_u32(chunk, 0x10005);
        18, Reject(bad_vertex, indices), "index 20" => at(indices, &[20, 0]);
        18, Reject(bad_vertex, indices + 58), "last index 65535" =>
            at(indices + 2 * 29, &[0xff, 0xff]);
        19, Reject(bad_entry, weighted + 2 * 144 + 124), "fourth bone index of a weighted vertex" =>
            at_u32(weighted + 2 * 144 + 124, 4);
        19, Reject(bad_entry, unweighted + 3 * 128 + 96),
            "first bone index of an unweighted vertex" => at_u32(unweighted + 3 * 128 + 96, 2);
        19, Silent, "unused second bone index of an unweighted vertex" =>
            at_u32(unweighted + 100, 9);
        19, Silent, "unused bone index without a palette" => at_u32(vertices + 112, 9);
        19, Reject(bad_bone, last_entry), "bone 12" => at_u32(last_entry, 12);
        19, Reject(bad_bone, palette), "bone -1" => at_u32(palette, u32::MAX);
        19, Reject(bad_count, palette), "25 entries" => with_palette_length(100);
        19, Silent, "24 entries" => with_palette_length(96);
        19, Reject(wrong_length, palette), "15 bytes" => with_palette_length(15);
    }
    // The error is in the vertices, whose bone indices are checked against the palette.
    cases.expect(19, Reject(bad_entry, weighted + 112));
    cases.add("no entries", with_palette_length(0));
    cases.expect(23, Warn("\"Hull_LOD1\" is inverted", bounds));
    cases.add("inverted bounding box", at_f32(bounds, 99.0));
    cases.expect(23, Warn("no extent", bounds));
    cases.add("bounding box without extent", at(bounds, &[0; 24]));
    cases.expect(5, Warn("\"Omni\" / 0x1302 is 3", body("1300/1302")));
    cases.add("unknown light type", at_u32(body("1300/1302"), 3));
    cases.expect(13, Reject(wrong_length, body("1300/1302")));
    cases.add("light of 35 bytes", with_data(&file, "1300/1302", shorten));
}

fn connection_cases(cases: &mut Cases) {
    let file = clean();
    let value = |path, id| mini(&file, path, id) + 2;
    let object = value("600/602.1", 2);
    let bones = [
        value("600/602.1", 3),
        value("600/603.2", 6),
        value("600/604.1/0", 10),
    ];
    for offset in bones {
        cases.expect(20, Reject(bad_bone, offset));
        for bone in [12, u32::MAX] {
            cases.add(format!("bone {bone} at {offset}"), at_u32(offset, bone));
        }
    }
    let unconnected = edited(&file, |file| file.meshes[1].bone = None);
    let mesh = span(&file, "400.1").header;
    cases.expect(20, Reject(bad_object, object));
    cases.add("object 7", at_u32(object, 7));
    cases.add("object -1", at_u32(object, u32::MAX));
    cases.expect(20, Warn("mesh \"Crew\" is not connected to a bone", mesh));
    cases.add("unconnected mesh", unconnected);
    for (path, id, header) in [
        ("600/602.1", 2, body("600/602.1")),
        ("600/602.1", 3, body("600/602.1")),
        ("600/603.1", 5, body("600/603.1")),
        ("600/603.1", 6, body("600/603.1")),
        ("600/604/0", 5, body("600/604/0")),
        ("600/604/0", 10, body("600/604/0")),
        ("600/604/0", 11, body("600/604/0")),
        ("400/10100/10102", 1, body("400/10100/10102")),
        ("400/10100/10102", 2, body("400/10100/10102")),
    ] {
        let begin = (mini(&file, path, id) - header) as usize;
        let without = with_data(&file, path, |data| {
            let end = begin + 2 + usize::from(data[begin + 1]);
            data.drain(begin..end);
        });
        let name = format!("no mini-chunk {id} in {path}");
        cases.expect(14, Reject(missing, header));
        cases.add(name, without);
    }
}

fn tree_cases(cases: &mut Cases) {
    let file = clean();
    let path = "400/10000/1200";
    let nodes = body("400/10000/1200/1202");
    let map = body("400/10000/1200/1203");
    let (tree, info) = (body(path), body("400/10000/1200/1201"));
    let model = parse(&file).unwrap();
    let parsed = model.meshes[0].submeshes[0].tree.as_ref().unwrap();
    let count = parsed.nodes.len() as u16;
    let is_leaf = |node: &&classic_model_formats::alo::TreeNode| node.triangle_count.get() > 0;
    let first_leaf = parsed
        .nodes
        .iter()
        .take_while(|node| !is_leaf(node))
        .count() as u64;
    let second_inner = parsed.nodes.iter().skip(1).position(|node| !is_leaf(&node));
    let second_inner = 1 + second_inner.expect("the tree has two inner nodes") as u64;
    assert_ne!(
        parsed.nodes[0].link,
        parsed.nodes[second_inner as usize].link
    );
    let last_leaf = parsed.nodes.iter().rposition(|node| is_leaf(&node));
    let last_leaf = last_leaf.expect("the tree has a leaf") as u64;
    assert_ne!(first_leaf, last_leaf);
    let dropped = "a collision tree is dropped";
    let with_link = |node: u64, link: u16| at(nodes + 10 * node + 8, &link.to_le_bytes());
    let without = |id: u32| rearranged(&file, path, |chunks| chunks.retain(|chunk| chunk.id != id));
    let shortened = |id: &str| with_data(&file, &format!("{path}/{id}"), shorten);
    let corner = mini(&file, "400/10000/1200/1201", 0) + 2;
    let [node_count, map_len] = [2, 3].map(|id| mini(&file, "400/10000/1200/1201", id) + 2);
    let offset_of = |node: u64| nodes + 10 * node;
    add_cases! { cases:
        22, Warn(dropped, nodes), "link to itself" => with_link(0, 0);
        22, Warn(dropped, offset_of(second_inner)), "link to an earlier node" =>
            with_link(second_inner, 1);
        22, Warn(dropped, nodes), "second child beyond the end" => with_link(0, count - 1);
        22, Warn(dropped, nodes), "children beyond the end" => with_link(0, u16::MAX);
        22, Warn("is already a child of another node", offset_of(second_inner)),
            "a node with two parents" => with_link(second_inner, second_inner as u16 + 1);
        22, Warn("triangle map entry", offset_of(first_leaf)),
            "a leaf's range beyond the triangle map" => with_link(first_leaf, 10);
        22, Warn("triangle map entry", offset_of(first_leaf)), "a leaf of 65 535 triangles" =>
            at(offset_of(first_leaf) + 6, &[0xff, 0xff]);
        22, Warn("triangle 10 must be less than the triangle count 10", map + 4),
            "triangle 10 of 10" => at(map + 4, &[10, 0]);
        22, Warn("is already listed by another entry", map + 4), "a triangle listed twice" =>
            at(map + 4, &parsed.triangles[0].get().to_le_bytes());
        22, Warn("is already used by another leaf", offset_of(last_leaf)),
            "two leaves that share triangles" =>
            with_link(last_leaf, parsed.nodes[first_leaf as usize].link.get());
        22, Warn(dropped, nodes), "10·n − 1 bytes of nodes" => shortened("1202");
        22, Warn(dropped, map), "a short triangle map" => shortened("1203");
        22, Warn(dropped, nodes), "2³² − 1 nodes" => at_u32(node_count, u32::MAX);
        22, Warn(dropped, map), "no triangles" => at_u32(map_len, 0);
        22, Warn(dropped, tree), "no record" => without(0x1201);
        22, Warn(dropped, tree), "no nodes" => without(0x1202);
        22, Warn(dropped, tree), "no triangle map" => without(0x1203);
        22, Warn(dropped, tree), "empty record" =>
            with_data(&file, "400/10000/1200/1201", Vec::clear);
        23, Warn("0x1200 is inverted", corner), "inverted bounding box" => at_f32(corner, 1e9);
        23, Warn("0x1200 has no extent", corner), "bounding box without extent" =>
            patched(&at(corner, &[0; 12]), corner + 14, &[0; 12]);
        13, Reject(truncated, info + 2), "a record truncated in a mini-chunk" =>
            with_data(&file, "400/10000/1200/1201", |data| data.truncate(13));
    }
}

#[test]
fn every_class_gives_an_error_or_a_warning_at_the_right_offset() {
    let cases = cases();
    assert_classes(&cases, (1..=23).filter(|class| ![3, 8].contains(class)));
    assert_parsed(Format::Alo, &cases, |bytes| Ok(parse(bytes)?.warnings));
}

#[test]
fn error_messages_begin_with_the_path_of_chunks() {
    let file = clean();
    let indices = body("400/10000/10004") + 2;
    let vertices = body("400.1/10000/10007") + 144 + 124;
    let entry = body("400.1/10000.1/10006") + 4;
    let parent = body("200/202.2/205");
    let value = mini(&file, "400/10100/10103", 2);
    let node = body("400/10000/1200/1202");
    let bone = mini(&file, "600/603.1", 6) + 2;
    let light = span(&file, "1300.2/1302").header;
    let nested = span(&file, "400/10000/10002");
    for (bytes, message) in [
        (
            at(indices, &[0x84, 3]),
            format!(
                "ALO: 0x400 mesh 0 \"Hull_LOD1\" / 0x10000 sub-mesh 0 / 0x10004 index 1 \
                 at offset {indices} uses vertex 900, but only 20 exist"
            ),
        ),
        (
            at_u32(vertices, 7),
            format!(
                "ALO: 0x400 mesh 1 \"Crew\" / 0x10000 sub-mesh 0 / 0x10007 vertex 1 \
                 at offset {vertices} uses palette entry 7, but only 4 exist"
            ),
        ),
        (
            at_u32(entry, 99),
            format!(
                "ALO: 0x400 mesh 1 \"Crew\" / 0x10000 sub-mesh 1 / 0x10006 palette entry 1 \
                 at offset {entry} uses bone 99, but only 12 exist"
            ),
        ),
        (
            at_u32(parent, 5),
            format!(
                "ALO: 0x200 / 0x202 bone 2 \"Turret\" parent \
                 at offset {parent} is 5, but must be from -1 to 1"
            ),
        ),
        (
            with_data(&file, "400/10100/10103", |data| {
                let length = data.len();
                data[length - 5] = 3;
                data.pop();
            }),
            format!(
                "ALO: 0x400 mesh 0 \"Hull_LOD1\" / 0x10100 material 0 / \
                 0x10103 parameter 3 \"Shininess\" mini-chunk 2 \
                 at offset {value} is 3 bytes long, but must be 4"
            ),
        ),
        (
            at_u32(bone, 12),
            format!(
                "ALO: 0x600 / 0x603 proxy 1 \"pe_engine\" at offset {bone} uses bone 12, but only 12 exist"
            ),
        ),
        (
            at(light + 7, &[0x80]),
            format!(
                "ALO: 0x1300 light 2 \"Lamp\" / 0x1302 at offset {light} \
                 is marked as a container, but must be data"
            ),
        ),
        (
            at_u32(nested.header + 4, 0x7fff_ffff),
            format!(
                "ALO: 0x400 mesh 0 \"Hull_LOD1\" / 0x10000 sub-mesh 0 / chunk 0x10002 \
                 at offset {} needs 2147483647 bytes, but only {} remain",
                nested.body,
                span(&file, "400/10000").end - nested.body
            ),
        ),
        (
            at_u32(0, 0x900),
            "ALO: first chunk at offset 0 is not recognized: \
             the file is an Alamo particle system (version 1)"
                .to_owned(),
        ),
    ] {
        assert_eq!(parse(&bytes).unwrap_err().to_string(), message);
    }
    let bytes = at(node + 8, &[0, 0]);
    assert_eq!(
        parse(&bytes).unwrap().warnings[0].to_string(),
        format!(
            "a collision tree is dropped: 0x400 mesh 0 \"Hull_LOD1\" / 0x10000 sub-mesh 0 / \
             0x1200 / 0x1202 node 0: child index 0 must be greater than its parent's index 0 \
             (at offset {node})"
        )
    );
}

#[test]
fn repeated_flaws_become_one_warning_with_a_count() {
    let bytes = edited(&clean(), |file| {
        for mesh in &mut file.meshes[1..] {
            mesh.bone = None;
        }
    });
    let file = parse(&bytes).unwrap();
    let [warning] = &file.warnings[..] else {
        panic!("{:?}", file.warnings);
    };
    assert!(
        warning.message.ends_with("(and 2 more like it)"),
        "{warning}"
    );
}

#[test]
fn truncation_at_every_byte_is_an_error() {
    let files = [minimal(), clean(), flawed()];
    assert_cuts_are_errors(
        files,
        cases(),
        |kind| truncated(kind) || missing(kind),
        |bytes| parse(bytes).map(drop),
    );
}

#[test]
fn flipped_bits_never_panic() {
    for_each_flipped_bit([minimal(), clean()], |bytes| parse(bytes).is_ok());
}

#[test]
fn removed_emptied_and_doubled_chunks_never_panic() {
    let file = parse_chunks(&clean());
    assert_eq!(write_chunks(&file), clean());
    for_each_damage(&file, &|chunks| {
        let _ = parse(&write_chunks(&chunks));
    });
}

#[test]
fn long_names_with_many_flaws_do_not_repeat_the_name_per_flaw() {
    // Each flaw's context contains the mesh's name. With 2^20 characters and 2^19 flaws, formatting the context for
    // each flaw would take quadratic time and memory.
    let bytes = edited(&minimal(), |file| {
        file.meshes[0].name = "\u{1}".repeat(1 << 20).into();
    });
    let mut parameter = vec![1, 1, 0, 2, 4, 0, 0, 0, 0];
    parameter.extend([9, 0].repeat(1 << 19));
    let bytes = rearranged(&bytes, "400/10100", |chunks| {
        chunks.push(data(0x10103, &parameter));
    });
    let file = parse(&bytes).unwrap();
    assert_eq!(file.warnings.len(), 1);
    let message = &file.warnings[0].message;
    assert!(message.ends_with("(and 524287 more like it)"));
    assert!(message.len() < 1000, "{}", message.len());
}
