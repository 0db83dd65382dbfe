//! De-duplication of warnings: each warning about a model or a manifest is logged once, not per instance or frame.

use crate::root::systems::SpawnEarly;
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

/// The limit of files with stored warnings. Above it, the half whose last warning is oldest is removed.
const MAX_TOPICS: usize = 4096;
/// The limit of different warnings about one file until it changes.
const MAX_WARNINGS: usize = 256;

/// The logged warnings, keyed by the name of the file or manifest.
///
/// Warnings are kept when an asset is dropped: if the last instance of a model is despawned, the next one loads the
/// model again.
#[derive(Resource, Default)]
pub(crate) struct WarningLog {
    topics: HashMap<String, Topic>,
    /// Counts calls of [`WarningLog::warn_once`].
    calls: u64,
}

/// The warnings about one file.
#[derive(Default)]
struct Topic {
    /// The assets that were loaded from the file.
    assets: HashSet<UntypedAssetId>,
    /// The value of [`WarningLog::calls`] at its last warning.
    last_call: u64,
    /// Warnings since the last change of the file.
    current: HashSet<String>,
    /// Warnings between the two last changes of the file.
    previous: HashSet<String>,
}

impl WarningLog {
    /// Logs `{name} {message}` as a warning about an asset. A warning that was logged before is only logged again if it
    /// did not occur after the previous change of the file.
    pub(crate) fn warn_once(&mut self, asset: Option<UntypedAssetId>, name: &str, message: &str) {
        match self.record(asset, name, message) {
            WarningStatus::New => warn!("{name} {message}"),
            WarningStatus::LimitReached => {
                warn!(
                    "{name} has too many warnings; further ones are not logged until the file changes"
                );
            }
            WarningStatus::Known => {}
        }
    }

    /// Stores a warning, and returns whether it is new.
    fn record(
        &mut self,
        asset: Option<UntypedAssetId>,
        name: &str,
        message: &str,
    ) -> WarningStatus {
        self.calls += 1;
        let topic = self.topics.entry(name.to_owned()).or_default();
        topic.last_call = self.calls;
        topic.assets.extend(asset);
        let count = topic.current.len();
        if topic.current.contains(message) || count > MAX_WARNINGS {
            return WarningStatus::Known;
        }
        topic.current.insert(message.to_owned());
        let is_known = topic.previous.contains(message);
        self.remove_oldest();
        match (is_known, count == MAX_WARNINGS) {
            (true, _) => WarningStatus::Known,
            (false, true) => WarningStatus::LimitReached,
            (false, false) => WarningStatus::New,
        }
    }

    /// Limits the count of topics.
    fn remove_oldest(&mut self) {
        if self.topics.len() <= MAX_TOPICS {
            return;
        }
        let mut calls: Vec<u64> = self.topics.values().map(|topic| topic.last_call).collect();
        let middle = calls.len() / 2;
        let (_, median, _) = calls.select_nth_unstable(middle);
        let median = *median;
        self.topics.retain(|_, topic| topic.last_call >= median);
    }

    /// Marks files as changed, so that warnings that still apply are recorded again.
    fn mark_changed(&mut self, assets: &HashSet<UntypedAssetId>) {
        for topic in self.topics.values_mut() {
            if !topic.assets.is_disjoint(assets) {
                topic.previous = core::mem::take(&mut topic.current);
            }
        }
    }

    /// Removes the ids of dropped assets, but keeps the warnings.
    fn drop_assets(&mut self, assets: &HashSet<UntypedAssetId>) {
        for topic in self.topics.values_mut() {
            topic.assets.retain(|asset| !assets.contains(asset));
        }
    }
}

/// Whether a warning is to be logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WarningStatus {
    New,
    Known,
    /// The warning is new, but the file has too many warnings.
    LimitReached,
}

/// Registers warning de-duplication.
pub(crate) fn register(app: &mut App) {
    app.init_resource::<WarningLog>().add_systems(
        SpawnScene,
        // Before models are respawned, which may cause the same warnings again.
        update_warning_log::<WorldAsset>
            .before(SpawnEarly)
            .before(SceneSpawnerSystems::WorldInstanceSpawn),
    );
}

/// Updates the log after assets have changed or were dropped.
pub(crate) fn update_warning_log<A: Asset>(
    mut events: MessageReader<AssetEvent<A>>,
    mut log: ResMut<WarningLog>,
) {
    let (mut changed, mut dropped) = (HashSet::default(), HashSet::default());
    for event in events.read() {
        match event {
            AssetEvent::Modified { id } => changed.insert(id.untyped()),
            AssetEvent::Removed { id } => dropped.insert(id.untyped()),
            _ => false,
        };
    }
    let has_events = !changed.is_empty() || !dropped.is_empty();
    if has_events {
        log.mark_changed(&changed);
        log.drop_assets(&dropped);
    }
}

/// Logs warnings about models, each once per file.
#[derive(SystemParam)]
pub(crate) struct ModelWarnings<'w, 's> {
    log: ResMut<'w, WarningLog>,
    server: Res<'w, AssetServer>,
    roots: Query<'w, 's, &'static WorldAssetRoot>,
}

impl ModelWarnings<'_, '_> {
    /// Logs a warning about the model of a root. `message` follows the model's path.
    pub(crate) fn warn_once(&mut self, root: Entity, message: &str) {
        let scene = self.roots.get(root).ok().map(|scene| scene.id());
        let path = scene.and_then(|scene| self.server.get_path(scene));
        let path = path.map(|path| path.without_label().to_string());
        let name = path.as_deref().unwrap_or("a model");
        self.log.warn_once(scene.map(Into::into), name, message);
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
    fn warnings_are_kept_when_the_last_handle_is_dropped() {
        let mut log = WarningLog::default();
        assert_eq!(
            log.record(Some(id(1)), "a.alo", "lacks a bone"),
            WarningStatus::New
        );
        log.drop_assets(&only(id(1)));
        assert_eq!(
            log.record(Some(id(2)), "a.alo", "lacks a bone"),
            WarningStatus::Known
        );
        assert_eq!(
            log.record(Some(id(2)), "b.alo", "lacks a bone"),
            WarningStatus::New
        );
        assert_eq!(
            log.record(Some(id(2)), "a.alo", "lacks a clip"),
            WarningStatus::New
        );
    }

    #[test]
    fn warning_that_reappears_after_a_change_is_new() {
        let mut log = WarningLog::default();
        assert_eq!(
            log.record(Some(id(1)), "a.alo", "lacks a bone"),
            WarningStatus::New
        );
        log.drop_assets(&only(id(1)));
        // The file is loaded again, under another id, and changes twice.
        assert_eq!(
            log.record(Some(id(2)), "a.alo", "lacks a bone"),
            WarningStatus::Known
        );
        log.mark_changed(&only(id(2)));
        assert_eq!(
            log.record(Some(id(2)), "a.alo", "lacks a bone"),
            WarningStatus::Known
        );
        log.mark_changed(&only(id(2)));
        log.mark_changed(&only(id(2)));
        assert_eq!(
            log.record(Some(id(2)), "a.alo", "lacks a bone"),
            WarningStatus::New
        );
    }

    #[test]
    fn stored_warnings_are_bounded() {
        let mut log = WarningLog::default();
        for number in 0..3 * MAX_TOPICS {
            let name = format!("{number}.alo");
            assert_eq!(log.record(None, &name, "lacks a bone"), WarningStatus::New);
            assert_eq!(
                log.record(None, "often.alo", "lacks a bone") == WarningStatus::New,
                number == 0
            );
            assert!(log.topics.len() <= MAX_TOPICS + 1);
        }
        let statuses: Vec<WarningStatus> = (0..2 * MAX_WARNINGS)
            .map(|number| log.record(None, "c.alo", &format!("lacks clip {number}")))
            .collect();
        assert!(
            statuses[..MAX_WARNINGS]
                .iter()
                .all(|status| *status == WarningStatus::New)
        );
        assert_eq!(statuses[MAX_WARNINGS], WarningStatus::LimitReached);
        assert!(
            statuses[MAX_WARNINGS + 1..]
                .iter()
                .all(|status| *status == WarningStatus::Known)
        );
    }
}
