//! Plays the particle systems of models in the window: pauses them with the model's clip, steps and repeats them.

use crate::view::actions::action::Action;
use crate::view::actions::clips::{FASTEST, SLOWEST};
use crate::view::models::particle_systems::{ModelSystem, ModelSystems, ParticleFile};
use crate::view::models::viewed_model::ViewedModel;
use crate::view::open::args::Args;
use crate::view::row::Row;
use bevy::prelude::*;
use bevy_classic_models::alamo::{
    ParticleEmission, ParticleSet, ParticleSpeed, ParticleTint, ParticlesFinished,
};
use bevy_classic_models::prelude::*;

/// The seconds of a step: a frame of most clips.
pub const STEP: f32 = 1.0 / 30.0;

/// Plays particle systems. Needs [`Args`] and [`Row`].
pub fn particle_player_plugin(app: &mut App) {
    app.add_observer(repeat)
        .add_observer(on_file_spawned)
        .add_systems(Update, add_players)
        .add_systems(PostUpdate, set_speeds.in_set(ParticleSet::Bounds));
}

/// How the particle systems of a model play. On its root.
#[derive(Component, Debug)]
pub struct ParticlePlayer {
    pub is_paused: bool,
    pub speed: f32,
    /// Whether the system of a file begins again when it is over.
    pub loops: bool,
    /// Whether the system of a file is over.
    pub is_finished: bool,
    /// Whether the model has particle systems.
    pub has_systems: bool,
    /// Seconds by which paused systems advance in the next frame.
    step: f32,
    /// The time since their start to which paused systems advance, in seconds.
    target: Option<f64>,
}

impl ParticlePlayer {
    /// The speed of a system in a frame of `delta` seconds.
    fn speed_of(&self, system: &ModelSystem<'_>, delta: f64) -> f32 {
        let advance = match (self.target, self.is_paused) {
            _ if self.is_finished => 0.0,
            (_, false) => return self.speed,
            (Some(target), true) => (target - system.records.elapsed).max(0.0),
            (None, true) => f64::from(self.step),
        };
        match delta > 0.0 {
            true => (advance / delta) as f32,
            false => 0.0,
        }
    }

    /// Plays on, or pauses where the systems are.
    fn set_paused(&mut self, is_paused: bool) {
        self.is_paused = is_paused;
        self.target = None;
    }
}

/// `--time` pauses at that time.
fn add_players(
    mut commands: Commands,
    args: Res<Args>,
    models: Query<Entity, (With<ViewedModel>, Without<ParticlePlayer>)>,
) {
    for model in &models {
        commands.entity(model).insert(ParticlePlayer {
            is_paused: args.time.is_some(),
            speed: 1.0,
            loops: !args.once,
            is_finished: false,
            has_systems: false,
            step: 0.0,
            target: args.time.map(f64::from),
        });
    }
}

/// Advances the systems by setting their speeds. A model with a clip has the state of the clip.
fn set_speeds(
    mut commands: Commands,
    time: Res<Time<Virtual>>,
    mut players: Query<(Entity, &mut ParticlePlayer, Option<&PlayClip>)>,
    systems: ModelSystems,
    speeds: Query<&ParticleSpeed>,
) {
    let delta = time.delta_secs_f64();
    for (root, mut player, play) in &mut players {
        let systems = systems.of(root);
        player.has_systems = !systems.is_empty();
        if let Some(play) = play {
            if player.is_paused != play.paused {
                player.set_paused(play.paused);
            }
            player.speed = play.speed.abs();
        }
        for system in &systems {
            let speed = player.speed_of(system, delta);
            let current = speeds.get(system.owner).map_or(1.0, |speed| speed.0);
            if speed != current {
                commands
                    .entity(system.owner)
                    .try_insert(ParticleSpeed(speed));
            }
        }
        if delta > 0.0 {
            player.step = 0.0;
        }
    }
}

/// The system of a file that was loaded or reloaded begins.
fn on_file_spawned(spawned: On<Insert, ParticleFile>, mut players: Query<&mut ParticlePlayer>) {
    if let Ok(mut player) = players.get_mut(spawned.entity) {
        player.is_finished = false;
    }
}

/// Begins the system of a file again when it is over, unless its births were ended.
fn repeat(
    finished: On<ParticlesFinished>,
    mut files: Query<(&mut ParticlePlayer, &mut ParticleEmission), With<ParticleFile>>,
) {
    let Ok((mut player, mut emission)) = files.get_mut(finished.entity) else {
        return;
    };
    let is_playing = *emission == ParticleEmission::Playing;
    match player.loops && is_playing && player.target.is_none() {
        true => emission.restart(),
        false => player.is_finished = true,
    }
}

/// A model, and whether it is the system of a file and has a clip.
type Played = (
    &'static mut ParticlePlayer,
    Has<ParticleFile>,
    Has<PlayClip>,
);

/// Applies actions to the particle systems of the selected model.
pub fn act_on_particles(
    mut actions: MessageReader<Action>,
    row: Res<Row>,
    mut players: Query<Played>,
    systems: ModelSystems,
    mut emissions: Query<&mut ParticleEmission>,
    mut commands: Commands,
) {
    for action in actions.read() {
        let Some(root) = row.selected() else {
            continue;
        };
        let Ok((mut player, is_file, has_clip)) = players.get_mut(root) else {
            continue;
        };
        let systems = systems.of(root);
        let restart = |player: &mut ParticlePlayer, emissions: &mut Query<_>| {
            player.is_finished = false;
            player.target = None;
            set_emission(&systems, emissions, ParticleEmission::restart);
        };
        match *action {
            Action::RestartParticles => restart(&mut player, &mut emissions),
            Action::FinishParticles => set_emission(&systems, &mut emissions, finish),
            Action::TogglePlay if is_file && player.is_finished => {
                player.is_paused = false;
                restart(&mut player, &mut emissions);
            }
            Action::TogglePlay if !has_clip => {
                let is_paused = !player.is_paused;
                player.set_paused(is_paused);
            }
            Action::StepForward => {
                player.set_paused(true);
                player.step = STEP;
            }
            Action::StepBack if is_file => {
                let elapsed = systems.first().map_or(0.0, |system| system.records.elapsed);
                player.is_paused = true;
                restart(&mut player, &mut emissions);
                player.target = Some((elapsed - f64::from(STEP)).max(0.0));
            }
            Action::Seek(time) if is_file => {
                let elapsed = systems.first().map_or(0.0, |system| system.records.elapsed);
                let time = f64::from(time.max(0.0));
                player.is_paused = true;
                if time < elapsed || player.is_finished {
                    restart(&mut player, &mut emissions);
                }
                player.target = Some(time);
            }
            Action::Faster if !has_clip => player.speed = (player.speed * 2.0).min(FASTEST),
            Action::Slower if !has_clip => player.speed = (player.speed / 2.0).max(SLOWEST),
            Action::Speed(speed) if !has_clip => player.speed = speed.clamp(SLOWEST, FASTEST),
            Action::Tint(color) => {
                for system in &systems {
                    commands
                        .entity(system.owner)
                        .try_insert(ParticleTint(color));
                }
            }
            Action::ToggleRepeat if is_file => player.loops ^= true,
            _ => {}
        }
    }
}

/// Changes the emission of systems, except those that are stopped because their proxy is hidden.
fn set_emission(
    systems: &[ModelSystem<'_>],
    emissions: &mut Query<&mut ParticleEmission>,
    change: fn(&mut ParticleEmission),
) {
    for system in systems {
        if let Ok(mut emission) = emissions.get_mut(system.owner)
            && *emission != ParticleEmission::Stopped
        {
            change(&mut emission);
        }
    }
}

fn finish(emission: &mut ParticleEmission) {
    *emission = ParticleEmission::Finishing;
}

#[cfg(test)]
mod tests;
