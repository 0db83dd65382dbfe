//! Details of particle systems: of a file, and of a model's proxies and attachments.

use crate::view::models::particle_bounds::seconds;
use crate::view::models::particle_systems::status_lines;
use crate::view::panels::collect::Collector;
use crate::view::panels::data::{MaterialRow, PanelData, Playing};
use bevy::prelude::*;
use bevy_classic_models::alamo::particles::SpawnEvent;
use bevy_classic_models::alamo::{AloEmitter, AloParticles};

impl Collector<'_, '_> {
    pub(super) fn collect_particles(&mut self, entity: Entity, data: &mut PanelData) {
        let Ok(shown) = self.shown.get(entity) else {
            return;
        };
        let systems = self.systems.of(entity);
        if !systems.is_empty() {
            data.details.particles = status_lines(&systems, &self.particles);
            let tint = systems.first().and_then(|of| self.tints.get(of.owner).ok());
            data.details.tint = Some(tint.map_or(Color::WHITE, |tint| tint.0));
        }
        let file = shown.particle_file.and_then(|of| self.particles.get(&of.0));
        let (Some(player), Some(particles)) = (shown.player, file) else {
            if let Some(playing) = &mut data.playback {
                playing.has_particles = !systems.is_empty();
            }
            return;
        };
        let elapsed = systems.first().map_or(0.0, |system| system.records.elapsed);
        let alive: usize = systems
            .iter()
            .map(|of| of.records.alive(particles).iter().sum::<usize>())
            .sum();
        let over = if player.is_finished { ", over" } else { "" };
        data.playback = Some(Playing {
            is_paused: player.is_paused || player.is_finished,
            loops: player.loops,
            speed: player.speed,
            time: elapsed as f32,
            length: seconds(particles) as f32,
            status: format!("{alive} particles{over}"),
            events: Vec::new(),
            has_particles: true,
        });
        let details = &mut data.details;
        details.facts = facts(particles);
        details.emitters = particles
            .emitters
            .iter()
            .map(|of| emitter(particles, of))
            .collect();
        let emitters = particles.emitters.iter();
        let textures = emitters.map(|of| (of.emitter.color_texture.to_string(), &of.texture));
        for (name, texture) in textures {
            if !details.textures.iter().any(|row| row.name == name) {
                let row = self.textures.row(name, texture.as_ref());
                details.textures.push(row);
            }
        }
    }
}

fn facts(particles: &AloParticles) -> Vec<String> {
    let end = match particles.is_endless() {
        true => "endless",
        false => "ends",
    };
    vec![
        format!("particle system, {end}"),
        format!("{} emitters", particles.emitters.len()),
        format!("at most about {} particles", particles.max_alive()),
    ]
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
