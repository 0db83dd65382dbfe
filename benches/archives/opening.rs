//! Measures opening an archive and finding its entries, in files on disk. It must not use Bevy.
//!
//! Times are compared with a plain loop over the same tables, which puts each path into a hash map in lower case.

use classic_model_formats::archive::{Archive, ArchiveFile, ReadAt};
use classic_model_formats::read::ParseError;
use classic_model_formats::{meg, pak, rez, vfs};
use std::collections::HashMap;
use std::fs::File;
use std::hint::black_box;
use std::io;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Maximum milliseconds to open an archive of [`ENTRIES`] files.
const OPEN_LIMIT: f64 = 5.0;

/// Maximum milliseconds to open a VFS archive of [`CLUSTERS`] clusters.
const VOLUME_LIMIT: f64 = 20.0;

/// Maximum microseconds to find an entry.
const FIND_LIMIT: f64 = 1.0;

/// Maximum bytes of memory per entry, without its name.
const MEMORY_LIMIT: f64 = 100.0;

const ENTRIES: usize = 10_000;

/// The clusters of 4 KiB in a VFS archive of 1 GiB.
const CLUSTERS: u32 = 262_144;

/// Runs per measurement. The fastest counts.
const RUNS: usize = 25;

/// The bytes of each file: a cluster of a VFS archive.
const SIZE: usize = 4096;

type Open<R> = fn(R) -> Result<Archive<R>, ParseError>;

/// An archive on disk.
struct Sample {
    name: &'static str,
    open: Open<File>,
    open_counted: Open<Counted>,
    limit: f64,
    /// The bytes that are not data of files.
    tables: u64,
    paths: Vec<String>,
}

/// Counts the bytes that are read from a file, and the reads.
struct Counted {
    file: File,
    bytes: AtomicU64,
    reads: AtomicU64,
}

impl ReadAt for Counted {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.bytes.fetch_add(buffer.len() as u64, Ordering::Relaxed);
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.file.read_exact_at(buffer, offset)
    }
}

/// Prints all measurements. `heap` returns the bytes of memory in use. Returns whether all limits are met.
pub fn measure(folder: &Path, heap: fn() -> usize) -> bool {
    println!(
        "{:12} {:>9} {:>9} {:>6} {:>10} {:>6} {:>6} {:>9} {:>9} {:>9} {:>6}",
        "opening",
        "open ms",
        "loop ms",
        "ratio",
        "KiB read",
        "tables",
        "reads",
        "heap/name",
        "find µs",
        "map µs",
        "ratio"
    );
    let mut is_met = true;
    for sample in samples(folder) {
        is_met &= measure_sample(&folder.join(sample.name), &sample, heap);
    }
    let verdict = if is_met { "met" } else { "NOT MET" };
    println!(
        "limits: {OPEN_LIMIT} ms for {ENTRIES} entries, {VOLUME_LIMIT} ms for {CLUSTERS} clusters, only tables are read, \
         {MEMORY_LIMIT} bytes of heap per entry beside its name, {FIND_LIMIT} µs to find an entry: {verdict}"
    );
    is_met
}

/// Writes the archives.
fn samples(folder: &Path) -> Vec<Sample> {
    let paths: Vec<String> = (0..ENTRIES).map(path).collect();
    let files: Vec<ArchiveFile> = paths
        .iter()
        .map(|path| ArchiveFile::new(path, vec![1; SIZE]))
        .collect();
    let mut samples = Vec::new();
    let mut add = |name, bytes: Vec<u8>, open, open_counted| {
        std::fs::write(folder.join(name), &bytes).expect("the archive is written");
        samples.push(Sample {
            name,
            open,
            open_counted,
            limit: OPEN_LIMIT,
            tables: (bytes.len() - ENTRIES * SIZE) as u64,
            paths: paths.clone(),
        });
    };
    let written = "the archive can be stored";
    add(
        "10000.meg",
        meg::write::write(1, &files).expect(written),
        meg::open,
        meg::open,
    );
    add(
        "10000.pak",
        pak::write::write(&files).expect(written),
        pak::open,
        pak::open,
    );
    add(
        "10000.rez",
        rez::write::write(&files).expect(written),
        rez::open,
        rez::open,
    );
    add(
        "10000.vfs",
        vfs::write::write(&files, |_| false).expect(written),
        vfs::open,
        vfs::open,
    );
    let volume = folder.join("1gib.vfs");
    samples.push(write_volume(&volume, &paths).expect("the archive is written"));
    samples
}

/// A path like those of the games, of at most 55 bytes, in 200 folders.
fn path(index: usize) -> String {
    let (folder, kind) = (index / 50, ["ALO", "ALA", "DDS"][index % 3]);
    format!("DATA/ART/MODELS/FOLDER_{folder:03}/UNIT_{index:05}_MOVE_00.{kind}")
}

/// Writes a VFS archive of 1 GiB with holes for the data, in which each file has 26 clusters in the root folder.
fn write_volume(path: &Path, paths: &[String]) -> io::Result<Sample> {
    const CLUSTER_SIZE: u32 = 4096;
    let per_file = CLUSTERS / ENTRIES as u32;
    let numbers =
        |numbers: &[u32]| -> Vec<u8> { numbers.iter().flat_map(|it| it.to_le_bytes()).collect() };
    let mut tables = numbers(&[
        1.0_f32.to_bits(),
        CLUSTER_SIZE,
        CLUSTERS,
        ENTRIES as u32,
        0,
        64,
        50_000,
    ]);
    tables.extend([0; 16]);
    tables.extend(numbers(&[256]));
    tables.extend([0; 256]);
    tables.extend(numbers(&[CLUSTERS]));
    for cluster in 1..=CLUSTERS {
        let is_last = cluster % per_file == 0;
        tables.extend(numbers(&[1, if is_last { u32::MAX } else { cluster + 1 }]));
    }
    let names: Vec<String> = paths.iter().map(|path| path.replace('/', "_")).collect();
    for (index, name) in (0_u32..).zip(&names) {
        let mut field = name.clone().into_bytes();
        field.resize(64, 0);
        tables.extend(field);
        let size = per_file * CLUSTER_SIZE;
        tables.extend(numbers(&[0, 1, u32::MAX, 1 + index * per_file, size, 0]));
    }
    let mut file = File::create(path)?;
    file.write_all(&tables)?;
    file.set_len(tables.len() as u64 + u64::from(CLUSTERS) * u64::from(CLUSTER_SIZE))?;
    Ok(Sample {
        name: "1gib.vfs",
        open: vfs::open,
        open_counted: vfs::open,
        limit: VOLUME_LIMIT,
        tables: tables.len() as u64,
        paths: names,
    })
}

fn measure_sample(path: &Path, sample: &Sample, heap: fn() -> usize) -> bool {
    let opened = || File::open(path).expect("the archive exists");
    let counted = (sample.open_counted)(Counted {
        file: opened(),
        bytes: AtomicU64::new(0),
        reads: AtomicU64::new(0),
    });
    let counted = counted.expect("the archive is valid");
    let read = counted.reader().bytes.load(Ordering::Relaxed);
    let reads = counted.reader().reads.load(Ordering::Relaxed);
    drop(counted);

    let names: usize = sample.paths.iter().map(String::len).sum();
    let before = heap();
    let archive = (sample.open)(opened()).expect("the archive is valid");
    let memory = (heap() - before).saturating_sub(names) as f64 / ENTRIES as f64;
    assert_eq!(archive.entries().len(), ENTRIES);

    let (mut open, mut plain, mut find, mut map) = (f64::MAX, f64::MAX, f64::MAX, f64::MAX);
    let mut file = opened();
    for _ in 0..RUNS {
        open = open.min(seconds(|| {
            (sample.open)(opened()).expect("the archive is valid")
        }));
        plain = plain.min(seconds(|| plain_map(&mut file, sample)));
        let lower = plain_map(&mut file, sample);
        find = find.min(seconds(|| {
            assert!(
                sample
                    .paths
                    .iter()
                    .all(|path| archive.find_any_case(path).is_some())
            );
        }));
        map = map.min(seconds(|| {
            assert!(
                sample
                    .paths
                    .iter()
                    .all(|path| lower.contains_key(&path.to_lowercase()))
            );
        }));
    }
    let [open, plain] = [open, plain].map(|seconds| seconds * 1e3);
    let [find, map] = [find, map].map(|seconds| seconds / ENTRIES as f64 * 1e6);
    println!(
        "{:12} {open:>9.2} {plain:>9.2} {:>6.2} {:>10.1} {:>6.3} {reads:>6} {memory:>9.1} {find:>9.3} {map:>9.3} {:>6.2}",
        sample.name,
        open / plain,
        read as f64 / 1024.0,
        read as f64 / sample.tables as f64,
        find / map,
    );
    open <= sample.limit && read <= sample.tables && memory <= MEMORY_LIMIT && find <= FIND_LIMIT
}

/// Reads as many bytes as the tables have, and makes a map of the paths in lower case.
fn plain_map(file: &mut File, sample: &Sample) -> HashMap<String, usize> {
    let mut bytes = vec![0; sample.tables as usize];
    file.seek(SeekFrom::Start(0))
        .and_then(|_| io::Read::read_exact(file, &mut bytes))
        .expect("the file is as long");
    black_box(&bytes);
    let paths = sample.paths.iter().map(|path| path.to_lowercase());
    paths.zip(0..).collect()
}

fn seconds<T>(run: impl FnOnce() -> T) -> f64 {
    let begin = Instant::now();
    let value = black_box(run());
    let elapsed = begin.elapsed().as_secs_f64();
    drop(value);
    elapsed
}
