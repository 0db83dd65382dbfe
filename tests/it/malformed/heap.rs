//! Peak heap while files of each format load, on files built to maximize it and on real files. Also the heap that clips
//! keep, and the time that parsing takes.

use super::heap_files::{alo_files_at_the_limits, manifest_files, mdl_files};
use crate::manifest::spawn::mdl;
use crate::support::ala::{all_tracks, clean};
use crate::support::heap::{
    HeapBudget, Loadable, Outcome, kept, measure_load, measure_load_with, run_in_own_process_with,
};
use crate::support::prelude::*;
use crate::support::{abc_adversarial, ala_adversarial, alo_adversarial, lgw_adversarial};
use bevy_classic_models::alamo::ala::parse;
use bevy_classic_models::alamo::clip;
use bevy_classic_models::manifest;
use classic_models_fixtures::{particles_adversarial, plugins_adversarial};

/// The documented limit of a load in bytes: `FACTOR` × the file's size + `CONSTANT`.
const FACTOR: usize = 16;
const CONSTANT: usize = 1 << 20;

/// The variable with the format whose files are loaded.
const FORMAT: &str = "CLASSIC_MODELS_HEAP_FORMAT";

/// Loads the files of a format in a process of its own.
fn assert_loads_stay_within_the_heap_limit(format: &str) {
    let test = "malformed::heap::loads_in_own_process";
    run_in_own_process_with(test, &[(FORMAT, format)]);
}

#[test]
fn abc_loads_stay_within_the_heap_limit() {
    assert_loads_stay_within_the_heap_limit("ABC");
}

#[test]
fn alamo_loads_stay_within_the_heap_limit() {
    assert_loads_stay_within_the_heap_limit("ALA");
    assert_loads_stay_within_the_heap_limit("ALO");
}

#[test]
fn dtx_and_manifest_loads_stay_within_the_heap_limit() {
    assert_loads_stay_within_the_heap_limit("DTX");
    assert_loads_stay_within_the_heap_limit("manifest");
}

#[test]
fn lgw_loads_stay_within_the_heap_limit() {
    assert_loads_stay_within_the_heap_limit("LGW");
}

#[test]
fn mdl_loads_stay_within_the_heap_limit() {
    assert_loads_stay_within_the_heap_limit("MDL");
}

#[test]
#[ignore = "run by the tests above in its own process"]
fn loads_in_own_process() {
    let Ok(format) = std::env::var(FORMAT) else {
        return;
    };
    let mut budget = HeapBudget::new(FACTOR, CONSTANT);
    let load = match &*format {
        "ABC" => load_abc,
        "ALA" => load_ala,
        "ALO" => load_alo,
        "DTX" => load_dtx,
        "LGW" => load_lgw,
        "MDL" => load_mdl,
        _ => load_manifests,
    };
    load(&mut budget);
    budget.finish();
}

/// Loads a file with default settings.
fn load<A: Loadable>(budget: &mut HeapBudget, path: &str, bytes: Vec<u8>, expected: Outcome) {
    measure_load::<A>(budget, path, bytes, expected, |_| {});
}

/// The real files with this extension.
fn real_files(extension: &str) -> Vec<(String, Vec<u8>)> {
    let folder = corpus("loads_stay_within_the_heap_limit");
    folder.map_or_else(Vec::new, |folder| files_of(&folder, extension))
}

fn load_abc(budget: &mut HeapBudget) {
    for (name, bytes) in abc_adversarial::adversarial_files() {
        // Exceeds the limits of the loader.
        let expected = match name.starts_with("too-many-") {
            true => Outcome::Rejected,
            false => abc_adversarial::parse_outcome(&name),
        };
        for (suffix, is_separate) in [("", false), ("-separate", true)] {
            let set = move |settings: &mut AbcLoaderSettings| {
                settings.separate_node_meshes = is_separate;
            };
            let path = format!("{name}{suffix}.abc");
            measure_load::<Abc>(budget, &path, bytes.clone(), expected, set);
        }
    }
    for (name, bytes) in real_files("abc") {
        load::<Abc>(budget, &name, bytes, Outcome::Accepted);
    }
}

fn load_ala(budget: &mut HeapBudget) {
    let mut files = ala_adversarial::adversarial_files();
    for version in [1, 2] {
        let bytes = all_tracks(version, 200, 300);
        files.push((format!("large-format-{version}"), bytes));
    }
    for (name, bytes) in files {
        let expected = ala_adversarial::parse_outcome(&name);
        load::<Ala>(budget, &format!("{name}.ala"), bytes, expected);
    }
}

fn load_alo(budget: &mut HeapBudget) {
    let mut files = alo_adversarial::adversarial_files();
    files.extend(alo_files_at_the_limits());
    files.extend(corpus_alo("loads_stay_within_the_heap_limit"));
    for (name, bytes) in files {
        load::<Alo>(budget, &format!("{name}.alo"), bytes, alo_outcome(&name));
    }
    for (name, bytes) in particles_adversarial::adversarial_files() {
        let expected = Outcome::rejected_if(name == "two billion bytes");
        load::<Alo>(budget, &format!("particles, {name}.alo"), bytes, expected);
    }
    for (name, bytes) in plugins_adversarial::files(8) {
        let expected = plugins_outcome(&name);
        load::<Alo>(budget, &format!("plug-ins, {name}.alo"), bytes, expected);
    }
}

/// The outcome of loading a particle system made of plug-ins.
fn plugins_outcome(name: &str) -> Outcome {
    let has_too_many_emitters = [
        "many emitters",
        "small emitters",
        "a chain of emitters",
        "emitters in a circle",
        "one parent of all",
        "children of many particles",
        "children at stepped deaths",
    ];
    Outcome::rejected_if(name == "four billion keys" || has_too_many_emitters.contains(&name))
}

/// The outcome of loading an Alamo model.
fn alo_outcome(name: &str) -> Outcome {
    let exceeds_limits = [
        "bones",
        "meshes",
        "lights",
        "meshes-and-lights",
        "submeshes",
        "proxies",
        "dazzles",
        "proxy-names-not-utf8",
    ];
    match exceeds_limits.contains(&name) {
        true => Outcome::Rejected,
        false => alo_adversarial::parse_outcome(name),
    }
}

fn load_dtx(budget: &mut HeapBudget) {
    let files = abc_adversarial::adversarial_textures().into_iter();
    for (name, bytes) in files.chain(real_files("dtx")) {
        load::<Image>(budget, &name, bytes, Outcome::Accepted);
    }
}

fn load_lgw(budget: &mut HeapBudget) {
    for (name, bytes) in lgw_adversarial::adversarial_files() {
        load::<Lgw>(budget, &format!("{name}.lgw"), bytes, lgw_outcome(&name));
    }
}

/// The outcome of loading an adversarial LGW text.
fn lgw_outcome(name: &str) -> Outcome {
    // Exceed the limits of the loader, in at least these counts.
    let exceeds_limits = [
        ("empty-meshes-", 400),
        ("padded-meshes-", 3000),
        ("named-meshes-", 3000),
        ("lost-meshes-", 3000),
        ("triangles-", 3000),
        ("groups-of-meshes-", 3000),
        ("hollow-groups-", 400),
        ("materials-", 400),
    ];
    let is_over = exceeds_limits.iter().any(|(kind, least)| {
        let count = name.strip_prefix(kind).and_then(|count| count.parse().ok());
        count.is_some_and(|count: usize| count >= *least)
    });
    match is_over {
        true => Outcome::Rejected,
        false => lgw_adversarial::parse_outcome(name),
    }
}

fn load_mdl(budget: &mut HeapBudget) {
    let mut files = corpus_mdl("loads_stay_within_the_heap_limit");
    files.extend(mdl_files());
    for (name, bytes) in files {
        let expected = Outcome::rejected_if(name.starts_with("lying-"));
        budget.take(&format!("{name} converted"), bytes.len(), expected, || {
            // The bytes of the file count while it loads.
            let bytes = bytes.clone();
            let settings = MdlLoaderSettings::default();
            let converted = ConvertedMdl::load(&bytes, &settings, &Palette::default());
            converted.map(drop).map_err(|error| error.to_string())
        });
        load::<Mdl>(budget, &name, bytes, expected);
    }
}

fn load_manifests(budget: &mut HeapBudget) {
    const VALID: [&str; 6] = [
        "clips",
        "frames",
        "events",
        "attachments",
        "folders",
        "long_name",
    ];
    for (name, bytes) in manifest_files() {
        let path = format!("{name}.model.ron");
        let expected = Outcome::rejected_if(!VALID.contains(&&*name));
        let model = Some(("a.mdl", mdl()));
        measure_load_with::<ModelManifest>(budget, &path, bytes, model, expected, |_| {});
    }
}

impl Loadable for Abc {
    type Settings = AbcLoaderSettings;
}

impl Loadable for Ala {
    type Settings = ();
}

impl Loadable for Alo {
    type Settings = AloLoaderSettings;
}

impl Loadable for Image {
    type Settings = ClassicImageSettings;
}

impl Loadable for Lgw {
    type Settings = LgwLoaderSettings;
}

impl Loadable for Mdl {
    type Settings = MdlLoaderSettings;
}

impl Loadable for ModelManifest {
    type Settings = ();
}

/// The limit on the heap that a clip keeps, as a factor of the file's size. Tracks stay packed as in the file.
const KEPT_FACTOR: f64 = 1.2;
/// Files up to this size in bytes are exempt from the limit.
const LARGE: usize = 2048;

#[test]
fn clips_keep_little_more_heap_than_their_files() {
    run_in_own_process("malformed::heap::kept_clips_in_own_process");
}

#[test]
#[ignore = "run by the test above in its own process"]
fn kept_clips_in_own_process() {
    // Make the allocations that all clips share.
    let _ = clip(&parse(&clean(2)).unwrap());
    let mut files = Vec::new();
    for version in [1, 2] {
        // With fewer frames than in real clips, the fixed size of a bone dominates.
        for (bones, frames) in [(40, 2), (1, 60), (40, 60), (200, 30), (5, 1000)] {
            let name = format!("{bones} bones, {frames} frames, format {version}");
            files.push((name, all_tracks(version, bones, frames)));
        }
        let name = format!("32 kinds of bones, 60 frames, format {version}");
        files.push((name, every_track(version, 60)));
    }
    if let Some(folder) = corpus("clips_keep_little_more_heap_than_their_files") {
        files.extend(files_of(&folder, "ala"));
    }
    println!("{:44} {:>8} {:>8} {:>6}", "file", "bytes", "kept", "×");
    let mut failures = Vec::new();
    for (name, bytes) in files {
        let kept = kept(|| clip(&parse(&bytes).unwrap()));
        let factor = kept as f64 / bytes.len() as f64;
        let row = format!("{name:44} {:8} {kept:8} {factor:6.2}", bytes.len());
        println!("{row}");
        let limit = match name.contains(" 2 frames") {
            true => 2.0,
            false => KEPT_FACTOR,
        };
        if bytes.len() > LARGE && factor > limit {
            failures.push(row);
        }
    }
    assert!(
        failures.is_empty(),
        "over the limit:\n{}",
        failures.join("\n")
    );
}

#[test]
fn meshes_over_the_limit_are_skipped_with_one_warning() {
    for (flags, separate_node_meshes, level_count) in [
        (0, false, 4),
        (0, true, 1),
        (node_flags::SCROLL_U, false, 1),
        (node_flags::DEFORMATION, false, 2),
    ] {
        let deforms = flags == node_flags::DEFORMATION;
        let bytes = abc_adversarial::many_nodes(255, flags);
        let settings = AbcLoaderSettings {
            separate_node_meshes,
            ..AbcLoaderSettings::default()
        };
        let converted = ConvertedAbc::load(&bytes, &settings).unwrap();
        assert_eq!(converted.levels.len(), level_count);
        let warning_count = |text: &str| {
            let warnings = converted.warnings.iter();
            warnings
                .filter(|warning| warning.message.contains(text))
                .count()
        };
        assert_eq!(
            warning_count("levels of detail"),
            usize::from(level_count < 4)
        );
        assert_eq!(warning_count("are not deformed"), usize::from(deforms));
        let limit = 64 + bytes.len() / 4096;
        assert_eq!(converted.deforms.len(), if deforms { limit } else { 0 });
    }
}

#[test]
fn parsing_manifests_takes_linear_time() {
    for (name, bytes) in manifest_files() {
        // Quadratic time would be minutes for a megabyte.
        cpu_time::assert_cpu_time_below(Duration::from_secs(10), &name, || {
            let _ = manifest::parse(&bytes);
        });
    }
}
