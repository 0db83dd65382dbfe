//! Spawned LithTech models: entities, skins, and load errors. `abc::pose` and `abc::lod` compare vertices with the
//! reference.

use crate::support::abc::{BODY, bytes, figure};
use crate::support::abc_app::{FILE, model, shown, spawned as app, spawned_of as app_of};
use crate::support::prelude::*;
use bevy_classic_models::gpu::PoseBlend;
use bevy_classic_models::lithtech::abc::parse;
use bevy_classic_models::lithtech::{AbcNode, dtx, node_target};

pub fn get<C: Component + Clone>(app: &mut TestApp, entity: Entity) -> C {
    app.get::<C>(entity).clone()
}

#[test]
fn each_node_is_an_entity_with_the_transform_of_the_file() {
    let bytes = bytes(&figure());
    let file = parse(&bytes).unwrap();
    let (mut app, root) = app(bytes.clone(), AbcLoaderSettings::default());
    app.step(0.0);
    let instance = app.get::<AbcInstance>(root);
    let nodes = instance.nodes().to_vec();
    assert_eq!(instance.node("BODY"), Some(nodes[BODY]));
    assert_eq!(nodes.len(), file.nodes.len());
    let scene_root = get::<ChildOf>(&mut app, nodes[0]).parent();
    assert_eq!(get::<ChildOf>(&mut app, scene_root).parent(), root);
    for (index, (node, pose)) in file
        .nodes
        .iter()
        .zip(file.node_poses(None, 0.0))
        .enumerate()
    {
        let entity = nodes[index];
        assert_eq!(get::<Name>(&mut app, entity).as_str(), node.name);
        assert_eq!(get::<AbcNode>(&mut app, entity).index, index);
        let target = get::<AnimationTargetId>(&mut app, entity);
        assert_eq!(target, node_target(index));
        let id = AnimationTargetId::from_iter(["lithtech", &index.to_string()]);
        assert_eq!(target, id);
        let parent = node
            .parent
            .map_or(scene_root, |parent| nodes[parent as usize]);
        assert_eq!(get::<ChildOf>(&mut app, entity).parent(), parent);
        let transform = get::<Transform>(&mut app, entity);
        let [x, y, z] = pose.translation;
        assert!(transform.translation.abs_diff_eq(Vec3::new(x, y, -z), 1e-5));
        let [x, y, z, w] = pose.rotation;
        let rotation = Quat::from_xyzw(-x, -y, z, w);
        assert!(transform.rotation.dot(rotation).abs() > 1.0 - 1e-5);
        assert_eq!(transform.scale, Vec3::ONE);
    }
}

#[test]
fn model_has_the_data_of_the_file() {
    let (mut app, root) = app(bytes(&figure()), AbcLoaderSettings::default());
    let model = model(&mut app, root);
    assert_eq!(&*model.command_string, "DrawIndexedDist 2048");
    assert!(model.warnings.is_empty());
    assert_eq!(model.animations_named("WALK"), [0, 2]);
    assert_eq!(model.joints, [1, 2]);
    let [walk, stand, _] = &model.animations[..] else {
        panic!("expected three animations");
    };
    assert_eq!(walk.seconds, 0.3);
    assert_eq!(&*walk.keyframes, [0.0, 0.1, 0.3]);
    assert_eq!(walk.dims, Some(Vec3::new(8.0, 24.0, 8.0)));
    let events = walk.events.iter();
    let events: Vec<_> = events
        .map(|event| (event.seconds, &*event.string))
        .collect();
    assert_eq!(
        events,
        [
            (0.0, "begin"),
            (0.1, "FOOTSTEP_KEY"),
            (0.3, "[play_sound:step]")
        ]
    );
    assert_eq!((stand.seconds, stand.first_pose), (0.0, 3));
    assert!(stand.events.is_empty());
}

/// Spawns a model. Returns the app, the root, and the paths of the model's skins.
fn spawned_with_skins(
    files: &[(&str, Vec<u8>)],
    path: &'static str,
    settings: AbcLoaderSettings,
) -> (TestApp, Entity, Vec<String>) {
    let (mut app, root) = app_of(files, path, settings);
    let model = model(&mut app, root);
    let skins = model.skins.iter();
    let paths = skins.map(|skin| skin.image.path().unwrap().to_string());
    let paths = paths.collect();
    (app, root, paths)
}

pub fn dtx(color: [u8; 3]) -> Vec<u8> {
    dtx::write::write(&DtxDocument::indexed(8, 8, &[color], &[0; 64])).unwrap()
}

pub fn applied_material(app: &mut TestApp, root: Entity) -> Handle<StandardMaterial> {
    let mesh = app.get::<AbcInstance>(root).meshes()[0];
    get::<MeshMaterial3d<StandardMaterial>>(app, mesh).0
}

#[track_caller]
fn assert_skin(app: &mut TestApp, root: Entity, skin: usize) {
    let expected = model(app, root).skins[skin].materials.surfaces[0].clone();
    assert_eq!(applied_material(app, root), expected);
}

#[test]
fn skins_are_found_at_the_games_paths() {
    let files = [
        ("game/MODELS/Chars/Hero.abc", bytes(&figure())),
        ("game/skins/CHARS/hero.DTX", dtx([255, 0, 0])),
        ("game/MODELS/Chars/hero.dtx", dtx([0, 0, 255])),
    ];
    let path = "game/MODELS/Chars/Hero.abc";
    let (mut app, root, found) = spawned_with_skins(&files, path, AbcLoaderSettings::default());
    assert_eq!(found, ["game/skins/CHARS/hero.DTX"]);
    let material = applied_material(&mut app, root);
    let image = app.asset(&material).base_color_texture.clone();
    let image = app.asset(&image.unwrap());
    assert_eq!(image.data.as_ref().unwrap()[..4], [255, 0, 0, 255]);
}

#[test]
fn model_skin_on_the_root_selects_skins_of_the_settings() {
    let files = [
        (FILE, bytes(&figure())),
        ("model.dtx", dtx([255, 0, 0])),
        ("art/A.dtx", dtx([0, 255, 0])),
        ("art/b.DTX", dtx([0, 0, 255])),
    ];
    let settings = AbcLoaderSettings {
        skins: vec![
            "a.dtx".into(),
            "missing_in_settings.dtx".into(),
            "B.dtx".into(),
        ],
        texture_folders: vec!["ART".into()],
        ..AbcLoaderSettings::default()
    };
    let (mut app, root, found) = spawned_with_skins(&files, FILE, settings);
    assert_eq!(found, ["art/A.dtx", "art/b.DTX"]);
    log::expect_warnings("missing_in_settings.dtx", 1);
    assert_skin(&mut app, root, 0);
    app.apply(root, ModelSkin::Index(1));
    assert_skin(&mut app, root, 1);
    app.remove::<ModelSkin>(root);
    app.step(0.0);
    assert_skin(&mut app, root, 0);
}

#[test]
fn model_without_a_skin_uses_the_plain_material() {
    let (mut app, root, found) = spawned_with_skins(
        &[(FILE, bytes(&figure()))],
        FILE,
        AbcLoaderSettings::default(),
    );
    assert!(found.is_empty());
    let plain = model(&mut app, root).plain.clone().unwrap();
    assert_eq!(applied_material(&mut app, root), plain.surfaces[0]);
}

#[test]
fn load_errors_state_the_file_and_reason() {
    for (bytes, scale, reason) in [
        (bytes(&figure()), 0.0, "scale is 0"),
        (bytes(&figure()), f32::NAN, "scale is NaN"),
        (b"Ogawa and more of it".to_vec(), 1.0, "ABC"),
    ] {
        let mut app = TestApp::new(&[(FILE, bytes)]);
        let set = move |to: &mut AbcLoaderSettings| to.scale = scale;
        let model: Handle<Abc> = app.load_with(FILE, set);
        let error = app.load_error(&model);
        let is_expected = error.contains("model.abc: ") && error.contains(reason);
        assert!(is_expected, "{error}");
    }
}

#[test]
fn deforming_nodes_have_their_own_meshes_and_pose_rows() {
    let model = banner();
    let bytes = bytes(&model);
    let (mut app, root) = app(bytes, AbcLoaderSettings::default());
    let play = PlayClip::once(1_usize).starting_at(0.25).paused();
    app.apply(root, play);
    app.step(0.0);
    let instance = app.get::<AbcInstance>(root);
    let meshes = instance.meshes().to_vec();
    let nodes = instance.nodes().to_vec();
    assert_eq!(meshes.len(), 2);
    let flag = meshes
        .into_iter()
        .find(|mesh| get::<AbcMesh>(&mut app, *mesh).node == Some(FLAG_NODE))
        .unwrap();
    assert_eq!(get::<ChildOf>(&mut app, flag).parent(), nodes[FLAG_NODE]);
    let PoseBlend {
        to, from_weight, ..
    } = shown(app.world(), flag).unwrap();
    // Halfway between the second and third keyframe of the second animation.
    assert_eq!((to.a, to.b, from_weight), (4, 5, 0.0));
    assert!((to.towards_b - 0.5).abs() < 1e-3, "{to:?}");
    app.remove::<PlayClip>(root);
    app.step(0.0);
    assert_eq!(shown(app.world(), flag), Some(PoseBlend::default()));
    let world = app.world();
    let mesh = &world.get::<Mesh3d>(flag).unwrap().0;
    let mesh = world.resource::<Assets<Mesh>>().get(mesh).unwrap();
    let slots = mesh.attribute(Mesh::ATTRIBUTE_UV_1).unwrap();
    let VertexAttributeValues::Float32x2(slots) = slots else {
        panic!("UV_1 is not Float32x2");
    };
    let mut slots: Vec<u32> = slots.iter().map(|[slot, _]| *slot as u32).collect();
    slots.sort_unstable();
    slots.dedup();
    assert_eq!(slots, (0..slots.len() as u32).collect::<Vec<_>>());
}

#[test]
fn file_without_triangles_is_a_skeleton() {
    let mut model = figure();
    model.geometry = Default::default();
    let (mut app, root) = app(bytes(&model), AbcLoaderSettings::default());
    app.step(0.0);
    let instance = app.get::<AbcInstance>(root);
    assert_eq!(instance.nodes().len(), 4);
    assert!(instance.meshes().is_empty());
    assert_eq!(app.count::<AbcMesh>(), 0);
}

#[test]
fn bounds_of_a_node_include_its_static_vertices() {
    let mut document = banner();
    let flag = &mut document.nodes[FLAG_NODE];
    let columns = 6;
    let first = flag.deform_vertices[0];
    let is_moving = |index: usize| index % columns > 1;
    let all = flag.deform_vertices.len();
    flag.deform_vertices = (first..).take(all).collect();
    let mut index = 0..;
    flag.deform_vertices
        .retain(|_| is_moving(index.next().unwrap()));
    for animation in &mut document.animations {
        let deform = &mut animation.tracks[FLAG_NODE].deform;
        let mut index = 0..;
        deform.retain(|_| is_moving(index.next().unwrap() % all));
    }
    for row in 0..all / columns {
        let static_vertex = usize::from(first) + row * columns;
        document.geometry.vertices[static_vertex].position =
            [-30.0, row as f32, 1.0].map(Into::into);
    }
    let (mut app, root) = app(bytes(&document), AbcLoaderSettings::default());
    let meshes = app.get::<AbcInstance>(root).meshes();
    let meshes = meshes.to_vec();
    let is_flag = |mesh: &&Entity| {
        let mesh = get::<AbcMesh>(&mut app, **mesh);
        mesh.node == Some(FLAG_NODE)
    };
    let flag = *meshes.iter().find(is_flag).unwrap();
    let bounds = get::<Aabb>(&mut app, flag);
    assert!(bounds.min().x <= -30.0, "{bounds:?}");
    // The bounds still include the deforming vertices.
    assert!(bounds.max().x > 23.0 && bounds.max().y > 11.0, "{bounds:?}");
}

#[test]
fn pose_rows_are_freed_with_their_meshes() {
    let (mut app, root) = app(bytes(&banner()), AbcLoaderSettings::default());
    let len = |app: &mut TestApp| app.world().resource::<AbcPoseTable>().len();
    assert_eq!(len(&mut app), 1);
    let scene = get::<WorldAssetRoot>(&mut app, root);
    let second = app.spawn_entity(scene);
    app.wait_for(&[second]);
    assert_eq!(len(&mut app), 2);
    let rows: HashSet<u32> = app
        .world()
        .query::<&MeshTag>()
        .iter(app.app.world())
        .map(|tag| tag.0)
        .collect();
    assert_eq!(rows.len(), 2, "each instance has its own row");
    app.despawn(root);
    assert_eq!(len(&mut app), 1);
    app.despawn(second);
    assert_eq!(len(&mut app), 0);
}
