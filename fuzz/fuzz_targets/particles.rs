//! Parses arbitrary bytes as an Alamo particle system, simulates it, writes it and parses the result.

#![no_main]

use classic_model_formats::particles::evaluate::{MAX_ALIVE, ParticleSystem};
use classic_model_formats::particles::parse;
use classic_model_formats::particles::write::write;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut file) = parse(bytes) else { return };
    file.warnings.clear();
    let system = ParticleSystem::new(&file);
    for seconds in [-1.0, 0.0, 0.7, 1e9, f64::INFINITY] {
        let state = system.state(7, seconds);
        assert_eq!(state.emitters.len(), file.emitters.len());
        let alive: usize = state.emitters.iter().map(Vec::len).sum();
        assert!(alive as u64 <= MAX_ALIVE);
        for particle in state.emitters.iter().flatten() {
            assert!(particle.age >= 0.0 && particle.age <= particle.life);
            let mut color = particle.appearance.color.iter();
            assert!(color.all(|value| (0.0..=1.0).contains(value)));
        }
    }
    // No string is in a mini-chunk, so none is too long to write.
    let written = write(&file).unwrap();
    let mut reparsed = parse(&written).unwrap();
    reparsed.warnings.clear();
    assert_eq!(format!("{reparsed:?}"), format!("{file:?}"));
});
