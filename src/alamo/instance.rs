//! What happens when the scene of a model is ready.

use crate::alamo::animation::AloAnimator;
use crate::alamo::asset::AloModel;
use crate::alamo::components::{
    AloBone, AloInstance, AloPart, AloProxy, AloScene, AloShared, TeamColored,
};
use crate::alamo::proxies::ProxyFollower;
use crate::scene::{
    ModelFormat, ModelInstance, ReadyScenes, SceneFormat, SharedModel, folded, missing_part,
};
use bevy::animation::AnimationPlayer;
use bevy::ecs::observer::On;
use bevy::ecs::query::Has;
use bevy::ecs::system::{Commands, Query};
use bevy::transform::components::Transform;
use bevy::world_serialization::WorldInstanceReady;

impl SceneFormat for AloScene {
    const FORMAT: ModelFormat = ModelFormat::Alamo;

    type OnRoot = (AloInstance, AloAnimator);
}

impl SharedModel for AloShared {
    fn named<'a>(&'a self, name: &'a str) -> Box<dyn Iterator<Item = usize> + 'a> {
        Box::new(self.indices_named(name))
    }

    fn missing_part(&self, name: &str) -> Option<String> {
        missing_part(has_part(&self.model, name), name)
    }

    fn find_clip(&self, clip: &crate::scene::ClipRef) -> Option<crate::scene::FoundClip<'_>> {
        super::find_clip::find_clip(&self.model, clip)
    }
}

/// Whether a model has a part of a name in lower case, or a proxy that loads a model which may have it.
fn has_part(model: &AloModel, name: &str) -> bool {
    let is_named = |of: &str| folded(of) == name;
    !model.meshes_named(name).is_empty()
        || model.lights.iter().any(|light| is_named(&light.name))
        || model.dazzles.iter().any(|dazzle| is_named(&dazzle.name))
        || model
            .proxies
            .iter()
            .any(|proxy| proxy.model.is_some() || is_named(&proxy.proxy.name))
}

/// What tells the entities of a spawned scene apart.
type SpawnedData = (
    Option<&'static AloBone>,
    Option<&'static AloProxy>,
    Option<&'static AloPart>,
    Has<TeamColored>,
);

/// Makes a root an instance of the model whose scene was spawned or respawned.
pub(super) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: ReadyScenes<'_, '_, AloScene>,
    spawned: Query<SpawnedData>,
    instances: Query<&AloInstance>,
    mut follower: ProxyFollower,
) {
    let Some((scene_root, AloScene(shared), entities)) = scenes.get(&ready, &mut commands) else {
        return;
    };
    let (root, model) = (ready.entity, &shared.model);
    let (mut bones, mut parts, mut colored) = (Vec::new(), Vec::new(), Vec::new());
    let (mut named, mut followed) = (Vec::new(), Vec::new());
    for entity in entities {
        let Ok((bone, proxy, part, wears_team_color)) = spawned.get(entity) else {
            continue;
        };
        bones.extend(bone.map(|bone| (bone.index, entity)));
        named.extend(bone.map(|bone| (shared.bone_index(bone), entity)));
        named.extend(part.map(|part| (shared.part_index(part), entity)));
        let model = proxy.and_then(|proxy| proxy.model.as_ref());
        followed.extend(model.map(|model| (entity, model)));
        parts.extend(part.map(|_| entity));
        colored.extend(wears_team_color.then_some(entity));
    }
    bones.sort_unstable();
    // The user may have put a player there, and what it plays outlives a change of the file.
    let player = (AnimationPlayer::default(), AloAnimator::default());
    commands.entity(root).try_insert_if_new(player);
    let is_of_proxy = follower.is_proxy(root);
    let mut any = ModelInstance::new(ModelFormat::Alamo, shared.clone(), named);
    any.is_of_proxy = is_of_proxy;
    // What was chosen for the old instance is still chosen for the new one.
    let old = instances.get(root).ok();
    let instance = AloInstance {
        bones: bones.into_iter().map(|(_, entity)| entity).collect(),
        parts,
        colored,
        alt: old.map_or(0, |old| old.alt.min(model.max_alt)),
        held: old.map(|old| old.held.clone()).unwrap_or_default(),
        model: model.clone(),
    };
    commands.entity(root).try_insert((instance, any));
    if is_of_proxy {
        // A model that a proxy loads is in the space of the proxy's bone already.
        commands.entity(scene_root).try_insert(Transform::IDENTITY);
    }
    for (entity, path) in followed {
        follower.follow(&mut commands, root, entity, path, &shared.settings);
    }
}
