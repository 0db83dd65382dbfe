//! Quake models.

use super::Document;
use classic_model_formats::mdl::write::{FrameDocument, MdlDocument, SkinDocument};
use classic_model_formats::mdl::{MdlFile, parse};
use classic_models_gltf_import::mdl::{Converted, Options, convert};
use classic_models_gltf_import::{Dithering, Error, Palette};
use serde_json::json;

/// Gray levels, then 32 reds, which are fullbright.
fn palette() -> Palette {
    Palette(core::array::from_fn(|index| match index {
        224.. => [(index - 224) as u8 * 8, 0, 0],
        _ => [index as u8; 3],
    }))
}

fn options(palette: &Palette) -> Options<'_> {
    Options {
        scale: None,
        palette,
        dithering: Dithering::None,
        hole_index: 255,
        precision: None,
        clips: &[],
        groups: &[],
    }
}

fn converted(document: &Document) -> Converted {
    convert(&document.scene().unwrap(), &options(&palette())).unwrap()
}

fn model(document: &Document) -> MdlDocument {
    converted(document).document
}

/// The decoded position of a vertex.
fn position(file: &MdlFile<'_>, pose: usize, vertex: usize) -> [f32; 3] {
    let steps = file.poses[pose].vertices[vertex].position;
    core::array::from_fn(|axis| {
        file.header.origin[axis] + file.header.scale[axis] * f32::from(steps[axis])
    })
}

/// The names of the poses.
fn names(model: &MdlDocument) -> Vec<String> {
    let bytes = model.to_bytes();
    let file = parse(&bytes).unwrap();
    let name = |name: &[u8; 16]| {
        String::from_utf8_lossy(name)
            .trim_end_matches('\0')
            .to_owned()
    };
    file.poses.iter().map(|pose| name(pose.raw_name)).collect()
}

#[test]
fn a_square_has_its_corners_texels_and_front() {
    let mut document = Document::new();
    let gray = |level: u8| [level, level, level, 255];
    let material = document.material(
        4,
        &[
            gray(10),
            gray(20),
            gray(30),
            gray(40),
            gray(50),
            gray(60),
            gray(70),
            gray(80),
        ],
    );
    let mesh = document.square(Some(material));
    document.node(json!({ "mesh": mesh, "translation": [0, 0, 2], "scale": [2, 4, 1] }));
    let model = model(&document);
    let bytes = model.to_bytes();
    let file = parse(&bytes).unwrap();
    assert!(file.warnings.is_empty());
    // (x, y, z) becomes (z, x, y).
    let corners: Vec<_> = (0..4).map(|vertex| position(&file, 0, vertex)).collect();
    assert_eq!(
        corners,
        [
            [2.0, 0.0, 0.0],
            [2.0, 2.0, 0.0],
            [2.0, 2.0, 4.0],
            [2.0, 0.0, 4.0]
        ]
    );
    let texels: Vec<_> = file
        .st_vertices
        .iter()
        .map(|it| [it.s.get(), it.t.get()])
        .collect();
    assert_eq!(texels, [[0, 1], [3, 1], [3, 0], [0, 0]]);
    assert_eq!((file.header.skin_width, file.header.skin_height), (4, 2));
    assert_eq!(
        model.skins,
        [SkinDocument::Single(vec![10, 20, 30, 40, 50, 60, 70, 80])]
    );
    // Front faces are clockwise, seen from +X.
    let [a, b, c] = file.triangles[0]
        .vertices
        .map(|it| corners[it.get() as usize]);
    let [u, v] = [b, c].map(|to| [to[1] - a[1], to[2] - a[2]]);
    assert!(u[0] * v[1] - u[1] * v[0] < 0.0);
    let normal =
        classic_model_formats::mdl::normals()[usize::from(file.poses[0].vertices[0].normal)];
    assert!(normal[0] > 0.99, "{normal:?}");
    assert_eq!(
        (file.header.average_triangle_size, names(&model)),
        (4.0, vec!["base1".to_owned()])
    );
}

#[test]
fn mirrored_nodes_keep_their_fronts() {
    let mut document = Document::new();
    let mesh = document.square(None);
    document.node(json!({ "mesh": mesh }));
    document.node(json!({ "mesh": mesh, "scale": [-1, 1, 1] }));
    let bytes = model(&document).to_bytes();
    let file = parse(&bytes).unwrap();
    for triangle in file.triangles {
        let [a, b, c] = triangle
            .vertices
            .map(|it| position(&file, 0, it.get() as usize));
        let [u, v] = [b, c].map(|to| [to[1] - a[1], to[2] - a[2]]);
        assert!(u[0] * v[1] - u[1] * v[0] < 0.0, "{a:?} {b:?} {c:?}");
    }
}

#[test]
fn animations_are_sampled_ten_times_per_second() {
    let mut document = Document::new();
    let mesh = document.square(None);
    let node = document.node(json!({ "mesh": mesh }));
    document.animate(
        "rise",
        node,
        "translation",
        &[1.0, 1.5],
        &[[0.0; 3], [0.0, 10.0, 0.0]],
    );
    document.animate(
        "sway",
        node,
        "translation",
        &[0.0, 0.2, 0.4],
        &[[0.0; 3], [10.0, 0.0, 0.0], [0.0; 3]],
    );
    document.animate("rest", node, "scale", &[0.0, 3.0], &[[1.0; 3]; 2]);
    let model = model(&document);
    let bytes = model.to_bytes();
    let file = parse(&bytes).unwrap();
    // The animation that begins at 1 s has its end, the loop has not, and of equal last poses one is left.
    let expected = "rise1 rise2 rise3 rise4 rise5 rise6 sway1 sway2 sway3 sway4";
    assert_eq!(names(&model)[..10].join(" "), expected);
    assert_eq!(names(&model).len(), 10 + 30);
    let height = |pose: usize| position(&file, pose, 0)[2];
    for pose in 0..6 {
        let error = height(pose) - 2.0 * pose as f32;
        assert!(error.abs() <= file.header.scale[2] / 2.0, "{pose}: {error}");
    }
    let sway: Vec<f32> = (6..10)
        .map(|pose| position(&file, pose, 0)[1].round())
        .collect();
    assert_eq!(sway, [0.0, 5.0, 10.0, 5.0]);
}

#[test]
fn skins_and_morph_targets_move_vertices() {
    let mut document = Document::new();
    let mesh = document.square(None);
    let joints = document.view(&[[0_u8, 0, 0, 0], [0; 4], [1, 0, 0, 0], [0, 1, 0, 0]].concat());
    let joints = document.push(
        "accessors",
        json!({ "bufferView": joints, "componentType": 5121, "count": 4, "type": "VEC4" }),
    );
    let weights = document.floats(&[
        [1.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [0.5, 0.5, 0.0, 0.0],
    ]);
    let target = document.floats(&[[0.0, 0.0, 0.0], [0.0, 0.0, 8.0], [0.0; 3], [0.0; 3]]);
    let primitive = &mut document.json["meshes"][mesh]["primitives"][0];
    primitive["attributes"]["JOINTS_0"] = json!(joints);
    primitive["attributes"]["WEIGHTS_0"] = json!(weights);
    primitive["targets"] = json!([{ "POSITION": target }]);
    document.json["meshes"][mesh]["weights"] = json!([0.5]);
    let still = document.node(json!({}));
    let moving = document.node(json!({ "translation": [0, 16, 0] }));
    // The transform of a skinned node has no effect.
    document.node(json!({ "mesh": mesh, "skin": 0, "translation": [100, 0, 0] }));
    document.push("skins", json!({ "joints": [still, moving] }));
    let bytes = model(&document).to_bytes();
    let file = parse(&bytes).unwrap();
    let corners: Vec<_> = (0..4).map(|vertex| position(&file, 0, vertex)).collect();
    let expected = [
        [0.0, 0.0, 0.0],
        [4.0, 1.0, 0.0],
        [0.0, 1.0, 17.0],
        [0.0, 0.0, 9.0],
    ];
    for (found, expected) in corners.iter().zip(expected) {
        let error = found
            .iter()
            .zip(expected)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f32::max);
        assert!(
            error <= 17.0 / 255.0 / 2.0 + 1e-4,
            "{found:?}, not {expected:?}"
        );
    }
}

#[test]
fn textures_of_several_materials_are_side_by_side() {
    let mut document = Document::new();
    let dark = document.material(8, &[[10, 10, 10, 255]; 8]);
    let light = document.push(
        "materials",
        json!({ "pbrMetallicRoughness": { "baseColorFactor": [1, 1, 1, 1] }, "emissiveFactor": [0, 0, 0] }),
    );
    for material in [dark, light, dark] {
        let mesh = document.square(Some(material));
        document.node(json!({ "mesh": mesh, "translation": [material, 0, 0] }));
    }
    let model = model(&document);
    assert_eq!((model.header.skin_width, model.header.skin_height), (12, 4));
    let SkinDocument::Single(indices) = &model.skins[0] else {
        panic!();
    };
    let texel = |vertex: usize| {
        let st = model.st_vertices[vertex];
        indices[(st.t.get() * 12 + st.s.get()) as usize]
    };
    // Vertices of the same place and texel are one.
    assert_eq!(model.st_vertices.len(), 8);
    assert_eq!(
        (0..8).map(texel).collect::<Vec<_>>(),
        [10, 10, 10, 10, 223, 223, 223, 223]
    );
}

#[test]
fn halves_of_the_skin_share_vertices() {
    let mut document = Document::new();
    let material = document.material(8, &[[0, 0, 0, 255]; 8]);
    let mesh = document.square(Some(material));
    document.node(json!({ "mesh": mesh }));
    // The same corners, half of the skin further to the right, and another triangle.
    let front = document.floats(&[[0.05, 0.5], [0.2, 0.5], [0.2, 0.5], [0.05, 0.5]]);
    let back = document.floats(&[[0.55, 0.5], [0.7, 0.5], [0.7, 0.5], [0.55, 0.5]]);
    let mut turned = document.json["meshes"][mesh]["primitives"][0].clone();
    document.json["meshes"][mesh]["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(front);
    turned["attributes"]["TEXCOORD_0"] = json!(back);
    turned["indices"] = json!(document.indices(&[2, 1, 0]));
    document.json["meshes"][mesh]["primitives"]
        .as_array_mut()
        .unwrap()
        .push(turned);
    let model = model(&document);
    assert_eq!(model.st_vertices.len(), 4);
    let seam = |triangle: usize| model.triangles[triangle].faces_front.get();
    assert_eq!([seam(0), seam(1), seam(2)], [1, 1, 0]);
    for corner in model.triangles[2].vertices {
        assert_ne!(model.st_vertices[corner.get() as usize].on_seam, 0);
    }
}

#[test]
fn clips_are_chosen_ordered_grouped_and_named() {
    let mut document = Document::new();
    let mesh = document.square(None);
    let node = document.node(json!({ "mesh": mesh }));
    for name in ["a", "run2", "a_very_long_name_of_a_clip"] {
        document.animate(
            name,
            node,
            "translation",
            &[0.0, 0.2],
            &[[0.0; 3], [0.0, 9.0, 0.0]],
        );
    }
    let (palette, scene) = (palette(), document.scene().unwrap());
    let with = |clips: &[&str], groups: &[&str]| -> Result<Converted, Error> {
        let [clips, groups] =
            [clips, groups].map(|it| it.iter().map(ToString::to_string).collect::<Vec<_>>());
        convert(
            &scene,
            &Options {
                clips: &clips,
                groups: &groups,
                ..options(&palette)
            },
        )
    };
    let model = with(&["run2", "a"], &[]).unwrap().document;
    assert_eq!(names(&model).join(" "), "run2_1 run2_2 run2_3 a1 a2 a3");
    let model = with(&[], &["a"]).unwrap();
    let FrameDocument::Group { times, poses, .. } = &model.document.frames[0] else {
        panic!();
    };
    assert_eq!(
        (times.as_slice(), poses.len()),
        ([0.1, 0.2, 0.3].as_slice(), 3)
    );
    assert_eq!(names(&model.document).last().unwrap(), "a_very_long_na3");
    assert!(
        model.warnings[0].contains("15 bytes"),
        "{:?}",
        model.warnings
    );
    let error = with(&["walk"], &[]).unwrap_err().to_string();
    assert_eq!(
        error,
        r#"no animation "walk"; the file has: "a", "run2", "a_very_long_name_of_a_clip""#
    );
}

#[test]
fn variants_are_skins() {
    let mut document = Document::new();
    let [first, second] = [20, 30].map(|level| document.material(1, &[[level, level, level, 255]]));
    let mesh = document.square(Some(first));
    document.json["extensions"] =
        json!({ "KHR_materials_variants": { "variants": [{ "name": "one" }, { "name": "two" }] } });
    document.json["meshes"][mesh]["primitives"][0]["extensions"] = json!({ "KHR_materials_variants": { "mappings": [
        { "material": first, "variants": [0] }, { "material": second, "variants": [1] },
    ] } });
    document.node(json!({ "mesh": mesh }));
    let model = model(&document);
    assert_eq!(model.skins.len(), 2);
    for (skin, level) in model.skins.iter().zip([20, 30]) {
        assert_eq!(*skin, SkinDocument::Single(vec![level]));
    }
}

#[test]
fn the_index_of_holes_is_no_color_of_any_skin() {
    let mut document = Document::new();
    // The last color of the palette, which is that of holes, and a hole.
    let light = document.texture(1, &[[248, 0, 0, 255]]);
    let bright = document.push(
        "materials",
        json!({ "emissiveFactor": [1, 1, 1], "emissiveTexture": { "index": light } }),
    );
    let hole = document.material(1, &[[0, 0, 0, 0]]);
    document.json["materials"][hole]["alphaMode"] = json!("MASK");
    let mesh = document.square(Some(bright));
    document.json["extensions"] =
        json!({ "KHR_materials_variants": { "variants": [{ "name": "one" }, { "name": "two" }] } });
    document.json["meshes"][mesh]["primitives"][0]["extensions"] = json!({ "KHR_materials_variants": { "mappings": [
        { "material": bright, "variants": [0] }, { "material": hole, "variants": [1] },
    ] } });
    document.node(json!({ "mesh": mesh }));
    let model = model(&document);
    assert_ne!(model.header.flags & 1 << 14, 0);
    assert_eq!(
        model.skins,
        [
            SkinDocument::Single(vec![254]),
            SkinDocument::Single(vec![255])
        ]
    );
}

#[test]
fn coarser_levels_of_detail_are_left_out() {
    let mut document = Document::new();
    let mesh = document.square(None);
    let coarse = document.push("nodes", json!({ "mesh": mesh }));
    document.node(json!({ "mesh": mesh, "extensions": { "MSFT_lod": { "ids": [coarse] } } }));
    assert_eq!(model(&document).triangles.len(), 2);
}

#[test]
fn hidden_meshes_are_left_out() {
    let mut document = Document::new();
    let mesh = document.square(None);
    document.node(json!({ "name": "Shown", "mesh": mesh }));
    let below = document.push("nodes", json!({ "mesh": mesh }));
    document.node(json!({
        "name": "Hidden", "mesh": mesh, "children": [below],
        "extensions": { "KHR_node_visibility": { "visible": false } },
    }));
    let scene = document.scene().unwrap();
    let palette = palette();
    let model = convert(&scene, &options(&palette)).unwrap();
    assert_eq!(model.document.triangles.len(), 2);
    let model = classic_models_gltf_import::lgw::convert(&scene, "model", None).unwrap();
    assert_eq!(model.file.meshes.len(), 1);
}

#[test]
fn meshes_that_an_animation_shows_are_points_while_they_are_hidden() {
    let mut document = Document::new();
    let mesh = document.square(None);
    let flash = document.push("nodes", json!({ "name": "Flash", "mesh": mesh }));
    let gun = document.node(json!({
        "name": "Gun", "children": [flash],
        "extensions": { "KHR_node_visibility": { "visible": false } },
    }));
    document.animate("fire", gun, "translation", &[0.0, 0.3], &[[0.0; 3]; 2]);
    let input = document.floats(&[[0.0], [0.1], [0.2]]);
    let output = document.floats(&[[0.0], [1.0], [0.0]]);
    let pointer = format!("/nodes/{gun}/extensions/KHR_node_visibility/visible");
    let target = json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } });
    let animation = &mut document.json["animations"][0];
    let sampler = json!({ "input": input, "output": output, "interpolation": "STEP" });
    animation["samplers"].as_array_mut().unwrap().push(sampler);
    let channel = json!({ "sampler": 1, "target": target });
    animation["channels"].as_array_mut().unwrap().push(channel);
    let bytes = model(&document).to_bytes();
    let file = parse(&bytes).unwrap();
    let size = |pose: usize| {
        let corners = (0..file.poses[pose].vertices.len()).map(|it| position(&file, pose, it)[1]);
        corners.clone().fold(f32::MIN, f32::max) - corners.fold(f32::MAX, f32::min)
    };
    assert_eq!(size(0), 0.0);
    assert!(size(1) > 0.5);
    assert_eq!(size(2), 0.0);

    let model = classic_models_gltf_import::abc::convert(
        &document.scene().unwrap(),
        &classic_models_gltf_import::abc::Options::default(),
    );
    assert_eq!(model.unwrap().document.geometry.triangles.len(), 2);
}

#[test]
fn clips_of_the_same_name_are_numbered() {
    let mut document = Document::new();
    let mesh = document.square(None);
    let node = document.node(json!({ "mesh": mesh }));
    for height in [1.0, 2.0] {
        let values = [[0.0; 3], [0.0, height, 0.0]];
        document.animate("run", node, "translation", &[0.0, 0.1], &values);
    }
    assert_eq!(
        names(&model(&document)),
        ["run1", "run2", "run_2_1", "run_2_2"]
    );
}

#[test]
fn hidden_joints_move_skinned_meshes() {
    let sizes = [true, false].map(|visible| {
        let mut document = Document::new();
        let mesh = document.square(None);
        let joints = document.view(&[0; 16]);
        let joints =
            json!({ "bufferView": joints, "componentType": 5121, "count": 4, "type": "VEC4" });
        let joints = document.push("accessors", joints);
        let weights = document.floats(&[[1.0, 0.0, 0.0, 0.0]; 4]);
        let attributes = &mut document.json["meshes"][mesh]["primitives"][0]["attributes"];
        attributes["JOINTS_0"] = json!(joints);
        attributes["WEIGHTS_0"] = json!(weights);
        let extensions = json!({ "KHR_node_visibility": { "visible": visible } });
        let joint = document.node(json!({ "extensions": extensions }));
        document.push("skins", json!({ "joints": [joint] }));
        document.node(json!({ "mesh": mesh, "skin": 0 }));
        let bytes = model(&document).to_bytes();
        parse(&bytes).unwrap().header.scale
    });
    assert!(sizes[0][1] > 0.0);
    assert_eq!(sizes[0], sizes[1]);
}
