//! The links between emitters: a creator may name the emitter whose particles it follows.

use super::Parser;
use crate::particles::file::SpawnEvent;
use crate::particles::plugins::file::{PluginEmitter, Value};

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

/// Whether each emitter is a root, or has an ancestor that is one. Others never emit.
fn reachable(spawners: &[Spawner]) -> Vec<bool> {
    let mut known: Vec<Option<bool>> = vec![None; spawners.len()];
    for start in 0..spawners.len() {
        let mut path = Vec::new();
        let mut index = start;
        let is_reachable = loop {
            if let Some(Some(known)) = known.get(index) {
                break *known;
            }
            // An emitter on the path is its own ancestor.
            if let Some(slot) = known.get_mut(index) {
                *slot = Some(false);
            }
            path.push(index);
            match spawners.get(index) {
                Some(Spawner::Emitter(parent, _)) => index = *parent as usize,
                Some(Spawner::None) => break true,
                Some(Spawner::Missing) | None => break false,
            }
        };
        for index in path {
            if let Some(slot) = known.get_mut(index) {
                *slot = Some(is_reachable);
            }
        }
    }
    known.into_iter().map(|known| known == Some(true)).collect()
}

/// Warns about emitters that never emit.
pub(super) fn check(parser: &mut Parser, emitters: &[PluginEmitter<'_>]) {
    let spawners = spawners(emitters);
    let reachable = reachable(&spawners);
    let offsets = core::mem::take(&mut parser.state);
    for (((index, spawner), is_reachable), offset) in
        (0..).zip(&spawners).zip(reachable).zip(offsets)
    {
        if is_reachable {
            continue;
        }
        let reason = match spawner {
            Spawner::Missing => "there is no emitter that its creator names",
            _ => "no root emitter spawns it",
        };
        parser.warn("emitter without a root", offset, |parser: &Parser| {
            let path = parser.at("");
            format!("{path} emitter {index} never emits: {reason}")
        });
    }
}
