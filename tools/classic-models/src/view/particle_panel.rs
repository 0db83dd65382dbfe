//! The panel's items for particle systems: of a file, and of a model's proxies and attachments.

use crate::view::action::Action;
use crate::view::panel_item::{Item, Live, Tone, button};
use crate::view::particle_player::ParticlePlayer;
use crate::view::particle_systems::ModelSystems;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::particles::SpawnEvent;
use bevy_classic_models::alamo::{AloEmitter, AloParticles, ParticleRecords};

/// The items of a particle system that was opened as a file.
pub fn file_items(particles: &AloParticles, player: &ParticlePlayer) -> Vec<Item> {
    let stops = player.is_paused || player.is_finished;
    let play_or_pause = if stops { "play" } else { "pause" };
    let speed = format!("x{}", player.speed);
    let mut items = facts(particles);
    items.extend([
        Item::Heading("Playback"),
        Item::Live(Live::Particles),
        Item::Buttons(vec![
            button("<", Action::StepBack, false),
            button(play_or_pause, Action::TogglePlay, !stops),
            button(">", Action::StepForward, false),
            button("-", Action::Slower, false),
            button(&speed, Action::ResetSpeed, player.speed == 1.0),
            button("+", Action::Faster, false),
            button("loop", Action::ToggleRepeat, player.loops),
        ]),
        emission_buttons(),
        Item::Heading("Emitters"),
    ]);
    items.extend(
        particles
            .emitters
            .iter()
            .flat_map(|of| emitter(particles, of)),
    );
    items
}

/// The items of the particle systems of a model's proxies and attachments.
pub fn proxy_items() -> Vec<Item> {
    vec![
        Item::Heading("Particle systems"),
        Item::Live(Live::Particles),
        emission_buttons(),
    ]
}

fn emission_buttons() -> Item {
    Item::Buttons(vec![
        button("restart", Action::RestartParticles, false),
        button("end births", Action::FinishParticles, false),
    ])
}

fn facts(particles: &AloParticles) -> Vec<Item> {
    let end = match particles.is_endless() {
        true => "endless",
        false => "ends",
    };
    let counts = format!(
        "particle system, {} emitters, {end}\nabout {} particles at once, at most",
        particles.emitters.len(),
        particles.max_alive(),
    );
    let warnings = particles.warnings.iter().map(ToString::to_string);
    let warnings = warnings.map(|warning| Item::Text(warning, Tone::Warning));
    [Item::Text(counts, Tone::Remark)]
        .into_iter()
        .chain(warnings)
        .collect()
}

/// The name of an emitter, its texture, and the emitter whose particles spawn it.
fn emitter(particles: &AloParticles, emitter: &AloEmitter) -> Vec<Item> {
    let AloEmitter {
        emitter, texture, ..
    } = emitter;
    let mut text = format!("{}\n  {}", emitter.name, emitter.color_texture);
    if let Some(parent) = emitter.parent
        && let Some(spawner) = particles.emitters.get(parent.emitter as usize)
    {
        let event = match parent.event {
            SpawnEvent::Life => "along",
            SpawnEvent::Death => "at the death of",
        };
        text += &format!("\n  {event} particles of {}", spawner.emitter.name);
    }
    let missing = texture
        .is_none()
        .then(|| Item::Text("  texture not found".to_owned(), Tone::Warning));
    [Item::Text(text, Tone::Remark)]
        .into_iter()
        .chain(missing)
        .collect()
}

/// Describes the particle systems of models.
#[derive(SystemParam)]
pub struct ParticleStatus<'w, 's> {
    systems: ModelSystems<'w, 's>,
    assets: Res<'w, Assets<AloParticles>>,
    players: Query<'w, 's, &'static ParticlePlayer>,
}

impl ParticleStatus<'_, '_> {
    /// The time since the start and the count of living particles of each system and emitter of a model, as text.
    pub fn of(&self, model: Entity) -> Option<String> {
        let systems = self.systems.of(model);
        let is_over = self.players.get(model).ok()?.is_finished;
        let mut lines = Vec::new();
        let mut total = 0;
        for system in &systems {
            let particles = self.assets.get(&system.records.particles)?;
            let counts = system.records.alive(particles);
            let count: usize = counts.iter().sum();
            total += count;
            lines.push(line(system.name, system.records, count, is_over));
            let names = particles.emitters.iter().map(|of| &of.emitter.name);
            lines.extend(names.zip(counts).map(|(name, n)| format!("  {name}: {n}")));
        }
        if systems.len() > 1 {
            lines.insert(0, format!("{total} particles"));
        }
        Some(lines.join("\n"))
    }
}

fn line(name: &str, records: &ParticleRecords, count: usize, is_over: bool) -> String {
    let over = if is_over { ", over" } else { "" };
    format!("{name}: {:.2} s{over}, {count} particles", records.elapsed)
}
