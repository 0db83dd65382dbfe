//! The links between emitters. Only links that make a forest are kept: each emitter has at most one parent, and none is
//! its own ancestor. Otherwise the count of emitters that are spawned could grow without limit.

use super::state::{Link, Parser};
use crate::particles::file::{Emitter, Parent, SpawnEvent};

/// Applies the links of the parser's state in file order. Links that do not fit a forest are dropped, with a warning.
pub(super) fn resolve(parser: &mut Parser, emitters: &mut [Emitter<'_>]) {
    let mut roots = Roots::default();
    for link in core::mem::take(&mut parser.state) {
        let Err(reason) = apply(&link, emitters, &mut roots) else {
            continue;
        };
        let Link {
            emitter,
            event,
            child,
            offset,
        } = link;
        parser.warn("dropped link", offset, |parser| {
            let path = parser.at("");
            let event = match event {
                SpawnEvent::Death => "on death",
                SpawnEvent::Life => "during life",
            };
            format!(
                "{path} emitter {emitter} cannot spawn emitter {child} {event}, because {reason}: \
                 the link is dropped"
            )
        });
    }
}

/// Sets both ends of a link, or returns the reason why it is dropped.
fn apply(link: &Link, emitters: &mut [Emitter<'_>], roots: &mut Roots) -> Result<(), &'static str> {
    let child = u32::try_from(link.child).ok();
    let child = child.filter(|child| (*child as usize) < emitters.len());
    let child = child.ok_or("there is no such emitter")?;
    if child == link.emitter {
        return Err("it is the same emitter");
    }
    let child_emitter = emitters.get_mut(child as usize);
    let child_emitter = child_emitter.filter(|emitter| emitter.parent.is_none());
    let child_emitter = child_emitter.ok_or("another link spawns it")?;
    // The child has no parent yet, so it can only be an ancestor as the root.
    if roots.of(link.emitter) == child {
        return Err("it is an ancestor");
    }
    child_emitter.parent = Some(Parent {
        emitter: link.emitter,
        event: link.event,
    });
    roots.attach(child, link.emitter);
    if let Some(emitter) = emitters.get_mut(link.emitter as usize) {
        match link.event {
            SpawnEvent::Death => emitter.spawn_on_death = Some(child),
            SpawnEvent::Life => emitter.spawn_during_life = Some(child),
        }
    }
    Ok(())
}

/// The roots of the trees so far: a disjoint-set forest, so that long chains take nearly linear time.
#[derive(Default)]
struct Roots {
    /// An ancestor of each emitter, or the emitter itself. Emitters beyond the end are roots.
    ancestors: Vec<u32>,
}

impl Roots {
    fn ancestor(&self, emitter: u32) -> u32 {
        let ancestor = self.ancestors.get(emitter as usize);
        ancestor.copied().unwrap_or(emitter)
    }

    fn of(&mut self, mut emitter: u32) -> u32 {
        loop {
            let ancestor = self.ancestor(emitter);
            let next = self.ancestor(ancestor);
            if let Some(slot) = self.ancestors.get_mut(emitter as usize) {
                // Path halving.
                *slot = next;
            }
            if ancestor == next {
                return next;
            }
            emitter = next;
        }
    }

    fn attach(&mut self, child: u32, parent: u32) {
        let known = u32::try_from(self.ancestors.len()).unwrap_or(u32::MAX);
        self.ancestors.extend(known..=child.max(parent));
        if let Some(slot) = self.ancestors.get_mut(child as usize) {
            *slot = parent;
        }
    }
}
