//! Heap and time limits for loading manifests, with adversarial texts.

use crate::manifest::spawn::mdl;
use crate::support::cpu_time;
use crate::support::heap::{HeapBudget, Loadable, Outcome, measure_load_with, run_in_own_process};
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::manifest::parse;
use std::time::Duration;

impl Loadable for ModelManifest {
    type Settings = ();
}

fn adversarial_files() -> Vec<(String, Vec<u8>)> {
    let list = |field: &str, element: &str, count: usize| {
        format!("(model: \"a.mdl\", {field}: [{}])", element.repeat(count))
    };
    // The maximum length of a text is 1 << 20.
    let long = "x".repeat(1 << 19);
    // The maximum length of a list.
    let many = 1024;
    let named = |index: usize| format!("(name:\"{index}\",frames:(1,2)),");
    let named: String = (0..many).map(named).collect();
    let texts = [
        ("clips", list("clips", "(file:\"a\"),", many)),
        ("frames", list("clips", &named, 1)),
        (
            "events",
            list("events", "(clip:\"a\",frame:1,name:\"b\"),", many),
        ),
        ("too_many", list("clips", "(file:\"a\"),", 1 << 16)),
        ("attachments", list("attachments", "(model:\"a\"),", many)),
        ("empty", list("attachments", "(),", 1 << 18)),
        ("hidden", list("hidden", "\"\",", 1 << 18)),
        (
            "masks",
            format!(
                "(model: \"a.mdl\", masks: {{\"a\": [{}]}})",
                "\"\",".repeat(1 << 18)
            ),
        ),
        ("folders", list("texture_folders", "\"a\",", many)),
        ("distances", list("lod_distances", "1,", 1 << 18)),
        ("long_model", format!("(model: {long:?})")),
        (
            "long_name",
            format!("(model: \"a.mdl\", clips: [(name: {long:?}, clip: 0)])"),
        ),
        (
            "escapes",
            format!("(model: \"{}\")", "\\u{61}".repeat(1 << 16)),
        ),
        ("field", format!("({long}: 1)")),
        ("choice", format!("(model: \"a\", play: {long})")),
        ("blank", " ".repeat(1 << 20)),
        ("comments", "/* // */ ".repeat(1 << 16)),
        ("nested_comments", "/*".repeat(1 << 19)),
        ("open", "(".repeat(1 << 20)),
        (
            "deep",
            format!("(model: \"a\", play: {}", "(".repeat(1 << 19)),
        ),
        (
            "deep_lists",
            format!("(model: \"a\", hidden: {}", "[".repeat(1 << 19)),
        ),
        (
            "somes",
            format!("(model: \"a\", damage_stage: {}1", "Some(".repeat(1 << 17)),
        ),
        ("attributes", "#![enable(implicit_some)]".repeat(1 << 15)),
        (
            "number",
            format!("(model: \"a\", scale: {})", "1".repeat(1 << 19)),
        ),
        ("raw", format!("(model: r{}\"", "#".repeat(1 << 19))),
    ];
    let texts = texts.into_iter();
    texts
        .map(|(name, text)| (name.to_owned(), text.into_bytes()))
        .collect()
}

#[test]
fn loading_stays_within_the_heap_budget() {
    run_in_own_process("manifest::heap::loading_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn loading_measured_alone() {
    let mut measured = HeapBudget::new(16, 1 << 20);
    for (name, bytes) in adversarial_files() {
        let path = format!("{name}.model.ron");
        let is_valid = [
            "clips",
            "frames",
            "events",
            "attachments",
            "folders",
            "long_name",
        ]
        .contains(&&*name);
        let expected = Outcome::rejected_if(!is_valid);
        let model = Some(("a.mdl", mdl()));
        measure_load_with::<ModelManifest>(&mut measured, &path, bytes, model, expected, |_| {});
    }
    measured.finish();
}

#[test]
fn parsing_takes_linear_time() {
    for (name, bytes) in adversarial_files() {
        // Quadratic time would be minutes for a megabyte.
        cpu_time::assert_cpu_time_below(Duration::from_secs(10), &name, || {
            let _ = parse(&bytes);
        });
    }
}
