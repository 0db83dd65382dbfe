//! Components of the root on each format: warnings about unsupported components, skins by name, and the visibility of
//! parts.

use crate::attach::scene::{all_formats, spawn_model, spawn_ready, wait_for_model};
use crate::support::abc::{BODY, bytes, figure};
use crate::support::abc_app::spawned_of;
use crate::support::prelude::*;
use bevy_classic_models::alamo::alo::Proxy;

/// The components, and the file extensions of the formats that support each.
const SUPPORT: [(&str, &[&str]); 10] = [
    ("PlayClip", &["alo", "abc", "mdl"]),
    ("ClipLayers", &["alo", "abc"]),
    ("ModelSkin", &["abc", "mdl"]),
    ("ModelLod", &["alo", "abc"]),
    ("LodDistances", &["alo", "abc"]),
    ("DamageStage", &["alo"]),
    ("TeamColor", &["alo"]),
    ("PlayerColors", &["mdl"]),
    ("PartVisibility", &["alo", "abc", "lgw"]),
    // MDL and LGW models need none.
    ("Crowd", &["alo", "abc", "lgw", "mdl"]),
];

fn all_components() -> impl Bundle {
    (
        PlayClip::looping(0),
        ClipLayers::default(),
        ModelSkin::Index(0),
        ModelLod(0),
        LodDistances(vec![10.0]),
        DamageStage(0),
        TeamColor::default(),
        PlayerColors::default(),
        PartVisibility::default(),
    )
}

/// The count of warnings that a model's format does not support a component.
fn warnings(path: &str, component: &str) -> usize {
    log::count_warnings(&format!("`{component}` has no effect"), path)
}

#[track_caller]
fn assert_unsupported_warned_once(paths: &[&str]) {
    for path in paths {
        let extension = path.rsplit_once('.').unwrap().1;
        for (component, formats) in SUPPORT {
            let expected = usize::from(!formats.contains(&extension));
            assert_eq!(warnings(path, component), expected, "{component}, {path}");
        }
    }
}

/// An app with a file of each format, under the given names.
fn app_with_files(names: [&'static str; 4]) -> TestApp {
    log::listen();
    let files = all_formats().into_iter().zip(names);
    let files: Vec<_> = files.map(|((_, bytes, _), name)| (name, bytes)).collect();
    TestApp::new(&files)
}

#[test]
fn unsupported_components_are_warned_about_once() {
    // Inserted before the model is spawned.
    let early = ["warn/a.alo", "warn/a.abc", "warn/a.lgw", "warn/a.mdl"];
    let mut app = app_with_files(early);
    for path in early {
        for _ in 0..3 {
            spawn_ready(&mut app, path, all_components());
        }
        spawn_ready(&mut app, path, Crowd);
    }
    app.run_until_idle(0.1, |_| {});
    assert_unsupported_warned_once(&early);
    // Inserted after the model is spawned, and inserted again.
    let late = ["warn/b.alo", "warn/b.abc", "warn/b.lgw", "warn/b.mdl"];
    let mut app = app_with_files(late);
    for path in late {
        let root = spawn_ready(&mut app, path, ());
        app.step(0.0);
        for _ in 0..3 {
            app.apply(root, all_components());
            app.remove::<(PlayClip, TeamColor, PartVisibility)>(root);
            app.step(0.0);
        }
        // After a respawn.
        app.respawn(root);
        app.steps(2, 0.0);
    }
    assert_unsupported_warned_once(&late);
}

#[test]
fn models_without_components_cause_no_warnings() {
    let quiet = ["quiet/a.alo", "quiet/a.abc", "quiet/a.lgw", "quiet/a.mdl"];
    let mut app = app_with_files(quiet);
    for path in quiet {
        spawn_ready(&mut app, path, Transform::default());
        app.wait_until_idle();
        let mut warnings = log::warnings_with(path);
        // The texture of the model is missing.
        warnings.retain(|text| !text.contains("was not found"));
        assert_eq!(warnings, Vec::<String>::new());
    }
}

#[test]
fn components_propagated_to_proxies_cause_no_further_warnings() {
    log::listen();
    let mut file = crate::support::alo::clean();
    file = crate::support::alo::edited(&file, |file| {
        file.proxies = vec![Proxy {
            name: "inner".into(),
            ..file.proxies[0].clone()
        }];
    });
    let inner = crate::support::alo::minimal();
    let files = [("warn/outer.alo", file), ("warn/inner.alo", inner)];
    let mut app = TestApp::new(&files);
    let load_proxies = |settings: &mut AloLoaderSettings| settings.load_proxies = true;
    let outer: Handle<Alo> = app.load_with("warn/outer.alo", load_proxies);
    app.wait_loaded(&outer);
    // Neither model has a part `Ring`. No warning: a proxy model may have parts of any name.
    let components = (PartVisibility::hidden(["Ring"]), PlayerColors::default());
    let root = spawn_model(&mut app, "warn/outer.alo", components);
    app.wait_until(|world| {
        let mut proxies = world.query_filtered::<(), (With<AloProxy>, With<AloInstance>)>();
        world.get::<AloInstance>(root).is_some() && proxies.iter(world).count() == 1
    });
    app.wait_until_idle();
    assert_eq!(warnings("warn/outer.alo", "PlayerColors"), 1);
    assert_eq!(log::warnings_with("warn/inner.alo"), Vec::<String>::new());
    assert_eq!(log::warnings_with("\"Ring\""), Vec::<String>::new());
}

#[test]
fn unknown_part_names_are_warned_about_once() {
    let paths = ["parts/a.alo", "parts/a.abc", "parts/a.lgw", "parts/a.mdl"];
    let mut app = app_with_files(paths);
    let warnings =
        |path: &str, name: &str| log::count_warnings(&format!("has no part \"{name}\""), path);
    for (path, real) in [(paths[0], "HullMesh"), (paths[2], "mesh01")] {
        for _ in 0..2 {
            let hidden = PartVisibility::hidden([real, "Sail"]);
            let root = spawn_ready(&mut app, path, hidden);
            app.step(0.0);
            assert_eq!(warnings(path, "Sail"), 1, "{path}");
            let mut hidden = app.get_mut::<PartVisibility>(root);
            hidden.hide("Mast").show("Keel");
            app.steps(2, 0.0);
            assert_eq!([warnings(path, "Mast"), warnings(path, "Keel")], [1, 1]);
            assert_eq!(warnings(path, real), 0);
        }
    }
    // Parts of a single skinned mesh cannot be hidden: one warning for any names.
    for _ in 0..2 {
        spawn_ready(&mut app, paths[1], PartVisibility::hidden(["Arm", "Sail"]));
        app.step(0.0);
    }
    let skinned = log::warnings_with("is one skinned mesh");
    let skinned = skinned
        .iter()
        .filter(|text| text.starts_with(paths[1]))
        .count();
    assert_eq!(skinned, 1);
    assert_eq!(warnings(paths[1], "sail"), 0);
}

/// The nodes of a LithTech model whose meshes are not hidden.
fn visible_nodes(app: &mut TestApp, root: Entity) -> Vec<Option<usize>> {
    let meshes = app.get::<AbcInstance>(root).meshes().to_vec();
    let is_shown = |mesh: &Entity| {
        let world = app.app.world();
        let visibility = *world.get::<Visibility>(*mesh).unwrap();
        let node = world.get::<AbcMesh>(*mesh).unwrap().node;
        (visibility != Visibility::Hidden).then_some(node)
    };
    meshes.iter().filter_map(is_shown).collect()
}

#[test]
fn nodes_of_lithtech_models_are_hidden_by_name() {
    let settings = AbcLoaderSettings {
        separate_node_meshes: true,
        lod_shares: vec![0.75, 0.5],
        ..AbcLoaderSettings::default()
    };
    let files = [("rigid.abc", bytes(&figure()))];
    let (mut app, root) = spawned_of(&files, "rigid.abc", settings.clone());
    app.step(0.0);
    let all = visible_nodes(&mut app, root);
    assert!(all.contains(&Some(BODY)) && all.len() == 2, "{all:?}");
    let without: Vec<_> = all.iter().copied().filter(|it| *it != Some(BODY)).collect();
    app.apply(root, PartVisibility::hidden(["bODY"]));
    assert_eq!(visible_nodes(&mut app, root), without);
    // At other levels of detail, and after a respawn.
    for lod in [1, 2, 0] {
        app.apply(root, ModelLod(lod));
        assert!(
            !visible_nodes(&mut app, root).contains(&Some(BODY)),
            "level {lod}"
        );
    }
    app.respawn(root);
    app.step(0.0);
    assert_eq!(visible_nodes(&mut app, root), without, "in the first frame");
    let mut hidden = app.get_mut::<PartVisibility>(root);
    hidden.reset("Body").hide("Arm");
    app.step(0.0);
    assert_eq!(visible_nodes(&mut app, root), [Some(BODY)]);
    app.remove::<PartVisibility>(root);
    app.step(0.0);
    assert_eq!(visible_nodes(&mut app, root), all);
    // A node with vertex deformation always has its own mesh.
    let files = [("deforming.abc", bytes(&banner()))];
    let (mut app, root) = spawned_of(&files, "deforming.abc", AbcLoaderSettings::default());
    app.step(0.0);
    assert_eq!(visible_nodes(&mut app, root), [None, Some(FLAG_NODE)]);
    app.apply(root, PartVisibility::hidden(["flag", "Body"]));
    assert_eq!(visible_nodes(&mut app, root), [None]);
    log::expect_warning(
        "deforming.abc is one skinned mesh",
        "`separate_node_meshes`",
    );
}

/// The material of an MDL model.
fn material(app: &mut TestApp, root: Entity) -> AssetId<MdlMaterial> {
    let mesh = app.get::<MdlInstance>(root).mesh();
    let material = app.find::<MeshMaterial3d<MdlMaterial>>(mesh);
    material.unwrap().0.id()
}

fn model_skins(names: &[(&str, ModelSkin)]) -> ModelSkins {
    let mut skins = ModelSkins::default();
    for (name, skin) in names {
        skins.insert(name, skin.clone());
    }
    skins
}

#[test]
fn skins_are_selected_by_the_names_of_model_skins() {
    log::listen();
    let mut app = TestApp::new(&[("names/skins.mdl", tetrahedron().to_bytes())]);
    let by_name = |name: &str| ModelSkin::Name(name.to_owned());
    let skins = model_skins(&[
        ("Plain", ModelSkin::Index(0)),
        ("Group", ModelSkin::Index(1)),
        ("alias", by_name("GROUP")),
        ("round", by_name("about")),
        ("about", by_name("round")),
    ]);
    let components = (by_name("group"), skins);
    let root = app.spawn_ready("names/skins.mdl#Scene", components);
    app.step(0.0);
    let group = material(&mut app, root);
    app.apply(root, by_name("PLAIN"));
    let plain = material(&mut app, root);
    assert_ne!(plain, group);
    app.apply(root, by_name("Alias"));
    assert_eq!(material(&mut app, root), group);
    // An unknown name keeps the skin, and the warning lists the valid names.
    for unknown in ["desert-7", "round"] {
        app.apply(root, by_name(unknown));
        assert_eq!(material(&mut app, root), group);
    }
    log::expect_warning("\"desert-7\"", "about, alias, group, plain, round");
    // A change of a name's target applies at once.
    app.apply(root, by_name("plain"));
    let other = model_skins(&[("plain", ModelSkin::Index(1))]);
    app.apply(root, other);
    assert_eq!(material(&mut app, root), group);
    let image = app.add_asset(Image::default());
    let mut skins = app.get_mut::<ModelSkins>(root);
    skins.insert("Plain", ModelSkin::Image(image));
    app.step(0.0);
    assert!(![plain, group].contains(&material(&mut app, root)));
    // A skin by index ignores the names.
    app.apply(root, ModelSkin::Index(0));
    app.get_mut::<ModelSkins>(root).set_changed();
    app.step(0.0);
    assert_eq!(material(&mut app, root), plain);
}

#[test]
fn a_skin_name_applies_once_model_skins_is_inserted() {
    log::listen();
    let files = [("names/late.mdl", tetrahedron().to_bytes())];
    let mut app = TestApp::new(&files);
    let by_name = ModelSkin::Name("later".to_owned());
    let root = app.spawn_ready("names/late.mdl#Scene", by_name);
    app.step(0.0);
    let first = material(&mut app, root);
    let warnings = || {
        let warnings = log::warnings_with("needs `ModelSkins`");
        let of_model = |text: &&String| text.contains("late.mdl");
        warnings.iter().filter(of_model).count()
    };
    assert_eq!(warnings(), 1);
    let names = model_skins(&[("Later", ModelSkin::Index(1))]);
    app.apply(root, names);
    assert_ne!(material(&mut app, root), first);
    assert_eq!(warnings(), 1);
}

#[test]
fn a_warning_repeats_after_its_cause_was_fixed_once() {
    log::listen();
    let intact = bytes(&figure());
    let mut broken = intact.clone();
    for at in 0..broken.len() - 3 {
        if &broken[at..at + 3] == b"Arm" {
            broken[at..at + 3].copy_from_slice(b"Leg");
        }
    }
    let path = "warn/arm.abc";
    let mut app = TestApp::new(&[(path, broken.clone())]);
    let model: Handle<Abc> = app.load(path);
    app.wait_loaded(&model);
    let root = spawn_ready(&mut app, path, ());
    let mut scene = app.get::<Children>(root)[0];
    for _ in 0..2 {
        app.world().spawn(on(root, "Arm"));
        app.step(0.0);
    }
    let warnings = || log::warnings_with("warn/arm.abc has no bone \"Arm\"").len();
    assert_eq!(warnings(), 1);
    // Broken as before, intact, and broken again.
    for (bytes, expected) in [(&broken, 1), (&intact, 1), (&broken, 2), (&broken, 2)] {
        app.edit(path, bytes.clone());
        app.wait_until(|world| {
            world.get_entity(scene).is_err() && world.get::<AbcInstance>(root).is_some()
        });
        app.step(0.0);
        let mut children = app
            .world()
            .query_filtered::<(Entity, &ChildOf), Without<AttachedToBone>>();
        let mut children = children.iter(app.world());
        let child = children.find(|(_, child_of)| child_of.parent() == root);
        scene = child.unwrap().0;
        assert_eq!(warnings(), expected);
    }
}

#[test]
fn skin_indices_out_of_range_are_warned_about_once() {
    log::listen();
    let figure_mdl = mdl::figure(Precision::Bits8).to_bytes();
    let mut app = TestApp::new(&[
        ("warn/beyond.abc", bytes(&figure())),
        ("warn/beyond.mdl", figure_mdl),
    ]);
    let abc: Handle<Abc> = app.load("warn/beyond.abc");
    app.wait_loaded(&abc);
    let mdl: Handle<Mdl> = app.load("warn/beyond.mdl");
    app.wait_loaded(&mdl);
    for path in ["warn/beyond.abc", "warn/beyond.mdl"] {
        let roots = [(); 5].map(|()| spawn_model(&mut app, path, ModelSkin::Index(99)));
        for root in roots {
            wait_for_model(&mut app, root);
        }
        app.step(0.0);
        log::expect_warning(&format!("{path} has"), "skin 99");
    }
}
