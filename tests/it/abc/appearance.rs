//! Appearance of LithTech models: external skins, levels of detail by distance, unlit texels and node flags.

use crate::abc::scene::{applied_material, dtx, get};
use crate::support::abc::{ARM, BODY, bytes, figure};
use crate::support::abc_app::{model, spawned_of as app_of};
use crate::support::lods::{level, move_to};
use crate::support::prelude::*;
use bevy::image::{CompressedImageFormats, ImageLoader};
use bevy_classic_models::lithtech::dtx::write::write;

const FILE: &str = "model.abc";

/// Settings that keep all levels of detail of the file.
fn all_levels() -> AbcLoaderSettings {
    AbcLoaderSettings {
        lod_shares: vec![0.75, 0.5],
        ..AbcLoaderSettings::default()
    }
}

#[test]
fn camera_distance_selects_levels() {
    let settings = AbcLoaderSettings {
        lod_distances: Some(vec![100.0, 200.0]),
        ..all_levels()
    };
    let (mut app, root) = app_of(&[(FILE, bytes(&figure()))], FILE, settings);
    assert_selected_by_distance(&mut app, root);
}

#[test]
fn command_string_sets_lod_distances() {
    let mut document = figure();
    document.command_string = "Foo;LODSTARTDIST 50;LODINCREMENT 25".to_owned();
    let (mut app, root) = app_of(&[(FILE, bytes(&document))], FILE, all_levels());
    let camera = app.spawn_entity(Camera3d::default());
    for (at, expected) in [(40.0, 0), (60.0, 1), (80.0, 2)] {
        move_to(&mut app, camera, at);
        assert_eq!(level(&mut app, root), expected, "at {at}");
    }
    let (mut app, root) = app_of(&[(FILE, bytes(&figure()))], FILE, all_levels());
    let camera = app.spawn_entity(Camera3d::default());
    move_to(&mut app, camera, 1e6);
    assert_eq!(level(&mut app, root), 0);
}

/// The base color texture of a material.
fn base_texture(app: &mut TestApp, material: &Handle<StandardMaterial>) -> Option<Handle<Image>> {
    let materials = app.assets::<StandardMaterial>();
    materials.get(material).unwrap().base_color_texture.clone()
}

fn active_texture(app: &mut TestApp, root: Entity) -> Option<Handle<Image>> {
    let material = applied_material(app, root);
    base_texture(app, &material)
}

#[test]
fn model_skin_applies_any_texture() {
    let files = [
        (FILE, bytes(&figure())),
        ("model.dtx", dtx([255, 0, 0])),
        ("other.dtx", dtx([0, 0, 255])),
    ];
    let (mut app, root) = app_of(&files, FILE, AbcLoaderSettings::default());
    let own = applied_material(&mut app, root);
    let count = |app: &mut TestApp| app.assets::<StandardMaterial>().len();
    let before = count(&mut app);
    let abc = app.server().load::<Abc>(FILE);
    let scene = app.asset(&abc).scene.clone();
    let other = app.spawn_entity(WorldAssetRoot(scene));
    app.wait_for(&[other]);
    for root in [root, other] {
        app.insert(root, ModelSkin::from("other.dtx"));
        // The skin is not loaded yet, so the material stays for this frame.
        app.step(0.0);
        wait_for_new_material(&mut app, root, own.id());
    }
    // Keep IDs instead of handles, so that unused materials are removed.
    let id = applied_material(&mut app, root).id();
    assert_ne!(id, own.id());
    let shared = applied_material(&mut app, other).id();
    assert_eq!(
        id, shared,
        "instances with the same skin share its material"
    );
    let applied = active_texture(&mut app, root).unwrap();
    assert_eq!(applied.path().unwrap().to_string(), "other.dtx");

    let image = app.add_asset(Image::default());
    app.apply(root, ModelSkin::from(image.clone()));
    assert_eq!(active_texture(&mut app, root), Some(image));

    app.apply(root, ModelSkin::Index(0));
    assert_eq!(applied_material(&mut app, root), own);
    app.remove::<ModelSkin>(other);
    app.step(0.0);
    assert_eq!(applied_material(&mut app, other), own);
    // Unused materials are removed.
    app.step(0.0);
    assert_eq!(count(&mut app), before);
}

/// Waits until a model uses another material.
fn wait_for_new_material(app: &mut TestApp, root: Entity, before: AssetId<StandardMaterial>) {
    let mut patience = gpuless::Patience::new(5000);
    while applied_material(app, root).id() == before {
        assert!(!patience.is_exhausted(), "the skin was not applied");
        app.step(0.0);
        patience.wait();
    }
}

#[test]
fn missing_skin_keeps_the_current_one_with_a_warning() {
    let files = [
        (FILE, bytes(&figure())),
        ("a.dtx", dtx([255, 0, 0])),
        ("b.dtx", dtx([0, 255, 0])),
    ];
    let settings = AbcLoaderSettings {
        skins: vec!["a.dtx".into(), "b.dtx".into()],
        ..AbcLoaderSettings::default()
    };
    let (mut app, root) = app_of(&files, FILE, settings);
    app.apply(root, ModelSkin::Index(1));
    let own = applied_material(&mut app, root);
    assert_eq!(own, model(&mut app, root).skins[1].materials.surfaces[0]);
    for path in ["missing.dtx", FILE] {
        app.insert(root, ModelSkin::from(path));
        let mut patience = gpuless::Patience::new(5000);
        let is_warned = || {
            let warnings = log::warnings_with("keeps its skin");
            warnings.iter().any(|warning| warning.contains(path))
        };
        while !is_warned() {
            assert!(!patience.is_exhausted(), "{path}");
            app.step(0.0);
            assert_eq!(applied_material(&mut app, root), own);
            patience.wait();
        }
    }
}

/// A PNG file with one texel, (255, 128, 64).
const PNG: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\x00\x00\x00\x0cIDATx\x9cc\xf8\xdf\xe0\x00\x00\x04A\x01\xc0\x0c\xd1\xed\x91\x00\x00\x00\x00IEND\xaeB`\x82";

#[test]
fn unreadable_skin_is_a_placeholder_until_fixed() {
    for file in ["broken_skin.png", "broken_skin.tga", "broken_skin.dtx"] {
        let files = [(FILE, bytes(&figure())), (file, b"nonsense".to_vec())];
        let mut app = TestApp::new(&files);
        // Bevy registers the image loader only with a renderer.
        let loader = ImageLoader::new(CompressedImageFormats::NONE);
        app.app.register_asset_loader(loader);
        let settings = move |to: &mut AbcLoaderSettings| to.skins = vec![file.into()];
        let model: Handle<Abc> = app.load_with(FILE, settings);
        let texel = |world: &World| {
            let model = world.resource::<Assets<Abc>>().get(&model)?;
            let images = world.resource::<Assets<Image>>();
            let texels = images.get(&model.skins[0].image)?.data.as_ref()?;
            texels.first_chunk::<4>().copied()
        };
        let is_replaced = |world: &mut World| texel(world) == Some([255, 0, 255, 255]);
        app.wait(file, is_replaced);
        if file.ends_with("png") {
            app.save(file, PNG);
            app.reload(file);
            let is_fixed = |world: &mut World| texel(world) == Some([255, 128, 64, 255]);
            app.wait_until(is_fixed);
        }
    }
}

#[test]
fn skin_without_extension_resolves_to_dtx() {
    let files = [(FILE, bytes(&figure())), ("Skins/Hero.DTX", dtx([1, 2, 3]))];
    let settings = AbcLoaderSettings {
        skins: vec!["hero".into()],
        texture_folders: vec!["skins".into()],
        ..AbcLoaderSettings::default()
    };
    let (mut app, root) = app_of(&files, FILE, settings);
    let skins = &model(&mut app, root).skins;
    assert_eq!(skins.len(), 1);
    let path = skins[0].image.path().map(ToString::to_string);
    assert_eq!(path.as_deref(), Some("Skins/Hero.DTX"));
}

#[test]
fn models_with_scrolling_textures_share_materials() {
    let mut document = figure();
    document.nodes[ARM].flags |= node_flags::SCROLL_U;
    let files = [(FILE, bytes(&document)), ("model.dtx", dtx([1, 2, 3]))];
    let (mut app, first) = app_of(&files, FILE, AbcLoaderSettings::default());
    let abc = app.server().load::<Abc>(FILE);
    let image = app.add_asset(Image::default());
    let mut applied = Vec::new();
    for _ in 0..3 {
        let scene = app.asset(&abc);
        let root = (
            WorldAssetRoot(scene.scene.clone()),
            ModelSkin::from(image.clone()),
        );
        let root = app.spawn_entity(root);
        app.wait_for(&[root]);
        app.step(0.1);
        let arm = app.get::<AbcInstance>(root).meshes()[1];
        applied.push(get::<MeshMaterial3d<StandardMaterial>>(&mut app, arm));
    }
    assert!(applied.iter().all(|other| *other == applied[0]));
    let own = app.get::<AbcInstance>(first).meshes()[1];
    assert_ne!(
        get::<MeshMaterial3d<StandardMaterial>>(&mut app, own),
        applied[0]
    );
}

#[test]
fn bundled_model_has_lods_and_distances() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let mut app = TestApp::in_folder(&folder);
    let abc: Handle<Abc> = app.load("models/warden.abc");
    app.wait_loaded(&abc);
    let abc = app.asset(&abc);
    assert_eq!(abc.levels.len(), 4);
    assert_eq!(abc.lod_distances.len(), 3);
    assert!(abc.lod_distances.is_sorted());
}

#[test]
fn model_skin_applies_any_texture_to_quake_models() {
    let mut app = TestApp::new(&[
        ("tetra.mdl", tetrahedron().to_bytes()),
        ("other.dtx", dtx([0, 0, 255])),
    ]);
    let root = app.spawn_ready("tetra.mdl#Scene", PlayerColors { shirt: 4, pants: 3 });
    let material = |app: &mut TestApp| {
        let mesh = app.animator(root).mesh();
        let MeshMaterial3d(material) = get::<MeshMaterial3d<MdlMaterial>>(app, mesh);
        let materials = app.assets::<MdlMaterial>();
        materials.get(&material).unwrap().clone()
    };
    app.insert(root, ModelSkin::from("other.dtx"));
    let is_applied = |app: &mut TestApp| {
        let texture = material(app).base.base_color_texture;
        texture.is_some_and(|image| image.path().is_some_and(|path| path.label().is_none()))
    };
    let mut patience = gpuless::Patience::new(5000);
    while !is_applied(&mut app) {
        assert!(!patience.is_exhausted(), "the skin was not applied");
        app.step(0.0);
        patience.wait();
    }
    let applied = material(&mut app);
    let path = applied
        .base
        .base_color_texture
        .unwrap()
        .path()
        .unwrap()
        .to_string();
    assert_eq!(path, "other.dtx");
    app.remove::<ModelSkin>(root);
    app.step(0.0);
    assert!(!is_applied(&mut app));
}

/// A texture whose left half is unlit.
fn half_unlit() -> Vec<u8> {
    let mut texture = DtxDocument::indexed(8, 8, &[[100, 0, 0]], &[0; 64]);
    texture.palette[255] = [255, 0, 200, 0];
    texture.flags |= texture_flags::FULL_BRIGHT;
    for (index, texel) in texture.levels[0].iter_mut().enumerate() {
        *texel = if index % 8 < 4 { 255 } else { 0 };
    }
    write(&texture).unwrap()
}

#[test]
fn unlit_texels_are_emissive() {
    let files = [(FILE, bytes(&figure())), ("model.dtx", half_unlit())];
    let (mut app, root) = app_of(&files, FILE, AbcLoaderSettings::default());
    let glow = model(&mut app, root).skins[0].glow.clone().unwrap();
    let material = applied_material(&mut app, root);
    let materials = app.assets::<StandardMaterial>();
    let material = materials.get(&material).unwrap();
    assert_eq!(material.emissive, LinearRgba::WHITE);
    assert_eq!(material.emissive_texture.as_ref(), Some(&glow));
    app.wait_loaded(&glow);
    let images = app.assets::<Image>();
    let glow = images.get(&glow).unwrap().data.clone().unwrap();
    assert_eq!(glow[12..20], [0, 200, 0, 255, 0, 0, 0, 255]);
    // A skin without unlit texels has no glow texture.
    let files = [(FILE, bytes(&figure())), ("model.dtx", dtx([1, 2, 3]))];
    let (mut app, root) = app_of(&files, FILE, AbcLoaderSettings::default());
    assert_eq!(model(&mut app, root).skins[0].glow, None);
}

#[test]
fn unlit_texels_are_visible_in_the_dark() {
    let green_pixels = |skin: Vec<u8>| {
        let mut stage = Stage::dark(&[(FILE, bytes(&large())), ("model.dtx", skin)]);
        let settings = AbcLoaderSettings {
            double_sided: true,
            ..AbcLoaderSettings::default()
        };
        stage.spawn_abc(FILE, settings, ());
        let image = stage.capture();
        let green = image.0.iter().filter(|[r, g, ..]| *r < 20 && *g > 190);
        green.count()
    };
    assert_eq!(green_pixels(dtx([0, 200, 0])), 0);
    assert!(green_pixels(half_unlit()) > 200);
}

/// The figure at three times its size.
fn large() -> AbcDocument {
    let mut model = figure();
    for vertex in &mut model.geometry.vertices {
        vertex.position = vertex.position.map(|value| (value.get() * 3.0).into());
    }
    model
}

#[test]
fn node_flags_set_materials() {
    let mut document = figure();
    document.nodes[ARM].flags |= node_flags::ENVIRONMENT_MAP | node_flags::SCROLL_V;
    let settings = AbcLoaderSettings {
        scroll_speed: [7.0, 0.5],
        ..AbcLoaderSettings::default()
    };
    let files = [(FILE, bytes(&document)), ("model.dtx", dtx([1, 2, 3]))];
    let (mut app, root) = app_of(&files, FILE, settings);
    let meshes = app.get::<AbcInstance>(root).meshes().to_vec();
    let nodes: Vec<_> = meshes
        .iter()
        .map(|mesh| get::<AbcMesh>(&mut app, *mesh).node)
        .collect();
    assert_eq!(nodes, [None, Some(ARM)], "the other nodes share one mesh");
    let materials: Vec<_> = meshes
        .iter()
        .map(|mesh| get::<MeshMaterial3d<StandardMaterial>>(&mut app, *mesh).0)
        .collect();
    let material = |app: &mut TestApp, index: usize| {
        let assets = app.assets::<StandardMaterial>();
        assets.get(&materials[index]).unwrap().clone()
    };
    let (plain, arm) = (material(&mut app, 0), material(&mut app, 1));
    assert_eq!(plain.metallic, 0.0);
    assert!(arm.metallic > 0.0 && arm.perceptual_roughness < 0.5);
    assert_eq!(arm.base_color_texture, plain.base_color_texture);
    let uv_offset = |app: &mut TestApp, index| material(app, index).uv_transform.translation;
    let start = uv_offset(&mut app, 1);
    app.step(0.2);
    let step = uv_offset(&mut app, 1) - start;
    assert!(step.abs_diff_eq(Vec2::new(0.0, 0.1), 1e-4), "{step}");
    assert_eq!(uv_offset(&mut app, 0), Vec2::ZERO);
    let mut document = figure();
    document.nodes[BODY].flags |= node_flags::ENVIRONMENT_MAP_ONLY;
    let files = [(FILE, bytes(&document)), ("model.dtx", dtx([1, 2, 3]))];
    let (mut app, root) = app_of(&files, FILE, AbcLoaderSettings::default());
    let model = model(&mut app, root);
    let material = model.material(0, Some(BODY)).unwrap();
    assert_eq!(base_texture(&mut app, material), None);
    let image = app.add_asset(Image::default());
    app.apply(root, ModelSkin::from(image));
    let body = app.get::<AbcInstance>(root).meshes()[1];
    let MeshMaterial3d(applied) = get::<MeshMaterial3d<StandardMaterial>>(&mut app, body);
    assert_eq!(
        &applied, material,
        "an environment-mapped node ignores the model's skin"
    );
}

#[test]
fn inside_out_model_warns() {
    // The triangle faces down and back.
    let is_warned = |path: &'static str, normal: [i8; 3]| {
        let mut document = figure();
        document.geometry.triangles.truncate(1);
        for vertex in &mut document.geometry.vertices {
            vertex.normal = normal;
        }
        app_of(
            &[(path, bytes(&document))],
            path,
            AbcLoaderSettings::default(),
        );
        let warnings = log::warnings_with("face as their normals do");
        warnings.iter().any(|warning| warning.contains(path))
    };
    assert!(!is_warned("outward.abc", [0, -57, -114]));
    assert!(is_warned("inside_out.abc", [0, 57, 114]));
}
