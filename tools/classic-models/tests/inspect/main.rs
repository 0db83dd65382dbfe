//! Runs the subcommand `inspect` of the compiled program.

mod abc;
mod abc_vertices;
mod ala;
mod alo;
mod clip;
mod diff;
mod engines;
mod lgw;
mod particles;

use classic_models_fixtures::corpus::corpus_mdl;
use classic_models_fixtures::mdl::tetrahedron;
use serde_json::{Value, json};
use std::process::{Command, Output};

/// The output of `classic-models inspect` with these arguments.
fn inspect(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
    program.arg("inspect").args(args).output().unwrap()
}

/// The lines of JSON that the program printed.
fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn manifests_are_described_and_checked() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/models");
    let file = format!("{samples}/frost_warden.model.ron");
    let output = inspect(&["--json", &file]);
    let object = &lines(&output)[0];
    assert_eq!(object["format"], "manifest");
    assert_eq!(object["fields"]["model"], "warden.abc");
    assert_eq!(
        (&object["valid"], &object["problems"]),
        (&json!(true), &json!([]))
    );
    let text = inspect(&[&file]);
    let text = String::from_utf8_lossy(&text.stdout);
    assert!(text.contains("\n  model: warden.abc\n"), "{text}");
    assert!(text.ends_with("\n  valid\n\n"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("a.model.ron");
    std::fs::write(&broken, "(extends: \"none.model.ron\")").unwrap();
    let broken = broken.to_str().unwrap();
    let object = &lines(&inspect(&["--json", broken]))[0];
    assert_eq!(object["fields"], json!({ "extends": "none.model.ron" }));
    let problem = object["problems"][0].as_str().unwrap();
    assert!(
        problem.contains("1:11: extends \"none.model.ron\" was not found"),
        "{problem}"
    );
    std::fs::write(broken, "(modle: 1)").unwrap();
    let output = inspect(&["--json", broken]);
    let error = &lines(&output)[0]["error"];
    assert_eq!((&error["line"], &error["column"]), (&json!(1), &json!(2)));
    assert_eq!(output.status.code(), Some(1));
}

/// No shell expands the patterns here, as on Windows.
#[test]
fn patterns_and_folders_are_expanded() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::create_dir_all(path("dir/deep")).unwrap();
    for name in ["dir/a.mdl", "dir/[b].mdl", "dir/deep/c.mdl"] {
        std::fs::write(path(name), tetrahedron().to_bytes()).unwrap();
    }
    std::fs::write(path("dir/deep/notes.txt"), "text").unwrap();
    for (args, expected) in [
        (&["dir/*.mdl"][..], &["dir/[b].mdl", "dir/a.mdl"][..]),
        (&["dir\\*.mdl"], &["dir/[b].mdl", "dir/a.mdl"]),
        (&["dir/[b].mdl"], &["dir/[b].mdl"]),
        (&["dir/deep"], &["dir/deep/c.mdl"]),
        (&["dir/deep", "dir/?.mdl"], &["dir/deep/c.mdl", "dir/a.mdl"]),
    ] {
        let paths: Vec<String> = args.iter().map(|arg| path(arg)).collect();
        let paths = paths.iter().map(String::as_str);
        let output = inspect(&["--json"].into_iter().chain(paths).collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        let lines = lines(&output).into_iter();
        let files: Vec<Value> = lines.map(|line| line["file"].clone()).collect();
        let expected: Vec<String> = expected.iter().map(|name| path(name)).collect();
        assert_eq!(files, expected, "{args:?}");
    }
    // A pattern can also select the files to compare.
    let diff = |pattern: &str| inspect(&["--diff", &path(pattern)]).status.code();
    assert_eq!(diff("dir/*.mdl"), Some(0));
    assert_eq!(diff("dir/a.*"), Some(2));
    assert_eq!(diff("dir/*.abc"), Some(2));
}

#[test]
fn json_has_one_object_per_file_and_continues_after_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("good.mdl"), tetrahedron().to_bytes()).unwrap();
    std::fs::write(path("bad #1.mdl"), &tetrahedron().to_bytes()[..200]).unwrap();
    std::fs::write(path("good #2"), tetrahedron().to_bytes()).unwrap();
    let [good, bad, odd, missing] = ["good.mdl", "bad #1.mdl", "good #2", "missing.mdl"].map(path);

    let output = inspect(&["--json", &good, &bad, &odd, &missing]);
    assert_eq!(output.status.code(), Some(1));
    let objects = lines(&output);
    assert_eq!(objects.len(), 4);
    assert_eq!(
        objects[0],
        json!({
            "file": good, "format": "mdl", "ok": true, "version": 6,
            "skins": [
                {"width": 4, "height": 2, "pictures": 1},
                {"width": 4, "height": 2, "pictures": 2},
            ],
            "vertices": 4, "triangles": 4, "frames": 6, "poses": 7, "flags": 8, "synctype": 0,
            "clips": [
                {"name": "run", "first": 0, "count": 3, "seconds": 0.3},
                {"name": "burn", "first": 3, "count": 2, "seconds": 0.3},
                {"name": "die", "first": 5, "count": 2, "seconds": 0.2},
            ],
            "warnings": [],
        })
    );
    assert_eq!(objects[1]["ok"], false);
    assert_eq!(objects[1]["error"]["offset"], 176);
    assert!(
        objects[1]["error"]["message"]
            .as_str()
            .unwrap()
            .starts_with("MDL: ")
    );
    assert_eq!(objects[2]["ok"], true);
    assert_eq!(objects[3]["ok"], false);

    // Posing loads through the asset server, where `#` starts a label.
    let output = inspect(&["--json", "--time", "0.05", &good, &odd]);
    let objects = lines(&output);
    assert_eq!(output.status.code(), Some(0), "{objects:?}");
    assert_eq!(objects[0]["posed"], objects[1]["posed"]);
    // Half way from pose 0 to 1 the top vertex is 125 steps up: (−10, 0, 101) in the file.
    assert_eq!(objects[0]["posed"]["min"], json!([-25.0, -24.0, -40.0]));
    assert_eq!(objects[0]["posed"]["max"], json!([0.0, 101.0, 10.0]));
    assert_eq!(objects[0]["posed"]["centroid"], json!([-6.25, 7.25, -2.5]));

    let output = inspect(&["--json", "--animation", "burn", "--time", "0.2", &good]);
    let objects = lines(&output);
    // Half way through the second pose, from 0.1 s to 0.3 s: between 250 and 10 steps up.
    assert_eq!(objects[0]["posed"]["max"], json!([0.0, 106.0, 10.0]));

    let output = inspect(&["--json", "--animation", "swim", &good]);
    assert_eq!(output.status.code(), Some(1));
    let message = lines(&output)[0]["error"]["message"].to_string();
    assert!(
        message.contains("swim") && message.contains("run, burn, die"),
        "{message}"
    );
}

#[test]
fn every_model_of_the_corpus_is_posed_within_its_bounds() {
    let models = corpus_mdl("every_model_of_the_corpus_is_posed_within_its_bounds");
    if models.is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let paths = models.iter().map(|(name, bytes)| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    });
    let paths: Vec<_> = paths.collect();
    let mut args = vec!["--json", "--time", "0.33"];
    args.extend(paths.iter().map(String::as_str));
    let output = inspect(&args);
    assert_eq!(output.status.code(), Some(0));
    let objects = lines(&output);
    assert_eq!(objects.len(), models.len());
    for object in &objects {
        for axis in 0..3 {
            let [min, middle, max] =
                ["min", "centroid", "max"].map(|key| object["posed"][key][axis].as_f64().unwrap());
            assert!(min <= middle && middle <= max, "{object}");
        }
    }
}
