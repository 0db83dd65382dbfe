//! The clips and particle systems of a model, and what plays.

use crate::view::actions::action::Action;
use crate::view::models::clip_list::{ClipList, ClipState, ListedClip};
use crate::view::models::particle_systems::{ModelSystem, seconds, status_lines};
use crate::view::models::shown_model::ShownModelItem;
use crate::view::panels::collect::textures::Textures;
use crate::view::panels::data::{ClipRow, MaterialRow, PanelData, Playing};
use bevy::prelude::*;
use bevy_classic_models::alamo::particles::SpawnEvent;
use bevy_classic_models::alamo::{AloEmitter, AloParticles};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlInstance;
use bevy_classic_models::root::Repeat;

/// The clips of a model.
pub fn clips(shown: &ShownModelItem<'_, '_>) -> Vec<ClipRow> {
    let play = shown.play.map(|(play, _)| play);
    let Some(list) = shown.list else {
        return Vec::new();
    };
    let plays = play.and_then(|play| list.playing(play));
    let clips = list.0.iter().enumerate();
    clips
        .map(|(index, clip)| row(index, clip, plays == Some(index)))
        .collect()
}

fn row(index: usize, clip: &ListedClip, plays: bool) -> ClipRow {
    let (length, action, facts) = match &clip.state {
        ClipState::Ready(ready) => {
            let action = Some(Action::Clip(index));
            (ready.length(), action, ready.facts.clone())
        }
        ClipState::Loading => ("loading".to_owned(), None, "loading".to_owned()),
        ClipState::Broken(why) => ("broken".to_owned(), None, why.clone()),
    };
    ClipRow {
        name: clip.name.clone(),
        length,
        from_manifest: clip.from_manifest,
        plays,
        action,
        facts,
    }
}

/// The clip that plays.
pub fn playing(shown: &ShownModelItem<'_, '_>) -> Option<Playing> {
    let (play, playback) = shown.play?;
    let list = shown.list?;
    let clip = list.ready(play)?;
    let status = match shown.mdl {
        Some(animator) => mdl_status(animator),
        None => {
            let fades = match shown.animators.weight() {
                weight if weight < 1.0 => format!(", fading in {:.0} %", weight * 100.0),
                _ => String::new(),
            };
            let frame = clip.frames.at(playback.time);
            format!("frame {frame:.1} of {}{fades}", clip.frames.last())
        }
    };
    Some(Playing {
        is_paused: play.paused || playback.finished,
        speed: play.speed,
        can_reverse: true,
        time: playback.time,
        loops: match play.repeat {
            Repeat::Loop => true,
            Repeat::FromManifest => !clip.ends,
            _ => false,
        },
        length: clip.seconds,
        status,
        events: events(shown, list, play),
        has_particles: false,
    })
}

fn mdl_status(animator: &MdlInstance) -> String {
    let pair = animator.shown().to;
    let name = animator.model().pose_names.get(pair.a as usize);
    format!(
        "pose {} to {}, {:.0} %  {}",
        pair.a,
        pair.b,
        pair.towards_b * 100.0,
        name.map_or("", |name| name),
    )
}

/// The keyframe events of the clip that plays, of a LithTech model.
fn events(shown: &ShownModelItem<'_, '_>, list: &ClipList, play: &PlayClip) -> Vec<(f32, String)> {
    let animations = shown.abc.map(|(abc, _)| &abc.model().animations);
    let animation = list.playing(play).and_then(|index| animations?.get(index));
    let events = animation.map_or(&[][..], |animation| &animation.events);
    let events = events.iter();
    events
        .map(|event| (event.seconds, event.string.to_string()))
        .collect()
}

/// The particle systems of a model, and what plays of a file's.
pub fn collect_particles(
    shown: &ShownModelItem<'_, '_>,
    systems: &[ModelSystem<'_>],
    particles: &Assets<AloParticles>,
    textures: &mut Textures<'_, '_>,
    data: &mut PanelData,
) {
    let details = &mut data.details;
    details.particles = status_lines(systems, particles);
    let file = shown.particle_file.and_then(|of| particles.get(&of.0));
    let (Some(player), Some(particles)) = (shown.player, file) else {
        if let Some(playing) = &mut data.playback {
            playing.has_particles = !systems.is_empty();
        }
        return;
    };
    let alive = systems.iter().flat_map(|of| of.records.alive(particles));
    let alive: usize = alive.sum();
    let over = if player.is_finished { ", over" } else { "" };
    data.playback = Some(Playing {
        is_paused: player.is_paused || player.is_finished,
        loops: player.loops,
        speed: player.speed,
        can_reverse: false,
        time: systems.first().map_or(0.0, |of| of.records.elapsed) as f32,
        length: seconds(particles) as f32,
        status: format!("{alive} particles{over}"),
        events: Vec::new(),
        has_particles: true,
    });
    let end = match particles.is_endless() {
        true => "endless",
        false => "ends",
    };
    details.facts = vec![
        format!("particle system, {end}"),
        format!("{} emitters", particles.emitters.len()),
        format!("at most about {} particles", particles.max_alive()),
    ];
    for of in &particles.emitters {
        details.emitters.push(emitter(particles, of));
        let name = of.emitter.color_texture.to_string();
        if !details.textures.iter().any(|row| row.name == name) {
            let row = textures.row(name, of.texture.as_ref());
            details.textures.push(row);
        }
    }
}

/// An emitter, its texture, and the emitter whose particles spawn it.
fn emitter(particles: &AloParticles, emitter: &AloEmitter) -> MaterialRow {
    let emitter = &emitter.emitter;
    let mut lines = vec![format!("texture {}", emitter.color_texture)];
    if let Some(parent) = emitter.parent
        && let Some(spawner) = particles.emitters.get(parent.emitter as usize)
    {
        let event = match parent.event {
            SpawnEvent::Life => "along",
            SpawnEvent::Death => "at the death of",
        };
        lines.push(format!("{event} particles of {}", spawner.emitter.name));
    }
    MaterialRow {
        name: emitter.name.to_string(),
        lines,
    }
}
