//! What the tests share.

pub mod abc;
pub mod abc_app;
pub mod abc_plain;
pub mod abc_random;
pub mod abc_reference;
pub mod abc_stage;
pub mod activity;
pub mod ala;
pub mod alo;
pub mod alo_stage;
pub mod app;
pub mod cpu_time;
pub mod disk;
pub mod fixtures;
pub mod kit;
pub mod lgw;
pub mod lgw_adverse;
pub mod lgw_stage;
pub mod log;
pub mod matrix;
pub mod rays;
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

/// Every file of the corpus with this extension in any case, by name, in order.
pub fn files_of(folder: &std::path::Path, extension: &str) -> Vec<(String, Vec<u8>)> {
    let files = paths_of(folder, extension).into_iter().map(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(&path).unwrap())
    });
    let mut files: Vec<_> = files.collect();
    files.sort();
    files
}

/// The paths of the files of the corpus with this extension in any case, in order.
pub fn paths_of(folder: &std::path::Path, extension: &str) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|found| found.eq_ignore_ascii_case(extension))
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
