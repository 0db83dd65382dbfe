//! What changes all the time about an Alamo model: where its clip is, and which bones are hidden.

use crate::alo_clips::ClipList;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;

/// Hidden bones that are named.
const NAMED: usize = 8;

/// Tells it.
#[derive(SystemParam)]
pub struct AloStatus<'w, 's> {
    playing: Query<
        'w,
        's,
        (
            &'static ClipList,
            &'static PlayClip,
            &'static Playback,
            &'static AloAnimator,
        ),
    >,
    instances: Query<'w, 's, &'static AloInstance>,
    visibilities: Query<'w, 's, &'static InheritedVisibility>,
}

impl AloStatus<'_, '_> {
    /// Where the clip is.
    pub fn clip(&self, model: Entity) -> Option<String> {
        let (list, play, playback, animator) = self.playing.get(model).ok()?;
        let clip = list.ready(play)?;
        let fades = match animator.weight() {
            weight if weight < 1.0 => format!(", fading in {:3.0} %", weight * 100.0),
            _ => String::new(),
        };
        Some(format!(
            "{:.2} of {:.2} s\nframe {:.1} of {}{fades}",
            playback.time,
            clip.seconds,
            playback.time * clip.fps,
            clip.frames.saturating_sub(1),
        ))
    }

    /// Which bones are hidden: by the file, by a clip, or with those above them.
    pub fn bones(&self, model: Entity) -> Option<String> {
        let instance = self.instances.get(model).ok()?;
        let bones = instance.bones().iter().zip(&instance.model().bones);
        let is_hidden = |entity: &Entity| self.visibilities.get(*entity).is_ok_and(|s| !s.get());
        let hidden: Vec<&str> = bones
            .filter(|(entity, _)| is_hidden(entity))
            .map(|(_, bone)| &*bone.name)
            .collect();
        if hidden.is_empty() {
            return Some("no bone is hidden".to_owned());
        }
        let named = hidden.len().min(NAMED);
        let more = match hidden.len() - named {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(format!(
            "hidden bones: {}{more}",
            hidden[..named].join(", ")
        ))
    }
}
