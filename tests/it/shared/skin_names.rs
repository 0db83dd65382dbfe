//! Skins given by a text that is a name or a path, and warnings about wrong values in components of the root.

use crate::support::prelude::*;

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
fn material(world: &World, root: Entity) -> (AssetId<MdlMaterial>, Option<String>) {
    let animator = world.get::<bevy_classic_models::quake::MdlInstance>(root);
    let mesh = animator.unwrap().mesh();
    let handle = world.get::<MeshMaterial3d<MdlMaterial>>(mesh).unwrap();
    let materials = world.resource::<Assets<MdlMaterial>>();
    let texture = &materials.get(&handle.0).unwrap().base.base_color_texture;
    let path = texture.as_ref().and_then(|texture| texture.path());
    (handle.id(), path.map(ToString::to_string))
}

fn wait_for_texture(app: &mut TestApp, root: Entity, path: &str) {
    let is_used = |world: &mut World| material(world, root).1.as_deref() == Some(path);
    app.wait(path, is_used);
}

#[test]
fn a_text_is_a_skin_name_or_otherwise_a_path() {
    let (mut app, root) = app("skin_names/a.mdl");
    let plain = material(app.world(), root);
    // Without `ModelSkins`, the text is a path.
    app.insert(root, ModelSkin::from("skins/red.tga"));
    wait_for_texture(&mut app, root, "skins/red.tga");
    // A name in `ModelSkins` wins, even if it has the form of a path.
    app.apply(root, skins());
    let second = material(app.world(), root);
    assert_ne!(second, plain);
    assert!(second.1.unwrap().starts_with("skin_names/a.mdl"));
    app.apply(root, ModelSkin::Index(0));
    app.apply(root, ModelSkin::from("FROST"));
    assert_eq!(material(app.world(), root).0, second.0);
    // A name that maps to a path, and a path without a name.
    app.insert(root, ModelSkin::from("blue"));
    wait_for_texture(&mut app, root, "skins/blue.tga");
    app.apply(root, ModelSkin::Index(0));
    assert_eq!(material(app.world(), root), plain);
    app.insert(root, ModelSkin::from(String::from("skins/blue.tga")));
    wait_for_texture(&mut app, root, "skins/blue.tga");
    assert_eq!(
        log::warnings_with("skin_names/a.mdl keeps its skin"),
        [""; 0]
    );
}

#[test]
fn the_warning_about_an_unknown_skin_lists_the_names() {
    let (mut app, root) = app("skin_names/b.mdl");
    let plain = material(app.world(), root);
    app.apply(root, (skins(), ModelSkin::from("frots")));
    let warnings = log::warnings_with("skin_names/b.mdl keeps its skin");
    let [warning] = &*warnings else {
        panic!("{warnings:?}");
    };
    let names = "no entry named \"frots\", only blue, frost, own.tga, skins/red.tga";
    assert!(
        warning.contains(names) && warning.contains("file extension"),
        "{warning}"
    );
    // A text with a file extension is tried as a path, and so is a name that maps to itself.
    for (path, expected) in [
        (
            "frost.tga",
            "no entry named \"frost.tga\", only blue, frost",
        ),
        ("own.tga", "own.tga"),
    ] {
        app.insert(root, ModelSkin::from(path));
        let is_warned = |_: &mut World| {
            let warnings = log::warnings_with("skin_names/b.mdl keeps its skin");
            let is_expected =
                |text: &String| text.contains(expected) && text.contains("could not be loaded");
            warnings.iter().any(is_expected)
        };
        app.wait(path, is_warned);
        assert_eq!(material(app.world(), root), plain);
    }
}

#[test]
fn a_skin_replaced_while_loading_is_not_used() {
    let (mut app, root) = app("skin_names/c.mdl");
    let plain = material(app.world(), root);
    let blue = ModelSkin::Path("skins/blue.tga".into());
    app.apply(root, (skins(), blue));
    assert_eq!(material(app.world(), root), plain, "it is still loading");
    let image: Handle<Image> = app.load("skins/blue.tga");
    app.insert(root, ModelSkin::from("unknown"));
    app.wait_loaded(&image);
    for _ in 0..5 {
        app.step(0.0);
        assert_eq!(material(app.world(), root), plain);
    }
}

#[test]
fn player_colors_out_of_range_are_warned_about() {
    let (mut app, root) = app("skin_names/d.mdl");
    let colors = |shirt, pants| PlayerColors { shirt, pants };
    for (colors, count) in [
        (colors(15, 0), 0),
        (colors(3, 99), 1),
        (colors(4, 99), 1),
        (colors(16, 2), 2),
    ] {
        app.apply(root, colors);
        log::expect_warnings("skin_names/d.mdl has `PlayerColors`", count);
    }
    let warnings = log::warnings_with("skin_names/d.mdl has `PlayerColors`");
    assert!(
        warnings[0].contains("`pants` is 99") && warnings[0].contains("0 to 15"),
        "{warnings:?}"
    );
    assert!(warnings[1].contains("`shirt` is 16"), "{warnings:?}");
}
