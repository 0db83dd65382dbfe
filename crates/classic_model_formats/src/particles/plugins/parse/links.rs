//! The links between emitters: a creator may name the emitter whose particles it follows.

use super::Parser;
use crate::particles::plugins::file::PluginEmitter;
use crate::particles::plugins::spawner::{Spawner, spawners};

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

impl Parser {
    /// Warns about emitters that never emit.
    pub(super) fn check_links(&mut self, emitters: &[PluginEmitter<'_>]) {
        let spawners = spawners(emitters);
        let reachable = reachable(&spawners);
        let offsets = core::mem::take(&mut self.state);
        let links = (0..).zip(&spawners).zip(reachable).zip(offsets);
        for (((index, spawner), _), offset) in links.filter(|((_, reachable), _)| !reachable) {
            let reason = match spawner {
                Spawner::Missing => "there is no emitter that its creator names",
                _ => "no root emitter spawns it",
            };
            self.warn("emitter without a root", offset, |parser: &Self| {
                let path = parser.at("");
                format!("{path} emitter {index} never emits: {reason}")
            });
        }
    }
}
