//! The rows of the pose table: allocation, lifetime, and upload to the GPU.

use crate::support::entities::pose_blend as at;
use crate::support::mdl::figure;
use crate::support::prelude::*;
use bevy::render::render_asset::RenderAssetBytesPerFrame;

const TETRA: &str = "tetra.mdl#Scene";
const FIGURE: &str = "figure.mdl#Scene";

fn app() -> TestApp {
    TestApp::new(&[("tetra.mdl", tetrahedron().to_bytes())])
}

fn row_of(app: &mut TestApp, mesh: Entity) -> u32 {
    app.get::<MeshTag>(mesh).0
}

#[test]
fn rows_keep_the_pose_of_the_previous_frame() {
    let mut app = app();
    let root = app.spawn_ready(TETRA, PlayClip::looping("run"));
    let row = |app: &mut TestApp| {
        let mesh = app.animator(root).mesh();
        let row = row_of(app, mesh);
        let table = app.world().resource::<MdlPoseTable>();
        (table.get(row), table.previous(row))
    };
    let (first, before) = row(&mut app);
    assert_eq!(first, before, "it has not moved yet");
    app.step(0.15);
    let (second, before) = row(&mut app);
    assert_ne!(second, first);
    assert_eq!(before, first);
}

#[test]
fn rows_of_deformed_meshes_keep_the_keyframes_of_the_previous_frame() {
    let mut app = TestApp::new(&[("banner.abc", abc::bytes(&abc::banner()))]);
    let model = abc_app::load(&mut app, "banner.abc", AbcLoaderSettings::default()).unwrap();
    abc_app::spawn(&mut app, &model, PlayClip::looping(0_usize));
    let table = app.world().resource::<AbcPoseTable>();
    assert_eq!(table.len(), 1);
    // Row 0 is never allocated.
    let row = |app: &mut TestApp| {
        let table = app.world().resource::<AbcPoseTable>();
        (table.get(1), table.previous(1))
    };
    let (first, before) = row(&mut app);
    assert_eq!(first, before, "it has not moved yet");
    app.step(0.03);
    let (second, before) = row(&mut app);
    assert_ne!(second, first);
    assert_eq!(before, first);
}

#[test]
fn a_root_whose_mesh_was_despawned_writes_to_no_row() {
    let mut app = app();
    let root = app.spawn_ready(TETRA, PlayClip::looping("run"));
    let mesh = app.animator(root).mesh();
    let row = row_of(&mut app, mesh);
    app.despawn(mesh);
    let next = app.spawn_ready(TETRA, PlayClip::looping("die").paused());
    let next = app.animator(next).mesh();
    assert_eq!(row_of(&mut app, next), row, "the row is free");
    app.step(0.05);
    let shown = app.world().resource::<MdlPoseTable>().get(row);
    assert_eq!(shown, at(5, 6, 0.0));
}

#[test]
fn a_root_with_a_replaced_scene_has_one_row() {
    let mut app = TestApp::new(&[
        ("tetra.mdl", tetrahedron().to_bytes()),
        ("figure.mdl", figure(Precision::Bits8).to_bytes()),
    ]);
    let root = app.spawn_ready(TETRA, PlayClip::looping("run"));
    let first = app.animator(root).mesh();
    let scene = app.load(FIGURE);
    app.insert(root, WorldAssetRoot(scene));
    let is_other = |world: &mut World| {
        let animator = world.get::<MdlInstance>(root);
        animator.is_some_and(|animator| animator.mesh() != first)
    };
    app.wait_until(is_other);
    app.step(0.05);
    let mesh = app.animator(root).mesh();
    let shown = app.animator(root).shown();
    let row = row_of(&mut app, mesh);
    let table = app.world().resource::<MdlPoseTable>();
    assert_eq!((table.len(), table.get(row)), (1, shown));
}

#[test]
fn the_table_grows_and_shrinks_with_its_instances() {
    let document = Box::leak(Box::new(figure(Precision::Bits8)));
    let mut stage = Stage::new(&[("figure.mdl", document.to_bytes())]);
    let play = PlayClip::looping("run").paused().starting_at(0.13);
    let root = stage.spawn(FIGURE, play.clone());
    let scene = stage.server().load(FIGURE);
    // More than two texture lines of 512 rows.
    let others = (0..1100).map(|_| {
        let hidden = (Visibility::Hidden, PlayClip::looping("die"));
        stage.spawn_entity((WorldAssetRoot(scene.clone()), hidden))
    });
    let others: Vec<Entity> = others.collect();
    stage.wait_for("all models are spawned", |world| {
        world.query::<&MdlInstance>().iter(world).count() == 1101
    });
    let control = || Control::new(document, at(1, 2, 0.3));
    let subject = stage.capture();
    let expected = stage.capture_control(root, control());
    subject.assert_matches(&expected, "a table that has grown");
    // A model in one of the new rows.
    stage.insert(root, Visibility::Hidden);
    let late = stage.spawn(FIGURE, play);
    for view in [VIEWS[1], VIEWS[0]] {
        stage.move_camera(view);
        let subject = stage.capture();
        let expected = stage.capture_control(late, control());
        subject.assert_matches(&expected, &format!("a new row from {view}"));
    }
    stage.despawn(late);
    stage.insert(root, Visibility::Inherited);
    let last = others[1099];
    for other in &others[..1099] {
        stage.despawn(*other);
    }
    stage.assert_shows(&expected, "a table with free rows");
    stage.despawn(last);
    stage.assert_shows(&expected, "a table that has shrunk");
    // A later pose is uploaded to the new texture.
    stage.get_mut::<Playback>(root).time = 0.05;
    let subject = stage.capture();
    let expected = stage.capture_control(root, Control::new(document, at(0, 1, 0.5)));
    subject.assert_matches(&expected, "a pose after that");
}

#[test]
fn poses_are_uploaded_despite_the_limit_of_bytes_per_frame() {
    let document = Box::leak(Box::new(figure(Precision::Bits8)));
    let mut stage = Stage::new(&[("figure.mdl", document.to_bytes())]);
    let root = stage.spawn(FIGURE, PlayClip::looping("run").paused());
    stage.capture();
    stage.insert_resource(RenderAssetBytesPerFrame::new(1));
    // Other images use up the limit of each frame.
    let mut loading = Vec::new();
    for frame in 0..10 {
        for _ in 0..20 {
            let size = Extent3d {
                width: 4,
                height: 4,
                depth_or_array_layers: 1,
            };
            let image = Image::new(
                size,
                TextureDimension::D2,
                vec![0; 64],
                TextureFormat::Rgba8Unorm,
                RenderAssetUsages::RENDER_WORLD,
            );
            loading.push(stage.add_asset(image));
        }
        stage.get_mut::<Playback>(root).time = 0.02 * frame as f32;
        stage.headless.step(0.0);
    }
    stage.get_mut::<Playback>(root).time = 0.23;
    let subject = stage.capture();
    stage.insert_resource(RenderAssetBytesPerFrame::default());
    let control = stage.capture_control(root, Control::new(document, at(2, 3, 0.3)));
    subject.assert_matches(&control, "limited uploads");
}
