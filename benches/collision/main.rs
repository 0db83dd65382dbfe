//! Collision queries beside parry3d, obvhs, a plain walk over the file's nodes, and Bevy's own rays.
//!
//! For each mesh, millions of answers a second: nearest hit, any hit, triangles in a box, nearest
//! point; µs until all are ready to be asked, ours from a file's tree, the others from triangles; and
//! bytes of heap for each triangle, less what is a copy of the mesh, and less the mesh (12 bytes a
//! position, 6 a triangle). Behind each how many times better ours is.
//!
//! All answer the same questions by turns, and the best turn counts. Obvhs's rays tell a distance;
//! parry3d's too, or its normal and part with it; ours tell distance, point, normal, triangle and
//! weights. What peers find in boxes is tested as exactly as ours. All allocate through a counter,
//! which takes some time of each.
//!
//! Limits: 1.5 times as many nearest hits as parry3d, and as many as obvhs; twice as many any hits as
//! parry3d; ready in a tenth of their time; half their bytes.

mod meshes;
mod peers;

use meshes::{Group, Mesh, groups};
use obvhs::bvh2::Bvh2;
use obvhs::cwbvh::CwBvh;
use peers::{ANY, BOXES, Bevy, CLOSEST, LOAD, NEAREST, Obvhs, Ours, Parry, Peer, Plain};
use std::hint::black_box;
use std::time::{Duration, Instant};

#[global_allocator]
static HEAP: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

const KINDS: [u8; 5] = [NEAREST, ANY, BOXES, CLOSEST, LOAD];

/// Time spent on each kind of question about a group.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Least number of turns, however long they take.
const MIN_TURNS: usize = 5;

/// Tests of triangles that Bevy's function may need in a turn.
const BRUTE_FORCE: usize = 2_000_000;

/// Of what is counted and summed, how much may differ: at edges, and by rounding.
const ROUNDING: f64 = 1e-3;

fn main() {
    // Makes glibc's allocator keep memory that is freed, of all sides alike.
    drop(black_box(vec![1_u8; 31 << 20]));
    for group in groups() {
        measure(&group);
    }
    println!("limits: nearest 1.5 × parry3d and 1 × obvhs, any 2 × parry3d, ready 10 ×, bytes 2 ×");
}

/// Number of answers, and their sum.
type Answers = (usize, f64);

/// One who is ready to be asked about a group.
trait Contender {
    fn can(&self, kind: u8) -> bool;
    /// Answers the questions of a kind about each mesh, or so many of them.
    fn answer(&self, kind: u8, most: usize) -> Answers;
    /// Bytes of heap less the copy of the mesh, and less the mesh.
    fn bytes(&self) -> [f64; 2];
}

struct Ready<'a, P: Peer> {
    group: &'a Group,
    sources: Vec<P::Source>,
    peers: Vec<P>,
    rays: Vec<Vec<P::Ray>>,
    heap: usize,
}

fn ready<'a, P: Peer + 'a>(group: &'a Group) -> Box<dyn Contender + 'a> {
    let sources: Vec<_> = group.meshes.iter().map(P::source).collect();
    let mut peers = Vec::with_capacity(sources.len());
    let before = HEAP.current_usage();
    peers.extend(sources.iter().map(P::load));
    let heap = HEAP.current_usage() - before;
    let rays = |mesh: &Mesh| mesh.rays.iter().map(P::ray).collect();
    Box::new(Ready {
        group,
        rays: group.meshes.iter().map(rays).collect(),
        sources,
        peers,
        heap,
    })
}

impl<P: Peer> Contender for Ready<'_, P> {
    fn can(&self, kind: u8) -> bool {
        P::ANSWERS & kind != 0
    }

    fn answer(&self, kind: u8, most: usize) -> Answers {
        if kind == LOAD {
            self.sources.iter().for_each(|source| {
                black_box(P::load(source));
            });
            return (0, 0.0);
        }
        let mut all = (0, 0.0);
        for ((peer, rays), mesh) in self.peers.iter().zip(&self.rays).zip(&self.group.meshes) {
            let (count, sum) = match kind {
                NEAREST => sum(rays.iter().take(most).filter_map(|ray| peer.nearest(ray))),
                ANY => (rays.iter().filter(|ray| peer.any(ray)).count(), 0.0),
                BOXES => (
                    mesh.boxes.iter().map(|bounds| peer.count(bounds)).sum(),
                    0.0,
                ),
                _ => sum(mesh.points.iter().map(|point| peer.closest(*point))),
            };
            all = (all.0 + count, all.1 + sum);
        }
        all
    }

    fn bytes(&self) -> [f64; 2] {
        let copied = self.peers.iter().zip(&self.group.meshes);
        let copied: usize = copied.map(|(peer, mesh)| peer.copied(mesh)).sum();
        let own: usize = self.group.meshes.iter().map(Mesh::bytes).sum();
        [copied, own].map(|bytes| self.heap as f64 - bytes as f64)
    }
}

fn sum(distances: impl Iterator<Item = f32>) -> Answers {
    distances.fold((0, 0.0), |(count, sum), distance| {
        (count + 1, sum + f64::from(distance))
    })
}

/// A contender's seconds for a question of each kind, infinite for those that it does not answer.
struct Row<'a> {
    name: &'static str,
    contender: Box<dyn Contender + 'a>,
    /// Questions about each mesh, at most.
    most: usize,
    seconds: [f64; KINDS.len()],
}

fn measure(group: &Group) {
    let triangles = group.triangles();
    let largest = group.meshes.iter().map(Mesh::triangles).max();
    let brute = (BRUTE_FORCE / triangles).max(8);
    let row = |name, contender, most| Row {
        name,
        contender,
        most,
        seconds: [f64::INFINITY; KINDS.len()],
    };
    let all = usize::MAX;
    let mut rows = [
        row("ours", ready::<Ours>(group), all),
        row("parry3d", ready::<Parry<false>>(group), all),
        row("parry3d, with normal", ready::<Parry<true>>(group), all),
        row(
            "obvhs bvh2, medium",
            ready::<Obvhs<Bvh2, false>>(group),
            all,
        ),
        row(
            "obvhs bvh2, very slow",
            ready::<Obvhs<Bvh2, true>>(group),
            all,
        ),
        row(
            "obvhs cwbvh, medium",
            ready::<Obvhs<CwBvh, false>>(group),
            all,
        ),
        row(
            "obvhs cwbvh, very slow",
            ready::<Obvhs<CwBvh, true>>(group),
            all,
        ),
        row("the file's nodes", ready::<Plain>(group), all),
        row("Bevy's function", ready::<Bevy>(group), brute),
    ];
    for (at, kind) in KINDS.into_iter().enumerate() {
        take_turns(&mut rows, at, kind, group);
    }
    println!(
        "\n{}: {triangles} triangles in {} meshes, the largest of {}",
        group.name,
        group.meshes.len(),
        largest.unwrap_or_default()
    );
    print(&rows, group, triangles);
}

/// All answer by turns, and the best turn of each is kept.
fn take_turns(rows: &mut [Row], at: usize, kind: u8, group: &Group) {
    // Clocks are too coarse for what is soon done.
    let repeats = if kind == LOAD {
        (20_000 / group.triangles()).max(1)
    } else {
        1
    };
    let begin = Instant::now();
    let mut turns = 0;
    while turns < MIN_TURNS || begin.elapsed() < PATIENCE {
        for row in rows.iter_mut().filter(|row| row.contender.can(kind)) {
            let questions: usize = match kind {
                LOAD => 1,
                _ => group
                    .meshes
                    .iter()
                    .map(|mesh| mesh.rays.len().min(row.most))
                    .sum(),
            };
            let start = Instant::now();
            for _ in 0..repeats {
                black_box(row.contender.answer(kind, row.most));
            }
            let each = start.elapsed().as_secs_f64() / (questions * repeats) as f64;
            row.seconds[at] = row.seconds[at].min(each);
        }
        turns += 1;
    }
}

fn print(rows: &[Row], group: &Group, triangles: usize) {
    let kinds = ["nearest", "any", "boxes", "closest"];
    let kinds = kinds.map(|kind| format!("{:>8}{:>8}", kind, "×"));
    println!(
        "{:23} |{} |{:>10}{:>7} |{:>8}{:>6}{:>9}{:>6}",
        "",
        kinds.concat(),
        "ready µs",
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
                .contender
                .bytes()
                .into_iter()
                .zip(ours.contender.bytes())
            {
                others += &format!("{:8.1}{:6.2} ", bytes / triangles as f64, bytes / ours);
            }
        }
        let differences = differences(row, ours, group);
        println!("{:23} |{rates} |{others}{differences}", row.name);
    }
}

/// How answers differ from ours: in number, if at all. More than rounding explains is a mistake.
fn differences(row: &Row, ours: &Row, group: &Group) -> String {
    let mut text = String::new();
    let kinds = ["nearest", "any", "boxes", "closest"]
        .into_iter()
        .zip(KINDS);
    for (name, kind) in kinds.filter(|(_, kind)| row.contender.can(*kind)) {
        let [(count, sum), (our_count, our_sum)] =
            [row, ours].map(|by| by.contender.answer(kind, row.most));
        let more = count as f64 - our_count as f64;
        let allowed = 2.0 + ROUNDING * our_count as f64;
        assert!(
            more.abs() <= allowed,
            "{}, {}: {name} {more}",
            group.name,
            row.name
        );
        let allowed = allowed / our_count.max(1) as f64;
        assert!(
            (sum - our_sum).abs() <= allowed * our_sum,
            "{}: {name} {sum} {our_sum}",
            row.name
        );
        if more != 0.0 {
            text += &format!(" {name} {more:+}");
        }
    }
    text
}
