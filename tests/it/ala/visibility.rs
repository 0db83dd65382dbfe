//! The visibility of bones: clips with and without records and tracks, what a bone hides, and the setting by which hidden
//! bones also hide what is connected to the bones below them.

use crate::ala::play::{FPS, ala, document};
use crate::support::particle_app::stream;
use crate::support::prelude::*;
use bevy_classic_models::alamo::ala::parse as parse_clip;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::alo::{Bone, Light, Mesh as FileMesh, Proxy, parse};
use bevy_classic_models::alamo::{AloPartKind, AloTags};
use classic_models_fixtures::alo::clean;
use classic_models_fixtures::particles::bytes;
use classic_models_fixtures::particles::emitter;

/// Bones with their parents. Skeleton and hull are hidden in the model.
const BONES: [(&str, u32); 4] = [("Root", 0), ("Skeleton", 0), ("Hand", 1), ("Hull", 0)];
const SKELETON: usize = 1;
const HAND: usize = 2;
const HULL: usize = 3;

/// The seconds of the frame in which `GONE_00` hides the hand.
const GONE: f32 = 1.0 / FPS;

/// A model with a mesh, a light, a proxy and a dazzle on each bone except the root.
fn model() -> Vec<u8> {
    let (vertices, triangles) = cuboid([1.0; 3], [0.0; 3]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles).with_tree();
    let bone = |(index, (name, parent)): (usize, &(&'static str, u32))| {
        let parent = (index > 0).then_some(*parent);
        Bone {
            visible: index != SKELETON && index != HULL,
            ..Bone::new(*name, parent, [10.0, 0.0, 0.0])
        }
    };
    let mut file = AloFile::new(BONES.iter().enumerate().map(bone).collect());
    file.version = 2;
    let samples = clean();
    let samples = parse(&samples).unwrap();
    for bone in 1..4 {
        let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![]);
        file.meshes.push(FileMesh::new("Box", bone, vec![submesh]));
        file.lights.push(Light {
            bone: Some(bone),
            ..samples.lights[0].clone()
        });
        file.proxies.push(Proxy {
            name: "p_smoke".into(),
            bone,
            hidden: Some(false),
            alt_decrease_stay_hidden: None,
        });
        file.dazzles.push(Dazzle {
            bone,
            night_only: false,
            is_hidden: false,
            ..samples.dazzles[0].clone()
        });
    }
    write(&file).unwrap()
}

/// Records of these bones, and a visibility track of one.
fn tracks(bones: &[usize], track: Option<(usize, [bool; 3])>) -> Vec<BoneTracks> {
    let tracks = bones.iter().map(|bone| {
        let (name, _) = BONES[*bone];
        let shown = track.filter(|(other, _)| other == bone);
        BoneTracks {
            visibility: shown.map(|(_, frames)| frames.into()),
            ..BoneTracks::new(name, *bone as u32, [10.0, 0.0, 0.0])
        }
    });
    tracks.collect()
}

/// A clip of three frames.
fn clip(bones: &[usize], track: Option<(usize, [bool; 3])>) -> Vec<u8> {
    ala(&document(3, tracks(bones, track)))
}

fn files() -> Vec<(&'static str, Vec<u8>)> {
    let all = [SKELETON, HAND, HULL];
    // Without tracks, frames take no space in the file, and no time.
    let long = document(16_000_000, tracks(&all, None));
    vec![
        ("unit.alo", model()),
        ("p_smoke.alo", bytes(vec![emitter(stream(20, 0.5))])),
        ("unit_ALL_00.ala", clip(&all, None)),
        ("unit_HIDE_00.ala", clip(&all, Some((SKELETON, [false; 3])))),
        ("unit_HAND_00.ala", clip(&[HAND], None)),
        ("unit_LONG_00.ala", ala(&long)),
        (
            "unit_GONE_00.ala",
            clip(&all, Some((HAND, [true, false, true]))),
        ),
    ]
}

/// For each clip: whether skeleton, hand and hull are visible themselves.
const CASES: [(Option<&str>, [bool; 3]); 8] = [
    (None, [false, true, false]),
    (Some("ALL_00"), [true, true, true]),
    (Some("HIDE_00"), [false, true, true]),
    (Some("HAND_00"), [false, true, false]),
    (Some("GONE_00"), [true, false, true]),
    (Some("HIDE_00"), [false, true, true]),
    (None, [false, true, false]),
    (Some("GONE_00"), [true, false, true]),
];

fn load(app: &mut ParticleApp, hide_children: bool) -> Handle<Alo> {
    let server = app.server();
    let settings = move |settings: &mut AloLoaderSettings| {
        settings.hidden_bones_hide_children = hide_children;
    };
    let model = server.load_builder().with_settings(settings);
    let model = model.load("unit.alo");
    app.app.wait_loaded(&model);
    model
}

/// Spawns the model, with an attachment on each bone except the root.
fn spawn(app: &mut ParticleApp, bundle: impl Bundle) -> (Entity, [Entity; 3]) {
    let root = app.app.spawn_ready("unit.alo#Scene", bundle);
    let bones = [SKELETON, HAND, HULL].map(|bone| BONES[bone].0);
    let attached = bones.map(|bone| app.spawn_entity(on(root, bone)));
    app.app.wait_until_idle();
    app.run(2, 0.0);
    (root, attached)
}

fn show(app: &mut ParticleApp, root: Entity, clip: Option<&str>) {
    match clip {
        Some(clip) => {
            let play = PlayClip::once(clip).starting_at(GONE).with_speed(0.0);
            app.insert(root, play);
        }
        None => _ = app.world().entity_mut(root).remove::<PlayClip>(),
    }
    app.run(2, 0.0);
}

fn is_visible(world: &World, entity: Entity) -> bool {
    world.get::<InheritedVisibility>(entity).unwrap().get()
}

/// Asserts that everything that is connected to skeleton, hand and hull is shown or hidden.
#[track_caller]
fn assert_scene(app: &mut ParticleApp, root: Entity, attached: [Entity; 3], expected: [bool; 3]) {
    let instance = app.get::<AloInstance>(root);
    let parts = instance.parts().to_vec();
    assert_eq!(parts.len(), 12);
    for part in parts {
        let world = app.app.app.world();
        let bone = world.get::<ChildOf>(part).unwrap().parent();
        let index = world.get::<AloBone>(bone).unwrap().index;
        let info = world.get::<AloPart>(part).unwrap();
        let what = format!("{:?} on {}", info.kind, BONES[index].0);
        assert_eq!(is_visible(world, part), expected[index - 1], "{what}");
        if info.kind != AloPartKind::Proxy {
            continue;
        }
        // Its system is spawned when it is shown for the first time.
        let children = world.get::<Children>(part).into_iter().flatten();
        let emission = children.filter_map(|child| world.get::<ParticleEmission>(*child));
        let plays = emission
            .copied()
            .any(|emission| emission == ParticleEmission::Playing);
        assert_eq!(plays, expected[index - 1], "particles, {what}");
    }
    for (index, attached) in attached.into_iter().enumerate() {
        let what = format!("attached to {}", BONES[index + 1].0);
        assert_eq!(is_visible(app.world(), attached), expected[index], "{what}");
    }
    let shown = expected.iter().filter(|shown| **shown).count();
    for parts in [ColliderParts::Solid, ColliderParts::Drawn] {
        let mut state = SystemState::<ModelColliders>::new(app.world());
        let mut colliders = state.get_mut(app.world()).unwrap();
        let mesh = colliders.collider_mesh(root, parts);
        let triangles = mesh.map_or(0, |mesh| mesh.indices.len());
        assert_eq!(triangles, 12 * shown, "{parts:?}");
    }
}

#[track_caller]
fn assert_crowd(app: &mut ParticleApp, root: Entity, attached: [Entity; 3], expected: [bool; 3]) {
    let vertices = crowd_vertices(app.world(), root);
    let count = vertices.len() / 3;
    for (index, vertices) in vertices.chunks_exact(count).enumerate() {
        let is_shown = |(_, is_visible): &(Vec3, bool)| *is_visible == expected[index];
        assert!(vertices.iter().all(is_shown), "on {}", BONES[index + 1].0);
        let what = format!("attached to {}", BONES[index + 1].0);
        assert_eq!(
            is_visible(app.world(), attached[index]),
            expected[index],
            "{what}"
        );
    }
}

fn check(hide_children: bool) {
    let mut app = ParticleApp::with_files(&files());
    let _model = load(&mut app, hide_children);
    let (scene, in_scene) = spawn(&mut app, ());
    let (crowd, in_crowd) = spawn(&mut app, Crowd);
    for (clip, own) in CASES {
        let [skeleton, hand, hull] = own;
        let expected = [skeleton, hand && (skeleton || !hide_children), hull];
        println!("{clip:?}, {hide_children}");
        for root in [scene, crowd] {
            show(&mut app, root, clip);
        }
        let is_baked = gpuless::wait_until(&mut app.app.app, |world| !is_baking(world, crowd));
        assert!(is_baked);
        app.run(2, 0.0);
        let bones = app.get::<AloInstance>(scene).bones();
        let bones: Vec<Entity> = bones[SKELETON..].into();
        for (bone, own) in bones.into_iter().zip(own) {
            let state = app.get::<BoneVisibility>(bone);
            assert_eq!(state.is_visible(), own);
            if !hide_children {
                let visibility = app.find::<Visibility>(bone);
                assert_eq!(visibility, Some(&Visibility::Inherited));
            }
        }
        assert_scene(&mut app, scene, in_scene, expected);
        assert_crowd(&mut app, crowd, in_crowd, expected);
    }
}

#[test]
fn a_bone_hides_only_what_is_connected_to_it() {
    check(false);
}

#[test]
fn with_the_setting_a_bone_also_hides_what_is_below_it() {
    check(true);
}

/// The range of X that a clip or the rest pose covers.
fn covered(app: &mut ParticleApp, root: Entity, clip: Option<&str>) -> [f32; 2] {
    let mut state = SystemState::<ModelQuery>::new(app.world());
    let models = state.get(app.world()).unwrap();
    let bounds = match clip {
        Some(clip) => models.clip_bounds(root, &ClipRef::from(clip)),
        None => models.bounds(root),
    };
    bounds.map_or([f32::NAN; 2], |bounds| [bounds.min.x, bounds.max.x])
}

#[test]
fn bounds_contain_what_is_visible_in_a_frame_of_the_clip() {
    for (hide_children, cases) in [
        (
            false,
            [
                (None, [29.0, 31.0]),
                (Some("ALL_00"), [19.0, 31.0]),
                (Some("HIDE_00"), [19.0, 31.0]),
                (Some("HAND_00"), [29.0, 31.0]),
                (Some("GONE_00"), [19.0, 31.0]),
                (Some("LONG_00"), [19.0, 31.0]),
            ],
        ),
        (
            true,
            [
                (None, [f32::NAN; 2]),
                (Some("ALL_00"), [19.0, 31.0]),
                (Some("HIDE_00"), [19.0, 21.0]),
                (Some("HAND_00"), [f32::NAN; 2]),
                (Some("GONE_00"), [19.0, 31.0]),
                (Some("LONG_00"), [19.0, 31.0]),
            ],
        ),
    ] {
        let mut app = ParticleApp::with_files(&files());
        let model = load(&mut app, hide_children);
        let (root, _) = spawn(&mut app, ());
        for (clip, expected) in cases {
            let found = covered(&mut app, root, clip);
            let is_near = |(found, expected): (f32, f32)| {
                (found - expected).abs() < 1e-3 || found.is_nan() && expected.is_nan()
            };
            let [low, high] = [0, 1].map(|side| is_near((found[side], expected[side])));
            assert!(low && high, "{clip:?}, {hide_children}: {found:?}");
        }
        drop(model);
    }
}

/// Attachments on one bone share a parent, which exists only as long as there are any.
#[test]
fn the_parent_of_attachments_is_despawned_with_the_last_one() {
    let mut app = ParticleApp::with_files(&files());
    let (root, attached) = spawn(&mut app, ());
    let parent = |app: &mut ParticleApp, entity| app.get::<ChildOf>(entity).parent();
    let second = app.spawn_entity(on(root, "hand"));
    app.run(2, 0.0);
    let holder = parent(&mut app, attached[1]);
    assert_eq!(parent(&mut app, second), holder);
    app.insert(second, on(root, "hull"));
    app.run(2, 0.0);
    assert_eq!(parent(&mut app, second), parent(&mut app, attached[2]));
    assert!(!is_visible(app.world(), second));
    app.despawn(attached[1]);
    app.run(2, 0.0);
    assert!(!app.exists(holder));
}

/// Whether each mesh of a model is drawn, at the finest level of detail and undamaged. `clip` is a clip with a time in
/// frames.
fn drawn_meshes(model: &AloFile<'_>, clip: Option<(&AlaFile<'_>, f32)>) -> Vec<bool> {
    let bone_is_visible = |index: usize| {
        let bone = &model.bones[index];
        let record = clip.and_then(|(file, frame)| {
            let record = file
                .bones
                .iter()
                .find(|record| record.index as usize == index)?;
            let is_same = record.name.to_lowercase() == bone.name.to_lowercase();
            is_same.then(|| file.sample(record, frame).visible.unwrap_or(true))
        });
        record.unwrap_or(bone.visible)
    };
    let tags: Vec<AloTags> = model
        .meshes
        .iter()
        .map(|mesh| AloTags::of(&mesh.name))
        .collect();
    let others = model.proxies.iter().map(|proxy| AloTags::of(&proxy.name));
    let others = others.chain(model.lights.iter().map(|light| AloTags::of(&light.name)));
    let finest = tags
        .iter()
        .cloned()
        .chain(others)
        .filter_map(|tags| tags.lod)
        .max();
    let drawn = model.meshes.iter().zip(&tags).map(|(mesh, tags)| {
        let is_selected = tags.lod.is_none() || tags.lod == finest;
        let is_undamaged = tags.alt.is_none_or(|stage| stage == 0);
        let bone = mesh.bone.unwrap_or(0) as usize;
        !mesh.hidden && is_selected && is_undamaged && bone_is_visible(bone)
    });
    drawn.collect()
}

/// Compares the meshes that scenes and members of crowds draw with those that the files name, for all clips of all models of
/// the corpus. Crowds have the vertices of their scenes, hidden ones too.
#[test]
fn real_models_draw_the_meshes_of_their_files() {
    let Some(folder) = corpus("real_models_draw_the_meshes_of_their_files") else {
        return;
    };
    log::listen();
    let leaked = |(name, bytes): (String, Vec<u8>)| (&*name.leak(), bytes);
    let models: Vec<_> = files_of(&folder, "alo").into_iter().map(leaked).collect();
    let clips: Vec<_> = files_of(&folder, "ala").into_iter().map(leaked).collect();
    let mut app = TestApp::new(&[&models[..], &clips[..]].concat());
    let (mut compared, mut hidden) = (0, 0);
    for (path, bytes) in &models {
        let alo = app.load::<Alo>(*path);
        let Ok(file) = parse(bytes) else {
            continue;
        };
        if !matches!(app.finish_load(&alo), LoadState::Loaded) {
            continue;
        }
        let animations = app.asset(&alo);
        let animations = animations.animations.clone();
        if animations.is_empty() {
            continue;
        }
        let pair = Pair::spawn(&mut app, path, ());
        for animation in &animations {
            let clip = animation.ala.path().unwrap().to_string();
            let bytes = &clips.iter().find(|(path, _)| *path == clip).unwrap().1;
            let Ok(clip) = parse_clip(bytes) else {
                continue;
            };
            let last = (clip.frames - 1) as f32;
            for frame in [0.0, (0.4 * last).floor(), last] {
                pair.show(&mut app, &*animation.name, frame / clip.fps);
                let what = format!("{path}, {} at frame {frame}", animation.name);
                let expected = drawn_meshes(&file, Some((&clip, frame)));
                let instance = app.get::<AloInstance>(pair.scene);
                for part in instance.parts().to_vec() {
                    let info = app.get::<AloPart>(part).clone();
                    if info.kind != AloPartKind::Mesh {
                        continue;
                    }
                    let is_visible = is_visible(app.world(), part);
                    assert_eq!(is_visible, expected[info.index], "{what}, {}", info.name);
                    compared += 1;
                    hidden += usize::from(!is_visible);
                }
                let [scene, crowd] = pair.vertices(&mut app).map(|vertices| {
                    let vertices = vertices.into_iter();
                    vertices
                        .map(|(_, is_visible)| is_visible)
                        .collect::<Vec<_>>()
                });
                assert!(scene == crowd, "{what}");
            }
        }
        pair.despawn(&mut app);
    }
    println!("{compared} meshes compared, {hidden} of them hidden");
    assert!(clips.is_empty() || compared > 0);
}
