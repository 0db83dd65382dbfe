//! Alamo models: round trips, values and warnings of fixtures, write errors, and checks of real files.

use crate::prelude::*;
use classic_model_formats::alo::write::{SubmeshBuffers, write};
use classic_model_formats::alo::{
    AloFile, Bone, LightKind, Mesh, Parameter, ParameterValue, Tree, Vertex, Vertices, parse,
};
use classic_models_fixtures::alo::{clean, cuboid, edited, flawed, minimal, patched, span};

fn json(file: &AloFile<'_>) -> String {
    serde_json::to_string(file).unwrap()
}

#[test]
fn parsed_models_are_written_back_unchanged() {
    for bytes in [minimal(), clean(), flawed()] {
        let file = parse(&bytes).unwrap();
        let written = write(&file).unwrap();
        assert!(written == bytes);
        assert_eq!(json(&parse(&written).unwrap()), json(&file));
    }
}

#[test]
fn repeated_bone_names_are_found_ignoring_case() {
    let mut file = AloFile::new(vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Body", Some(0), [0.0; 3]),
        Bone::new("BODY", Some(0), [0.0; 3]),
        Bone::new("Кабина", Some(0), [0.0; 3]),
    ]);
    let (vertices, triangles) = cuboid([1.0; 3], [0.0; 3]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", Vec::new());
    file.meshes = vec![Mesh::new("Hull", 1, vec![submesh])];
    let warnings = |file: &AloFile<'_>| {
        let bytes = write(file).unwrap();
        let warnings = parse(&bytes).unwrap().warnings;
        warnings
            .into_iter()
            .map(|warning| warning.message)
            .collect::<Vec<_>>()
    };
    let found = warnings(&file);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("1 bone names occur more than once regardless of case"),
        "{found:?}"
    );
    file.bones.push(Bone::new("кАБИНА", Some(0), [0.0; 3]));
    file.bones.push(Bone::new("body", Some(0), [0.0; 3]));
    let found = warnings(&file);
    assert!(found[0].starts_with("2 bone names"), "{found:?}");
    file.bones.truncate(2);
    assert_eq!(warnings(&file), Vec::<String>::new());
}

#[test]
fn fixtures_have_the_expected_values_and_warnings() {
    assert_eq!(parse(&minimal()).unwrap().warnings, []);
    let bytes = clean();
    let file = parse(&bytes).unwrap();
    assert_eq!(file.warnings, []);
    assert_eq!(file.version, 2);
    assert_eq!(file.triangle_count(), 10 + 2 + 2 + 2 + 2);
    let modes: Vec<_> = file.bones.iter().map(|bone| bone.billboard).collect();
    assert_eq!(modes, [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7]);
    let kinds: Vec<_> = file.lights.iter().map(|light| light.light_kind()).collect();
    assert_eq!(
        kinds,
        [LightKind::Omni, LightKind::Directional, LightKind::Spot]
    );
    let [hull, crew, wreck, collision] = &file.meshes[..] else {
        panic!("{} meshes instead of 4", file.meshes.len());
    };
    assert!(matches!(hull.submeshes[0].vertices, Vertices::V2(_)));
    assert!(matches!(hull.submeshes[1].vertices, Vertices::V1(_)));
    assert!(hull.submeshes[0].tree.as_ref().unwrap().nodes.len() > 3);
    assert!(crew.submeshes[0].is_weighted() && !crew.submeshes[1].is_weighted());
    assert!(wreck.submeshes[0].vertices.is_empty() && wreck.hidden);
    assert!(collision.collidable && !crew.collidable);
    assert_eq!(file.dazzles[0].bias(), 0.5);
    assert_eq!(file.dazzles[1].bias(), 1.0);

    let bytes = flawed();
    let file = parse(&bytes).unwrap();
    assert_eq!(file.warnings.len(), 3, "{:?}", file.warnings);
    assert_eq!(file.meshes[3].bone, None);
    let vertex = file.meshes[0].submeshes[0].vertices.get(0).unwrap();
    assert_eq!(vertex.color, [0.0, 0.5, 0.25, 1.0]);
    let vertex = file.meshes[0].submeshes[0].vertices.get(1).unwrap();
    assert_eq!(vertex.normal, [0.0; 3]);
}

#[test]
fn object_indices_follow_file_order_of_meshes_and_lights() {
    let bytes = rearranged(&clean(), "", |chunks| {
        // Moves the first light before the second mesh.
        let light = chunks.remove(5);
        assert_eq!(light.id, 0x1300);
        chunks.insert(2, light);
    });
    let file = parse(&bytes).unwrap();
    // Bones by object index before the move: Hull 1, Crew 0, Wreck 2, Collision 1, Omni 1, Sun 2, Lamp 3.
    let bones: Vec<_> = file.meshes.iter().map(|mesh| mesh.bone).collect();
    assert_eq!(bones, [Some(1), Some(2), Some(1), Some(1)]);
    assert_eq!(file.lights[0].bone, Some(0));
}

#[test]
fn skeleton_can_be_the_last_chunk() {
    let bytes = rearranged(&clean(), "", |chunks| chunks.rotate_left(1));
    let file = parse(&bytes).unwrap();
    assert_eq!(json(&file), json(&parse(&clean()).unwrap()));
    // A truncated skeleton at the end is an error, not trailing data.
    for length in span(&bytes, "200").header..bytes.len() as u64 {
        assert!(parse(&bytes[..length as usize]).is_err(), "{length}");
    }
}

#[test]
fn models_without_dazzles_have_version_1_and_no_dazzle_count() {
    let bytes = edited(&clean(), |file| {
        file.version = 1;
        file.dazzles.clear();
    });
    let file = parse(&bytes).unwrap();
    assert_eq!((file.version, &file.warnings[..]), (1, &[][..]));
    let counts = span(&bytes, "600/601");
    assert_eq!(counts.end - counts.body, 12);
}

#[test]
fn values_that_the_format_cannot_store_are_write_errors() {
    let bytes = clean();
    let error = |edit: &dyn Fn(&mut AloFile)| {
        let mut file = parse(&bytes).unwrap();
        edit(&mut file);
        write(&file).unwrap_err().to_string()
    };
    let text = "x".repeat(255);
    let too_long = || text.clone().into();
    let cases: Vec<(String, &str)> = vec![
        (error(&|file| file.version = 1), "version is 1"),
        (error(&|file| file.bones.clear()), "0x201 bone count is 0"),
        (
            error(&|file| file.bones[1].name = "a\0b".into()),
            "0x200 / 0x202 bone 1 \"a\\0b\" name cannot be stored: a string must not contain NUL",
        ),
        (
            error(&|file| file.bones[2].parent = Some(2)),
            "0x200 / 0x202 bone 2 \"Turret\" parent is 2, but must be from -1 to 1",
        ),
        (
            error(&|file| file.bones[2].parent = Some(u32::MAX)),
            "parent is 4294967295",
        ),
        (
            error(&|file| file.bones[2].billboard = 1),
            "the older bone record (`is_v1`) has no billboard mode",
        ),
        (
            error(&|file| file.bones[0].matrix[1][3] = f32::NAN),
            "matrix is not a finite number",
        ),
        (
            error(&|file| file.meshes[0].bounds[1][2] = f32::INFINITY),
            "0x400 mesh 0 \"Hull_LOD1\" bounds is not",
        ),
        (
            error(&|file| file.meshes[0].bone = Some(12)),
            "0x600 / 0x602 object connection 0 uses bone 12, but only 12 exist",
        ),
        (
            error(&|file| file.proxies[1].bone = 12),
            "0x600 / 0x603 proxy 1 \"pe_engine\" uses bone 12, but only 12 exist",
        ),
        (
            error(&|file| file.dazzles[1].bone = 99),
            "0x600 / 0x604 dazzle 1 \"FC_Glow\" uses bone 99, but only 12 exist",
        ),
        (
            error(&|file| file.proxies[0].name = too_long()),
            "name is 256, but must be from 1 to 255",
        ),
        (
            error(&|file| file.dazzles[0].texture = too_long()),
            "texture is 256",
        ),
        (
            error(&|file| file.meshes[0].submeshes[0].parameters[0].name = too_long()),
            "/ 0x10000 sub-mesh 0 parameter 0",
        ),
        (
            error(&|file| {
                file.meshes[0].submeshes[0].parameters[3].value = ParameterValue::Float(f32::NAN);
            }),
            "parameter 3 \"Shininess\" value is not a finite number",
        ),
        (
            error(&|file| file.meshes[0].submeshes[0].indices = &[]),
            // The tree refers to the removed triangles.
            "0x400 mesh 0 \"Hull_LOD1\" / 0x10000 sub-mesh 0 / 0x1200 lacks valid node links",
        ),
        (
            error(&|file| {
                let submesh = &mut file.meshes[0].submeshes[1];
                submesh.indices = &submesh.indices[1..];
            }),
            "/ 0x10000 sub-mesh 1 / 0x10004 is 10 bytes long, but must be 12",
        ),
        (
            error(&|file| {
                let submesh = &mut file.meshes[0].submeshes[1];
                submesh.vertices = Vertices::V1(&[]);
            }),
            "/ 0x10000 sub-mesh 1 / 0x10004 index 0 uses vertex 0, but only 0 exist",
        ),
        (
            error(&|file| {
                let submesh = &mut file.meshes[1].submeshes[0];
                submesh.palette = &submesh.palette[..3];
            }),
            "/ 0x10000 sub-mesh 0 / 0x10007 vertex 0 uses palette entry 3, but only 3 exist",
        ),
    ];
    for (message, expected) in cases {
        assert!(
            message.contains(expected),
            "{message:?} does not contain {expected:?}"
        );
    }
    // The parser would read a NaN bias as 0.
    let mut file = parse(&bytes).unwrap();
    file.dazzles[0].bias = Some(f32::NAN);
    assert_eq!(write(&file).unwrap_err().kind, ErrorKind::NotFinite);
}

#[test]
fn palettes_have_at_most_24_bones() {
    let names: Vec<String> = (0..25).map(|index| format!("B{index}")).collect();
    let bones = |names: &[String]| {
        let bone = |(index, name): (usize, &String)| {
            let parent = (index as u32).checked_sub(1);
            Bone::new(name.clone(), parent, [0.0; 3])
        };
        names.iter().enumerate().map(bone).collect()
    };
    let vertex = Vertex {
        bone_weights: [1.0, 0.0, 0.0, 0.0],
        ..Vertex::default()
    };
    for (count, is_valid) in [(1, true), (24, true), (25, false)] {
        let palette: Vec<u32> = (0..count).collect();
        let buffers = SubmeshBuffers::new(&[vertex; 3], &[[0, 1, 2]]).with_palette(&palette);
        let parameters = vec![Parameter::float4("Diffuse", [1.0; 4])];
        let submesh = buffers.submesh("RSkinGloss.fx", "alD3dVertRSkinNU2", parameters);
        let mut file = AloFile::new(bones(&names));
        file.meshes = vec![Mesh::new("Skin", 0, vec![submesh])];
        assert_eq!(write(&file).is_ok(), is_valid, "{count} bones");
    }
}

#[test]
fn long_names_in_messages_are_truncated() {
    let name = "n".repeat(10_000);
    let bytes = edited(&minimal(), |file| file.meshes[0].name = name.into());
    let at = span(&bytes, "400/10000/10004").body;
    let error = parse(&patched(&bytes, at, &[9, 0])).unwrap_err();
    let truncated = "n".repeat(64);
    assert_eq!(
        error.context,
        format!("0x400 mesh 0 \"{truncated}\"… / 0x10000 sub-mesh 0 / 0x10004 index 0")
    );
}

#[test]
fn real_models_survive_a_round_trip() {
    let mut models = 0;
    let mut identical = 0;
    let files = corpus_alo("real_models_survive_a_round_trip");
    let count = files.len();
    for (name, bytes) in files {
        let file = match parse(&bytes) {
            Ok(file) => file,
            Err(error) => {
                let message = error.to_string();
                assert!(message.contains("particle system"), "{name}: {message}");
                continue;
            }
        };
        for warning in &file.warnings {
            println!("{name}: {warning}");
        }
        let written = write(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(json(&file) == json(&parse(&written).unwrap()), "{name}");
        check_real(&name, &file);
        models += 1;
        // Some writers store a dazzle count of 0; ours omits it.
        let bytes = with_data(&bytes, "600/601", |data| {
            data.truncate(if file.dazzles.is_empty() { 12 } else { 18 });
        });
        identical += usize::from(written == bytes);
    }
    println!("{count} files, {models} models, {identical} written with identical bytes");
}

fn check_real(name: &str, file: &AloFile<'_>) {
    assert_eq!(file.bones[0].parent, None, "{name}");
    for mesh in &file.meshes {
        let trees = mesh
            .submeshes
            .iter()
            .filter(|submesh| submesh.tree.is_some());
        assert_eq!(mesh.collidable, trees.count() > 0, "{name} {}", mesh.name);
        let mut corners = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        let vertices = mesh.submeshes.iter();
        for vertex in vertices.flat_map(|submesh| submesh.vertices.iter()) {
            for (axis, coordinate) in vertex.position.into_iter().enumerate() {
                corners[0][axis] = corners[0][axis].min(coordinate);
                corners[1][axis] = corners[1][axis].max(coordinate);
            }
        }
        if corners[0][0].is_finite() {
            assert_eq!(corners, mesh.bounds, "{name} {}", mesh.name);
        }
        for submesh in &mesh.submeshes {
            if let Some(tree) = &submesh.tree {
                let mesh_name = format!("{name} {}", mesh.name);
                check_real_tree(&mesh_name, tree, &submesh.vertices, submesh.indices);
            }
        }
    }
}

/// Checks that each triangle is in one leaf, and in the leaf's box within a tolerance: boxes of real trees can be
/// slightly too small.
fn check_real_tree(
    mesh_name: &str,
    tree: &Tree<'_>,
    vertices: &Vertices<'_>,
    indices: &[zerocopy::little_endian::U16],
) {
    let [tree_min, tree_max] = tree.bounds;
    let extent = |axis: usize| tree_max[axis] - tree_min[axis];
    let tolerance = 3e-3 * (0..3).map(extent).fold(0.0, f32::max);
    let mut leaf_counts = vec![0; indices.len() / 3];
    for (node, [min, max]) in tree.nodes.iter().zip(tree.boxes()) {
        let (first, count) = (node.link.get(), node.triangle_count.get());
        for entry in (first..).take(count.into()) {
            let triangle = usize::from(tree.triangles[usize::from(entry)].get());
            leaf_counts[triangle] += 1;
            for index in &indices[3 * triangle..3 * triangle + 3] {
                let position = vertices.get(index.get().into()).unwrap().position;
                for axis in 0..3 {
                    let range = min[axis] - tolerance..=max[axis] + tolerance;
                    assert!(range.contains(&position[axis]), "{mesh_name}: {position:?}");
                }
            }
        }
    }
    assert!(leaf_counts.iter().all(|count| *count == 1), "{mesh_name}");
}
