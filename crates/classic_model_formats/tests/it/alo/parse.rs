//! Alamo models: what is written is read, and real files are what is said of them.

use classic_model_formats::alo::write::{SubmeshBuffers, write};
use classic_model_formats::alo::{
    AloFile, Bone, LightKind, Mesh, Parameter, ParameterValue, Tree, Vertex, Vertices, parse,
};
use classic_model_formats::read::ErrorKind;
use classic_models_fixtures::alo::{
    clean, corpus_alo, cuboid, edited, flawed, minimal, patched, place, rearranged, with_data,
};

fn json(file: &AloFile<'_>) -> String {
    serde_json::to_string(file).unwrap()
}

#[test]
fn writing_and_parsing_are_inverse() {
    for bytes in [minimal(), clean(), flawed()] {
        let file = parse(&bytes).unwrap();
        let written = write(&file).unwrap();
        assert!(written == bytes);
        assert_eq!(json(&parse(&written).unwrap()), json(&file));
    }
}

#[test]
fn names_that_differ_in_case_alone_are_repeated() {
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
fn fixtures_are_what_they_are_said_to_be() {
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
        panic!("four meshes");
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
fn objects_are_numbered_in_file_order_lights_among_meshes() {
    let bytes = rearranged(&clean(), "", |chunks| {
        // The first light before the second mesh.
        let light = chunks.remove(5);
        assert_eq!(light.id, 0x1300);
        chunks.insert(2, light);
    });
    let file = parse(&bytes).unwrap();
    // Connections as they were: Hull 1, Crew 0, Wreck 2, Collision 1, Omni 1, Sun 2, Lamp 3.
    let bones: Vec<_> = file.meshes.iter().map(|mesh| mesh.bone).collect();
    assert_eq!(bones, [Some(1), Some(2), Some(1), Some(1)]);
    assert_eq!(file.lights[0].bone, Some(0));
}

#[test]
fn a_skeleton_may_come_last() {
    let bytes = rearranged(&clean(), "", |chunks| chunks.rotate_left(1));
    let file = parse(&bytes).unwrap();
    assert_eq!(json(&file), json(&parse(&clean()).unwrap()));
    // Cut off, it is missed and not taken for something after the end.
    for length in place(&bytes, "200").header..bytes.len() as u64 {
        assert!(parse(&bytes[..length as usize]).is_err(), "{length}");
    }
}

#[test]
fn no_dazzles_means_version_1_and_no_count_of_them() {
    let bytes = edited(&clean(), |file| {
        file.version = 1;
        file.dazzles.clear();
    });
    let file = parse(&bytes).unwrap();
    assert_eq!((file.version, &file.warnings[..]), (1, &[][..]));
    let counts = place(&bytes, "600/601");
    assert_eq!(counts.end - counts.body, 12);
}

#[test]
fn what_no_file_can_say_is_not_written() {
    let bytes = clean();
    let wrong = |edit: &dyn Fn(&mut AloFile)| {
        let mut file = parse(&bytes).unwrap();
        edit(&mut file);
        write(&file).unwrap_err().to_string()
    };
    let long = "x".repeat(255);
    let too_long = || long.clone().into();
    let cases: Vec<(String, &str)> = vec![
        (wrong(&|file| file.version = 1), "version is 1"),
        (
            wrong(&|file| file.bones.clear()),
            "0x201 number of bones is 0",
        ),
        (
            wrong(&|file| file.bones[1].name = "a\0b".into()),
            "0x200 / 0x202 bone 1 \"a\\0b\" name exceeds a limit: a text ends at its first NUL",
        ),
        (
            wrong(&|file| file.bones[2].parent = Some(2)),
            "0x200 / 0x202 bone 2 \"Turret\" parent is 2, but must be from -1 to 1",
        ),
        (
            wrong(&|file| file.bones[2].parent = Some(u32::MAX)),
            "parent is 4294967295",
        ),
        (
            wrong(&|file| file.bones[2].billboard = 1),
            "older record of a bone has no billboard mode",
        ),
        (
            wrong(&|file| file.bones[0].matrix[1][3] = f32::NAN),
            "matrix is not a finite number",
        ),
        (
            wrong(&|file| file.meshes[0].bounds[1][2] = f32::INFINITY),
            "0x400 mesh 0 \"Hull_LOD1\" bounds is not",
        ),
        (
            wrong(&|file| file.meshes[0].bone = Some(12)),
            "0x600 / 0x602 object connection 0 uses bone 12 of 12",
        ),
        (
            wrong(&|file| file.proxies[1].bone = 12),
            "0x600 / 0x603 proxy 1 \"pe_engine\" uses bone 12 of 12",
        ),
        (
            wrong(&|file| file.dazzles[1].bone = 99),
            "0x600 / 0x604 dazzle 1 \"FC_Glow\" uses bone 99 of 12",
        ),
        (
            wrong(&|file| file.proxies[0].name = too_long()),
            "name is 256, but must be from 1 to 255",
        ),
        (
            wrong(&|file| file.dazzles[0].texture = too_long()),
            "texture is 256",
        ),
        (
            wrong(&|file| file.meshes[0].submeshes[0].parameters[0].name = too_long()),
            "/ 0x10000 sub-mesh 0 parameter 0",
        ),
        (
            wrong(&|file| {
                file.meshes[0].submeshes[0].parameters[3].value = ParameterValue::Float(f32::NAN);
            }),
            "parameter 3 \"Shininess\" value is not a finite number",
        ),
        (
            wrong(&|file| file.meshes[0].submeshes[0].indices = &[]),
            // The tree of the triangles that are gone.
            "0x400 mesh 0 \"Hull_LOD1\" / 0x10000 sub-mesh 0 / 0x1200 lacks links",
        ),
        (
            wrong(&|file| {
                let part = &mut file.meshes[0].submeshes[1];
                part.indices = &part.indices[1..];
            }),
            "/ 0x10000 sub-mesh 1 / 0x10004 is 10 bytes long, but must be 12",
        ),
        (
            wrong(&|file| {
                let part = &mut file.meshes[0].submeshes[1];
                part.vertices = Vertices::V1(&[]);
            }),
            "/ 0x10000 sub-mesh 1 / 0x10004 index 0 uses vertex 0 of 0",
        ),
        (
            wrong(&|file| {
                let part = &mut file.meshes[1].submeshes[0];
                part.palette = &part.palette[..3];
            }),
            "/ 0x10000 sub-mesh 0 / 0x10007 vertex 0 uses palette entry 3 of 3",
        ),
    ];
    for (message, said) in cases {
        assert!(message.contains(said), "{message:?} without {said:?}");
    }
    // A bias that is no number would be read as 0.
    let mut file = parse(&bytes).unwrap();
    file.dazzles[0].bias = Some(f32::NAN);
    assert_eq!(write(&file).unwrap_err().kind, ErrorKind::NotFinite);
}

#[test]
fn palettes_have_up_to_24_bones() {
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
    for (count, fits) in [(1, true), (24, true), (25, false)] {
        let palette: Vec<u32> = (0..count).collect();
        let buffers = SubmeshBuffers::new(&[vertex; 3], &[[0, 1, 2]]).with_palette(&palette);
        let parameters = vec![Parameter::float4("Diffuse", [1.0; 4])];
        let submesh = buffers.submesh("RSkinGloss.fx", "alD3dVertRSkinNU2", parameters);
        let mut file = AloFile::new(bones(&names));
        file.meshes = vec![Mesh::new("Skin", 0, vec![submesh])];
        assert_eq!(write(&file).is_ok(), fits, "{count}");
    }
}

#[test]
fn names_in_messages_are_cut() {
    let name = "n".repeat(10_000);
    let bytes = edited(&minimal(), |file| file.meshes[0].name = name.into());
    let at = place(&bytes, "400/10000/10004").body;
    let error = parse(&patched(&bytes, at, &[9, 0])).unwrap_err();
    let cut = "n".repeat(64);
    assert_eq!(
        error.context,
        format!("0x400 mesh 0 \"{cut}\"… / 0x10000 sub-mesh 0 / 0x10004 index 0")
    );
}

#[test]
fn every_real_model_parses_and_is_read_as_it_is_written() {
    let mut models = 0;
    let mut identical = 0;
    let files = corpus_alo("every_real_model_parses_and_is_read_as_it_is_written");
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
        // Some writers count the dazzles where there are none.
        let bytes = with_data(&bytes, "600/601", |data| {
            data.truncate(if file.dazzles.is_empty() { 12 } else { 18 });
        });
        identical += usize::from(written == bytes);
    }
    println!("{count} files, {models} models, {identical} written byte by byte as they were read");
}

fn check_real(name: &str, file: &AloFile<'_>) {
    assert_eq!(file.bones[0].parent, None, "{name}");
    for mesh in &file.meshes {
        let trees = mesh.submeshes.iter().filter(|part| part.tree.is_some());
        assert_eq!(mesh.collidable, trees.count() > 0, "{name} {}", mesh.name);
        let mut corners = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        for vertex in mesh.submeshes.iter().flat_map(|part| part.vertices.iter()) {
            for (axis, at) in vertex.position.into_iter().enumerate() {
                corners[0][axis] = corners[0][axis].min(at);
                corners[1][axis] = corners[1][axis].max(at);
            }
        }
        if corners[0][0].is_finite() {
            assert_eq!(corners, mesh.bounds, "{name} {}", mesh.name);
        }
        for part in &mesh.submeshes {
            if let Some(tree) = &part.tree {
                let place = format!("{name} {}", mesh.name);
                check_real_tree(&place, tree, &part.vertices, part.indices);
            }
        }
    }
}

/// Leaves hold each triangle once, within their boxes, of which the real ones may be a little small.
fn check_real_tree(
    place: &str,
    tree: &Tree<'_>,
    vertices: &Vertices<'_>,
    indices: &[zerocopy::little_endian::U16],
) {
    let [least, greatest] = tree.bounds;
    let extent = |axis: usize| greatest[axis] - least[axis];
    let slack = 3e-3 * (0..3).map(extent).fold(0.0, f32::max);
    let mut seen = vec![0; indices.len() / 3];
    for (node, [min, max]) in tree.nodes.iter().zip(tree.boxes()) {
        let (first, count) = (node.link.get(), node.triangle_count.get());
        for entry in (first..).take(count.into()) {
            let triangle = usize::from(tree.triangles[usize::from(entry)].get());
            seen[triangle] += 1;
            for index in &indices[3 * triangle..3 * triangle + 3] {
                let at = vertices.get(index.get().into()).unwrap().position;
                for axis in 0..3 {
                    let inside = min[axis] - slack..=max[axis] + slack;
                    assert!(inside.contains(&at[axis]), "{place}: {at:?}");
                }
            }
        }
    }
    assert!(seen.iter().all(|count| *count == 1), "{place}");
}
