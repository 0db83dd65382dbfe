//! Fixtures of the library's tests, and files of the corpus.

#![allow(dead_code, reason = "the library's tests use the rest of the fixtures")]

#[path = "../../../../../tests/it/support/abc.rs"]
pub mod abc;
#[path = "../../../../../tests/it/support/abc_plain.rs"]
pub mod abc_plain;
#[path = "../../../../../tests/it/support/ala.rs"]
pub mod ala;
#[path = "../../../../../tests/it/support/alo.rs"]
pub mod alo;
#[path = "../../../../../tests/it/support/fixtures.rs"]
pub mod fixtures;
#[path = "../../../../../tests/it/support/matrix.rs"]
pub mod matrix;

/// The folder of real files, or `None`, which is printed with the test's name.
fn corpus(test: &str) -> Option<std::path::PathBuf> {
    let folder = std::env::var_os("CLASSIC_MODELS_CORPUS").map(std::path::PathBuf::from);
    if folder.is_none() {
        println!("{test}: skipped, CLASSIC_MODELS_CORPUS is not set");
    }
    folder
}

/// Every `.mdl` file of the corpus, by name, in order.
pub fn corpus_models(test: &str) -> Vec<(String, Vec<u8>)> {
    let Some(folder) = corpus(test) else {
        return Vec::new();
    };
    let folder = folder.join("quake");
    let mut models: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "mdl"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(&path).unwrap())
        })
        .collect();
    models.sort();
    assert!(!models.is_empty(), "no models in {}", folder.display());
    models
}
