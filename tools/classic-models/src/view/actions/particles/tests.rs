//! Particle systems in an app without a GPU that is otherwise the viewer.

use super::{ParticlePlayer, STEP, act_on_particles, particle_player_plugin};
use crate::view::actions::action::Action;
use crate::view::actions::clips::act_on_clip;
use crate::view::models::bounds::WorldBounds;
use crate::view::models::particle_systems::{
    ModelSystems, ParticleFile, particle_systems_plugin, status_lines,
};
use crate::view::models::{FilesToLoad, models_plugin};
use crate::view::open::args::parse;
use crate::view::open::shown::Shown;
use crate::view::row::Row;
use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugins;
use bevy_classic_models::alamo::particles::Shape;
use bevy_classic_models::alamo::{AloParticles, ParticleEmission, ParticleRecords};
use bevy_classic_models::prelude::*;
use classic_models_fixtures::particles::edited;
use classic_models_support::gpuless;
use std::path::Path;

/// The viewer with the first model selected.
struct Viewer(App);

impl Viewer {
    /// Opens a sample, and waits until a particle system runs. No time passes.
    fn open(sample: &str, options: &[&str]) -> Self {
        let file = classic_models_support::samples()
            .join("models")
            .join(sample);
        Self::open_file(&file, options)
    }

    fn open_file(file: &Path, options: &[&str]) -> Self {
        let mut args = vec![file.to_str().unwrap()];
        args.extend(options);
        let shown = Shown::open(parse(args)).unwrap();
        let mut app = App::new();
        shown.folders.register(&mut app);
        app.add_plugins((
            gpuless::plugins(&shown.folders.assets, false),
            ClassicModelsPlugins,
        ))
        .add_plugins((
            models_plugin,
            particle_systems_plugin,
            particle_player_plugin,
        ))
        .insert_resource(Row::new(shown.args.view(), 1.8, false))
        .insert_resource(FilesToLoad::new(shown.models.clone()))
        .insert_resource(shown.args)
        .add_message::<Action>()
        .add_systems(Update, (act_on_clip, act_on_particles).chain());
        gpuless::finish(&mut app);
        // Systems that cannot be seen have no births.
        app.world_mut()
            .spawn((Camera3d::default(), Transform::from_xyz(0.0, 20.0, 200.0)));
        let mut viewer = Self(app);
        let runs = gpuless::wait_until(&mut viewer.0, |world| {
            let mut systems = world.query::<&ParticleRecords>();
            systems.iter(world).next().is_some()
        });
        assert!(runs, "no particle system runs");
        viewer
    }

    fn run(&mut self, frames: u32) {
        for _ in 0..frames {
            gpuless::step(&mut self.0, STEP);
        }
    }

    /// Applies an action in a frame of [`STEP`] seconds.
    fn act(&mut self, action: Action) {
        self.0.world_mut().write_message(action);
        self.run(1);
    }

    fn root(&self) -> Entity {
        self.0.world().resource::<Row>().selected().unwrap()
    }

    fn player(&self) -> &ParticlePlayer {
        self.0.world().get::<ParticlePlayer>(self.root()).unwrap()
    }

    /// The time since the start and the counts of living particles of the model's systems.
    fn systems(&mut self) -> Vec<(f64, Vec<usize>)> {
        let root = self.root();
        let states = move |systems: ModelSystems, assets: Res<Assets<AloParticles>>| {
            let state = |records: &ParticleRecords| {
                let particles = assets.get(&records.particles).unwrap();
                (records.elapsed, records.alive(particles))
            };
            let systems = systems.of(root);
            systems
                .iter()
                .map(|system| state(system.records))
                .collect::<Vec<_>>()
        };
        self.0.world_mut().run_system_once(states).unwrap()
    }

    /// The state of the only system.
    #[track_caller]
    fn system(&mut self) -> (f64, Vec<usize>) {
        let mut systems = self.systems();
        assert_eq!(systems.len(), 1);
        systems.remove(0)
    }

    /// Asserts the time of the only system, and that it has the particles of that time.
    #[track_caller]
    fn assert_at(&mut self, seconds: f64) {
        let (elapsed, counts) = self.system();
        assert!(
            (elapsed - seconds).abs() < 1e-4,
            "{elapsed} instead of {seconds}"
        );
        let world = self.0.world();
        let file = world.get::<ParticleFile>(self.root()).unwrap();
        let particles = world.resource::<Assets<AloParticles>>().get(&file.0);
        let state = particles.unwrap().evaluate(0, elapsed);
        let expected: Vec<usize> = state.emitters.iter().map(Vec::len).collect();
        assert_eq!(counts, expected, "at {seconds} s");
    }

    fn emissions(&mut self) -> Vec<ParticleEmission> {
        let root = self.root();
        let emissions = move |systems: ModelSystems, emissions: Query<&ParticleEmission>| {
            let systems = systems.of(root);
            let emission = |owner: Entity| *emissions.get(owner).unwrap();
            systems
                .iter()
                .map(|system| emission(system.owner))
                .collect::<Vec<_>>()
        };
        self.0.world_mut().run_system_once(emissions).unwrap()
    }
}

#[test]
fn the_system_of_a_file_pauses_steps_and_restarts() {
    let mut viewer = Viewer::open("p_explosion.alo", &[]);
    viewer.assert_at(0.0);
    viewer.run(15);
    viewer.assert_at(0.5);
    let at_half = viewer.system();
    viewer.act(Action::TogglePlay);
    viewer.run(9);
    assert_eq!(viewer.system(), at_half, "paused");
    viewer.act(Action::StepForward);
    viewer.assert_at(0.5 + f64::from(STEP));
    viewer.run(3);
    viewer.assert_at(0.5 + f64::from(STEP));
    viewer.act(Action::StepBack);
    // The system begins in one frame, and advances in the next.
    viewer.run(1);
    viewer.assert_at(0.5);
    assert_eq!(viewer.system().1, at_half.1, "the same particles");
    viewer.act(Action::RestartParticles);
    viewer.run(3);
    viewer.assert_at(0.0);
    viewer.act(Action::TogglePlay);
    viewer.run(14);
    viewer.assert_at(0.5);
}

#[test]
fn systems_of_plugins_have_the_particles_of_their_time() {
    let mut viewer = Viewer::open("pe_portal.alo", &[]);
    viewer.run(60);
    let (seconds, counts) = viewer.system();
    assert!(
        seconds > 0.9 && counts.iter().all(|count| *count > 0),
        "{counts:?}"
    );
    viewer.assert_at(seconds);
    viewer.act(Action::TogglePlay);
    viewer.assert_at(seconds);
}

#[test]
fn speeds_apply_to_the_system_of_a_file() {
    let mut viewer = Viewer::open("p_explosion.alo", &[]);
    viewer.act(Action::Faster);
    viewer.run(14);
    viewer.assert_at(1.0);
    viewer.act(Action::RestartParticles);
    viewer.act(Action::Speed(1.0));
    viewer.act(Action::Slower);
    viewer.run(14);
    viewer.assert_at(0.25 + f64::from(STEP));
}

/// Runs until the system of a file is over or begins again. Returns the time of the last frame before.
#[track_caller]
fn run_to_end(viewer: &mut Viewer) -> f64 {
    let count = |counts: &[usize]| counts.iter().sum::<usize>();
    let (mut last, mut before) = viewer.system();
    for _ in 0..600 {
        viewer.run(1);
        let (now, counts) = viewer.system();
        if now < last {
            assert_eq!(count(&before), 0, "the system was over");
            return last;
        }
        if viewer.player().is_finished {
            assert_eq!(count(&counts), 0, "the system is over");
            return now;
        }
        (last, before) = (now, counts);
    }
    panic!("the system is not over after {last} s");
}

#[test]
fn the_system_of_a_file_begins_again_when_it_is_over() {
    let mut viewer = Viewer::open("p_explosion.alo", &[]);
    let end = run_to_end(&mut viewer);
    assert!(end > 2.0, "{end}");
    viewer.run(16);
    assert!(!viewer.player().is_finished);
    let (elapsed, _) = viewer.system();
    assert!(elapsed > 0.4 && elapsed < 0.6, "{elapsed}");
    viewer.assert_at(elapsed);
    viewer.act(Action::ToggleRepeat);
    run_to_end(&mut viewer);
    let over = viewer.system();
    viewer.run(30);
    assert!(viewer.player().is_finished);
    assert_eq!(viewer.system(), over, "the time of a system that is over");
    // As for clips.
    viewer.act(Action::TogglePlay);
    viewer.run(9);
    assert!(!viewer.player().is_finished && !viewer.player().is_paused);
    viewer.assert_at(0.3);
}

#[test]
fn ended_births_leave_the_living_particles() {
    let mut viewer = Viewer::open("p_smoke_large.alo", &[]);
    viewer.run(60);
    let before: usize = viewer.system().1.iter().sum();
    assert!(before > 10, "{before}");
    viewer.act(Action::FinishParticles);
    let after: usize = viewer.system().1.iter().sum();
    assert!(after > before / 2 && after <= before, "{after} of {before}");
    run_to_end(&mut viewer);
    assert!(viewer.player().is_finished);
    viewer.act(Action::RestartParticles);
    viewer.run(60);
    viewer.assert_at(2.0);
}

#[test]
fn the_time_of_the_command_line_pauses_there() {
    let mut viewer = Viewer::open("p_explosion.alo", &["--time", "0.8"]);
    viewer.run(2);
    viewer.assert_at(0.8);
    viewer.run(5);
    viewer.assert_at(0.8);
    viewer.act(Action::TogglePlay);
    viewer.run(2);
    viewer.assert_at(0.9);
}

#[test]
fn the_panel_has_the_time_and_the_counts() {
    let mut viewer = Viewer::open("p_explosion.alo", &[]);
    viewer.run(15);
    let (_, counts) = viewer.system();
    let root = viewer.root();
    let text = move |systems: ModelSystems, assets: Res<Assets<AloParticles>>| {
        status_lines(&systems.of(root), &assets)
    };
    let lines = viewer.0.world_mut().run_system_once(text).unwrap();
    let total: usize = counts.iter().sum();
    assert_eq!(
        lines.first().unwrap(),
        &format!("p_explosion: 0.50 s, {total} particles")
    );
    assert_eq!(lines.len(), 1 + counts.len());
    for (line, count) in lines.iter().skip(1).zip(counts) {
        assert!(line.ends_with(&format!(": {count}")), "{lines:?}");
    }
    assert!(lines.contains(&"    Smoke: 12".to_owned()), "{lines:?}");
}

#[test]
fn the_camera_frames_the_particles() {
    let mut viewer = Viewer::open("p_explosion.alo", &[]);
    let root = viewer.root();
    let corners = move |bounds: WorldBounds| bounds.corners(root).unwrap();
    let corners = viewer.0.world_mut().run_system_once(corners).unwrap();
    let low = corners.into_iter().reduce(Vec3::min).unwrap();
    let high = corners.into_iter().reduce(Vec3::max).unwrap();
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (mut count, mut framed) = (0, 0);
    for _ in 0..60 {
        viewer.run(1);
        let mut all = viewer.0.world_mut().query::<&ParticleRecords>();
        let records = all.single(viewer.0.world()).unwrap();
        let particles = viewer.0.world().resource::<Assets<AloParticles>>();
        let particles = particles.get(&records.particles).unwrap();
        for records in &records.emitters {
            let prepared = particles.prepared_emitter(records.emitter()).unwrap();
            // Positions of linked particles are in the system's space.
            for particle in records.drawn(prepared).filter(|_| !prepared.is_linked) {
                let at = Vec3::from(particle.motion.position);
                (min, max) = (min.min(at), max.max(at));
                count += 1;
                framed += usize::from(at.cmpge(low).all() && at.cmple(high).all());
            }
        }
    }
    assert!(framed * 10 >= count * 8, "{framed} of {count}");
    let (seen, found) = (high - low, max - min);
    assert!(seen.cmple(1.2 * found).all(), "{seen} around {found}");
    // The origin is on the ground, from which particles bounce.
    let origin = viewer.0.world().get::<Transform>(root).unwrap();
    assert_eq!(origin.translation.y, 0.0);
}

/// Without a model, their particles are born at the emitter instead of in the group of positions.
#[test]
fn the_camera_frames_the_particles_of_mesh_emitters() {
    let samples = classic_models_support::samples().join("models");
    let bytes = std::fs::read(samples.join("pe_engine_glow.alo")).unwrap();
    let moved = edited(&bytes, |file| {
        for emitter in &mut file.emitters {
            assert_ne!(emitter.properties.emit_mode, 0);
            emitter.position = Shape::Exact([50.0, 0.0, 0.0]).into();
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pe_moved.alo");
    std::fs::write(&file, moved).unwrap();
    let [at_origin, moved] = [samples.join("pe_engine_glow.alo"), file].map(|file| {
        let mut viewer = Viewer::open_file(&file, &[]);
        let root = viewer.root();
        let corners = move |bounds: WorldBounds| bounds.corners(root).unwrap();
        viewer.0.world_mut().run_system_once(corners).unwrap()
    });
    assert_eq!(at_origin, moved);
}

#[test]
fn systems_of_proxies_pause_with_the_clip() {
    let options = ["--damage-stage", "1", "--clip", "MOVE"];
    let mut viewer = Viewer::open("walker.alo", &options);
    let root = viewer.root();
    let plays = gpuless::wait_until(&mut viewer.0, |world| world.get::<PlayClip>(root).is_some());
    assert!(plays, "the clip does not play");
    viewer.run(30);
    let before = viewer.systems();
    assert!(
        before.iter().any(|(elapsed, _)| *elapsed > 0.5),
        "{before:?}"
    );
    viewer.act(Action::TogglePlay);
    let paused = viewer.systems();
    viewer.run(9);
    assert_eq!(viewer.systems(), paused);
    viewer.act(Action::StepForward);
    let stepped = viewer.systems();
    for ((before, _), (after, _)) in paused.iter().zip(&stepped) {
        let step = after - before;
        assert!((step - f64::from(STEP)).abs() < 1e-4, "{before} {after}");
    }
    viewer.act(Action::TogglePlay);
    viewer.act(Action::RestartParticles);
    viewer.run(3);
    for (elapsed, emission) in viewer.systems().iter().zip(viewer.emissions()) {
        let is_new = (elapsed.0 - 0.1).abs() < 1e-4;
        assert_eq!(is_new, emission != ParticleEmission::Stopped, "{elapsed:?}");
    }
}
