//! Heap use of parsing and evaluating particle systems, including files made to maximize it.

use classic_model_formats::particles::evaluate::ParticleSystem;
use classic_model_formats::particles::parse;
use classic_models_fixtures::heap::{HeapBudget, Outcome, run_in_own_process};
use classic_models_fixtures::particles::corpus_particles;
use classic_models_fixtures::particles_adversarial::adversarial_files;

/// Limit of the heap of parsing, including the file's bytes: `FACTOR` times the file's size plus `CONSTANT` bytes.
///
/// The limit for loading is twice this factor, so the other half is for the values converted from the file.
const FACTOR: usize = 8;
const CONSTANT: usize = 1 << 16;

/// Limit of the heap of an evaluation, which has at most 65,536 particles and twice as many in its queue.
const EVALUATION: usize = 64 << 20;

/// The names of files that are errors.
const REJECTED: &[&str] = &["two billion bytes"];

#[test]
fn parsing_heap_is_limited_by_file_size() {
    run_in_own_process("particles::heap::parsing_measured_alone");
}

#[test]
fn evaluation_heap_is_limited() {
    run_in_own_process("particles::heap::evaluation_measured_alone");
}

fn files(test: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = adversarial_files();
    files.extend(corpus_particles(test));
    files
}

#[test]
#[ignore = "run by a test above in a process of its own"]
fn parsing_measured_alone() {
    let mut measured = HeapBudget::new(FACTOR, CONSTANT);
    for (name, bytes) in files("parsing_heap_is_limited_by_file_size") {
        let expected = Outcome::rejected_if(REJECTED.contains(&&*name));
        measured.take(&name, bytes.len(), expected, || {
            // The file's bytes count too, because they are in memory while it is parsed.
            let bytes = bytes.clone();
            let parsed = parse(&bytes);
            parsed.map(drop).map_err(|error| error.to_string())
        });
    }
    measured.finish();
}

#[test]
#[ignore = "run by a test above in a process of its own"]
fn evaluation_measured_alone() {
    let mut measured = HeapBudget::new(FACTOR, EVALUATION);
    for (name, bytes) in files("evaluation_heap_is_limited") {
        let Ok(file) = parse(&bytes) else { continue };
        measured.take(&name, bytes.len(), Outcome::Accepted, || {
            ParticleSystem::new(&file).state(0, 1e6);
            Ok(())
        });
    }
    measured.finish();
}
