//! Malformed particle systems: the error or warning of every class of malformation with its offset, truncation at every
//! byte, and flips of every bit.

use crate::prelude::*;
use classic_model_formats::particles::parse;
use classic_model_formats::particles::write::write;
use classic_models_fixtures::particles::minimal;
use classic_models_fixtures::particles_malformed::cases;

#[test]
fn every_class_gives_an_error_or_a_warning_at_the_right_offset() {
    let cases = cases();
    let classes = [1, 2, 4, 5, 6, 7, 9, 12, 13, 14];
    assert_classes(&cases, classes.into_iter().chain(101..=114));
    assert_parsed(Format::Particles, &cases, |bytes| {
        let file = parse(bytes)?;
        evaluate(&file);
        Ok(file.warnings)
    });
}

/// Evaluates a system at some times.
fn evaluate(file: &ParticleFile<'_>) {
    let system = ParticleSystem::new(file);
    for seconds in [0.0, 0.3, 100.0] {
        system.state(1, seconds);
    }
}

#[test]
fn truncation_at_every_byte_is_an_error() {
    let files = [minimal(), full()];
    assert_cuts_are_errors(files, cases(), truncated, |bytes| parse(bytes).map(drop));
}

#[test]
fn flipped_bits_never_panic() {
    for_each_flipped_bit([minimal()], |bytes| {
        let Ok(mut file) = parse(bytes) else {
            return false;
        };
        file.warnings.clear();
        ParticleSystem::new(&file).state(0, 0.5);
        let written = write(&file).unwrap();
        let mut again = parse(&written).unwrap();
        again.warnings.clear();
        assert_eq!(format!("{again:?}"), format!("{file:?}"));
        true
    });
}

#[test]
fn removed_emptied_and_doubled_chunks_never_panic() {
    for_each_damage(&parse_chunks(&full()), &|chunks| {
        if let Ok(file) = parse(&write_chunks(&chunks)) {
            evaluate(&file);
        }
    });
}
