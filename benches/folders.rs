//! Compares loading models from a folder with 10,000 other files with loading them from a folder without other files.
//!
//! Each model names one texture in a different case than its file, and one that does not exist. Prints the time per load
//! on disk and in memory, and the ratio of the full folder to the empty one. The first load waits until the folder is
//! listed; the later loads share that listing. The limit applies to the later loads.

use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::prelude::*;
use bevy_classic_models::lgw::Lgw;
use bevy_classic_models::prelude::*;
use classic_models_support::bench_models::{lgw_triangle, tga_square};
use classic_models_support::gpuless;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Maximum time of a load from the full folder, relative to one from the empty folder.
const LIMIT: f64 = 1.1;

const MODELS: usize = 500;

/// Files in the full folder that no model names.
const OTHERS: usize = 10_000;

/// Runs per measurement. The fastest counts.
const RUNS: usize = 5;

/// Age at which the crate trusts a folder's modification time. Younger ones may be too coarse.
const MODIFIED_AGE: Duration = Duration::from_millis(2500);

fn model_path(index: usize) -> String {
    format!("models/Unit_{index}.lgw")
}

/// Paths and contents of the models, their textures and other files.
fn files(others: usize) -> impl Iterator<Item = (String, Vec<u8>)> {
    let model = |index| {
        let textures = [format!("skin_{index}.TGA"), format!("missing_{index}.tga")];
        lgw_triangle(&textures).into_bytes()
    };
    let models = (0..MODELS).map(move |index| (model_path(index), model(index)));
    let skins = (0..MODELS).map(|index| (format!("models/Skin_{index}.tga"), tga_square(1)));
    let others = (0..others).map(|index| (format!("models/Other_{index}.dat"), vec![0]));
    models.chain(skins).chain(others)
}

/// An app whose default asset source is in memory or a folder on disk.
fn app(memory: Option<Dir>, folder: &Path) -> App {
    let mut app = App::new();
    if let Some(root) = memory {
        let reader = move || Box::new(MemoryAssetReader { root: root.clone() }) as Box<_>;
        app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader));
    }
    app.add_plugins(gpuless::plugins(folder, false))
        .add_plugins(ClassicModelsPlugins);
    gpuless::finish(&mut app);
    app
}

/// Load times, in seconds.
#[derive(Clone, Copy)]
struct Times {
    /// Time of the first model, including the folder listing.
    first: f64,
    /// Total time of all other models.
    others: f64,
}

impl Times {
    const WORST: Self = Self {
        first: f64::MAX,
        others: f64::MAX,
    };

    fn best(self, other: Self) -> Self {
        Self {
            first: self.first.min(other.first),
            others: self.others.min(other.others),
        }
    }
}

/// Loads all models and returns the times.
fn times(memory: Option<Dir>, folder: &Path) -> Times {
    let mut app = app(memory, folder);
    let server = app.world().resource::<AssetServer>().clone();
    app.update();
    let mut models: Vec<Handle<Lgw>> = Vec::new();
    let mut load = |indices: Range<usize>| {
        let begin = Instant::now();
        models.extend(indices.map(|index| server.load(model_path(index))));
        while !models.iter().all(|model| server.is_loaded(model)) {
            app.update();
        }
        begin.elapsed().as_secs_f64()
    };
    Times {
        first: load(0..1),
        others: load(1..MODELS),
    }
}

/// Prints the minimum times of both folders. Their runs alternate. Returns whether the limit is met.
fn measure(name: &str, mut empty: impl FnMut() -> Times, mut full: impl FnMut() -> Times) -> bool {
    let mut best = [Times::WORST; 2];
    for _ in 0..RUNS {
        best[0] = best[0].best(empty());
        best[1] = best[1].best(full());
    }
    let print = |label: &str, seconds: fn(Times) -> f64| {
        let [empty, full] = best.map(|times| seconds(times) * 1e6);
        let ratio = full / empty;
        println!("{name:10} {label:20} {empty:>12.1} {full:>12.1} {ratio:>7.3}");
        ratio
    };
    print("first load", |times| times.first);
    let ratio = print("per later load", |times| times.others / (MODELS - 1) as f64);
    print("per load, average", |times| {
        (times.first + times.others) / MODELS as f64
    });
    ratio <= LIMIT
}

fn on_disk(others: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    for (path, bytes) in files(others) {
        let path: PathBuf = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("the path has a parent"))
            .expect("the folder is created");
        std::fs::write(path, bytes).expect("the file is written");
    }
    folder
}

fn in_memory(others: usize) -> Dir {
    let root = Dir::default();
    for (path, bytes) in files(others) {
        root.insert_asset(Path::new(&path), bytes);
    }
    root
}

fn main() {
    println!("{MODELS} models, with 0 and with {OTHERS} other files in their folder");
    println!(
        "{:10} {:20} {:>12} {:>12} {:>7}",
        "", "", "empty µs", "full µs", "ratio"
    );
    let folders = [0, OTHERS].map(on_disk);
    std::thread::sleep(MODIFIED_AGE);
    let on_disk = |index: usize| times(None, folders[index].path());
    let disk = measure("on disk", || on_disk(0), || on_disk(1));
    let roots = [0, OTHERS].map(in_memory);
    let in_memory = |index: usize| times(Some(roots[index].clone()), Path::new("unused"));
    let memory = measure("in memory", || in_memory(0), || in_memory(1));
    let verdict = match disk && memory {
        true => "met",
        false => "NOT MET",
    };
    println!("limit of the ratio per later load: {LIMIT}, {verdict}");
}
