//! What Bevy overlooks when the file of a spawned model changes.

use bevy::asset::{AssetEvent, AssetId, Assets};
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::component::Component;
use bevy::ecs::message::MessageReader;
use bevy::ecs::system::{Local, Query, Res};
use bevy::world_serialization::{WorldAsset, WorldAssetRoot};

/// A component of a scene's own world that tells which model the scene is of.
pub(crate) trait SceneModel: Component {
    /// On the root entity of what was spawned.
    type Instance: Component;

    /// Whether that was spawned of the same model, and not of one before a change of its file.
    fn is_of(&self, instance: &Self::Instance) -> bool;
}

/// Bevy overlooks the second of two changes of a scene within three frames. Such models are spawned
/// anew.
pub(crate) fn follow_scenes<S: SceneModel>(
    mut events: MessageReader<AssetEvent<WorldAsset>>,
    mut changed: Local<Vec<(AssetId<WorldAsset>, u32)>>,
    scenes: Res<Assets<WorldAsset>>,
    mut roots: Query<(&mut WorldAssetRoot, &S::Instance)>,
) {
    /// Bevy waits for three frames.
    const FRAMES: u32 = 5;
    for (_, frames) in changed.iter_mut() {
        *frames += 1;
    }
    for event in events.read() {
        if let AssetEvent::Modified { id } = event {
            changed.retain(|(other, _)| other != id);
            changed.push((*id, 0));
        }
    }
    for (id, _) in changed.iter().filter(|(_, frames)| *frames == FRAMES) {
        let Some(model) = scenes.get(*id).and_then(model_of::<S>) else {
            continue;
        };
        for (mut root, instance) in &mut roots {
            if root.id() == *id && !model.is_of(instance) {
                root.set_changed();
            }
        }
    }
    changed.retain(|(_, frames)| *frames < FRAMES);
}

/// The model of a scene that is not spawned.
fn model_of<S: SceneModel>(scene: &WorldAsset) -> Option<&S> {
    let mut scenes = scene.world.try_query::<&S>()?;
    scenes.iter(&scene.world).next()
}
