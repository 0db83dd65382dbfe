//! Scenes of Bevy's own glTF loader that play their animations, to compare them with crowds.

use bevy::asset::RecursiveDependencyLoadState;
use bevy::gltf::Gltf;
use bevy::prelude::*;
use classic_models_support::dice::Dice;
use classic_models_support::gpuless;
use std::path::Path;

/// Spawns a scene of a glTF file, which the app can read, at each position. Each plays one of the file's animations, with its own phase and speed.
///
/// # Panics
/// If the file cannot be loaded, or has no scene or no animation.
pub fn spawn(app: &mut App, path: &Path, positions: impl Iterator<Item = Vec3>) {
    let (scene, clips) = load(app, path);
    let world = app.world_mut();
    let roots: Vec<Entity> = positions
        .map(|position| {
            let transform = Transform::from_translation(position).with_scale(Vec3::splat(0.4));
            let root = world.spawn((WorldAssetRoot(scene.clone()), transform));
            root.id()
        })
        .collect();
    assert!(gpuless::wait_until(app, |world| {
        let mut roots = roots.iter();
        roots.all(|root| world.get::<Children>(*root).is_some())
    }));
    for (index, root) in roots.into_iter().enumerate() {
        let mut dice = Dice::new(index as u32);
        let clip = clips[dice.choose(clips.len())].clone();
        let (start, speed) = (dice.roll(), dice.between(0.75, 1.25));
        play(app.world_mut(), root, &clip, (start, speed));
    }
}

/// The default scene of a file, and a graph for each of its animations.
fn load(
    app: &mut App,
    path: &Path,
) -> (
    Handle<WorldAsset>,
    Vec<(Handle<AnimationGraph>, AnimationNodeIndex)>,
) {
    let server = app.world().resource::<AssetServer>();
    let gltf: Handle<Gltf> = server.load(path.to_path_buf());
    assert!(gpuless::wait_until(app, |world| {
        let server = world.resource::<AssetServer>();
        match server.recursive_dependency_load_state(&gltf) {
            RecursiveDependencyLoadState::Failed(error) => panic!("{error}"),
            state => state.is_loaded(),
        }
    }));
    let world = app.world_mut();
    let gltf = world.resource::<Assets<Gltf>>().get(&gltf);
    let gltf = gltf.expect("the file is loaded");
    let scene = gltf.default_scene.clone().expect("the file has a scene");
    let animations = gltf.animations.clone();
    assert!(!animations.is_empty(), "the file has no animation");
    let mut graphs = world.resource_mut::<Assets<AnimationGraph>>();
    let graph = |clip| {
        let (graph, node) = AnimationGraph::from_clip(clip);
        (graphs.add(graph), node)
    };
    (scene, animations.into_iter().map(graph).collect())
}

/// Plays a clip with all players of a scene. `timing` is the start in seconds, and the speed.
///
/// # Panics
/// If the scene has no player.
fn play(
    world: &mut World,
    root: Entity,
    clip: &(Handle<AnimationGraph>, AnimationNodeIndex),
    timing: (f32, f32),
) {
    let mut players = 0;
    let mut open = vec![root];
    while let Some(entity) = open.pop() {
        let children = world.get::<Children>(entity).into_iter().flatten();
        open.extend(children.copied());
        if let Some(mut player) = world.get_mut::<AnimationPlayer>(entity) {
            let active = player.play(clip.1);
            active.seek_to(timing.0).set_speed(timing.1).repeat();
            let graph = AnimationGraphHandle(clip.0.clone());
            world.entity_mut(entity).insert(graph);
            players += 1;
        }
    }
    assert!(players > 0, "the animations have no player");
}
