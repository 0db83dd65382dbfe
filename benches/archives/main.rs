//! Measures opening archives, and compares reading and loading files from archives with loose files.
//!
//! The first table has the costs of opening an archive and of finding its entries: see `opening`. The second has the time to
//! read a file as a loader does: find it, open it, read all bytes. Bevy's own reader reads the loose files. The third has the
//! time to load all models of a folder of 1,000 models with a texture each.

mod opening;

use bevy::asset::io::file::FileAssetReader;
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId, ErasedAssetReader};
use bevy::prelude::*;
use bevy::tasks::block_on;
use bevy_classic_models::archive::{ArchiveFile, ArchiveSource, meg, pak, rez, vfs};
use bevy_classic_models::lgw::Lgw;
use bevy_classic_models::prelude::*;
use classic_models_support::bench_models::{lgw_triangle, tga_square};
use classic_models_support::gpuless;
use peak_alloc::PeakAlloc;
use std::path::Path;
use std::time::Instant;
use tempfile::TempDir;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Maximum time to read an entry, relative to a loose file of its size.
const LIMIT: f64 = 1.2;

const MODELS: usize = 1000;

/// Runs per measurement. The fastest counts.
const RUNS: usize = 7;

/// Files per measurement of reading.
const READS: usize = 200;

/// The sizes of the files to read.
const SIZES: [usize; 3] = [4 << 10, 64 << 10, 1 << 20];

type Files = Vec<(String, Vec<u8>)>;

/// The bytes of an archive.
type Pack = fn(&[ArchiveFile]) -> Vec<u8>;

const ARCHIVES: [(&str, Pack); 5] = [
    ("a.meg", |files| {
        meg::write::write(1, files).expect("a MEG archive")
    }),
    ("a.pak", |files| {
        pak::write::write(files).expect("a PAK archive")
    }),
    ("a.rez", |files| {
        rez::write::write(files).expect("a REZ archive")
    }),
    ("stored.vfs", |files| {
        vfs::write::write(files, |_| false).expect("a VFS archive")
    }),
    ("deflated.vfs", |files| {
        vfs::write::write(files, |_| true).expect("a VFS archive")
    }),
];

/// Writes files as loose files into the folder `loose`, and into archives beside it.
fn write(files: &Files) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    for (path, bytes) in files {
        let path = folder.path().join("loose").join(path);
        std::fs::create_dir_all(path.parent().expect("the path has a parent"))
            .expect("the folder is created");
        std::fs::write(path, bytes).expect("the file is written");
    }
    let files: Vec<_> = files
        .iter()
        .map(|(path, bytes)| ArchiveFile::new(path, bytes.clone()))
        .collect();
    for (name, pack) in ARCHIVES {
        std::fs::write(folder.path().join(name), pack(&files)).expect("the archive is written");
    }
    folder
}

/// The builder of a source with one archive.
fn archive(folder: &Path, name: &str) -> AssetSourceBuilder {
    let source = ArchiveSource::new().archive(folder.join(name));
    source.expect("the archive is opened").into_builder()
}

/// Reads all files. Returns the seconds.
fn read_all(reader: &dyn ErasedAssetReader, files: &Files) -> f64 {
    let begin = Instant::now();
    for (path, bytes) in files {
        let read = block_on(async {
            let mut file = reader
                .read(Path::new(path))
                .await
                .expect("the file is found");
            let mut buffer = Vec::new();
            file.read_to_end(&mut buffer)
                .await
                .expect("the file is read");
            buffer
        });
        assert_eq!(read.len(), bytes.len(), "{path}");
    }
    begin.elapsed().as_secs_f64()
}

/// Prints the times to read files of a size. Returns whether the limit is met.
fn measure_reading(size: usize) -> bool {
    let bytes: Vec<u8> = (0..size as u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8 % 64)
        .collect();
    let files: Files = (0..READS)
        .map(|n| (format!("data/file_{n}.dat"), bytes.clone()))
        .collect();
    let folder = write(&files);
    let loose = FileAssetReader::new(folder.path().join("loose"));
    let sources = ARCHIVES.map(|(name, _)| {
        let mut builder = archive(folder.path(), name);
        (name, builder.build(AssetSourceId::Default, false, false))
    });
    let mut best = [f64::MAX; ARCHIVES.len() + 1];
    for _ in 0..RUNS {
        best[0] = best[0].min(read_all(&loose, &files));
        for ((_, source), best) in sources.iter().zip(&mut best[1..]) {
            *best = best.min(read_all(source.reader(), &files));
        }
    }
    let mut is_met = true;
    let micros = |seconds: f64| seconds / READS as f64 * 1e6;
    for ((name, _), seconds) in sources.iter().zip(&best[1..]) {
        let ratio = seconds / best[0];
        // Inflating is no reading.
        is_met &= ratio <= LIMIT || *name == "deflated.vfs";
        let (loose, archived) = (micros(best[0]), micros(*seconds));
        println!(
            "{:>8} {name:14} {loose:>10.1} {archived:>10.1} {ratio:>7.3}",
            size >> 10
        );
    }
    is_met
}

/// Loads all models. Returns the seconds until they and their textures are loaded.
fn load_all(source: AssetSourceBuilder) -> f64 {
    let mut app = App::new();
    app.register_asset_source(AssetSourceId::Default, source);
    app.add_plugins(gpuless::plugins(Path::new("unused"), false))
        .add_plugins(ClassicModelsPlugins);
    gpuless::finish(&mut app);
    let server = app.world().resource::<AssetServer>().clone();
    app.update();
    let begin = Instant::now();
    let models: Vec<Handle<Lgw>> = (0..MODELS)
        .map(|index| server.load(format!("models/unit_{index}.lgw")))
        .collect();
    while !models
        .iter()
        .all(|model| server.is_loaded_with_dependencies(model))
    {
        app.update();
    }
    begin.elapsed().as_secs_f64()
}

fn measure_loading() {
    let models = (0..MODELS).map(|index| {
        (
            format!("models/unit_{index}.lgw"),
            lgw_triangle(&[format!("skin_{index}.TGA")]).into_bytes(),
        )
    });
    let skins = (0..MODELS).map(|index| (format!("models/skin_{index}.tga"), tga_square(64)));
    let folder = write(&models.chain(skins).collect());
    let loose = folder.path().join("loose").to_string_lossy().into_owned();
    let mut best = [f64::MAX; 2];
    for _ in 0..RUNS {
        best[0] = best[0].min(load_all(AssetSourceBuilder::platform_default(&loose, None)));
        best[1] = best[1].min(load_all(archive(folder.path(), "a.meg")));
    }
    let [loose, archived] = best.map(|seconds| seconds * 1e3);
    println!(
        "{MODELS} models: loose {loose:.1} ms, MEG {archived:.1} ms, ratio {:.3}",
        archived / loose
    );
}

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    opening::measure(folder.path(), || HEAP.current_usage());
    println!(
        "{:>8} {:14} {:>10} {:>10} {:>7}",
        "KiB", "archive", "loose µs", "entry µs", "ratio"
    );
    let are_met = SIZES.map(measure_reading);
    let verdict = if are_met.iter().all(|is_met| *is_met) {
        "met"
    } else {
        "NOT MET"
    };
    println!("limit of the ratio per read: {LIMIT}, {verdict}");
    measure_loading();
}
