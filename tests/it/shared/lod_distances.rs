//! `LodDistances` of a root, on the formats with levels of detail.

use crate::support::abc::{bytes as abc_bytes, figure};
use crate::support::lods::{level, move_to};
use crate::support::prelude::*;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::alo::{Bone, Mesh as FileMesh, Proxy};

/// A model with three levels of detail, and with a proxy of this name if given.
fn with_lods(proxy: Option<&'static str>) -> Vec<u8> {
    let (vertices, triangles) = crate::support::alo_stage::cuboid([1.0; 3], [0.0; 3]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let mut file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3])]);
    let mesh = |name: &'static str| {
        let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", Vec::new());
        FileMesh::new(name, 0, vec![submesh])
    };
    file.meshes = ["Hull_LOD0", "Hull_LOD3", "Hull_LOD1"].map(mesh).into();
    let proxy = proxy.map(|name| Proxy {
        name: name.into(),
        bone: 0,
        hidden: None,
        alt_decrease_stay_hidden: None,
    });
    file.proxies = proxy.into_iter().collect();
    write(&file).unwrap()
}

fn app() -> TestApp {
    log::listen();
    let mut abc = figure();
    abc.command_string = "LODSTARTDIST 50;LODINCREMENT 25".to_owned();
    TestApp::new(&[
        ("far.alo", with_lods(None)),
        ("outer.alo", with_lods(Some("far"))),
        ("far.abc", abc_bytes(&abc)),
    ])
}

fn spawn_abc(app: &mut TestApp, bundle: impl Bundle) -> Entity {
    let settings = AbcLoaderSettings {
        lod_shares: vec![0.75, 0.5],
        ..AbcLoaderSettings::default()
    };
    let model = crate::support::abc_app::load(app, "far.abc", settings).unwrap();
    crate::support::abc_app::spawn(app, &model, bundle)
}

/// Asserts that the level follows the distances, and follows them again when they change.
fn assert_levels(app: &mut TestApp, root: Entity) {
    let camera = assert_selected_by_distance(app, root);

    app.apply(root, LodDistances(vec![1000.0, 2000.0]));
    assert_eq!(level(app, root), 0);
    app.apply(root, LodDistances(vec![100.0]));
    assert_eq!(
        level(app, root),
        1,
        "levels without a distance are not used"
    );
    app.apply(root, LodDistances(Vec::new()));
    assert_eq!(level(app, root), 0);
    app.despawn(camera);
}

fn distances() -> LodDistances {
    LodDistances(vec![100.0, 200.0])
}

#[test]
fn distances_select_levels_of_alamo_models() {
    let mut app = app();
    let root = app.spawn_ready("far.alo#Scene", distances());
    assert_levels(&mut app, root);
}

#[test]
fn distances_of_the_root_override_those_of_a_lithtech_file() {
    let mut app = app();
    let root = spawn_abc(&mut app, distances());
    assert_levels(&mut app, root);
    // The distances of the file are 50 and 75.
    let camera = app.spawn_entity(Camera3d::default());
    move_to(&mut app, camera, 60.0);
    assert_eq!(level(&mut app, root), 0);
    app.remove::<LodDistances>(root);
    app.step(0.0);
    assert_eq!(level(&mut app, root), 1);
}

#[test]
fn removing_the_distances_restores_the_finest_level() {
    let mut app = app();
    let root = app.spawn_ready("far.alo#Scene", distances());
    let camera = app.spawn_entity(Camera3d::default());
    move_to(&mut app, camera, 150.0);
    assert_eq!(level(&mut app, root), 1);
    app.remove::<LodDistances>(root);
    app.step(0.0);
    assert_eq!(level(&mut app, root), 0);
}

#[test]
fn the_level_is_kept_on_respawn() {
    let mut app = app();
    let alo: Handle<Alo> = app.load("far.alo");
    let roots = [
        app.spawn_ready("far.alo#Scene", distances()),
        spawn_abc(&mut app, distances()),
    ];
    let camera = app.spawn_entity(Camera3d::default());
    move_to(&mut app, camera, 150.0);
    for root in roots {
        app.respawn(root);
    }
    for _ in 0..5 {
        app.step(0.0);
        for root in roots {
            assert_eq!(level(&mut app, root), 1);
        }
    }
    drop(alo);
}

#[test]
fn proxy_models_have_the_level_of_the_outer_model() {
    let mut app = app();
    let settings = |settings: &mut AloLoaderSettings| {
        settings.load_proxies = true;
        settings.scale = 0.01;
    };
    let alo: Handle<Alo> = app.load_with("outer.alo", settings);
    app.wait_loaded(&alo);
    let scene = app.load("outer.alo#Scene");
    let root = app.spawn_entity((WorldAssetRoot(scene), distances()));
    app.wait_for(&[root]);
    let proxy_model = |world: &mut World| {
        let mut proxies = world.query_filtered::<Entity, (With<AloProxy>, With<AloInstance>)>();
        proxies.single(world).ok()
    };
    let is_spawned = |world: &mut World| proxy_model(world).is_some();
    app.wait_until(is_spawned);
    let proxy = proxy_model(app.world()).unwrap();
    let camera = app.spawn_entity(Camera3d::default());
    for (at, expected) in [(50.0, 0), (150.0, 1), (300.0, 2), (10.0, 0)] {
        move_to(&mut app, camera, at);
        app.step(0.0);
        assert_eq!(level(&mut app, root), expected, "at {at}");
        assert_eq!(level(&mut app, proxy), expected, "at {at}");
    }
    app.remove::<LodDistances>(root);
    move_to(&mut app, camera, 300.0);
    assert_eq!(level(&mut app, proxy), 0);
}

#[test]
fn the_scale_of_a_manifest_scales_the_distances_of_the_file() {
    let mut app = app();
    let manifest = |scale: f32| format!("(model: \"far.abc\", scale: {scale})").into_bytes();
    for (path, scale) in [("small.model.ron", 0.5), ("large.model.ron", 2.0)] {
        app.save(path, manifest(scale));
    }
    let settings = AbcLoaderSettings {
        lod_shares: vec![0.75, 0.5],
        ..AbcLoaderSettings::default()
    };
    // Manifests use the settings of the first load.
    let _model = crate::support::abc_app::load(&mut app, "far.abc", settings).unwrap();
    let roots = ["small.model.ron", "large.model.ron"].map(|path| {
        let root = app.spawn_model(path, ());
        app.wait_for(&[root]);
        root
    });
    let camera = app.spawn_entity(Camera3d::default());
    // The distances of the file are 50 and 75.
    for (at, levels) in [
        (20.0, [0, 0]),
        (30.0, [1, 0]),
        (45.0, [2, 0]),
        (110.0, [2, 1]),
        (160.0, [2, 2]),
    ] {
        move_to(&mut app, camera, at);
        let shown = roots.map(|root| level(&mut app, root));
        assert_eq!(shown, levels, "at {at}");
    }
    // Distances of the root are in world units, regardless of the manifest's scale.
    move_to(&mut app, camera, 60.0);
    app.apply(roots[0], distances());
    assert_eq!(level(&mut app, roots[0]), 0);
    app.remove::<LodDistances>(roots[0]);
    app.remove::<ClassicModel>(roots[0]);
    app.step(0.0);
    // The same root, now without the manifest.
    let scene = app.load("far.abc#Scene");
    app.insert(roots[0], WorldAssetRoot(scene));
    app.wait_for(&[roots[0]]);
    app.step(0.0);
    assert_eq!(level(&mut app, roots[0]), 1);
}

#[test]
fn a_replaced_scene_does_not_inherit_the_level() {
    let mut app = app();
    let root = spawn_abc(&mut app, ());
    let camera = app.spawn_entity(Camera3d::default());
    move_to(&mut app, camera, 60.0);
    assert_eq!(level(&mut app, root), 1);
    let scene = app.load("far.alo#Scene");
    app.insert(root, WorldAssetRoot(scene));
    // The old model stays until the new one is loaded.
    app.wait_until(|world| world.get::<AloInstance>(root).is_some());
    app.step(0.0);
    assert_eq!(level(&mut app, root), 0);
}

#[test]
fn levels_are_right_in_the_first_frame_of_a_model_or_camera() {
    let mut app = app();
    // The models stay loaded, so that instances spawn within one frame.
    let _held = [
        app.spawn_ready("far.alo#Scene", ()),
        spawn_abc(&mut app, ()),
    ];
    let camera = app.spawn_entity(Camera3d::default());
    move_to(&mut app, camera, 1000.0);
    let parent = Transform::from_xyz(900.0, 0.0, 0.0);
    let parent = app.spawn_entity((parent, Visibility::default()));
    app.step(0.0);
    for path in ["far.alo#Scene", "far.abc#Scene"] {
        let scene = app.load(path);
        // 150 from the camera, and 850 from the world's origin.
        let transform = Transform::from_xyz(-50.0, 0.0, 0.0);
        let root = (
            WorldAssetRoot(scene),
            transform,
            distances(),
            ChildOf(parent),
        );
        let root = app.spawn_entity(root);
        for _ in 0..3 {
            app.step(0.0);
            assert_eq!(level(&mut app, root), 1, "{path}");
        }
        // A new camera, 30 from the model, and 880 from the world's origin.
        despawn_camera(&mut app);
        let transform = Transform::from_xyz(880.0, 0.0, 0.0);
        app.world().spawn((Camera3d::default(), transform));
        for _ in 0..3 {
            app.step(0.0);
            assert_eq!(level(&mut app, root), 0, "{path}");
        }
        despawn_camera(&mut app);
        let transform = Transform::from_xyz(1000.0, 0.0, 0.0);
        app.world().spawn((Camera3d::default(), transform));
        app.steps(2, 0.0);
    }
}

fn despawn_camera(app: &mut TestApp) {
    let mut cameras = app.world().query_filtered::<Entity, With<Camera3d>>();
    let camera = cameras.single(app.world()).unwrap();
    app.despawn(camera);
}

#[test]
fn bevy_space_scales_the_distances_of_the_file() {
    let mut app = app();
    let root = spawn_abc(&mut app, BevySpace::with_meters_per_unit(0.5));
    let camera = app.spawn_entity(Camera3d::default());
    // The distances of the file are 50 and 75 units.
    for (at, expected) in [(20.0, 0), (30.0, 1), (45.0, 2)] {
        move_to(&mut app, camera, at);
        assert_eq!(level(&mut app, root), expected, "at {at}");
    }
    app.remove::<BevySpace>(root);
    move_to(&mut app, camera, 45.0);
    assert_eq!(level(&mut app, root), 0, "a unit is a meter again");
}
