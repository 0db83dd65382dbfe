//! What a [`PlayClip`] comes to on a model that has clips by names of their own.
//!
//! Players read this instead of the [`PlayClip`]: names of [`ModelClips`] are resolved in it, so that only
//! clips of files are left, and parts of them.

use crate::scene::clip_ref::{ClipRef, Repeat, part_within};
use crate::scene::clips::ModelClips;
use crate::scene::play::{PlayClip, ResolvedClip, ResolvedPlay};
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut, Ref};
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::system::Query;
use std::sync::Arc;

impl ResolvedPlay {
    pub(crate) fn new(asked: &PlayClip, table: Option<&ModelClips>) -> Self {
        let (mut clip, mut frames) = (&asked.clip, None);
        let (mut speed, mut repeat) = (1.0, Repeat::FromManifest);
        // Each name is looked up once at most: one may stand for the file's clip of the same name.
        let mut seen = Vec::new();
        loop {
            let place = match clip {
                ClipRef::Part {
                    clip: of,
                    frames: which,
                } => {
                    frames = Some(part_within(which, frames));
                    clip = of;
                    continue;
                }
                ClipRef::Name(name) => table.and_then(|table| table.place(name)),
                _ => None,
            };
            let Some((place, table)) = place.zip(table).filter(|(place, _)| !seen.contains(place))
            else {
                break;
            };
            let named = &table.0[place];
            seen.push(place);
            clip = &named.clip;
            speed *= named.speed;
            if repeat == Repeat::FromManifest {
                repeat = named.repeat;
            }
        }
        let whole = clip.clone();
        let clip = match frames {
            Some(frames) => ClipRef::Part {
                clip: Arc::new(whole),
                frames,
            },
            None => whole,
        };
        Self {
            play: played(clip, asked, (speed, repeat)),
            asked: asked.clip.clone(),
            asked_repeat: asked.repeat,
            named: (speed, repeat),
        }
    }

    /// Takes over all but the clip, which is still the same, and stands for the same.
    fn update(&mut self, asked: &PlayClip) {
        let clip = core::mem::replace(&mut self.play.clip, ClipRef::Index(0));
        self.play = played(clip, asked, self.named);
        self.asked_repeat = asked.repeat;
    }

    /// Whether [`update`](Self::update) would change anything.
    fn is_current(&self, asked: &PlayClip) -> bool {
        let PlayClip {
            clip: _,
            repeat,
            speed,
            start,
            fade,
            interpolate,
            paused,
        } = &self.play;
        let (named_speed, named_repeat) = self.named;
        self.asked_repeat == asked.repeat
            && *repeat == end(asked.repeat, named_repeat)
            && *speed == asked.speed * named_speed
            && (*start, *fade) == (asked.start, asked.fade)
            && (*interpolate, *paused) == (asked.interpolate, asked.paused)
    }
}

/// What plays of a clip for what is asked and what names state.
fn played(clip: ClipRef, asked: &PlayClip, (speed, repeat): (f32, Repeat)) -> PlayClip {
    PlayClip {
        clip,
        speed: asked.speed * speed,
        repeat: end(asked.repeat, repeat),
        ..*asked
    }
}

/// The end that is asked for, else that which a name states.
fn end(asked: Repeat, named: Repeat) -> Repeat {
    match (asked, named) {
        (Repeat::FromManifest, Repeat::FromManifest) => Repeat::Loop,
        (Repeat::FromManifest, named) => named,
        (asked, _) => asked,
    }
}

/// What is asked for, what is stated about it, and what both come to.
type ModelQuery<'w> = (
    Ref<'w, PlayClip>,
    Option<Ref<'w, ModelClips>>,
    &'w mut ResolvedClip,
);

/// Sees what is asked for where that or what is stated has changed. Players come after it.
pub(crate) fn resolve_clips(
    mut models: Query<ModelQuery<'static>>,
    mut removed: RemovedComponents<ModelClips>,
) {
    for (play, table, mut stated) in &mut models {
        let is_table_changed = table.as_ref().is_some_and(Ref::is_changed);
        if !is_table_changed && !play.is_changed() {
            continue;
        }
        match stated.get() {
            // Games change speeds in every frame: names are not looked up for that.
            Some(known) if !is_table_changed && known.asked == play.clip => {
                if !known.is_current(&play)
                    && let Some(known) = &mut stated.0
                {
                    known.update(&play);
                }
            }
            _ => {
                let clip = ResolvedPlay::new(&play, table.as_deref());
                stated.set_if_neq(ResolvedClip(Some(clip)));
            }
        }
    }
    for root in removed.read() {
        if let Ok((play, table, mut stated)) = models.get_mut(root) {
            let clip = ResolvedPlay::new(&play, table.as_deref());
            stated.set_if_neq(ResolvedClip(Some(clip)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::clips::NamedClip;

    fn named(name: &str, clip: impl Into<ClipRef>, speed: f32, repeat: Repeat) -> NamedClip {
        NamedClip {
            name: name.to_owned(),
            clip: clip.into(),
            speed,
            repeat,
        }
    }

    fn table() -> ModelClips {
        ModelClips::new([
            named("walk", "walk", 2.0, Repeat::Once),
            named("Stroll", "WALK", 0.25, Repeat::FromManifest),
            named(
                "step",
                ClipRef::part("stroll", 2..6),
                3.0,
                Repeat::FromManifest,
            ),
            named("a", "b", 2.0, Repeat::FromManifest),
            named("b", "A", 2.0, Repeat::FromManifest),
            named("first", 0_usize, 1.0, Repeat::Loop),
        ])
    }

    #[track_caller]
    fn assert_stands(
        asked: impl Into<ClipRef>,
        clip: impl Into<ClipRef>,
        speed: f32,
        repeat: Repeat,
    ) {
        let found = ResolvedPlay::new(&PlayClip::from_manifest(asked), Some(&table())).play;
        assert_eq!(
            (found.clip, found.speed, found.repeat),
            (clip.into(), speed, repeat)
        );
    }

    #[test]
    fn a_name_stands_for_others_and_at_last_for_the_files_own() {
        assert_stands("Walk", "walk", 2.0, Repeat::Once);
        assert_stands("stroll", "walk", 0.5, Repeat::Once);
        assert_stands("step", ClipRef::part("walk", 2..6), 1.5, Repeat::Once);
        assert_stands(
            ClipRef::part("step", 1..9),
            ClipRef::part("walk", 3..6),
            1.5,
            Repeat::Once,
        );
        assert_stands("FIRST", 0, 1.0, Repeat::Loop);
        assert_stands("swim", "swim", 1.0, Repeat::Loop);
        assert_stands(0, 0, 1.0, Repeat::Loop);
    }

    #[test]
    fn names_that_stand_for_each_other_end_somewhere() {
        assert_stands("a", "A", 4.0, Repeat::Loop);
        assert_stands("B", "b", 4.0, Repeat::Loop);
        let chain =
            (0..1000).map(|n| named(&n.to_string(), (n + 1).to_string(), 1.0, Repeat::Loop));
        let chain = ModelClips::new(chain);
        let last = ResolvedPlay::new(&PlayClip::looping("0"), Some(&chain));
        assert_eq!(last.play.clip, "1000");
    }

    #[test]
    fn who_asks_for_an_end_has_it() {
        let end = |play: PlayClip| ResolvedPlay::new(&play, Some(&table())).play.repeat;
        assert_eq!(end(PlayClip::looping("walk")), Repeat::Loop);
        assert_eq!(end(PlayClip::once("first")), Repeat::Once);
        assert_eq!(end(PlayClip::from_manifest("first")), Repeat::Loop);
    }

    #[test]
    fn other_fields_are_taken_over_as_if_all_were_looked_up_again() {
        let table = table();
        for name in ["Walk", "stroll", "step", "swim", "first"] {
            let mut known = ResolvedPlay::new(&PlayClip::from_manifest(name), Some(&table));
            for asked in [
                PlayClip::from_manifest(name).with_speed(-3.0),
                PlayClip::looping(name).with_fade(0.5).paused(),
                PlayClip::once(name).starting_at(0.25),
                PlayClip::from_manifest(name).without_interpolation(),
            ] {
                let afresh = ResolvedPlay::new(&asked, Some(&table));
                assert!(!known.is_current(&asked), "{asked:?}");
                known.update(&asked);
                assert_eq!(known, afresh);
                assert!(known.is_current(&asked), "{asked:?}");
            }
        }
    }
}
