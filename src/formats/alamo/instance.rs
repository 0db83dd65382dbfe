//! Adds the components of an instance to the root when the scene of a model is ready.

use crate::crowd::members::{CrowdScene, update_member};
use crate::formats::alamo::animation::rig::AloAnimator;
use crate::formats::alamo::appearance::ShownStage;
use crate::formats::alamo::asset::Alo;
use crate::formats::alamo::components::{
    AloBone, AloInstance, AloPart, AloProxy, AloScene, TeamColored,
};
use crate::formats::alamo::parts::proxies::ProxyLoader;
use crate::spawn::instance::{ModelFormat, ModelInstance};
use crate::spawn::reload::ReadyScenes;
use bevy::prelude::*;
use bevy::world_serialization::WorldInstanceReady;

/// The components that classify the entities of a spawned scene.
type SpawnedData = (
    Option<&'static AloBone>,
    Option<&'static AloProxy>,
    Option<&'static AloPart>,
    Has<TeamColored>,
);

/// Makes a root an instance of the model whose scene was spawned or respawned.
pub(crate) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: ReadyScenes<'_, '_, Alo>,
    spawned: Query<SpawnedData>,
    crowds: Query<(), With<CrowdScene>>,
    mut proxy_loader: ProxyLoader,
) {
    let Some((scene_root, AloScene(shared), entities)) = scenes.get(&ready, &mut commands) else {
        return;
    };
    let (root, model) = (ready.entity, &shared.model);
    let (mut bones, mut parts, mut colored) = (Vec::new(), Vec::new(), Vec::new());
    let (mut named, mut proxies, mut particles) = (Vec::new(), Vec::new(), Vec::new());
    for entity in entities {
        let Ok((bone, proxy, part, is_team_colored)) = spawned.get(entity) else {
            continue;
        };
        bones.extend(bone.map(|bone| (bone.index, entity)));
        named.extend(bone.map(|bone| (bone.index, entity)));
        named.extend(part.map(|part| (shared.part_index(part), entity)));
        let model = proxy.and_then(|proxy| proxy.model.as_ref());
        proxies.extend(model.map(|model| (entity, model)));
        let system = proxy.and_then(|proxy| proxy.particles.as_ref());
        particles.extend(system.map(|path| (entity, path)));
        parts.extend(part.map(|_| entity));
        colored.extend(is_team_colored.then_some(entity));
    }
    bones.sort_unstable();
    // Keep a player that the user has inserted. What it plays and the damage stage survive a reload.
    let player = (
        AnimationPlayer::default(),
        AloAnimator::default(),
        ShownStage::default(),
    );
    commands.entity(root).try_insert_if_new(player);
    let is_of_proxy = proxy_loader.is_proxy(root);
    let any = ModelInstance::new(ModelFormat::Alamo, shared.any.clone(), scene_root, named)
        .of_proxy(is_of_proxy);
    let instance = AloInstance {
        bones: bones.into_iter().map(|(_, entity)| entity).collect(),
        parts,
        colored,
        model: model.clone(),
    };
    let crowd = crowds.contains(scene_root).then_some(scene_root);
    let any = any.in_crowd(crowd.is_some());
    commands.entity(root).try_insert((instance, any));
    update_member::<Alo>(&mut commands, root, crowd, model);
    if is_of_proxy {
        // The model of a proxy is already in the space of the proxy's bone.
        commands.entity(scene_root).try_insert(Transform::IDENTITY);
    }
    for (entity, path) in proxies {
        proxy_loader.load(&mut commands, root, entity, path, &shared.settings);
    }
    for (entity, path) in particles {
        proxy_loader.load_particles(&mut commands, root, entity, path, &shared.settings);
    }
}
