//! Limits of file patterns in manifests.

use crate::support::prelude::*;

/// The warnings of the loader for a manifest at `path`, with a model and empty files of some names.
fn warnings(
    path: &'static str,
    manifest: String,
    names: impl Iterator<Item = String>,
) -> Vec<String> {
    log::listen();
    let names: Vec<String> = names.collect();
    let mut files = vec![
        (path, manifest.into_bytes()),
        ("units/a.alo", alo::minimal()),
    ];
    files.extend(names.iter().map(|name| (&**name, Vec::new())));
    let mut app = TestApp::new(&files);
    let manifest = app.load::<ModelManifest>(path);
    let server = app.server();
    // The matching files are empty and fail to load, so dependencies are not awaited.
    let is_loaded = |_: &mut World| server.is_loaded(&manifest);
    app.wait_until(is_loaded);
    log::warnings_with(path)
}

fn manifest(patterns: impl Iterator<Item = String>) -> String {
    let clips: Vec<String> = patterns
        .map(|pattern| format!("(file: {pattern:?}),\n"))
        .collect();
    format!("(model: \"a.alo\", clips: [\n{}])", clips.concat())
}

#[test]
fn slow_patterns_are_skipped() {
    let path = "units/slow.model.ron";
    // Each pattern partly matches at every character of every name, and matches none.
    let slow = (0..1000).map(|number| format!("*{}{number}*b", "a".repeat(100)));
    let patterns = ["quick*".to_owned()].into_iter().chain(slow);
    let names = (0..1000).map(|number| format!("units/{}{number}.ala", "a".repeat(200)));
    let names = names.chain(["units/quick.ala".to_owned()]);
    let warnings = warnings(path, manifest(patterns), names);
    let is_end = |text: &&String| text.contains("takes too long");
    let ends: Vec<&String> = warnings.iter().filter(is_end).collect();
    let [end] = ends[..] else {
        panic!("{warnings:#?}");
    };
    let position = |index: usize| format!("{path}:{}:8: clips[{index}].file is skipped", index + 2);
    // A single pattern is within the limit, and all together are not.
    let is_at = |index: &usize| end.contains(&position(*index));
    assert!((2..1000).any(|index| is_at(&index)), "{end}");
    assert_eq!(
        warnings
            .iter()
            .filter(|text| text.contains("quick"))
            .count(),
        0
    );
}

#[test]
fn maximum_count_of_patterns_is_fast_in_a_typical_folder() {
    let path = "units/many.model.ron";
    let patterns = (0..1024).map(|number| format!("tank_{number:04}_*.ala"));
    let names = (0..3000).map(|number| format!("units/Tank_{:04}_{number}.ALA", number % 1024));
    assert_eq!(warnings(path, manifest(patterns), names), [""; 0]);
}

#[test]
fn matching_folders_do_not_count_as_files() {
    let path = "units/folders.model.ron";
    let patterns = ["b*.ala", "*/z.ala"].map(str::to_owned).into_iter();
    // One below the limit of 4096.
    let names = (0..4095).map(|number| format!("units/b{number}.ala"));
    let deep = ["c/y", "d/y", "e/y", "f/z"].map(|name| format!("units/{name}.ala"));
    assert_eq!(
        warnings(path, manifest(patterns), names.chain(deep)),
        [""; 0]
    );
}
