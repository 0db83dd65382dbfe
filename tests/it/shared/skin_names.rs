//! Skins by what may be a name or a path, and components of the root that are checked as manifests are.

use crate::gpuless;
use crate::support::alo_stage::tga;
use crate::support::app::TestApp;
use crate::support::fixtures::tetrahedron;
use crate::support::log;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlMaterial;

fn app(path: &'static str) -> (TestApp, Entity) {
    log::listen();
    let mut app = TestApp::new(&[
        (path, tetrahedron().to_bytes()),
        ("skins/blue.tga", tga(&[[0, 0, 255, 255]])),
        ("skins/red.tga", tga(&[[255, 0, 0, 255]])),
    ]);
    let root = app.spawn_ready(format!("{path}#Scene").leak(), ());
    app.step(0.0);
    (app, root)
}

fn skins() -> ModelSkins {
    let mut skins = ModelSkins::default();
    skins
        .insert("frost", ModelSkin::Index(1))
        .insert("skins/red.tga", ModelSkin::Index(1))
        .insert("own.tga", ModelSkin::from("own.tga"))
        .insert("blue", ModelSkin::from("skins/blue.tga"));
    skins
}

/// The material that draws a model, and the path of its texture.
fn shown(world: &World, root: Entity) -> (AssetId<MdlMaterial>, Option<String>) {
    let animator = world.get::<bevy_classic_models::quake::MdlAnimator>(root);
    let mesh = animator.unwrap().mesh();
    let material = world.get::<MeshMaterial3d<MdlMaterial>>(mesh).unwrap();
    let materials = world.resource::<Assets<MdlMaterial>>();
    let texture = &materials.get(&material.0).unwrap().base.base_color_texture;
    let path = texture.as_ref().and_then(|texture| texture.path());
    (material.id(), path.map(ToString::to_string))
}

fn wait_for_texture(app: &mut TestApp, root: Entity, path: &str) {
    let shows = |world: &mut World| shown(world, root).1.as_deref() == Some(path);
    assert!(gpuless::wait_until(&mut app.app, shows), "{path}");
}

#[test]
fn a_skin_from_a_text_is_a_name_first_and_a_path_otherwise() {
    let (mut app, root) = app("skin_names/a.mdl");
    let plain = shown(app.world(), root);
    // Without names it is a path.
    app.world()
        .entity_mut(root)
        .insert(ModelSkin::from("skins/red.tga"));
    wait_for_texture(&mut app, root, "skins/red.tga");
    // With names it is the skin of the name, even if it looks like a path.
    app.world().entity_mut(root).insert(skins());
    app.step(0.0);
    let second = shown(app.world(), root);
    assert_ne!(second, plain);
    assert!(second.1.unwrap().starts_with("skin_names/a.mdl"));
    app.world().entity_mut(root).insert(ModelSkin::Index(0));
    app.step(0.0);
    app.world()
        .entity_mut(root)
        .insert(ModelSkin::from("FROST"));
    app.step(0.0);
    assert_eq!(shown(app.world(), root).0, second.0);
    // The name of a path, and a path that has no name.
    app.world().entity_mut(root).insert(ModelSkin::from("blue"));
    wait_for_texture(&mut app, root, "skins/blue.tga");
    app.world().entity_mut(root).insert(ModelSkin::Index(0));
    app.step(0.0);
    assert_eq!(shown(app.world(), root), plain);
    let path = ModelSkin::from(String::from("skins/blue.tga"));
    app.world().entity_mut(root).insert(path);
    wait_for_texture(&mut app, root, "skins/blue.tga");
    assert_eq!(
        log::warnings_with("skin_names/a.mdl keeps its skin"),
        [""; 0]
    );
}

#[test]
fn a_wrong_name_is_a_warning_that_lists_the_names() {
    let (mut app, root) = app("skin_names/b.mdl");
    let plain = shown(app.world(), root);
    app.world()
        .entity_mut(root)
        .insert((skins(), ModelSkin::from("frots")));
    app.step(0.0);
    let told = log::warnings_with("skin_names/b.mdl keeps its skin");
    let [told] = &*told else {
        panic!("{told:?}");
    };
    let names = "no skin named \"frots\", only blue, frost, own.tga, skins/red.tga";
    assert!(
        told.contains(names) && told.contains("file extension"),
        "{told}"
    );
    // What could be a path is tried, and named in the warning. A name that stands for itself is one too.
    for (path, says) in [
        ("frost.tga", "no skin named \"frost.tga\", only blue, frost"),
        ("own.tga", "own.tga"),
    ] {
        app.world().entity_mut(root).insert(ModelSkin::from(path));
        let is_told = |_: &mut World| {
            let told = log::warnings_with("skin_names/b.mdl keeps its skin");
            let is_it = |told: &String| told.contains(says) && told.contains("could not be loaded");
            told.iter().any(is_it)
        };
        assert!(gpuless::wait_until(&mut app.app, is_told), "{path}");
        assert_eq!(shown(app.world(), root), plain);
    }
}

#[test]
fn a_skin_that_is_revoked_while_it_loads_is_not_used() {
    let (mut app, root) = app("skin_names/c.mdl");
    let plain = shown(app.world(), root);
    let blue = ModelSkin::Path("skins/blue.tga".into());
    app.world().entity_mut(root).insert((skins(), blue));
    app.step(0.0);
    assert_eq!(shown(app.world(), root), plain, "it is still loading");
    let image: Handle<Image> = app.load("skins/blue.tga");
    let unknown = ModelSkin::from("nobody");
    app.world().entity_mut(root).insert(unknown);
    app.wait_loaded(&image);
    for _ in 0..5 {
        app.step(0.0);
        assert_eq!(shown(app.world(), root), plain);
    }
}

#[test]
fn colors_beyond_the_palette_are_a_warning() {
    let (mut app, root) = app("skin_names/d.mdl");
    let colors = |shirt, pants| PlayerColors { shirt, pants };
    for (colors, count) in [
        (colors(15, 0), 0),
        (colors(3, 99), 1),
        (colors(4, 99), 1),
        (colors(16, 2), 2),
    ] {
        app.world().entity_mut(root).insert(colors);
        app.step(0.0);
        let told = log::warnings_with("skin_names/d.mdl has `PlayerColors`");
        assert_eq!(told.len(), count, "{told:?}");
    }
    let told = log::warnings_with("skin_names/d.mdl has `PlayerColors`");
    assert!(
        told[0].contains("`pants` is 99") && told[0].contains("0 to 15"),
        "{told:?}"
    );
    assert!(told[1].contains("`shirt` is 16"), "{told:?}");
}
