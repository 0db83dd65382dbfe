//! Fields of manifests that apply to the loaded model: axes, palettes, loader settings, and files of clips.

use crate::manifest::spawn::{mdl, text};
use crate::support::prelude::*;
use bevy_classic_models::alamo::alo::Bone;
use classic_models_fixtures::alo::edited;

#[test]
fn each_manifest_applies_its_own_scale_and_axes() {
    let manifest = |rest: &str| text(&format!("(model: \"a.mdl\", {rest})"));
    let mut app = TestApp::new(&[
        ("a.mdl", mdl()),
        ("small.model.ron", manifest("scale: 0.5")),
        ("large.model.ron", manifest("scale: 4")),
        ("turned.model.ron", manifest("axes: (up: Y, forward: X)")),
        ("quake.model.ron", manifest("axes: (up: Z, forward: X)")),
    ]);
    let [plain, small, large, turned, quake] = [
        "a.mdl",
        "small.model.ron",
        "large.model.ron",
        "turned.model.ron",
        "quake.model.ron",
    ]
    .map(|path| app.spawn_model_ready(path, ()));
    let own = app.scene(plain);
    assert_eq!(own.scale, Vec3::ONE);
    assert_eq!(app.scene(small), own.with_scale(Vec3::splat(0.5)));
    assert_eq!(app.scene(large), own.with_scale(Vec3::splat(4.0)));
    assert!(app.scene(quake).rotation.abs_diff_eq(own.rotation, 1e-6));
    let rotation = app.scene(turned).rotation;
    assert!((rotation * Vec3::X).abs_diff_eq(Vec3::NEG_Z, 1e-6));
    assert!((rotation * Vec3::Y).abs_diff_eq(Vec3::Y, 1e-6));
    // After a reload of the model, the transform is the same.
    app.reload("a.mdl");
    let child = app.children(large)[0];
    app.wait("the scene is respawned", |world| {
        world
            .get::<Children>(large)
            .is_some_and(|children| children[0] != child)
    });
    app.step(0.0);
    assert_eq!(app.scene(large), own.with_scale(Vec3::splat(4.0)));
    assert_eq!(app.scene(plain), own);
}

#[test]
fn clips_are_found_by_file_names_and_patterns() {
    let manifest = r#"(model: "tank.alo", clips: [
        (name: "idle", file: "Tank_Stand_00.ALA", speed: 2, frames: (0, 1)),
        (file: "anims/*/tank_m?ve_*.ala", repeat: Once),
        (file: "anims/other.ala"),
    ])"#;
    let mut app = TestApp::new(&[
        ("u/tank.model.ron", text(manifest)),
        ("u/TANK.ALO", alo::clean()),
        ("u/tank_stand_00.ala", ala::small(1)),
        ("u/Anims/b/TANK_MOVE_01.ala", ala::small(1)),
        ("u/Anims/b/TANK_STOP_00.ala", ala::small(1)),
        ("u/Anims/a/tank_move_00.ALA", ala::small(1)),
        ("u/Anims/other.ala", ala::small(1)),
    ]);
    let root = app.spawn_model_ready("u/tank.model.ron", ());
    let clips = app.cloned::<ModelClips>(root).unwrap().0;
    let describe = |clip: &NamedClip| format!("{} {} {:?}", clip.name, clip.clip, clip.repeat);
    let clips: Vec<String> = clips.iter().map(describe).collect();
    assert_eq!(
        clips,
        [
            "idle u/tank_stand_00.ala#Clip, frames 0 to 1 Loop",
            "move_00 u/Anims/a/tank_move_00.ALA#Clip Once",
            "MOVE_01 u/Anims/b/TANK_MOVE_01.ala#Clip Once",
            "other u/Anims/other.ala#Clip Loop",
        ]
    );
}

/// The red of the first texel of a model's first skin.
fn color(world: &mut World, root: Entity) -> Option<u8> {
    let model = world.get::<MdlInstance>(root)?.model().clone();
    let images = world.resource::<Assets<Image>>();
    let image = images.get(&model.skins[0].images[0].image)?;
    Some(image.data.as_ref()?[0])
}

#[test]
fn first_manifest_sets_the_palette_of_a_shared_model() {
    log::listen();
    let manifest = |palette: &str| text(&format!("(model: \"a.mdl\", palette: {palette:?})"));
    let mut app = TestApp::new(&[
        ("a.mdl", mdl()),
        ("palette_first.model.ron", manifest("p/grey.lmp")),
        ("palette_second.model.ron", manifest("p/white.lmp")),
        ("p/grey.lmp", vec![100; 768]),
        ("p/white.lmp", vec![255; 768]),
    ]);
    let first = app.spawn_model_ready("palette_first.model.ron", ());
    assert_eq!(color(app.world(), first), Some(100));
    let second = app.spawn_model_ready("palette_second.model.ron", ());
    assert_eq!(color(app.world(), second), Some(100));
    log::expect_warning("palette_second.model.ron", "palette_first.model.ron");
    // An edit of the first manifest reloads the model with the settings of the second.
    app.edit("palette_first.model.ron", r#"(model: "a.mdl")"#);
    app.wait("the second palette", |world| {
        color(world, second) == Some(255)
    });
    // Dropping manifests is no edit, so the model keeps its palette while it is in use.
    let plain = app.spawn_model_ready("a.mdl", ());
    for root in [second, first] {
        app.despawn(root);
        app.run_until_idle(0.0, |world| assert_eq!(color(world, plain), Some(255)));
    }
    // Loaded again, it has no override.
    app.despawn(plain);
    app.wait_until_idle();
    let plain = app.spawn_model_ready("a.mdl", ());
    let color = color(app.world(), plain).unwrap();
    assert!(color != 255 && color != 100, "{color}");
}

#[test]
fn an_edit_replaces_the_palette_of_a_dropped_manifest() {
    let manifest = |palette: &str| format!("(model: \"a.mdl\", palette: {palette:?})");
    let (dropped, living) = ("dropped_palette.model.ron", "living_palette.model.ron");
    let mut app = TestApp::new(&[
        ("a.mdl", mdl()),
        (dropped, text(&manifest("p/grey.lmp"))),
        (living, text(&manifest("p/white.lmp"))),
        ("p/grey.lmp", vec![100; 768]),
        ("p/white.lmp", vec![255; 768]),
        ("p/black.lmp", vec![50; 768]),
    ]);
    let first = app.spawn_model_ready(dropped, ());
    let second = app.spawn_model_ready(living, ());
    app.despawn(first);
    app.run_until_idle(0.0, |world| {
        assert_eq!(color(world, second), Some(100));
    });
    app.edit(living, manifest("p/black.lmp"));
    app.wait("the edited palette", |world| {
        color(world, second) == Some(50)
    });
}

/// Spawns a model with a field in its manifest, and asserts that it has an effect. Asserts that an edit without the field
/// reloads the model without the effect. The effect is `None` while the model is incomplete.
fn assert_field(
    (path, bytes): (&'static str, Vec<u8>),
    field: &str,
    has_effect: impl Fn(&mut World, Entity) -> Option<bool>,
) {
    let plain = format!("(model: {path:?})");
    let manifest = format!("(model: {path:?}, {field})");
    let mut app = TestApp::new(&[
        (path, bytes),
        ("field.model.ron", text(&manifest)),
        ("more/hero.dtx", Vec::new()),
        ("a.mdl_0.tga", tga(&[[0; 4]; 4])),
    ]);
    let root = app.spawn_model_ready("field.model.ron", ());
    app.step(0.0);
    assert_eq!(has_effect(app.world(), root), Some(true), "{manifest}");
    app.edit("field.model.ron", plain);
    app.wait(field, |world| has_effect(world, root) == Some(false));
}

#[test]
fn alo_lights_are_skipped_without_load_lights() {
    let model = ("model.alo", alo::clean());
    assert_field(model, "load_lights: false", |world, _| {
        match world.query::<&AloLight>().iter(world).count() {
            0 => Some(true),
            3 => Some(false),
            _ => None,
        }
    });
}

#[test]
fn hidden_bones_hide_their_children_with_the_field() {
    let mut below = 0;
    let model = edited(&alo::clean(), |file| {
        below = file.bones.len();
        let hidden = file.bones.iter().position(|bone| !bone.visible);
        let parent = hidden.map(|bone| bone as u32);
        file.bones.push(Bone::new("Below", parent, [0.0; 3]));
    });
    let field = "hidden_bones_hide_children: true";
    assert_field(("model.alo", model), field, |world, root| {
        let bone = world.get::<AloInstance>(root)?.bones()[below];
        Some(!world.get::<InheritedVisibility>(bone)?.get())
    });
}

#[test]
fn texture_folders_are_searched_first() {
    let hero = ("hero.abc", abc::bytes(&abc::figure()));
    assert_field(
        hero,
        r#"texture_folders: ["more"]"#,
        |world, root| match world.get::<AbcInstance>(root)?.model().skins.len() {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        },
    );
}

#[test]
fn hole_index_applies_to_models_with_the_flag() {
    let mut bytes = tetrahedron().to_bytes();
    // Bit 14 of the flags. The first texel has color 14.
    bytes[77] |= 1 << 6;
    assert_field(("a.mdl", bytes), "hole_index: 14", |world, root| {
        let model = world.get::<MdlInstance>(root)?.model();
        let images = world.resource::<Assets<Image>>();
        let image = images.get(&model.skins[0].images[0].image)?;
        let alphas = image.data.as_ref()?.chunks(4).map(|texel| texel[3]);
        // Smaller mip levels follow the 4 × 2 texels.
        let alphas: Vec<u8> = alphas.take(8).collect();
        assert_eq!(alphas[1..], [255; 7]);
        Some(alphas[0] == 0)
    });
}

#[test]
fn external_skins_replace_those_of_the_file() {
    let model = ("a.mdl", tetrahedron().to_bytes());
    assert_field(model, "external_skins: true", |world, root| {
        let model = world.get::<MdlInstance>(root)?.model();
        let path = model.skins[0].images[0].image.path()?.to_string();
        Some(path == "a.mdl_0.tga")
    });
}

/// The rotation of the scene of a model with `axes` in its manifest and loader settings in its `.meta` file.
fn scene_rotation(
    model: (&'static str, Vec<u8>),
    loader: &str,
    settings: &str,
    axes: &str,
) -> Quat {
    let meta = format!(
        "(meta_format_version: \"1.0\", asset: Load(loader: \"bevy_classic_models::{loader}\", \
         settings: ({settings})))"
    );
    let manifest = format!("(model: {:?}, axes: {axes})", model.0);
    let path = model.0;
    let mut app = TestApp::new(&[model, ("axes.model.ron", text(&manifest))]);
    app.files.insert_meta_text(Path::new(path), &meta);
    let root = app.spawn_model("axes.model.ron", ());
    app.wait("the scene", |world| {
        is_spawned(world, root) || world.entity(root).contains::<LgwInstance>()
    });
    app.step(0.0);
    app.scene(root).rotation
}

#[test]
fn manifest_axes_are_independent_of_mirroring_settings() {
    let abc = |settings: &str, axes: &str| {
        let model = ("hero.abc", abc::bytes(&abc::figure()));
        scene_rotation(model, "lithtech::loader::AbcLoader", settings, axes)
    };
    let as_is = "(up: Y, forward: Z)";
    let is = |a: Quat, b: Quat| assert!(a.abs_diff_eq(b, 1e-6), "{a} {b}");
    for settings in ["", "convert_axes: true"] {
        is(abc(settings, as_is), Quat::IDENTITY);
    }
    let back = abc("", "(up: Y, forward: NegZ)") * Vec3::NEG_Z;
    assert!(back.abs_diff_eq(Vec3::Z, 1e-6));
    // The file's +Z is unchanged, and becomes −Z, the forward direction in Bevy.
    let turned = abc("convert_axes: false", as_is);
    assert!((turned * Vec3::Z).abs_diff_eq(Vec3::NEG_Z, 1e-6));
    assert!((turned * Vec3::Y).abs_diff_eq(Vec3::Y, 1e-6));
    let lgw = |settings: &str, axes: &str| {
        let loader = "lgw::loader::LgwLoader";
        scene_rotation(("bike.lgw", text(BICYCLE)), loader, settings, axes)
    };
    is(
        lgw("left_handed: true", "(up: Y, forward: Z)"),
        Quat::IDENTITY,
    );
    let mirrored = lgw("left_handed: true, up_axis: Z", "(up: Z, forward: Y)");
    assert!((mirrored * Vec3::NEG_Y).abs_diff_eq(Vec3::NEG_Z, 1e-6));
    assert!((mirrored * Vec3::Z).abs_diff_eq(Vec3::Y, 1e-6));
    let plain = lgw("up_axis: Z", "(up: Z, forward: Y)");
    assert!((plain * Vec3::Y).abs_diff_eq(Vec3::NEG_Z, 1e-6));
}

#[test]
fn patterns_match_files_but_not_folders() {
    let manifest = r#"(model: "a.mdl", clips: [(file: "*.ala")])"#;
    let mut app = TestApp::new(&[
        ("folders.model.ron", text(manifest)),
        ("a.mdl", mdl()),
        ("folder.ala/inner.txt", Vec::new()),
        ("file.ala", ala::small(1)),
    ]);
    let root = app.spawn_model_ready("folders.model.ron", ());
    let clips = app.cloned::<ModelClips>(root).unwrap().0;
    let names: Vec<_> = clips.iter().map(|clip| &*clip.name).collect();
    assert_eq!(names, ["file"]);
}
