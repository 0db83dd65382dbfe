//! Which emitter's particles spawn an emitter.

use super::file::PluginEmitter;
use super::value::Value;
use crate::particles::file::SpawnEvent;

/// What a creator says about the emitter that spawns its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::particles) enum Spawner {
    /// None: it is a root.
    None,
    /// The emitter with this index, which exists.
    Emitter(u32, SpawnEvent),
    /// An emitter that does not exist.
    Missing,
}

/// The emitter that spawns each emitter.
pub(in crate::particles) fn spawners(emitters: &[PluginEmitter<'_>]) -> Vec<Spawner> {
    // The first emitter with a name counts.
    let mut by_name: Vec<(&str, u32)> = (0..)
        .zip(emitters)
        .map(|(index, emitter)| (&*emitter.name, index))
        .collect();
    by_name.sort_unstable();
    let of_name = |name: &str| {
        let first = by_name.partition_point(|(other, _)| *other < name);
        let found = by_name.get(first).filter(|(other, _)| *other == name);
        found.map(|(_, index)| *index)
    };
    let spawner = |emitter: &PluginEmitter<'_>| {
        let creator = &emitter.creator;
        let named = |event| {
            let index = match creator.get("parent_name") {
                Some(Value::Text(name)) => of_name(name),
                _ => None,
            };
            (index, event)
        };
        let (index, event) = match creator.name() {
            "trail" => {
                let index = match creator.get("parent") {
                    Some(Value::I32(index)) => u32::try_from(*index).ok(),
                    _ => None,
                };
                let exists = |index: &u32| (*index as usize) < emitters.len();
                (index.filter(exists), SpawnEvent::Life)
            }
            "enhanced_trail" => named(SpawnEvent::Life),
            "death" => named(SpawnEvent::Death),
            _ => return Spawner::None,
        };
        index.map_or(Spawner::Missing, |index| Spawner::Emitter(index, event))
    };
    emitters.iter().map(spawner).collect()
}
