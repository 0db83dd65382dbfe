//! The assets, entities and components of a loaded and spawned MDL model.

use crate::support::mdl::figure;
use crate::support::prelude::*;
use bevy::camera::visibility::NoAutoAabb;
use bevy_classic_models::quake::{MdlAssetLabel, SyncType};

#[test]
fn the_asset_has_all_data_by_name_and_label() {
    let mut app = TestApp::new(&[("models/tetra.mdl", tetrahedron().to_bytes())]);
    let handle = app.load::<Mdl>("models/tetra.mdl");
    assert!(matches!(app.finish_load(&handle), LoadState::Loaded));
    let label = |label: MdlAssetLabel| label.from_asset("models/tetra.mdl");
    let image = label(MdlAssetLabel::Image { skin: 1, image: 1 });
    let fullbright = label(MdlAssetLabel::Fullbright { skin: 1, image: 1 });
    let image = app.load::<Image>(image);
    let fullbright = app.load::<Image>(fullbright);

    let mdl = app.asset(&handle).clone();
    assert_eq!(mdl.skins.len(), 2);
    assert_eq!(mdl.skins[1].images[1].image, image);
    assert_eq!(mdl.skins[1].images[1].fullbright, Some(fullbright.clone()));
    assert_eq!(mdl.skins[0].images[0].fullbright, None);
    assert_eq!(mdl.named_clips["die"], 2);
    assert_eq!(mdl.frames.len(), 6);
    assert_eq!(&*mdl.pose_names[4], "burn2");
    assert_eq!((mdl.flags, mdl.sync_type), (8, SyncType::Synchronized));
    assert_eq!(mdl.eye_position, Vec3::new(0.0, 0.0, 22.0));
    let (min, max) = mdl.poses.bounds();
    assert_eq!(min, Vec3::new(-10.0, 0.0, -24.0));
    assert_eq!(max, Vec3::new(40.0, 25.0, 226.0));

    // Palette indices 222 to 229: two lit ones, six full-bright ones.
    let palette = bevy_classic_models::quake::Palette::default();
    let images = app.assets::<Image>();
    let lit = images.get(&image).unwrap().data.as_ref().unwrap();
    let emissive = images.get(&fullbright).unwrap().data.as_ref().unwrap();
    for (position, index) in (222..230).enumerate() {
        let [r, g, b] = palette.color(index);
        let (color, black) = ([r, g, b, 255], [0, 0, 0, 255]);
        let texel = |data: &[u8]| <[u8; 4]>::try_from(&data[4 * position..][..4]).unwrap();
        let expected = if index < 224 {
            (color, black)
        } else {
            (black, color)
        };
        assert_eq!((texel(lit), texel(emissive)), expected, "color {index}");
    }
}

#[test]
fn a_spawned_model_is_one_entity_below_the_root() {
    let mut app = TestApp::new(&[("tetra.mdl", tetrahedron().to_bytes())]);
    let root = app.spawn_ready("tetra.mdl#Scene", ());
    let mesh = app.animator(root).mesh();
    let model = app.animator(root).model().clone();
    let world = app.world();
    let children: Vec<_> = world.get::<Children>(root).unwrap().iter().collect();
    assert_eq!(children, [mesh]);
    let entity = world.entity(mesh);
    assert_eq!(entity.get::<Name>().unwrap().as_str(), "tetra");
    assert_eq!(entity.get::<Mesh3d>().unwrap().0, model.mesh);
    assert!(entity.contains::<MeshMaterial3d<MdlMaterial>>());
    assert!(entity.contains::<NoAutoAabb>());
    let aabb = entity.get::<Aabb>().unwrap();
    assert_eq!(Vec3::from(aabb.max()), Vec3::new(40.0, 25.0, 226.0));
    // From X forward, Z up to −Z forward, Y up.
    let transform = entity.get::<Transform>().unwrap();
    assert_eq!(
        transform.transform_point(Vec3::new(1.0, 2.0, 3.0)),
        Vec3::new(-2.0, 3.0, -1.0)
    );
}

#[test]
fn the_mesh_has_pose_0_counter_clockwise_triangles_and_a_split_seam() {
    let mut app = TestApp::new(&[("tetra.mdl", tetrahedron().to_bytes())]);
    let handle = app.load::<Mdl>("tetra.mdl");
    app.wait_loaded(&handle);
    let mdl = app.asset(&handle).clone();
    let mesh = app.asset(&mdl.mesh).clone();
    let Some(VertexAttributeValues::Float32x2(file_vertices)) =
        mesh.attribute(Mesh::ATTRIBUTE_UV_1)
    else {
        panic!("no attribute with the vertex indices of the file");
    };
    let file_vertices: Vec<_> = file_vertices.iter().map(|uv| uv[0] as u32).collect();
    // Triangle 1 is on the back, so vertex 0, which is on the seam, is duplicated.
    assert_eq!(file_vertices, [0, 2, 1, 0, 3]);
    let Some(Indices::U16(indices)) = mesh.indices() else {
        panic!("not 16-bit indices");
    };
    assert_eq!(indices[..], [0, 1, 2, 3, 4, 1, 0, 2, 4, 2, 1, 4]);
    let Some(VertexAttributeValues::Float32x2(uv)) = mesh.attribute(Mesh::ATTRIBUTE_UV_0) else {
        panic!("no texture coordinates");
    };
    // Texel centers. On the back, half the width of 4 texels is added.
    assert_eq!(uv[0], [0.125, 0.25]);
    assert_eq!(uv[3], [0.625, 0.25]);
    let Some(VertexAttributeValues::Float32x3(positions)) =
        mesh.attribute(Mesh::ATTRIBUTE_POSITION)
    else {
        panic!("no positions");
    };
    assert_eq!(positions[2], [40.0, 0.0, -24.0]);
}

#[test]
fn sixteen_bit_positions_are_finer() {
    let document = figure(Precision::Bits16);
    let coarse = figure(Precision::Bits8);
    let mut app = TestApp::new(&[
        ("wide.mdl", document.to_bytes()),
        ("coarse.mdl", coarse.to_bytes()),
    ]);
    let step = |app: &mut TestApp, path: &'static str| {
        let handle = app.load::<Mdl>(path);
        app.wait_loaded(&handle);
        let mdl = app.asset(&handle).clone();
        (mdl.poses.step(), mdl.poses.vertex(2, 40).0)
    };
    let (fine_step, fine) = step(&mut app, "wide.mdl");
    let (coarse_step, coarse) = step(&mut app, "coarse.mdl");
    assert!((fine_step * 256.0).distance(coarse_step) < 1e-6);
    assert!(fine.distance(coarse) < coarse_step.length());
}

#[test]
fn settings_change_scale_axes_and_frame_rate() {
    let mut app = TestApp::new(&[("tetra.MDL", tetrahedron().to_bytes())]);
    let handle: Handle<Mdl> = app.load_with("tetra.MDL", |settings: &mut MdlLoaderSettings| {
        settings.scale = 0.5;
        settings.convert_axes = false;
        settings.frame_rate = 20.0;
        settings.interpolate = false;
    });
    app.wait_loaded(&handle);
    let root = app.spawn_ready("tetra.MDL#Scene", PlayClip::looping("run"));
    app.step(0.07);
    let shown = app.animator(root).shown();
    assert_eq!((shown.to.a, shown.to.towards_b), (1, 0.0));
    let mesh = app.animator(root).mesh();
    let transform = *app.get::<Transform>(mesh);
    assert_eq!(transform, Transform::from_scale(Vec3::splat(0.5)));
}

#[test]
fn invalid_settings_are_an_error() {
    let cases: [(fn(&mut MdlLoaderSettings), _); 3] = [
        (|settings| settings.frame_rate = 0.0, "frame_rate is 0"),
        (|settings| settings.scale = -1.0, "scale is -1"),
        (|settings| settings.scale = 0.0, "scale is 0"),
    ];
    for (set, expected) in cases {
        let mut app = TestApp::new(&[("tetra.mdl", tetrahedron().to_bytes())]);
        let handle: Handle<Mdl> = app
            .load_with("tetra.mdl", move |settings: &mut MdlLoaderSettings| {
                set(settings)
            });
        let error = app.load_error(&handle);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_meta_file_has_settings_and_an_unknown_one_is_an_error() {
    let meta = |settings: &str| {
        format!(
            r#"(meta_format_version: "1.0", asset: Load(
                loader: "bevy_classic_models::quake::loader::MdlLoader", settings: ({settings})))"#
        )
    };
    let mut app = TestApp::new(&[
        ("good.mdl", tetrahedron().to_bytes()),
        ("bad.mdl", tetrahedron().to_bytes()),
    ]);
    let path = std::path::Path::new;
    app.files
        .insert_meta_text(path("good.mdl"), &meta("frame_rate: 5.0, cutout: On"));
    app.files
        .insert_meta_text(path("bad.mdl"), &meta("frame_rat: 5.0"));
    let good = app.load::<Mdl>("good.mdl");
    app.wait_loaded(&good);
    let mdl = app.asset(&good).clone();
    assert_eq!(mdl.clips[0].sequence.seconds(), 0.6);
    let bad = app.load::<Mdl>("bad.mdl");
    assert!(matches!(app.finish_load(&bad), LoadState::Failed(_)));
}

/// A palette of grays: index × 2.
fn gray_palette() -> Vec<u8> {
    (0..256)
        .flat_map(|index| [(index * 2 % 256) as u8; 3])
        .collect()
}

fn first_color(app: &mut TestApp, mdl: &Handle<Mdl>) -> [u8; 3] {
    let mdl = app.asset(mdl).clone();
    let image = app.asset(&mdl.skins[0].images[0].image);
    image.data.as_ref().unwrap()[..3].try_into().unwrap()
}

fn load_with_palette(app: &mut TestApp, path: &'static str, palette: &'static str) -> Handle<Mdl> {
    let handle = app.load_with(path, move |settings: &mut MdlLoaderSettings| {
        settings.palette = Some(palette.into());
        settings.texture_folders = vec!["gfx".into()];
    });
    app.wait_loaded(&handle);
    handle
}

#[test]
fn palettes_are_found_in_any_case_and_missing_ones_are_no_error() {
    let mut app = TestApp::new(&[
        ("progs/tetra.mdl", tetrahedron().to_bytes()),
        ("progs/missing.mdl", tetrahedron().to_bytes()),
        ("progs/broken.mdl", tetrahedron().to_bytes()),
        ("GFX/Palette.lmp", gray_palette()),
        ("GFX/short.lmp", vec![1, 2, 3]),
    ]);
    let found = load_with_palette(&mut app, "progs/tetra.mdl", r"..\PALETTE.LMP");
    assert_eq!(first_color(&mut app, &found), [28; 3]);
    let quake = bevy_classic_models::quake::Palette::default().color(14);
    let missing = load_with_palette(&mut app, "progs/missing.mdl", "missing.lmp");
    assert_eq!(first_color(&mut app, &missing), quake);
    let broken = load_with_palette(&mut app, "progs/broken.mdl", "short.lmp");
    assert_eq!(first_color(&mut app, &broken), quake);
}

#[test]
fn a_broken_file_fails_with_its_path_and_offset() {
    let mut bytes = tetrahedron().to_bytes();
    bytes.truncate(300);
    let mut app = TestApp::new(&[("models/broken.mdl", bytes)]);
    let handle = app.load::<Mdl>("models/broken.mdl");
    let message = app.load_error(&handle);
    assert!(message.contains("models/broken.mdl: MDL: "), "{message}");
    assert!(message.contains("at offset"), "{message}");
}

#[test]
fn extensions_are_configurable() {
    let quake = QuakePlugin {
        extensions: vec!["qmdl".into()],
        ..default()
    };
    let files = [("tetra.QMdl", tetrahedron().to_bytes())];
    let mut app = TestApp::with_plugin(&files, ClassicModelsPlugins.set(quake));
    let handle = app.load::<Mdl>("tetra.QMdl");
    assert!(matches!(app.finish_load(&handle), LoadState::Loaded));
}

fn material_of(app: &mut TestApp, root: Entity) -> Handle<MdlMaterial> {
    let mesh = app.animator(root).mesh();
    app.get::<MeshMaterial3d<MdlMaterial>>(mesh).0.clone()
}

#[test]
fn skins_switch_and_skin_groups_animate() {
    let mut app = TestApp::new(&[("tetra.mdl", tetrahedron().to_bytes())]);
    let root = app.spawn_ready("tetra.mdl#Scene", ());
    let model = app.animator(root).model().clone();
    assert_eq!(&material_of(&mut app, root), model.material(0, 0).unwrap());
    app.insert(root, ModelSkin::Index(1));
    app.step(0.05);
    assert_eq!(&material_of(&mut app, root), model.material(1, 0).unwrap());
    app.step(0.1);
    assert_eq!(&material_of(&mut app, root), model.material(1, 1).unwrap());
    app.step(0.3);
    assert_eq!(&material_of(&mut app, root), model.material(1, 0).unwrap());
    // A skin index out of range means the last skin.
    app.apply(root, ModelSkin::Index(7));
    assert_eq!(&material_of(&mut app, root), model.material(1, 0).unwrap());
    app.remove::<ModelSkin>(root);
    app.step(0.0);
    assert_eq!(&material_of(&mut app, root), model.material(0, 0).unwrap());
}

#[test]
fn equal_player_colors_share_a_material() {
    let mut app = TestApp::new(&[("tetra.mdl", tetrahedron().to_bytes())]);
    let colors = |shirt, pants| PlayerColors { shirt, pants };
    let plain = app.spawn_ready("tetra.mdl#Scene", ());
    let red = app.spawn_ready("tetra.mdl#Scene", colors(4, 4));
    let other_red = app.spawn_ready("tetra.mdl#Scene", colors(4, 4));
    let blue = app.spawn_ready("tetra.mdl#Scene", colors(13, 13));
    let images = app.assets::<Image>().len();
    app.step(0.0);
    assert_eq!(material_of(&mut app, red), material_of(&mut app, other_red));
    assert_ne!(material_of(&mut app, red), material_of(&mut app, blue));
    assert_ne!(material_of(&mut app, red), material_of(&mut app, plain));
    assert_eq!(
        app.assets::<Image>().len(),
        images,
        "player colors need no image"
    );

    let materials = app.assets::<MdlMaterial>().len();
    app.remove::<PlayerColors>(blue);
    app.steps(3, 0.0);
    assert_eq!(material_of(&mut app, blue), material_of(&mut app, plain));
    assert_eq!(app.assets::<MdlMaterial>().len(), materials - 1);
}

#[test]
fn a_model_without_skins_has_the_plain_material() {
    let mut document = tetrahedron();
    document.skins.clear();
    let mut app = TestApp::new(&[("tetra.mdl", document.to_bytes())]);
    let root = app.spawn_ready("tetra.mdl#Scene", ());
    let model = app.animator(root).model().clone();
    assert_eq!(Some(material_of(&mut app, root)), model.plain_material);
    // Player colors have no effect.
    let colors = PlayerColors { shirt: 4, pants: 4 };
    app.apply(root, colors);
    assert_eq!(Some(material_of(&mut app, root)), model.plain_material);
}

#[test]
fn a_root_can_change_its_model() {
    let mut app = TestApp::new(&[
        ("one.mdl", tetrahedron().to_bytes()),
        ("two.mdl", figure(Precision::Bits8).to_bytes()),
    ]);
    let root = app.spawn_ready("one.mdl#Scene", PlayClip::looping("run"));
    let first = app.animator(root).mesh();
    let scene = app.load("two.mdl#Scene");
    app.remove::<WorldAssetRoot>(root);
    app.insert(root, WorldAssetRoot(scene));
    app.wait_until(|world| {
        let animator = world.get::<bevy_classic_models::quake::MdlInstance>(root);
        animator.is_some_and(|animator| animator.mesh() != first)
    });
    let mesh = app.animator(root).mesh();
    assert!(app.find::<bevy::mesh::MeshTag>(mesh).is_some());
    assert_eq!(app.animator(root).model().clips.len(), 3);
    assert_eq!(app.animator(root).sequence().pose_count, 4);
}
