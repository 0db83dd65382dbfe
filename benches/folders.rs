//! Loading models whose folders hold many other files, against loading them from folders that hold nothing else.
//!
//! Each model names a texture in other case than the disk has it, and one that does not exist. Prints the time of each
//! load on disk and in memory, and the ratio of both kinds of folders, which should stay below the limit: of the loads that
//! share a listing, and of all, the first of which waits until the folder is listed.

use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::prelude::*;
use bevy_classic_models::lgw::Lgw;
use bevy_classic_models::prelude::*;
use classic_models_support::gpuless;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a load from a full folder may take of the time of a load from an empty one.
const LIMIT: f64 = 1.1;

const MODELS: usize = 500;

/// Files in a full folder that no model names.
const OTHERS: usize = 10_000;

/// Runs of which the fastest counts.
const RUNS: usize = 5;

/// Times of modification that are younger are not trusted, because they may be coarse.
const SETTLING: Duration = Duration::from_millis(2500);

/// A model's file.
fn model(number: usize) -> String {
    format!(
        r#"MODEL "wall" EXPORT_VERSION 4
MATERIAL_LIST
  MATERIAL 0 "a" TEXTURE 0 FILE_NAME "skin_{number}.TGA" END_OF_TEXTURE END_OF_MATERIAL
  MATERIAL 1 "b" TEXTURE 0 FILE_NAME "missing_{number}.tga" END_OF_TEXTURE END_OF_MATERIAL
END_OF_MATERIAL_LIST
MESH "wall" MATERIAL_REF 0
  VERTS 3 0 0 0 0 0 0 0 1 1 0 0 1 0 0 0 1 0 1 0 0 1 0 0 1
  PRIMITIVE_GEOMETRY_GROUPS 1 GROUP 0 TYPE_LIST COUNT 3 0 1 2 END_OF_GROUP 0
END_OF_MESH "wall"
END_OF_MODEL
"#
    )
}

/// A picture of one texel.
fn picture() -> Vec<u8> {
    let mut bytes = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 32, 0x28];
    bytes.extend([255; 4]);
    bytes
}

fn model_path(number: usize) -> String {
    format!("models/Unit_{number}.lgw")
}

/// The files: of the models, and others.
fn files(others: usize) -> impl Iterator<Item = (String, Vec<u8>)> {
    let models = (0..MODELS).map(|number| (model_path(number), model(number).into_bytes()));
    let skins = (0..MODELS).map(|number| (format!("models/Skin_{number}.tga"), picture()));
    let others = (0..others).map(|number| (format!("models/Other_{number}.dat"), vec![0]));
    models.chain(skins).chain(others)
}

/// An app of which the default source is in memory, or a folder.
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

/// Seconds that loading takes.
#[derive(Clone, Copy)]
struct Times {
    /// Of the first model, which has its folder listed.
    first: f64,
    /// Of all others.
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

/// Loads all models.
fn times(memory: Option<Dir>, folder: &Path) -> Times {
    let mut app = app(memory, folder);
    let server = app.world().resource::<AssetServer>().clone();
    app.update();
    let mut models: Vec<Handle<Lgw>> = Vec::new();
    let mut load = |numbers: Range<usize>| {
        let begin = Instant::now();
        models.extend(numbers.map(|number| server.load(model_path(number))));
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

/// The fastest of several runs of each kind, by turns. Whether the loads that share a listing are within the limit.
fn measure(name: &str, mut empty: impl FnMut() -> Times, mut full: impl FnMut() -> Times) -> bool {
    let mut best = [Times::WORST; 2];
    for _ in 0..RUNS {
        best[0] = best[0].best(empty());
        best[1] = best[1].best(full());
    }
    let print = |what: &str, of: fn(Times) -> f64| {
        let [empty, full] = best.map(|times| of(times) * 1e6);
        let ratio = full / empty;
        println!("{name:10} {what:20} {empty:>12.1} {full:>12.1} {ratio:>7.3}");
        ratio
    };
    print("the first", |times| times.first);
    let ratio = print("each of the others", |times| {
        times.others / (MODELS - 1) as f64
    });
    print("each of all", |times| {
        (times.first + times.others) / MODELS as f64
    });
    ratio <= LIMIT
}

fn on_disk(others: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the files");
    for (path, bytes) in files(others) {
        let path: PathBuf = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
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
    println!("{MODELS} models beside {OTHERS} other files");
    println!(
        "{:10} {:20} {:>12} {:>12} {:>7}",
        "", "", "empty µs", "full µs", "ratio"
    );
    let folders = [0, OTHERS].map(on_disk);
    std::thread::sleep(SETTLING);
    let on_disk = |index: usize| times(None, folders[index].path());
    let disk = measure("on disk", || on_disk(0), || on_disk(1));
    let roots = [0, OTHERS].map(in_memory);
    let in_memory = |index: usize| times(Some(roots[index].clone()), Path::new("unused"));
    let memory = measure("in memory", || in_memory(0), || in_memory(1));
    let verdict = match disk && memory {
        true => "kept",
        false => "NOT KEPT",
    };
    println!("limit of the ratio of loads that share a listing: {LIMIT}, {verdict}");
}
