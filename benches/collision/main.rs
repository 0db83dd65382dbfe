//! Compares this crate's collision queries with other implementations: parry3d, obvhs, a plain traversal of the file's
//! nodes, and Bevy's ray cast.
//!
//! Prints for each group of meshes:
//! - millions of queries per second, for the nearest hit, any hit, the triangles in a box, and the closest point;
//! - microseconds to build the structures: this crate's from the tree of the file, the others from triangles;
//! - bytes of heap per triangle, minus the copy of the mesh that the structure holds (`B`), and minus the size of the
//!   mesh (`and copy`): 12 bytes per position, 6 per triangle.
//!
//! The column `×` after each value is the factor by which this crate is better.
//!
//! All implementations run the same queries alternately, and the fastest run counts. A ray of obvhs returns a distance.
//! A ray of parry3d returns a distance, and optionally a normal and feature. This crate's returns distance, point, normal,
//! triangle and barycentric weights. All box queries end with an exact test of triangle and box. All allocations are
//! counted, which costs each implementation some time.
//!
//! Limits: 1.5 times as many nearest hits as parry3d, and as many as obvhs; twice as many any-hit queries as parry3d; a
//! tenth of their time to build; half of their bytes.

mod implementations;
mod meshes;

use implementations::{
    ANY, BOXES, BUILD, Bevy, CLOSEST, FileNodes, Implementation, NEAREST, Obvhs, Ours, Parry,
};
use meshes::{Group, Mesh, groups};
use obvhs::bvh2::Bvh2;
use obvhs::cwbvh::CwBvh;
use std::hint::black_box;
use std::time::{Duration, Instant};

#[global_allocator]
static HEAP: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

const KINDS: [u8; 5] = [NEAREST, ANY, BOXES, CLOSEST, BUILD];

/// Time spent on each query kind of a group.
const DURATION: Duration = Duration::from_millis(1500);

/// Minimum run count, however long the runs take.
const MIN_RUNS: usize = 5;

/// Approximate limit of triangle tests per run of Bevy's ray cast, which tests all triangles.
const MAX_BRUTE_FORCE_TESTS: usize = 2_000_000;

/// Relative tolerance of hit counts and sums of distances. Edges and rounding make them differ.
const TOLERANCE: f64 = 1e-3;

fn main() {
    // Makes glibc's allocator keep freed memory, so that all measurements allocate under the same conditions.
    drop(black_box(vec![1_u8; 31 << 20]));
    for group in groups() {
        measure(&group);
    }
    println!("limits: nearest 1.5 × parry3d and 1 × obvhs, any 2 × parry3d, build 10 ×, bytes 2 ×");
}

/// The count of results, and the sum of their distances.
type QueryResults = (usize, f64);

/// An implementation with built structures for a group. Makes [`Implementation`] usable as a trait object.
trait DynImplementation {
    fn supports(&self, kind: u8) -> bool;
    /// Runs the queries of a kind on each mesh: at most `max` rays per mesh for the nearest hit.
    fn run(&self, kind: u8, max: usize) -> QueryResults;
    /// Bytes of heap minus the held copy of the mesh, and minus the size of the mesh.
    fn bytes(&self) -> [f64; 2];
}

/// The structures of an implementation for each mesh of a group.
struct Built<'a, P: Implementation> {
    group: &'a Group,
    sources: Vec<P::Source>,
    structures: Vec<P>,
    rays: Vec<Vec<P::Ray>>,
    heap: usize,
}

/// Builds the structures for all meshes, and counts their heap.
fn build<'a, P: Implementation + 'a>(group: &'a Group) -> Box<dyn DynImplementation + 'a> {
    let sources: Vec<_> = group.meshes.iter().map(P::source).collect();
    let mut structures = Vec::with_capacity(sources.len());
    let before = HEAP.current_usage();
    structures.extend(sources.iter().map(P::build));
    let heap = HEAP.current_usage() - before;
    let rays = |mesh: &Mesh| mesh.rays.iter().map(P::ray).collect();
    Box::new(Built {
        group,
        rays: group.meshes.iter().map(rays).collect(),
        sources,
        structures,
        heap,
    })
}

impl<P: Implementation> DynImplementation for Built<'_, P> {
    fn supports(&self, kind: u8) -> bool {
        P::KINDS & kind != 0
    }

    fn run(&self, kind: u8, max: usize) -> QueryResults {
        if kind == BUILD {
            self.sources.iter().for_each(|source| {
                black_box(P::build(source));
            });
            return (0, 0.0);
        }
        let mut total = (0, 0.0);
        for ((structure, rays), mesh) in self
            .structures
            .iter()
            .zip(&self.rays)
            .zip(&self.group.meshes)
        {
            let (count, sum) = match kind {
                NEAREST => sum(rays
                    .iter()
                    .take(max)
                    .filter_map(|ray| structure.nearest(ray))),
                ANY => (rays.iter().filter(|ray| structure.any(ray)).count(), 0.0),
                BOXES => (
                    mesh.boxes
                        .iter()
                        .map(|bounds| structure.count(bounds))
                        .sum(),
                    0.0,
                ),
                _ => sum(mesh.points.iter().map(|point| structure.closest(*point))),
            };
            total = (total.0 + count, total.1 + sum);
        }
        total
    }

    fn bytes(&self) -> [f64; 2] {
        let copies = self.structures.iter().zip(&self.group.meshes);
        let copied: usize = copies
            .map(|(structure, mesh)| structure.copied_bytes(mesh))
            .sum();
        let own: usize = self.group.meshes.iter().map(Mesh::bytes).sum();
        [copied, own].map(|bytes| self.heap as f64 - bytes as f64)
    }
}

fn sum(distances: impl Iterator<Item = f32>) -> QueryResults {
    distances.fold((0, 0.0), |(count, sum), distance| {
        (count + 1, sum + f64::from(distance))
    })
}

/// The results of one implementation.
struct Row<'a> {
    name: &'static str,
    implementation: Box<dyn DynImplementation + 'a>,
    /// Maximum rays per mesh.
    max_rays: usize,
    /// Seconds per query of each kind. Infinite for unsupported kinds.
    seconds: [f64; KINDS.len()],
}

/// Measures all implementations on a group and prints the results.
fn measure(group: &Group) {
    let triangles = group.triangles();
    let largest = group.meshes.iter().map(Mesh::triangles).max();
    let bevy_rays = (MAX_BRUTE_FORCE_TESTS / triangles).max(8);
    let row = |name, implementation, max_rays| Row {
        name,
        implementation,
        max_rays,
        seconds: [f64::INFINITY; KINDS.len()],
    };
    let all = usize::MAX;
    let mut rows = [
        row("ours", build::<Ours>(group), all),
        row("parry3d", build::<Parry<false>>(group), all),
        row("parry3d, with normal", build::<Parry<true>>(group), all),
        row(
            "obvhs bvh2, medium",
            build::<Obvhs<Bvh2, false>>(group),
            all,
        ),
        row(
            "obvhs bvh2, very slow",
            build::<Obvhs<Bvh2, true>>(group),
            all,
        ),
        row(
            "obvhs cwbvh, medium",
            build::<Obvhs<CwBvh, false>>(group),
            all,
        ),
        row(
            "obvhs cwbvh, very slow",
            build::<Obvhs<CwBvh, true>>(group),
            all,
        ),
        row("the file's nodes", build::<FileNodes>(group), all),
        row("Bevy's ray cast", build::<Bevy>(group), bevy_rays),
    ];
    for (index, kind) in KINDS.into_iter().enumerate() {
        run_alternately(&mut rows, index, kind, group);
    }
    println!(
        "\n{}: {triangles} triangles in {} meshes, the largest of {}",
        group.name,
        group.meshes.len(),
        largest.unwrap_or_default()
    );
    print(&rows, group, triangles);
}

/// Runs the queries of a kind with all implementations alternately, and keeps the fastest time of each.
fn run_alternately(rows: &mut [Row], index: usize, kind: u8, group: &Group) {
    // A single build of a small group is too short for the clock.
    let repeats = if kind == BUILD {
        (20_000 / group.triangles()).max(1)
    } else {
        1
    };
    let begin = Instant::now();
    let mut runs = 0;
    while runs < MIN_RUNS || begin.elapsed() < DURATION {
        for row in rows
            .iter_mut()
            .filter(|row| row.implementation.supports(kind))
        {
            let queries: usize = match kind {
                BUILD => 1,
                _ => group
                    .meshes
                    .iter()
                    .map(|mesh| mesh.rays.len().min(row.max_rays))
                    .sum(),
            };
            let start = Instant::now();
            for _ in 0..repeats {
                black_box(row.implementation.run(kind, row.max_rays));
            }
            let each = start.elapsed().as_secs_f64() / (queries * repeats) as f64;
            row.seconds[index] = row.seconds[index].min(each);
        }
        runs += 1;
    }
}

fn print(rows: &[Row], group: &Group, triangles: usize) {
    let kinds = ["nearest", "any", "boxes", "closest"];
    let kinds = kinds.map(|kind| format!("{:>8}{:>8}", kind, "×"));
    println!(
        "{:23} |{} |{:>10}{:>7} |{:>8}{:>6}{:>9}{:>6}",
        "",
        kinds.concat(),
        "build µs",
        "×",
        "B",
        "×",
        "and copy",
        "×"
    );
    let [ours, ..] = rows else { return };
    for row in rows {
        let mut rates = String::new();
        for (seconds, ours) in row.seconds.iter().zip(ours.seconds).take(4) {
            if seconds.is_finite() {
                rates += &format!("{:8.3}{:8.2}", seconds.recip() / 1e6, seconds / ours);
            } else {
                rates += &" ".repeat(16);
            }
        }
        let mut others = String::new();
        let ([.., load], [.., our_load]) = (row.seconds, ours.seconds);
        if load.is_finite() {
            others += &format!("{:10.1}{:7.2} |", load * 1e6, load / our_load);
            for (bytes, ours) in row
                .implementation
                .bytes()
                .into_iter()
                .zip(ours.implementation.bytes())
            {
                others += &format!("{:8.1}{:6.2} ", bytes / triangles as f64, bytes / ours);
            }
        }
        let differences = describe_differences(row, ours, group);
        println!("{:23} |{rates} |{others}{differences}", row.name);
    }
}

/// Text about query kinds whose result counts differ from this crate's.
///
/// # Panics
///
/// If the difference exceeds the tolerance.
fn describe_differences(row: &Row, ours: &Row, group: &Group) -> String {
    let mut text = String::new();
    let kinds = ["nearest", "any", "boxes", "closest"]
        .into_iter()
        .zip(KINDS);
    for (name, kind) in kinds.filter(|(_, kind)| row.implementation.supports(*kind)) {
        let [(count, sum), (our_count, our_sum)] =
            [row, ours].map(|each| each.implementation.run(kind, row.max_rays));
        let difference = count as f64 - our_count as f64;
        let allowed = 2.0 + TOLERANCE * our_count as f64;
        assert!(
            difference.abs() <= allowed,
            "{}, {}: count of {name} differs by {difference}, at most {allowed} allowed",
            group.name,
            row.name
        );
        let allowed = allowed / our_count.max(1) as f64;
        assert!(
            (sum - our_sum).abs() <= allowed * our_sum,
            "{}, {}: distances of {name} sum to {sum} instead of {our_sum}",
            group.name,
            row.name
        );
        if difference != 0.0 {
            text += &format!(" {name} {difference:+}");
        }
    }
    text
}
