//! `ModelQuery` on all formats: clips, poses, bounds, skins, parts and bones.

use crate::support::abc::{bytes as abc_bytes, figure as abc_figure};
use crate::support::mdl::figure as mdl_figure;
use crate::support::prelude::*;
use bevy_classic_models::spawn::{ModelClip, ModelPose};

const MDL: &str = "models/sentry.mdl#Scene";
const ALO: &str = "models/walker.alo#Scene";
const ABC: &str = "models/warden.abc#Scene";
const LGW: &str = "models/courier.lgw#Scene";

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets")
}

fn spawn(app: &mut TestApp, scene: &'static str, bundle: impl Bundle) -> Entity {
    let root = app.spawn_ready(scene, bundle);
    app.settle();
    root
}

/// Shows a clip that is loaded already.
fn show(app: &mut TestApp, root: Entity, clip: &str, seconds: f32) {
    app.insert(root, PlayClip::once(clip).starting_at(seconds).paused());
    app.steps(3, 0.0);
}

fn play(app: &mut TestApp, root: Entity, clip: impl Into<ClipRef>, seconds: f32) {
    app.insert(root, PlayClip::once(clip).starting_at(seconds).paused());
    app.settle();
}

#[track_caller]
fn pose(app: &mut TestApp, root: Entity) -> ModelPose {
    app.ask(|models| models.pose(root)).unwrap()
}

#[test]
fn clips_and_poses_match_the_files() {
    let mut app = TestApp::in_folder(&assets());
    let [mdl, alo, abc, lgw] = [MDL, ALO, ABC, LGW].map(|scene| spawn(&mut app, scene, ()));
    let clips = |app: &mut TestApp, root| app.ask(|models| models.clips(root));
    let index_of =
        |clips: &[ModelClip], name: &str| clips.iter().position(|clip| clip.name == name).unwrap();

    let all = clips(&mut app, mdl);
    let model = app.animator(mdl).model().clone();
    assert_eq!(all.len(), model.clips.len());
    let walk = index_of(&all, "walk");
    let sequence = &model.clips[walk].sequence;
    let expected = (Some(sequence.pose_count), Some(sequence.seconds()));
    assert_eq!((all[walk].frames, all[walk].seconds), expected);
    play(&mut app, mdl, "walk", 0.137);
    let found = pose(&mut app, mdl);
    let rate = model.frame_rate;
    assert_eq!(
        (found.clip, found.frame),
        (Some(walk), (0.137 * rate) as u32)
    );
    assert!((found.towards_next - (0.137 * rate).fract()).abs() < 1e-4);
    assert!((found.seconds - 0.137).abs() < 1e-5, "{found:?}");
    // A part of a clip: frames count from the beginning of the whole clip.
    play(&mut app, mdl, ClipRef::part("walk", 2..5), 0.137);
    let part = pose(&mut app, mdl);
    assert_eq!((part.clip, part.frame), (Some(walk), 2 + found.frame));
    assert!((part.seconds - 0.137 - 2.0 / rate).abs() < 1e-4, "{part:?}");

    let all = clips(&mut app, alo);
    let animations = app.get::<AloInstance>(alo).model().animations.clone();
    let names: Vec<&str> = all.iter().map(|clip| &*clip.name).collect();
    let expected: Vec<&str> = animations
        .iter()
        .map(|animation| &*animation.name)
        .collect();
    assert_eq!(names, expected);
    let walk = index_of(&all, "MOVE_00");
    let ala = app.asset(&animations[walk].ala);
    let (frames, fps) = (ala.frames, ala.fps);
    let expected = (Some(frames), Some((frames - 1) as f32 / fps));
    assert_eq!((all[walk].frames, all[walk].seconds), expected);
    assert_eq!(app.ask(|models| models.pose(alo)), None);
    for (clip, first) in [
        (ClipRef::from("move_00"), 0_u32),
        (ClipRef::part("MOVE_00", 4..12), 4),
    ] {
        play(&mut app, alo, clip, 2.25 / fps);
        let found = pose(&mut app, alo);
        assert_eq!((found.clip, found.frame), (Some(walk), first + 2));
        assert!((found.towards_next - 0.25).abs() < 1e-2, "{found:?}");
    }

    let all = clips(&mut app, abc);
    let model = app.get::<AbcInstance>(abc).model().clone();
    let walk = index_of(&all, "walk");
    let times = &model.animations[walk].keyframes;
    assert_eq!(all[walk].frames, Some(times.len() as u32));
    let seconds = times[1] * 0.25 + times[2] * 0.75;
    play(&mut app, abc, "walk", seconds);
    let found = pose(&mut app, abc);
    assert_eq!((found.clip, found.frame), (Some(walk), 1));
    assert!((found.towards_next - 0.75).abs() < 1e-2, "{found:?}");

    assert_eq!(clips(&mut app, lgw), []);
    assert_eq!(app.ask(|models| models.pose(lgw)), None);
}

/// All visible vertices of a model, in the root's space.
fn vertices(app: &mut TestApp, root: Entity, scene: &str) -> Vec<DVec3> {
    let path = scene.trim_end_matches("#Scene");
    let bytes = std::fs::read(assets().join(path)).unwrap();
    let to_root = by_transforms(app.world(), root).inverse();
    let world = app.world();
    if world.get::<AloInstance>(root).is_none() {
        let mut targets = Targets::default();
        targets.add_model(world, root, &bytes);
        let corners = targets
            .triangles
            .iter()
            .flat_map(|triangle| triangle.corners);
        return corners
            .map(|corner| to_root.transform_point3(corner))
            .collect();
    }
    let parts = submeshes(world, root).into_values();
    let is_drawn = |part: &Entity| {
        let part = world.entity(*part);
        part.contains::<Mesh3d>() && part.get::<InheritedVisibility>().unwrap().get()
    };
    let parts: Vec<Entity> = parts.filter(is_drawn).collect();
    let mut state = SystemState::<WorldVertices>::new(world);
    let vertices = state.get(world).unwrap();
    let all = parts
        .iter()
        .flat_map(|part| vertices.positions(*part).unwrap());
    all.map(|vertex| to_root.transform_point3(vertex.as_dvec3()))
        .collect()
}

fn extents(vertices: &[DVec3]) -> (DVec3, DVec3) {
    let empty = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let extend = |(min, max): (DVec3, DVec3), vertex: &DVec3| (min.min(*vertex), max.max(*vertex));
    vertices.iter().fold(empty, extend)
}

/// Asserts that a box contains vertices, and is at most `looseness` times as long as they need, along each axis.
#[track_caller]
fn assert_bounds(bounds: Aabb3d, vertices: &[DVec3], tolerance: f64, looseness: f64, what: &str) {
    let (min, max) = extents(vertices);
    let size = max - min;
    let [low, high] = [bounds.min, bounds.max].map(|corner: Vec3A| Vec3::from(corner).as_dvec3());
    let slack = DVec3::splat(tolerance * size.max_element());
    assert!((low - slack).cmple(min).all(), "{what}: {low} above {min}");
    assert!(
        (high + slack).cmpge(max).all(),
        "{what}: {high} below {max}"
    );
    let limit = size * looseness + slack * 2.0;
    assert!(
        (high - low).cmple(limit).all(),
        "{what}: {} for {size}",
        high - low
    );
}

#[test]
fn bounds_are_in_the_space_of_the_root_as_soon_as_the_model_is_ready() {
    #[derive(Resource, Default)]
    struct Found(Vec<(Entity, Option<Aabb3d>)>);
    let mut app = TestApp::in_folder(&assets());
    app.app.init_resource::<Found>().add_observer(
        |ready: On<ModelReady>, models: ModelQuery, mut found: ResMut<Found>| {
            found.0.push((ready.entity, models.bounds(ready.entity)));
        },
    );
    let transform = Transform::from_xyz(3.0, -2.0, 9.0).with_scale(Vec3::splat(2.0));
    let roots = [MDL, LGW, ABC, ALO].map(|scene| {
        let path = scene.trim_end_matches("#Scene");
        app.spawn_model_ready(path, (BevySpace::default(), transform))
    });
    app.settle();
    let Found(found) = core::mem::take(&mut *app.world().resource_mut());
    for root in roots {
        let (_, early) = found.iter().find(|(entity, _)| *entity == root).unwrap();
        let late = app.ask(|models| models.bounds(root)).unwrap();
        assert_eq!(*early, Some(late));
        let height = late.max.y - late.min.y;
        assert!((1.0..8.0).contains(&height), "{late:?}");
    }
}

#[test]
fn meshes_of_all_formats_have_normals() {
    let mut app = TestApp::in_folder(&assets());
    for scene in [MDL, LGW, ABC, ALO] {
        spawn(&mut app, scene, ());
    }
    let meshes = app.world().resource::<Assets<Mesh>>();
    let with = |mesh: &&Mesh| mesh.contains_attribute(Mesh::ATTRIBUTE_NORMAL);
    let (all, with) = (
        meshes.iter().count(),
        meshes.iter().filter(|(_, mesh)| with(mesh)).count(),
    );
    assert!(all > 10);
    assert_eq!(with, all);
}

#[test]
fn bounds_contain_the_model_at_rest_and_over_clips() {
    let mut app = TestApp::in_folder(&assets());
    let transform = Transform::from_xyz(3.0, -2.0, 9.0)
        .with_rotation(Quat::from_rotation_y(0.8))
        .with_scale(Vec3::new(-2.0, 1.0, 1.0));
    for (scene, clip, looseness) in [
        (MDL, Some("walk"), 1.0),
        (LGW, None, 1.05),
        (ABC, Some("walk"), 2.0),
        (ALO, Some("MOVE_00"), 2.0),
    ] {
        for space in [None, Some(BevySpace::default())] {
            let root = spawn(&mut app, scene, transform);
            if let Some(space) = space {
                app.insert(root, space);
                app.settle();
            }
            let what = format!("{scene}, {space:?}");
            let bounds = app.ask(|models| models.bounds(root)).unwrap();
            let rest = vertices(&mut app, root, scene);
            assert_bounds(bounds, &rest, 1e-3, looseness, &what);
            if let Some(clip) = clip {
                let named = ClipRef::from(clip);
                let all = app.ask(|models| models.clips(root));
                let clip_info = all.iter().find(|info| info.name == clip).unwrap();
                let seconds = clip_info.seconds.unwrap();
                let bounds = app.ask(|models| models.clip_bounds(root, &named)).unwrap();
                play(&mut app, root, clip, 0.0);
                let mut moving = Vec::new();
                for step in 0..=30_u8 {
                    show(&mut app, root, clip, seconds * f32::from(step) / 30.0);
                    moving.extend(vertices(&mut app, root, scene));
                }
                assert_bounds(bounds, &moving, 0.02, looseness, &format!("{what}, {clip}"));
                assert_ne!(extents(&moving), extents(&rest));
                let part = ClipRef::part(clip, 0..1);
                let part = app.ask(|models| models.clip_bounds(root, &part)).unwrap();
                play(&mut app, root, clip, 0.0);
                let first = vertices(&mut app, root, scene);
                assert_bounds(
                    part,
                    &first,
                    1e-3,
                    looseness,
                    &format!("{what}, first frame"),
                );
            }
            for missing in [ClipRef::from("no such clip"), ClipRef::from(999)] {
                assert_eq!(app.ask(|models| models.clip_bounds(root, &missing)), None);
            }
            app.despawn(root);
        }
    }
}

#[test]
fn bones_and_parts_are_those_of_the_scene() {
    let mut app = TestApp::in_folder(&assets());
    let place = Transform::from_xyz(7.0, 1.0, -3.0).with_scale(Vec3::splat(0.5));
    for (scene, clip) in [
        (ALO, Some("MOVE_00")),
        (ABC, Some("walk")),
        (MDL, None),
        (LGW, None),
    ] {
        let root = spawn(&mut app, scene, place);
        if let Some(clip) = clip {
            play(&mut app, root, clip, 0.21);
        }
        let bones = app.ask(|models| models.bones(root));
        assert_eq!(!bones.is_empty(), clip.is_some());
        for (index, bone) in bones.iter().enumerate() {
            let world = app.world();
            assert_eq!(world.get::<Name>(bone.entity).unwrap().as_str(), bone.name);
            let parent = world.get::<ChildOf>(bone.entity).unwrap().parent();
            match bone.parent {
                Some(above) => {
                    assert_eq!(above, parent);
                    assert!(bones[..index].iter().any(|bone| bone.entity == above));
                }
                None => assert!(bones.iter().all(|bone| bone.entity != parent)),
            }
            let expected = by_transforms(world, bone.entity).translation;
            let found = bone.transform.translation().as_dvec3();
            assert!(found.distance(expected) < 1e-3, "{bone:?}");
            assert_eq!(app.ask(|models| models.root(bone.entity)), Some(root));
        }
        let parts = app.ask(|models| models.parts(root));
        assert!(!parts.is_empty() && parts.iter().any(|part| part.is_visible));
        for part in &parts {
            assert_eq!(app.ask(|models| models.root(part.entity)), Some(root));
            if let Some(bone) = part.bone {
                assert!(bones.iter().any(|other| other.entity == bone));
            }
        }
        if scene == LGW {
            let name = parts[0].name.clone();
            app.insert(root, PartVisibility::hidden([&*name]));
            app.settle();
            let hidden = app.ask(|models| models.parts(root));
            assert!(
                hidden
                    .iter()
                    .all(|part| part.is_visible == (part.name != name))
            );
        }
        app.despawn(root);
    }
}

#[test]
fn answers_follow_skins_reloads_and_despawns() {
    let files = [
        ("model.mdl", mdl_figure(Precision::Bits8).to_bytes()),
        ("model.abc", abc_bytes(&abc_figure())),
    ];
    let mut app = TestApp::new(&files);
    let mdl = spawn(&mut app, "model.mdl#Scene", PlayClip::looping("run"));
    let abc = spawn(&mut app, "model.abc#Scene", PlayClip::looping("Walk"));
    let skins = |app: &mut TestApp, root| app.ask(|models| models.skins(root));
    assert_eq!(
        (skins(&mut app, mdl).count, skins(&mut app, mdl).current),
        (3, Some(0))
    );
    assert_eq!(
        (skins(&mut app, abc).count, skins(&mut app, abc).current),
        (0, None)
    );
    let mut named = ModelSkins::default();
    named.insert("Frost", ModelSkin::Index(2));
    named.insert("ash", ModelSkin::Index(9));
    app.insert(mdl, (named, ModelSkin::from("frost")));
    app.settle();
    let found = skins(&mut app, mdl);
    assert_eq!(
        (found.names, found.current),
        (vec!["ash".into(), "frost".into()], Some(2))
    );

    let names = |app: &mut TestApp, root| {
        let clips = app.ask(|models| models.clips(root));
        clips.into_iter().map(|clip| clip.name).collect::<Vec<_>>()
    };
    assert_eq!(names(&mut app, mdl), ["run", "die", "spin"]);
    assert_eq!(names(&mut app, abc), ["Walk", "Stand", "Walk"]);
    assert!(app.ask(|models| models.pose(mdl)).is_some());
    let mut doubled = mdl_figure(Precision::Bits8);
    doubled.frames.truncate(4);
    for axis in 0..3 {
        doubled.header.scale[axis] *= 2.0;
        doubled.header.origin[axis] *= 2.0;
    }
    let before = app.ask(|models| models.bounds(mdl)).unwrap();
    app.keep_loaded("model.mdl");
    app.keep_loaded("model.abc");
    app.replace("model.mdl", doubled.to_bytes());
    app.replace("model.abc", abc_bytes(&banner()));
    app.settle();
    assert_eq!(names(&mut app, mdl), ["run"]);
    assert_eq!(names(&mut app, abc), ["Wave", "Furl"]);
    let after = app.ask(|models| models.bounds(mdl)).unwrap();
    assert!(after.max.abs_diff_eq(before.max * 2.0, 1e-2), "{after:?}");
    assert_eq!(app.ask(|models| models.bones(abc)).len(), 3);
    for root in [mdl, abc] {
        app.despawn(root);
        app.settle();
        app.ask(|models| {
            assert_eq!(models.format(root), None);
            assert_eq!((models.bounds(root), models.pose(root)), (None, None));
            assert!(models.clips(root).is_empty() && models.bones(root).is_empty());
            assert!(models.parts(root).is_empty());
            assert_eq!(models.skins(root).count, 0);
        });
    }
}

#[test]
fn level_and_team_of_a_root_are_those_drawn() {
    let mut app = TestApp::in_folder(&assets());
    for (scene, coarsest) in [(MDL, 0), (ALO, 1), (ABC, 3), (LGW, 0)] {
        let root = spawn(&mut app, scene, ());
        assert_eq!(app.ask(|models| models.lod(root)), Some(0));
        assert_eq!(app.ask(|models| models.team_color(root)), None);
        app.apply(root, (ModelLod(100), TeamColor(Color::BLACK)));
        assert_eq!(
            app.ask(|models| models.lod(root)),
            Some(coarsest),
            "{scene}"
        );
        assert_eq!(
            app.ask(|models| models.team_color(root)),
            Some(Color::BLACK)
        );
    }
    let mut app = TestApp::in_folder(&assets());
    let nothing = app.spawn_entity(());
    assert_eq!(app.ask(|models| models.lod(nothing)), None);
}

#[test]
fn strides_are_measured_from_the_vertices_on_the_ground() {
    let mut app = TestApp::in_folder(&assets());
    let still: [&[&str]; 3] = [
        &["ATTACK_00", "DIE_00"],
        &["idle", "attack", "die"],
        &["stand", "attack", "pain", "die", "alert"],
    ];
    for (path, clip, still, expected) in [
        ("models/walker.alo", "MOVE_00", still[0], 2.56),
        // As their manifests state.
        (
            "models/skirmish_walker.model.ron",
            "MOVE_00",
            still[0],
            1.92,
        ),
        ("models/skirmish_warden.model.ron", "walk", still[1], 1.39),
        ("models/skirmish_sentry.model.ron", "walk", still[2], 1.08),
    ] {
        for scale in [1.0, 3.0] {
            let root = Transform::from_scale(Vec3::splat(scale));
            let root = app.spawn_model_ready(path, (BevySpace::default(), root));
            app.settle();
            let stride =
                |app: &mut TestApp, clip: &str| app.ask(|it| it.stride(root, &clip.into()));
            let found = stride(&mut app, clip).unwrap();
            assert!(
                (found / expected - 1.0).abs() < 0.015,
                "{path}: {found}, expected {expected}"
            );
            for clip in still {
                assert_eq!(stride(&mut app, clip), None, "{path} {clip}");
            }
            assert_eq!(stride(&mut app, "no clip"), None);
            app.despawn(root);
        }
    }
}
