//! Scenes of models that a `WorldInstanceSpawner` spawns without a `WorldAssetRoot`: without a parent, below another model,
//! or below an entity that is despawned at once.

use crate::attach::scene::{all_formats, wait_for_model};
use crate::support::prelude::*;
use bevy::world_serialization::{InstanceId, WorldInstanceReady};
use bevy_classic_models::alamo::AloLight;
use bevy_classic_models::lgw::LgwMesh;
use bevy_classic_models::lithtech::AbcNode;

/// An app with a file of each format, each under two paths.
fn app() -> TestApp {
    let mut files = Vec::new();
    for (path, bytes, _) in all_formats() {
        files.push((path, bytes.clone()));
        files.push((second_path(path), bytes));
    }
    TestApp::new(&files)
}

fn second_path(path: &str) -> &'static str {
    match path.rsplit_once('.').unwrap().1 {
        "alo" => "other/unit.alo",
        "abc" => "other/unit.abc",
        "lgw" => "other/unit.lgw",
        _ => "other/unit.mdl",
    }
}

fn scene(app: &mut TestApp, path: &str) -> Handle<WorldAsset> {
    app.load(format!("{path}#Scene"))
}

fn wait_for_instance(app: &mut TestApp, instance: InstanceId) {
    let is_ready = |world: &mut World| {
        let spawner = world.resource::<WorldInstanceSpawner>();
        spawner.instance_is_ready(instance)
    };
    app.wait("not spawned", is_ready);
    app.steps(2, 0.0);
}

fn spawn_below(app: &mut TestApp, scene: Handle<WorldAsset>, parent: Entity) -> InstanceId {
    let mut spawner = app.world().resource_mut::<WorldInstanceSpawner>();
    let instance = spawner.spawn_as_child(scene, parent);
    wait_for_instance(app, instance);
    instance
}

/// The address of a root's model, and one of the entities of its scene.
fn model_of(world: &World, root: Entity) -> Option<(usize, Entity)> {
    let address = |model: *const ()| model as usize;
    let root = world.entity(root);
    if let Some(alo) = root.get::<AloInstance>() {
        let model: *const _ = alo.model().as_ref();
        return Some((address(model.cast()), alo.bones()[0]));
    }
    if let Some(abc) = root.get::<AbcInstance>() {
        let model: *const _ = abc.model().as_ref();
        return Some((address(model.cast()), abc.nodes()[0]));
    }
    if let Some(lgw) = root.get::<LgwInstance>() {
        let model: *const _ = lgw.model().as_ref();
        return Some((address(model.cast()), lgw.meshes()[0]));
    }
    let mdl = root.get::<MdlInstance>()?;
    let model: *const _ = mdl.model().as_ref();
    Some((address(model.cast()), mdl.mesh()))
}

/// Asserts that no entity has an instance component, and that the pose tables are empty.
fn assert_no_model(app: &mut TestApp, what: &str) {
    type IsModel = Or<(
        With<AloInstance>,
        With<AbcInstance>,
        With<LgwInstance>,
        With<MdlInstance>,
    )>;
    let world = app.world();
    let mut models = world.query_filtered::<Entity, IsModel>();
    assert_eq!(models.iter(world).count(), 0, "models of {what}");
    assert!(world.resource::<MdlPoseTable>().is_empty(), "{what}");
    assert!(world.resource::<AbcPoseTable>().is_empty(), "{what}");
}

#[test]
fn a_root_despawned_by_an_observer_leaves_nothing_behind() {
    let mut app = app();
    // The order of observers is not defined, so that some of these run before the crate's.
    for _ in 0..16 {
        app.app
            .add_observer(|ready: On<WorldInstanceReady>, mut commands: Commands| {
                commands.entity(ready.entity).try_despawn();
            });
    }
    for (path, ..) in all_formats() {
        let scene = scene(&mut app, path);
        let root = app.spawn_entity(WorldAssetRoot(scene));
        let is_gone = |world: &mut World| world.get_entity(root).is_err();
        app.wait(path, is_gone);
        app.step(0.1);
        assert_no_model(&mut app, path);
        let mut meshes = app.world().query_filtered::<Entity, With<Mesh3d>>();
        assert_eq!(meshes.iter(app.world()).count(), 0, "{path}");
    }
}

/// The entities of models, without their roots.
fn parts(world: &mut World) -> Vec<Entity> {
    type IsPart = Or<(
        With<AloBone>,
        With<AloPart>,
        With<AbcNode>,
        With<AbcMesh>,
        With<LgwMesh>,
        With<Mesh3d>,
    )>;
    let mut parts = world.query_filtered::<Entity, IsPart>();
    parts.iter(world).collect()
}

#[test]
fn entities_despawned_by_an_observer_while_they_are_spawned_leave_nothing_behind() {
    fn despawn_on<C: Component>(app: &mut TestApp) {
        app.world()
            .add_observer(|add: On<Add, C>, mut commands: Commands| {
                commands.entity(add.entity).try_despawn();
            });
    }
    let observe: [fn(&mut TestApp); 8] = [
        despawn_on::<AloBone>,
        despawn_on::<AloPart>,
        despawn_on::<AloLight>,
        despawn_on::<AbcNode>,
        despawn_on::<AbcMesh>,
        despawn_on::<LgwMesh>,
        despawn_on::<Mesh3d>,
        despawn_on::<SkinnedMesh>,
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    for (index, observe) in observe.into_iter().enumerate() {
        let mut app = TestApp::in_folder(&folder);
        observe(&mut app);
        let models = ["walker.alo", "warden.abc", "courier.lgw", "sentry.mdl"];
        let roots = models.map(|name| {
            let model = ClassicModel::new(format!("models/{name}"));
            app.spawn_entity(model)
        });
        app.wait("all are spawned", |world| {
            let is_spawned = |root: &Entity| world.get::<ModelInstance>(*root).is_some();
            roots.iter().all(is_spawned)
        });
        app.steps(3, 0.1);
        for part in parts(app.world()) {
            let world = app.world();
            let mut parents = world.query::<&ChildOf>();
            let root = parents.query(world).root_ancestor(part);
            assert!(roots.contains(&root), "{index}: {part} is left");
        }
    }
}

#[test]
fn the_parent_of_two_instances_can_be_despawned_before_a_reload() {
    let mut app = app();
    for (path, ..) in all_formats() {
        let scene = scene(&mut app, path);
        let parent = app.spawn_entity(Transform::default());
        spawn_below(&mut app, scene.clone(), parent);
        spawn_below(&mut app, scene.clone(), parent);
        assert!(model_of(app.world(), parent).is_some(), "{path}");
        app.despawn(parent);
        app.step(0.0);
        let mut scenes = app.world().resource_mut::<Assets<WorldAsset>>();
        scenes.get_mut(&scene).unwrap().into_inner();
        app.steps(8, 0.0);
        assert_no_model(&mut app, path);
    }
}

#[test]
fn another_scene_of_a_parent_changes_nothing_about_its_model() {
    let mut app = app();
    for (path, ..) in all_formats() {
        let other = app.add_asset(WorldAsset::new(World::new()));
        let parent = app.spawn_entity(WorldAssetRoot(other.clone()));
        app.steps(2, 0.0);
        let scene = scene(&mut app, path);
        spawn_below(&mut app, scene, parent);
        let model = model_of(app.world(), parent);
        assert!(model.is_some(), "{path}");
        let mut scenes = app.world().resource_mut::<Assets<WorldAsset>>();
        scenes.get_mut(&other).unwrap().into_inner();
        app.steps(8, 0.0);
        assert_eq!(model_of(app.world(), parent), model, "{path}, changed");
        app.remove::<WorldAssetRoot>(parent);
        app.steps(2, 0.0);
        assert_eq!(model_of(app.world(), parent), model, "{path}, removed");
    }
}

#[test]
fn scenes_below_a_root_do_not_replace_its_model() {
    let mut app = app();
    for (path, ..) in all_formats() {
        let own = scene(&mut app, path);
        let root = app.spawn_entity(WorldAssetRoot(own));
        wait_for_model(&mut app, root);
        let model = model_of(app.world(), root);
        assert!(model.is_some(), "{path}");
        let foreign = scene(&mut app, second_path(path));
        let foreign = spawn_below(&mut app, foreign, root);
        assert_eq!(model_of(app.world(), root), model, "{path}");
        assert_is_own_root(&mut app, foreign, path);
        // A scene without a model does not replace it either.
        let empty = WorldAsset::new(World::new());
        let empty = app.add_asset(empty);
        spawn_below(&mut app, empty, root);
        assert_eq!(model_of(app.world(), root), model, "{path}");
    }
}

#[test]
fn without_world_asset_root_the_first_scene_is_the_model() {
    let mut app = app();
    for (path, ..) in all_formats() {
        let parent = app.spawn_entity(Transform::default());
        let first = scene(&mut app, path);
        spawn_below(&mut app, first.clone(), parent);
        let model = model_of(app.world(), parent);
        assert!(model.is_some(), "{path}");
        let second = scene(&mut app, second_path(path));
        let instance = spawn_below(&mut app, second.clone(), parent);
        assert_eq!(model_of(app.world(), parent), model, "{path}");
        assert_is_own_root(&mut app, instance, path);
        // Both scenes are respawned, the second one last. The first one remains the model.
        for scene in [&first, &second] {
            let mut scenes = app.world().resource_mut::<Assets<WorldAsset>>();
            scenes.get_mut(scene).unwrap().into_inner();
            app.steps(8, 0.0);
        }
        let respawned = model_of(app.world(), parent);
        let address = |model: Option<(usize, Entity)>| model.map(|(model, _)| model);
        assert_eq!(address(respawned), address(model), "{path}");
        assert_is_own_root(&mut app, instance, path);
    }
}

#[test]
fn the_entity_of_a_scene_without_a_parent_is_its_root() {
    let mut app = app();
    for (path, ..) in all_formats() {
        let scene = scene(&mut app, path);
        let mut spawner = app.world().resource_mut::<WorldInstanceSpawner>();
        let instance = spawner.spawn(scene);
        wait_for_instance(&mut app, instance);
        assert_is_own_root(&mut app, instance, path);
    }
}

/// Asserts that the only entity of a scene is the root of the scene's model.
fn assert_is_own_root(app: &mut TestApp, instance: InstanceId, path: &str) {
    let spawner = app.world().resource::<WorldInstanceSpawner>();
    let entities: Vec<Entity> = spawner.iter_instance_entities(instance).collect();
    let [root] = entities[..] else {
        panic!("{} entities of {path}", entities.len());
    };
    assert!(model_of(app.world(), root).is_some(), "{path}");
}
