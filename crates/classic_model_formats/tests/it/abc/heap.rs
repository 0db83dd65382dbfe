//! Limits on the peak heap of parsing LithTech models and textures, measured with adversarial and real files.

use classic_model_formats::abc::parse;
use classic_model_formats::dtx;
use classic_models_fixtures::abc_adversarial::{
    adversarial_files, adversarial_textures, parse_outcome,
};
use classic_models_fixtures::corpus::{corpus, files_of};
use classic_models_fixtures::heap::{HeapBudget, Outcome, run_in_own_process};

// Parsing may take `PARSE_FACTOR × file length + PARSE_CONSTANT` bytes: half of the limit of a whole load.
const PARSE_FACTOR: usize = 8;
const PARSE_CONSTANT: usize = 1 << 16;

#[test]
fn parsing_stays_within_the_heap_limit() {
    run_in_own_process("abc::heap::measure_parsing");
}

#[test]
#[ignore = "run by `parsing_stays_within_the_heap_limit` in a process of its own"]
fn measure_parsing() {
    let mut measured = HeapBudget::new(PARSE_FACTOR, PARSE_CONSTANT);
    let folder = corpus("abc::heap::parsing_stays_within_the_heap_limit");
    let real = |extension: &str| folder.as_deref().map(|it| files_of(it, extension));
    for (name, bytes) in adversarial_files()
        .into_iter()
        .chain(real("abc").unwrap_or_default())
    {
        measured.take(&name, bytes.len(), parse_outcome(&name), || {
            // The file's bytes are in memory while it is parsed.
            let bytes = bytes.clone();
            let parsed = parse(&bytes);
            parsed.map(drop).map_err(|error| error.to_string())
        });
    }
    for (name, bytes) in adversarial_textures()
        .into_iter()
        .chain(real("dtx").unwrap_or_default())
    {
        // DDS images have another parser.
        let expected = Outcome::rejected_if(name.ends_with(".dds"));
        measured.take(&name, bytes.len(), expected, || {
            let bytes = bytes.clone();
            let parsed = dtx::parse(&bytes);
            parsed.map(drop).map_err(|error| error.to_string())
        });
    }
    measured.finish();
}
