//! What is said of a model or a manifest once, and not for each instance or frame.

use crate::scene::spawn_early::SpawnEarly;
use bevy::app::{App, SceneSpawnerSystems, SpawnScene};
use bevy::asset::{Asset, AssetEvent, AssetServer, UntypedAssetId};
use bevy::ecs::entity::Entity;
use bevy::ecs::message::MessageReader;
use bevy::ecs::resource::Resource;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::system::{Query, Res, ResMut, SystemParam};
use bevy::log::warn;
use bevy::platform::collections::{HashMap, HashSet};
use bevy::world_serialization::{WorldAsset, WorldAssetRoot};

/// Files whose warnings are remembered; of more, the half that was warned about longest ago is forgotten.
const MOST_TOPICS: usize = 4096;
/// Different warnings about one file until it changes.
const MOST_WARNINGS: usize = 256;

/// The warnings that were logged, by the name of the file or manifest that they are about. They are remembered while the
/// app runs: a model whose last instance was despawned is loaded again with the next one.
#[derive(Resource, Default)]
pub(crate) struct WarningLog {
    topics: HashMap<String, Topic>,
    /// Counts calls of [`WarningLog::warn_once`].
    calls: u64,
}

/// The warnings about one file.
#[derive(Default)]
struct Topic {
    /// The assets that were loaded from it.
    assets: HashSet<UntypedAssetId>,
    /// The call that was last about it.
    last: u64,
    /// Since it last changed.
    now: HashSet<String>,
    /// Before that, since the change before.
    before: HashSet<String>,
}

impl WarningLog {
    /// Warns about an asset; the text begins with its name and goes on with `what`. A warning that was logged already,
    /// and that held ever since, is not logged again.
    pub(crate) fn warn_once(&mut self, asset: Option<UntypedAssetId>, name: &str, what: &str) {
        match self.note(asset, name, what) {
            Note::New => warn!("{name} {what}"),
            Note::OneTooMany => {
                warn!("{name} has more warnings, which are not logged until the file changes");
            }
            Note::Known => {}
        }
    }

    /// Remembers a warning, and finds out whether it is new.
    fn note(&mut self, asset: Option<UntypedAssetId>, name: &str, what: &str) -> Note {
        self.calls += 1;
        let topic = self.topics.entry(name.to_owned()).or_default();
        topic.last = self.calls;
        topic.assets.extend(asset);
        let count = topic.now.len();
        if topic.now.contains(what) || count > MOST_WARNINGS {
            return Note::Known;
        }
        topic.now.insert(what.to_owned());
        let is_known = topic.before.contains(what);
        self.forget_oldest();
        match (is_known, count == MOST_WARNINGS) {
            (true, _) => Note::Known,
            (false, true) => Note::OneTooMany,
            (false, false) => Note::New,
        }
    }

    /// Keeps the number of topics bounded.
    fn forget_oldest(&mut self) {
        if self.topics.len() <= MOST_TOPICS {
            return;
        }
        let mut calls: Vec<u64> = self.topics.values().map(|topic| topic.last).collect();
        let middle = calls.len() / 2;
        let (_, median, _) = calls.select_nth_unstable(middle);
        let median = *median;
        self.topics.retain(|_, topic| topic.last >= median);
    }

    /// After a change of a file, what is still wrong with it is found again.
    fn change(&mut self, assets: &HashSet<UntypedAssetId>) {
        for topic in self.topics.values_mut() {
            if !topic.assets.is_disjoint(assets) {
                topic.before = core::mem::take(&mut topic.now);
            }
        }
    }

    /// Forgets the ids of assets that were dropped, but no warnings.
    fn drop_assets(&mut self, assets: &HashSet<UntypedAssetId>) {
        for topic in self.topics.values_mut() {
            topic.assets.retain(|asset| !assets.contains(asset));
        }
    }
}

/// Whether a warning is to be logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Note {
    New,
    Known,
    /// It is new, but the file has too many.
    OneTooMany,
}

/// Has it said once what is said of models.
pub(super) fn register(app: &mut App) {
    app.init_resource::<WarningLog>().add_systems(
        SpawnScene,
        // Before models are spawned anew, of which the same may be said again.
        forget_changed_warnings::<WorldAsset>
            .before(SpawnEarly)
            .before(SceneSpawnerSystems::WorldInstanceSpawn),
    );
}

/// Keeps up with assets that change or go.
pub(crate) fn forget_changed_warnings<A: Asset>(
    mut events: MessageReader<AssetEvent<A>>,
    mut said: ResMut<WarningLog>,
) {
    let (mut changed, mut gone) = (HashSet::default(), HashSet::default());
    for event in events.read() {
        match event {
            AssetEvent::Modified { id } => changed.insert(id.untyped()),
            AssetEvent::Removed { id } => gone.insert(id.untyped()),
            _ => false,
        };
    }
    let is_news = !changed.is_empty() || !gone.is_empty();
    if is_news {
        said.change(&changed);
        said.drop_assets(&gone);
    }
}

/// Says things of models, each of them once for the file of a model.
#[derive(SystemParam)]
pub(crate) struct ModelWarnings<'w, 's> {
    said: ResMut<'w, WarningLog>,
    server: Res<'w, AssetServer>,
    roots: Query<'w, 's, &'static WorldAssetRoot>,
}

impl ModelWarnings<'_, '_> {
    /// Says something that is wrong with the model of a root; `what` goes on from the model's path.
    pub(crate) fn warn_once(&mut self, root: Entity, what: &str) {
        let scene = self.roots.get(root).ok().map(|scene| scene.id());
        let path = scene.and_then(|scene| self.server.get_path(scene));
        let path = path.map(|path| path.without_label().to_string());
        let name = path.as_deref().unwrap_or("a model");
        self.said.warn_once(scene.map(Into::into), name, what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::asset::AssetId;

    fn id(number: u128) -> UntypedAssetId {
        let id = AssetId::<WorldAsset>::Uuid {
            uuid: bevy::asset::uuid::Uuid::from_u128(number),
        };
        id.untyped()
    }

    fn only(asset: UntypedAssetId) -> HashSet<UntypedAssetId> {
        HashSet::from_iter([asset])
    }

    #[test]
    fn warnings_are_remembered_when_the_last_handle_is_dropped() {
        let mut said = WarningLog::default();
        assert_eq!(said.note(Some(id(1)), "a.alo", "lacks a bone"), Note::New);
        said.drop_assets(&only(id(1)));
        assert_eq!(said.note(Some(id(2)), "a.alo", "lacks a bone"), Note::Known);
        assert_eq!(said.note(Some(id(2)), "b.alo", "lacks a bone"), Note::New);
        assert_eq!(said.note(Some(id(2)), "a.alo", "lacks a clip"), Note::New);
    }

    #[test]
    fn a_warning_that_a_change_brings_back_is_new() {
        let mut said = WarningLog::default();
        assert_eq!(said.note(Some(id(1)), "a.alo", "lacks a bone"), Note::New);
        said.drop_assets(&only(id(1)));
        // The file is loaded again, under another id, and changes twice.
        assert_eq!(said.note(Some(id(2)), "a.alo", "lacks a bone"), Note::Known);
        said.change(&only(id(2)));
        assert_eq!(said.note(Some(id(2)), "a.alo", "lacks a bone"), Note::Known);
        said.change(&only(id(2)));
        said.change(&only(id(2)));
        assert_eq!(said.note(Some(id(2)), "a.alo", "lacks a bone"), Note::New);
    }

    #[test]
    fn remembered_warnings_are_bounded() {
        let mut said = WarningLog::default();
        for number in 0..3 * MOST_TOPICS {
            let name = format!("{number}.alo");
            assert_eq!(said.note(None, &name, "lacks a bone"), Note::New);
            assert_eq!(
                said.note(None, "often.alo", "lacks a bone") == Note::New,
                number == 0
            );
            assert!(said.topics.len() <= MOST_TOPICS + 1);
        }
        let notes: Vec<Note> = (0..2 * MOST_WARNINGS)
            .map(|number| said.note(None, "c.alo", &format!("lacks clip {number}")))
            .collect();
        assert!(notes[..MOST_WARNINGS].iter().all(|note| *note == Note::New));
        assert_eq!(notes[MOST_WARNINGS], Note::OneTooMany);
        assert!(
            notes[MOST_WARNINGS + 1..]
                .iter()
                .all(|note| *note == Note::Known)
        );
    }
}
