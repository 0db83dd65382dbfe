//! What the tests share.

pub mod alo;
pub mod app;
pub mod fixtures;
pub mod log;
pub mod stage;

/// The folder of real files, or `None`, which the test that asked for it says.
pub fn corpus(test: &str) -> Option<std::path::PathBuf> {
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
