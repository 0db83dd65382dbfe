//! Compares models with Bevy's own glTF loader on the same models, which `classic-models convert` makes.
//!
//! Each model is compared without textures, and with them: then glTF has PNG images, and the model its own textures. Quake
//! models cannot leave out their skins, and are only in the second table. Both sides run alternately in one process, without a renderer.
//!
//! `cargo bench --bench versus_gltf` compares the samples, and with `CLASSIC_MODELS_CORPUS` the Quake models of the corpus.
//! `cargo bench --bench versus_gltf -- FILE…` compares other models, with the files beside them. `--loads` leaves out what needs
//! many scenes. `--rendered=COUNT` compares only frame times with a renderer, of at most so many models. `--growth` prints the costs per model for 100, 1,000 and 10,000 models. `--tool=PATH` is a built
//! `classic-models`; otherwise it is built first.

mod gltf_scenes;
mod rendered;
mod sides;

use classic_models_support::bench_models::{median, tool_command};
use peak_alloc::PeakAlloc;
use sides::{COPIES, Classic, GltfScenes, Loaded, Side};
use std::path::{Path, PathBuf};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Rounds of which the median is printed. Each round measures both sides.
const ROUNDS: usize = 5;

/// Scenes that are animated, and that are spawned and despawned.
const SCENES: usize = 1000;

const SAMPLES: [&str; 6] = [
    "walker.alo",
    "crate.alo",
    "warden.abc",
    "sentry.mdl",
    "crystal.mdl",
    "courier.lgw",
];

/// Targets: how many times less than glTF.
const LOAD_TARGET: f64 = 4.0;
const MEMORY_TARGET: f64 = 2.0;
const FRAME_TARGET: f64 = 2.0;
const CROWD_TARGET: f64 = 100.0;
const SPAWN_TARGET: f64 = 3.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let only_loads = arguments.iter().any(|argument| argument == "--loads");
    let options = arguments.iter();
    let tool = options
        .clone()
        .find_map(|argument| argument.strip_prefix("--tool="));
    let files = arguments
        .iter()
        .filter(|argument| !argument.starts_with("--"));
    let mut files: Vec<PathBuf> = files.map(PathBuf::from).collect();
    if files.is_empty() {
        files = default_files();
    }
    let folder = tempfile::tempdir().expect("a folder for glTF files");
    let models: Vec<Model> = files
        .iter()
        .filter_map(|file| Model::convert(file, folder.path(), tool))
        .collect();
    let most = options
        .clone()
        .find_map(|argument| argument.strip_prefix("--rendered="));
    if let Some(most) = most {
        return rendered::compare(&models, most.parse().expect("a count of models"));
    }
    compare_loads(&models);
    if !only_loads {
        compare_scenes(&models);
    }
    if arguments.iter().any(|argument| argument == "--growth") {
        growth();
    }
}

/// Prints the costs per model for more and more models of this crate.
fn growth() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models");
    let [walker, warden, sentry, crate_] = ["walker.alo", "warden.abc", "sentry.mdl", "crate.alo"]
        .map(|name| Classic::new(&samples.join(name), false));
    println!(
        "\nµs per model, without textures\n{:32} {:>9} {:>9} {:>9}",
        "", 100, 1000, 10_000
    );
    let row = |what: &str, cost: &dyn Fn(usize) -> f64| {
        let [few, more, many] = [100, 1000, 10_000].map(cost);
        println!("{what:32} {few:9.2} {more:9.2} {many:9.2}");
    };
    row("loading crate.alo", &|count| {
        sides::load(&crate_, count, &HEAP).seconds * 1e6
    });
    for (name, side) in [
        ("walker.alo", &walker),
        ("warden.abc", &warden),
        ("sentry.mdl", &sentry),
    ] {
        row(&format!("frame of {name}"), &|count| {
            sides::frame(side, count, false).unwrap_or_default()
        });
    }
    for (name, side) in [("walker.alo", &walker), ("warden.abc", &warden)] {
        row(&format!("frame of {name} as a crowd"), &|count| {
            sides::frame(side, count, true).unwrap_or_default()
        });
    }
    row("spawning and despawning walkers", &|count| {
        sides::spawn_time(&walker, count) * 1e6 / count as f64
    });
}

/// The samples, and the Quake models of the corpus.
fn default_files() -> Vec<PathBuf> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models");
    let mut files: Vec<PathBuf> = SAMPLES.iter().map(|name| samples.join(name)).collect();
    if let Some(corpus) = std::env::var_os("CLASSIC_MODELS_CORPUS") {
        let entries = Path::new(&corpus).join("quake").read_dir();
        let entries = entries.into_iter().flatten().flatten();
        let mut more: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        more.retain(|path| path.extension().is_some_and(|it| it == "mdl"));
        more.sort();
        files.extend(more);
    }
    files
}

/// A model, and the same as glTF.
struct Model {
    /// The name of its file.
    name: String,
    file: PathBuf,
    /// Without textures, and with them.
    gltf: [PathBuf; 2],
}

impl Model {
    /// Converts a model. `None` if that fails.
    fn convert(file: &Path, folder: &Path, tool: Option<&str>) -> Option<Self> {
        let name = file.file_name()?.to_string_lossy().into_owned();
        let gltf = ["plain", "textured"].map(|kind| folder.join(format!("{name}.{kind}.glb")));
        for (out, options) in gltf.iter().zip([&["--no-textures"][..], &[]]) {
            let mut command = tool_command(tool);
            command
                .args(["convert", "--force"])
                .args(options)
                .args([file, out]);
            let output = command.output().expect("the tool can be started");
            if !output.status.success() {
                println!(
                    "{name}: not converted: {}",
                    String::from_utf8_lossy(&output.stderr)
                );
                return None;
            }
        }
        Some(Self {
            name,
            file: file.to_path_buf(),
            gltf,
        })
    }
}

/// How many times less the one takes than the other.
fn ratio(ours: f64, gltf: f64) -> f64 {
    gltf / ours
}

fn compare_loads(models: &[Model]) {
    for (index, textures) in ["without textures", "with textures"]
        .into_iter()
        .enumerate()
    {
        println!(
            "\nfrom bytes in memory to a spawned model, {textures}\n{:20} {:>8} {:>8} {:>9} {:>9} {:>6} {:>9} {:>9} {:>6} {:>9} {:>9} {:>6}",
            "file",
            "KiB",
            "glb KiB",
            "ours µs",
            "glTF µs",
            "×",
            "heap KiB",
            "glTF",
            "×",
            "GPU KiB",
            "glTF",
            "×"
        );
        let (mut times, mut heaps, mut buffers) = (Vec::new(), Vec::new(), Vec::new());
        for model in models {
            let with_textures = index == 1;
            if !with_textures && model.name.ends_with(".mdl") {
                continue;
            }
            let ours = Classic::new(&model.file, with_textures);
            let gltf = GltfScenes::new(&model.gltf[index]);
            let (ours, gltf) = alternate(&ours, &gltf);
            let [time, heap, buffer] = [
                ratio(ours.seconds, gltf.seconds),
                ratio(ours.heap, gltf.heap),
                ratio(ours.buffers, gltf.buffers),
            ];
            println!(
                "{:20} {:8.0} {:8.0} {:9.0} {:9.0} {time:6.2} {:9.0} {:9.0} {heap:6.2} {:9.0} {:9.0} {buffer:6.2}",
                model.name,
                ours.file / 1024.0,
                gltf.file / 1024.0,
                ours.seconds * 1e6,
                gltf.seconds * 1e6,
                ours.heap / 1024.0,
                gltf.heap / 1024.0,
                ours.buffers / 1024.0,
                gltf.buffers / 1024.0,
            );
            times.push(time);
            heaps.push(heap);
            buffers.push(buffer);
        }
        if !times.is_empty() {
            println!(
                "median: {:.2} × faster (target {LOAD_TARGET}), {:.2} × less heap and {:.2} × less in buffers (target {MEMORY_TARGET})",
                median(times),
                median(heaps),
                median(buffers)
            );
        }
    }
}

/// Measures both sides alternately. The times are medians.
fn alternate(ours: &impl Side, gltf: &impl Side) -> (Loaded, Loaded) {
    let rounds: Vec<(Loaded, Loaded)> = (0..ROUNDS)
        .map(|_| {
            (
                sides::load(ours, COPIES, &HEAP),
                sides::load(gltf, COPIES, &HEAP),
            )
        })
        .collect();
    let (ours, gltf): (Vec<Loaded>, Vec<Loaded>) = rounds.into_iter().unzip();
    (Loaded::median(&ours), Loaded::median(&gltf))
}

fn compare_scenes(models: &[Model]) {
    println!(
        "\nmain world of {SCENES} scenes, µs per model\n{:20} {:>9} {:>9} {:>6} {:>9} {:>6} {:>9} {:>9} {:>6}",
        "file", "frame", "glTF", "×", "crowd", "×", "spawn", "glTF", "×"
    );
    let (mut frames, mut crowds, mut spawns) = (Vec::new(), Vec::new(), Vec::new());
    for model in models {
        let ours = Classic::new(&model.file, true);
        let gltf = GltfScenes::new(&model.gltf[1]);
        let (ours, gltf) = (sides::scenes(&ours, SCENES), sides::scenes(&gltf, SCENES));
        let show = |value: Option<f64>| value.map_or_else(|| "–".into(), |it| format!("{it:.2}"));
        let frame = ours.frame.zip(gltf.frame).map(|(a, b)| ratio(a, b));
        let crowd = ours.crowd.zip(gltf.frame).map(|(a, b)| ratio(a, b));
        let spawn = ratio(ours.spawn, gltf.spawn);
        println!(
            "{:20} {:>9} {:>9} {:>6} {:>9} {:>6} {:9.2} {:9.2} {spawn:6.2}",
            model.name,
            show(ours.frame),
            show(gltf.frame),
            show(frame),
            show(ours.crowd),
            show(crowd),
            ours.spawn,
            gltf.spawn,
        );
        frames.extend(frame);
        crowds.extend(crowd);
        spawns.push(spawn);
    }
    for (what, ratios, target) in [
        ("animated scenes", frames, FRAME_TARGET),
        ("crowds", crowds, CROWD_TARGET),
        ("spawning and despawning", spawns, SPAWN_TARGET),
    ] {
        if !ratios.is_empty() {
            println!(
                "median of {what}: {:.2} × less (target {target})",
                median(ratios)
            );
        }
    }
}
