//! Time for parsing and evaluating files made to take long.

use crate::prelude::*;
use classic_model_formats::particles::parse;
use classic_models_fixtures::cpu_time::assert_cpu_time_below;
use classic_models_fixtures::particles_adversarial::adversarial_files;
use std::time::Duration;

/// Far above the time that is needed: an evaluation visits at most 131,072 particles. A loop over all births, or a
/// quadratic search, takes far longer.
const LIMIT: Duration = Duration::from_secs(2);

#[test]
fn adversarial_files_take_bounded_time() {
    for (name, bytes) in adversarial_files() {
        assert_cpu_time_below(LIMIT, &format!("parsing {name}"), || {
            let _ = parse(&bytes);
        });
        let Ok(file) = parse(&bytes) else { continue };
        let system = ParticleSystem::new(&file);
        for seconds in [0.0, 0.5, 1.0, 1e9, 1e300] {
            assert_cpu_time_below(LIMIT, &format!("evaluating {name} at {seconds} s"), || {
                system.state(0, seconds);
            });
        }
    }
}

#[test]
fn each_emitter_of_a_long_chain_has_one_parent() {
    let (_, bytes) = adversarial_files()
        .into_iter()
        .find(|(name, _)| name == "a chain of emitters")
        .unwrap();
    let file = parse(&bytes).unwrap();
    // Each emitter has one parent: the link during life to the same emitter is dropped, and the last one's.
    assert_eq!(file.warnings.len(), 1);
    assert_eq!(file.emitters.len(), 3000);
    let parents = file.emitters.iter().skip(1).zip(0..);
    for (emitter, index) in parents {
        assert_eq!(emitter.parent.map(|parent| parent.emitter), Some(index));
    }
}

#[test]
fn real_systems_are_within_the_limits() {
    let (mut emitters, mut most) = (0, 0);
    for (name, bytes) in corpus_particles("real_systems_are_within_the_limits") {
        let file = parse(&bytes).unwrap();
        let system = ParticleSystem::new(&file);
        for prepared in system.emitters() {
            emitters += 1;
            most = most.max(prepared.schedule.max_alive());
        }
        for seconds in [0.0, 0.5, 1.0, 5.0, 60.0] {
            let state = system.state(0, seconds);
            assert_eq!(state.emitters.len(), file.emitters.len(), "{name}");
            assert!(!state.is_limited, "{name} at {seconds} s");
            let emitters = file.emitters.iter().zip(system.emitters());
            for (particles, (emitter, prepared)) in state.emitters.iter().zip(emitters) {
                let limit = prepared.schedule.max_alive();
                if emitter.parent.is_none() {
                    assert!(particles.len() as u64 <= limit, "{name} {}", emitter.name);
                }
                let finite = |it: &[f32; 3]| it.iter().all(|axis| axis.is_finite());
                assert!(
                    particles.iter().all(|it| finite(&it.motion.position)),
                    "{name}"
                );
            }
        }
    }
    println!("{emitters} emitters, at most {most} particles of one at once");
}
