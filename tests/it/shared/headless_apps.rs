//! Apps without rendering: without `ImagePlugin`, without a renderer, and without a GPU.

use crate::ala::play as ala_play;
use crate::attach::scene::{all_formats, wait_for_model};
use crate::headless;
use crate::support::prelude::*;
use bevy::app::ScheduleRunnerPlugin;
use bevy::camera::CameraPlugin;
use bevy::mesh::MeshPlugin;
use bevy::render::RenderPlugin;
use bevy::render::settings::WgpuSettings;
use bevy::world_serialization::WorldSerializationPlugin;

/// An app with files in memory.
fn app_of(files: &[(&str, Vec<u8>)]) -> App {
    let root = Dir::default();
    for (path, bytes) in files {
        root.insert_asset(Path::new(path), bytes.clone());
    }
    let mut app = App::new();
    app.register_asset_source(
        AssetSourceId::Default,
        AssetSourceBuilder::new(move || Box::new(MemoryAssetReader { root: root.clone() })),
    );
    app
}

/// Spawns a model of each format, and plays a clip if it has any.
fn run_all_formats(bevy: PluginGroupBuilder) {
    let mut files = ala_play::files();
    files.extend(
        all_formats()
            .into_iter()
            .map(|(path, bytes, _)| (path, bytes)),
    );
    let mut app = TestApp::with_sources(app_of(&files), bevy);
    for (path, ..) in all_formats() {
        let scene = app.load(format!("{path}#Scene"));
        let bundle = (
            WorldAssetRoot(scene),
            PlayClip::looping(0),
            ModelSkin::Index(0),
            PartVisibility::hidden(["door"]),
        );
        let root = app.spawn_entity(bundle);
        wait_for_model(&mut app, root);
        app.steps(2, 0.01);
        let time = app.get::<Playback>(root).time;
        let plays = path.ends_with("mdl") || path.ends_with("abc");
        assert_eq!(time > 0.0, plays, "{path}");
        app.despawn(root);
        app.step(0.0);
    }
}

#[test]
fn all_formats_work_without_the_image_plugin() {
    run_all_formats(gpuless::plugins(Path::new("unused"), false).disable::<ImagePlugin>());
}

#[test]
fn all_formats_work_without_a_renderer() {
    run_all_formats(gpuless::plugins(Path::new("unused"), false));
}

#[test]
fn all_formats_work_with_the_plugins_listed_in_the_manual() {
    let server = MinimalPlugins
        .build()
        .disable::<ScheduleRunnerPlugin>()
        .add(TransformPlugin)
        .add(AssetPlugin::default())
        .add(WorldSerializationPlugin)
        .add(MeshPlugin)
        .add(CameraPlugin);
    run_all_formats(server);
}

#[test]
fn all_formats_work_without_a_gpu() {
    // Bevy logs errors in such an app, and rendering tests fail on any error in the log of the process.
    run_in_own_process("shared::headless_apps::without_gpu_in_own_process");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn without_gpu_in_own_process() {
    let no_gpu = RenderPlugin {
        render_creation: WgpuSettings {
            backends: None,
            ..default()
        }
        .into(),
        ..default()
    };
    run_all_formats(headless::plugins(Path::new("unused"), false).set(no_gpu));
}

#[test]
fn an_image_plugin_added_later_keeps_the_images_of_the_crate() {
    let (path, bytes, _) = all_formats().pop().unwrap();
    let mut app = app_of(&[(path, bytes)]);
    app.add_plugins(gpuless::plugins(Path::new("unused"), false).disable::<ImagePlugin>())
        .add_plugins(ClassicModelsPlugins)
        .add_plugins(ImagePlugin::default());
    gpuless::finish(&mut app);
    let scene = app.server().load(format!("{path}#Scene"));
    let root = app.spawn_entity(WorldAssetRoot(scene));
    let is_spawned = |world: &mut World| world.get::<MdlInstance>(root).is_some();
    app.wait_until(is_spawned);
    let world = app.world();
    let mesh = world.get::<MdlInstance>(root).unwrap().mesh();
    let material = world.get::<MeshMaterial3d<MdlMaterial>>(mesh).unwrap();
    let materials = world.resource::<Assets<MdlMaterial>>();
    let morph = &materials.get(&material.0).unwrap().extension;
    let images = world.resource::<Assets<Image>>();
    assert!(images.contains(&morph.instances) && images.contains(&morph.normals));
}
