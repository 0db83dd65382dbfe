//! De-duplication of warnings: each warning about a model or a manifest is logged once, not per instance or frame.

use crate::root::environment::SpawnModels;
use crate::root::spawning::ModelScene;
use bevy::asset::UntypedAssetId;
use bevy::ecs::system::SystemParam;
use bevy::platform::collections::{HashMap, HashSet};
use bevy::prelude::*;

/// The limit of files with stored warnings. Above it, the half whose last warning is oldest is removed.
const MAX_TOPICS: usize = 4096;
/// The limit of different warnings about one file until it changes.
const MAX_WARNINGS: usize = 256;

/// The last message about something, so that it is not logged again.
#[derive(Debug, Default)]
pub(crate) struct LastMessage(Option<String>);

impl LastMessage {
    pub(crate) const NONE: Self = Self(None);

    /// Replaces the message. Returns whether it differs from the one before.
    pub(crate) fn is_new(&mut self, message: &str) -> bool {
        let is_new = self.0.as_deref() != Some(message);
        self.0 = Some(message.to_owned());
        is_new
    }
}

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
        if let Some(text) = self.record(asset, name, message) {
            warn!("{text}");
        }
    }

    /// Stores a warning, and returns the text to log if it is new.
    fn record(
        &mut self,
        asset: Option<UntypedAssetId>,
        name: &str,
        message: &str,
    ) -> Option<String> {
        self.calls += 1;
        let topic = self.topics.entry(name.to_owned()).or_default();
        topic.last_call = self.calls;
        topic.assets.extend(asset);
        let count = topic.current.len();
        if count > MAX_WARNINGS || !topic.current.insert(message.to_owned()) {
            return None;
        }
        let is_known = topic.previous.contains(message);
        self.remove_oldest();
        let text = if count == MAX_WARNINGS {
            "has too many warnings; further ones are not logged until the file changes"
        } else {
            message
        };
        (!is_known).then(|| format!("{name} {text}"))
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

/// Registers warning de-duplication.
pub(crate) fn register(app: &mut App) {
    app.init_resource::<WarningLog>().add_systems(
        SpawnScene,
        // Before models are respawned, which may cause the same warnings again.
        update_warning_log::<WorldAsset>.before(SpawnModels),
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
    roots: Query<'w, 's, &'static ModelScene>,
}

impl ModelWarnings<'_, '_> {
    /// Logs a warning about the model of a root. `message` follows the model's path.
    pub(crate) fn warn_once(&mut self, root: Entity, message: &str) {
        let scene = self.roots.get(root).ok().map(|root| root.scene.id());
        let path = scene.and_then(|scene| self.server.get_path(scene));
        let path = path.map(|path| path.without_label().to_string());
        let name = path.unwrap_or_else(|| format!("the model of entity {root}"));
        self.log.warn_once(scene.map(Into::into), &name, message);
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

    fn only(number: u128) -> HashSet<UntypedAssetId> {
        HashSet::from_iter([id(number)])
    }

    /// Whether a warning about an asset is new.
    fn is_new(log: &mut WarningLog, asset: u128, name: &str, message: &str) -> bool {
        log.record(Some(id(asset)), name, message).is_some()
    }

    #[test]
    fn warnings_are_kept_when_the_last_handle_is_dropped() {
        let mut log = WarningLog::default();
        assert!(is_new(&mut log, 1, "a.alo", "lacks a bone"));
        log.drop_assets(&only(1));
        for (name, message, expected) in [
            ("a.alo", "lacks a bone", false),
            ("b.alo", "lacks a bone", true),
            ("a.alo", "lacks a clip", true),
        ] {
            let found = is_new(&mut log, 2, name, message);
            assert_eq!(found, expected, "{name} {message}");
        }
    }

    #[test]
    fn warning_that_reappears_after_a_change_is_new() {
        let mut log = WarningLog::default();
        assert!(is_new(&mut log, 1, "a.alo", "lacks a bone"));
        log.drop_assets(&only(1));
        // The file is loaded again, under another id, and changes twice.
        for (changes, expected) in [(0, false), (1, false), (2, true)] {
            (0..changes).for_each(|_| log.mark_changed(&only(2)));
            let found = is_new(&mut log, 2, "a.alo", "lacks a bone");
            assert_eq!(found, expected, "{changes} changes");
        }
    }

    #[test]
    fn stored_warnings_are_bounded() {
        let mut log = WarningLog::default();
        for number in 0..3 * MAX_TOPICS {
            assert!(is_new(
                &mut log,
                1,
                &format!("{number}.alo"),
                "lacks a bone"
            ));
            let is_often_new = is_new(&mut log, 1, "often.alo", "lacks a bone");
            assert_eq!(is_often_new, number == 0);
            assert!(log.topics.len() <= MAX_TOPICS + 1);
        }
        let logged = (0..2 * MAX_WARNINGS)
            .map(|number| log.record(None, "c.alo", &format!("lacks clip {number}")));
        let logged: Vec<Option<String>> = logged.collect();
        let expected = |number| Some(format!("c.alo lacks clip {number}"));
        assert!((0..MAX_WARNINGS).all(|number| logged[number] == expected(number)));
        let last = logged[MAX_WARNINGS].as_deref();
        assert!(last.is_some_and(|text| text.starts_with("c.alo has too many warnings")));
        assert!(logged[MAX_WARNINGS + 1..].iter().all(Option::is_none));
    }
}
