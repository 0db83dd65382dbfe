//! What the components of a root mean on each format: warnings where they mean nothing, skins by names, and
//! parts of LithTech models.

use crate::attach::scene::{all_formats, app, spawn_model, wait_for_model};
use crate::gpuless;
use crate::support::abc::{BODY, FLAG_NODE, banner, bytes, figure};
use crate::support::abc_app::spawned_of;
use crate::support::app::TestApp;
use crate::support::fixtures::{self, tetrahedron};
use crate::support::lgw::BICYCLE;
use crate::support::log;
use bevy::prelude::*;
use bevy_classic_models::alamo::alo::Proxy;
use bevy_classic_models::alamo::{Alo, AloInstance, AloLoaderSettings, AloProxy};
use bevy_classic_models::lgw::{Lgw, LgwInstance};
use bevy_classic_models::lithtech::AbcMesh;
use bevy_classic_models::lithtech::{Abc, AbcInstance, AbcLoaderSettings};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Mdl;
use bevy_classic_models::quake::mdl::Precision;
use bevy_classic_models::quake::{MdlAnimator, MdlMaterial};
use std::path::Path;

/// The components, and the extensions of the formats on which each means something.
const MEANS: [(&str, &[&str]); 8] = [
    ("PlayClip", &["alo", "abc", "mdl"]),
    ("ModelSkin", &["abc", "mdl"]),
    ("ModelLod", &["alo", "abc"]),
    ("LodDistances", &["alo", "abc"]),
    ("DamageStage", &["alo"]),
    ("TeamColor", &["alo"]),
    ("PlayerColors", &["mdl"]),
    ("PartVisibility", &["alo", "abc", "lgw"]),
];

fn all_components() -> impl Bundle {
    (
        PlayClip::looping(0),
        ModelSkin::Index(0),
        ModelLod(0),
        LodDistances(vec![10.0]),
        DamageStage(0),
        TeamColor::default(),
        PlayerColors::default(),
        PartVisibility::default(),
    )
}

/// Warnings about a component on a model.
fn warnings(path: &str, component: &str) -> usize {
    let told = log::warnings_with(&format!("`{component}` means nothing"));
    told.iter().filter(|text| text.starts_with(path)).count()
}

#[track_caller]
fn assert_told(paths: &[&str]) {
    for path in paths {
        let extension = path.rsplit_once('.').unwrap().1;
        for (component, formats) in MEANS {
            let expected = usize::from(!formats.contains(&extension));
            assert_eq!(warnings(path, component), expected, "{component}, {path}");
        }
    }
}

/// Files of all formats under names of a test's own.
fn files_of(names: [&'static str; 4]) -> TestApp {
    log::listen();
    let files = all_formats().into_iter().zip(names);
    let files: Vec<_> = files.map(|((_, bytes, _), name)| (name, bytes)).collect();
    TestApp::new(&files)
}

#[test]
fn each_component_is_told_of_once_where_it_means_nothing() {
    // Before the model is there.
    let early = ["said/a.alo", "said/a.abc", "said/a.lgw", "said/a.mdl"];
    let mut app = files_of(early);
    for path in early {
        for _ in 0..3 {
            let root = spawn_model(&mut app, path, all_components());
            wait_for_model(&mut app, root);
        }
    }
    app.run_until_idle(0.1, |_| {});
    assert_told(&early);
    // When it is there, and again.
    let late = ["said/b.alo", "said/b.abc", "said/b.lgw", "said/b.mdl"];
    let mut app = files_of(late);
    for path in late {
        let root = spawn_model(&mut app, path, ());
        wait_for_model(&mut app, root);
        app.step(0.0);
        for _ in 0..3 {
            app.world().entity_mut(root).insert(all_components());
            app.step(0.0);
            app.world()
                .entity_mut(root)
                .remove::<(PlayClip, TeamColor, PartVisibility)>();
            app.step(0.0);
        }
        // And over a reload.
        let mut scene = app.world().get_mut::<WorldAssetRoot>(root);
        scene.as_mut().unwrap().set_changed();
        app.step(0.0);
        app.step(0.0);
    }
    assert_told(&late);
}

#[test]
fn models_without_components_are_not_told_of() {
    let quiet = ["quiet/a.alo", "quiet/a.abc", "quiet/a.lgw", "quiet/a.mdl"];
    let mut app = files_of(quiet);
    for path in quiet {
        let root = spawn_model(&mut app, path, Transform::default());
        wait_for_model(&mut app, root);
        app.wait_until_idle();
        let mut told = log::warnings_with(path);
        // The model lacks its picture.
        told.retain(|text| !text.contains("was not found"));
        assert_eq!(told, Vec::<String>::new());
    }
}

#[test]
fn what_is_passed_on_to_proxies_is_not_told_of_again() {
    log::listen();
    let mut file = crate::support::alo::clean();
    file = crate::support::alo::edited(&file, |file| {
        file.proxies = vec![Proxy {
            name: "carried".into(),
            ..file.proxies[0].clone()
        }];
    });
    let inner = crate::support::alo::minimal();
    let files = [("said/outer.alo", file), ("said/carried.alo", inner)];
    let mut app = TestApp::new(&files);
    let follow = |settings: &mut AloLoaderSettings| settings.load_proxies = true;
    let server = app.world().resource::<AssetServer>().clone();
    let builder = server.load_builder().with_settings(follow);
    let outer: Handle<Alo> = builder.load("said/outer.alo");
    app.wait_loaded(&outer);
    // `Ring` is a part of neither, but the models that are brought along may have parts of any name.
    let chosen = (PartVisibility::new(["Ring"]), PlayerColors::default());
    let root = spawn_model(&mut app, "said/outer.alo", chosen);
    let is_there = gpuless::wait_until(&mut app.app, |world| {
        let mut brought = world.query_filtered::<(), (With<AloProxy>, With<AloInstance>)>();
        world.get::<AloInstance>(root).is_some() && brought.iter(world).count() == 1
    });
    assert!(is_there);
    app.wait_until_idle();
    assert_eq!(warnings("said/outer.alo", "PlayerColors"), 1);
    assert_eq!(log::warnings_with("said/carried.alo"), Vec::<String>::new());
    assert_eq!(log::warnings_with("\"ring\""), Vec::<String>::new());
}

#[test]
fn names_that_no_part_has_are_told_of_once() {
    let paths = ["parts/a.alo", "parts/a.abc", "parts/a.lgw", "parts/a.mdl"];
    let mut app = files_of(paths);
    let told = |path: &str, name: &str| {
        let told = log::warnings_with(&format!("has no part \"{name}\""));
        told.iter().filter(|text| text.starts_with(path)).count()
    };
    for (path, real) in [(paths[0], "HullMesh"), (paths[2], "mesh01")] {
        for _ in 0..2 {
            let hidden = PartVisibility::new([real, "Sail"]);
            let root = spawn_model(&mut app, path, hidden);
            wait_for_model(&mut app, root);
            app.step(0.0);
            assert_eq!(told(path, "sail"), 1, "{path}");
            let mut hidden = app.world().get_mut::<PartVisibility>(root).unwrap();
            hidden.hide("Mast").show("Keel");
            app.step(0.0);
            app.step(0.0);
            assert_eq!([told(path, "mast"), told(path, "keel")], [1, 1]);
            assert_eq!(told(path, &real.to_lowercase()), 0);
        }
    }
    // Of one skinned mesh nothing can be hidden, whatever it is called.
    for _ in 0..2 {
        let root = spawn_model(&mut app, paths[1], PartVisibility::new(["Arm", "Sail"]));
        wait_for_model(&mut app, root);
        app.step(0.0);
    }
    let one = log::warnings_with("is one skinned mesh");
    let one = one.iter().filter(|text| text.starts_with(paths[1])).count();
    assert_eq!(one, 1);
    assert_eq!(told(paths[1], "sail"), 0);
}

/// The nodes of a LithTech model whose meshes are not hidden.
fn shown(app: &mut TestApp, root: Entity) -> Vec<Option<usize>> {
    let instance = app.world().get::<AbcInstance>(root).unwrap();
    let meshes = instance.meshes().to_vec();
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
    let all = shown(&mut app, root);
    assert!(all.contains(&Some(BODY)) && all.len() == 2, "{all:?}");
    let without: Vec<_> = all.iter().copied().filter(|it| *it != Some(BODY)).collect();
    app.world()
        .entity_mut(root)
        .insert(PartVisibility::new(["bODY"]));
    app.step(0.0);
    assert_eq!(shown(&mut app, root), without);
    // Another level, and what is spawned anew.
    for lod in [1, 2, 0] {
        app.world().entity_mut(root).insert(ModelLod(lod));
        app.step(0.0);
        assert!(!shown(&mut app, root).contains(&Some(BODY)), "level {lod}");
    }
    let mut scene = app.world().get_mut::<WorldAssetRoot>(root);
    scene.as_mut().unwrap().set_changed();
    app.step(0.0);
    assert_eq!(shown(&mut app, root), without, "in the first frame");
    let mut hidden = app.world().get_mut::<PartVisibility>(root).unwrap();
    hidden.reset("Body").hide("Arm");
    app.step(0.0);
    assert_eq!(shown(&mut app, root), [Some(BODY)]);
    app.world().entity_mut(root).remove::<PartVisibility>();
    app.step(0.0);
    assert_eq!(shown(&mut app, root), all);
    // A node that deforms has a mesh of its own in any model.
    let files = [("deforming.abc", bytes(&banner()))];
    let (mut app, root) = spawned_of(&files, "deforming.abc", AbcLoaderSettings::default());
    app.step(0.0);
    assert_eq!(shown(&mut app, root), [None, Some(FLAG_NODE)]);
    let hidden = PartVisibility::new(["flag", "Body"]);
    app.world().entity_mut(root).insert(hidden);
    app.step(0.0);
    assert_eq!(shown(&mut app, root), [None]);
    let told = log::warnings_with("deforming.abc has no part");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("\"body\""));
}

/// The material that an MDL model wears.
fn worn(app: &mut TestApp, root: Entity) -> AssetId<MdlMaterial> {
    let mesh = app.world().get::<MdlAnimator>(root).unwrap().mesh();
    let material = app.world().get::<MeshMaterial3d<MdlMaterial>>(mesh);
    material.unwrap().0.id()
}

fn named(names: &[(&str, ModelSkin)]) -> ModelSkins {
    let mut skins = ModelSkins::default();
    for (name, skin) in names {
        skins.insert(name, skin.clone());
    }
    skins
}

#[test]
fn skins_are_chosen_by_names_of_their_own() {
    log::listen();
    let mut app = TestApp::new(&[("names/worn.mdl", tetrahedron().to_bytes())]);
    let by_name = |name: &str| ModelSkin::Name(name.to_owned());
    let skins = named(&[
        ("Plain", ModelSkin::Index(0)),
        ("Group", ModelSkin::Index(1)),
        ("alias", by_name("GROUP")),
        ("round", by_name("about")),
        ("about", by_name("round")),
    ]);
    let chosen = (by_name("group"), skins);
    let root = app.spawn_ready("names/worn.mdl#Scene", chosen);
    app.step(0.0);
    let group = worn(&mut app, root);
    app.world().entity_mut(root).insert(by_name("PLAIN"));
    app.step(0.0);
    let plain = worn(&mut app, root);
    assert_ne!(plain, group);
    app.world().entity_mut(root).insert(by_name("Alias"));
    app.step(0.0);
    assert_eq!(worn(&mut app, root), group);
    // Unknown ones change nothing, and say what is known.
    for unknown in ["desert-7", "round"] {
        app.world().entity_mut(root).insert(by_name(unknown));
        app.step(0.0);
        assert_eq!(worn(&mut app, root), group);
    }
    let told = log::warnings_with("\"desert-7\"");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("about, alias, group, plain, round"));
    // Names that mean something else are followed.
    app.world().entity_mut(root).insert(by_name("plain"));
    app.step(0.0);
    let other = named(&[("plain", ModelSkin::Index(1))]);
    app.world().entity_mut(root).insert(other);
    app.step(0.0);
    assert_eq!(worn(&mut app, root), group);
    let image = app
        .world()
        .resource_mut::<Assets<Image>>()
        .add(Image::default());
    let mut skins = app.world().get_mut::<ModelSkins>(root).unwrap();
    skins.insert("Plain", ModelSkin::Image(image));
    app.step(0.0);
    assert!(![plain, group].contains(&worn(&mut app, root)));
    // What does not go by a name does not mind them.
    app.world().entity_mut(root).insert(ModelSkin::Index(0));
    app.step(0.0);
    app.world()
        .get_mut::<ModelSkins>(root)
        .unwrap()
        .set_changed();
    app.step(0.0);
    assert_eq!(worn(&mut app, root), plain);
}

#[test]
fn a_name_waits_for_names() {
    log::listen();
    let files = [("names/late.mdl", tetrahedron().to_bytes())];
    let mut app = TestApp::new(&files);
    let by_name = ModelSkin::Name("later".to_owned());
    let root = app.spawn_ready("names/late.mdl#Scene", by_name);
    app.step(0.0);
    let first = worn(&mut app, root);
    let told = || {
        let told = log::warnings_with("needs `ModelSkins`");
        told.iter().filter(|it| it.contains("late.mdl")).count()
    };
    assert_eq!(told(), 1);
    let names = named(&[("Later", ModelSkin::Index(1))]);
    app.world().entity_mut(root).insert(names);
    app.step(0.0);
    assert_ne!(worn(&mut app, root), first);
    assert_eq!(told(), 1);
}

#[test]
fn hidden_meshes_stay_hidden_over_an_edit() {
    let mut app = app();
    let model: Handle<Lgw> = app.load("hung/unit.lgw");
    let root = spawn_model(&mut app, "hung/unit.lgw", PartVisibility::new(["MESH01"]));
    wait_for_model(&mut app, root);
    let edited = BICYCLE.replace("1 0 0 1 0 0 0 1", "8 0 0 1 0 0 0 1");
    app.files
        .insert_asset(Path::new("hung/unit.lgw"), edited.into_bytes());
    let old = app.world().get::<LgwInstance>(root).unwrap().meshes()[0];
    app.world()
        .resource::<AssetServer>()
        .reload("hung/unit.lgw");
    let is_respawned = |world: &mut World| {
        let mesh = world.get::<LgwInstance>(root).unwrap().meshes()[0];
        assert_eq!(world.get::<Visibility>(mesh), Some(&Visibility::Hidden));
        mesh != old
    };
    assert!(crate::gpuless::wait_until(&mut app.app, is_respawned));
    drop(model);
}

#[test]
fn what_was_right_in_between_is_told_again() {
    log::listen();
    let whole = bytes(&figure());
    let mut broken = whole.clone();
    for at in 0..broken.len() - 3 {
        if &broken[at..at + 3] == b"Arm" {
            broken[at..at + 3].copy_from_slice(b"Leg");
        }
    }
    let path = "said/arm.abc";
    let mut app = TestApp::new(&[(path, broken.clone())]);
    let model: Handle<Abc> = app.load(path);
    app.wait_loaded(&model);
    let root = spawn_model(&mut app, path, ());
    wait_for_model(&mut app, root);
    let mut scene = app.world().get::<Children>(root).unwrap()[0];
    for _ in 0..2 {
        let bone = "Arm".to_owned();
        app.world().spawn(AttachedToBone { to: root, bone });
        app.step(0.0);
    }
    let told = || log::warnings_with("said/arm.abc has no bone \"Arm\"").len();
    assert_eq!(told(), 1);
    // Broken as before, whole, and broken again.
    for (bytes, expected) in [(&broken, 1), (&whole, 1), (&broken, 2), (&broken, 2)] {
        app.files.insert_asset(Path::new(path), bytes.clone());
        app.world().resource::<AssetServer>().reload(path);
        assert!(gpuless::wait_until(&mut app.app, |world| {
            world.get_entity(scene).is_err() && world.get::<AbcInstance>(root).is_some()
        }));
        app.step(0.0);
        let mut children = app
            .world()
            .query_filtered::<(Entity, &ChildOf), Without<AttachedToBone>>();
        let mut children = children.iter(app.world());
        let child = children.find(|(_, of)| of.parent() == root);
        scene = child.unwrap().0;
        assert_eq!(told(), expected);
    }
}

#[test]
fn skins_beyond_the_last_are_told_of_once() {
    log::listen();
    let figure_mdl = fixtures::figure(Precision::Bits8).to_bytes();
    let mut app = TestApp::new(&[
        ("said/beyond.abc", bytes(&figure())),
        ("said/beyond.mdl", figure_mdl),
    ]);
    let abc: Handle<Abc> = app.load("said/beyond.abc");
    app.wait_loaded(&abc);
    let mdl: Handle<Mdl> = app.load("said/beyond.mdl");
    app.wait_loaded(&mdl);
    for path in ["said/beyond.abc", "said/beyond.mdl"] {
        let roots = [(); 5].map(|()| spawn_model(&mut app, path, ModelSkin::Index(99)));
        for root in roots {
            wait_for_model(&mut app, root);
        }
        app.step(0.0);
        let told = log::warnings_with(&format!("{path} has"));
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("skin 99"), "{told:?}");
    }
}
