//! Whole games, mods and folders: the kinds of problems, the reports, and the exit status.

use crate::{samples, validate};
use classic_models_fixtures::archives::{RezNode, meg, pak, rez};
use classic_models_fixtures::mdl::tetrahedron;
use classic_models_fixtures::plugins;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

const EMPIRE_AT_WAR: [&str; 3] = ["--game", "empire-at-war", "GameData"];
const QUAKE: [&str; 3] = ["--game", "quake", "."];

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(samples().join(name)).unwrap()
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// A game without problems: the Alamo samples as loose files, but the crate and its texture in an archive.
fn alamo_game() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for file in std::fs::read_dir(samples().join("models")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        if [".alo", ".ala"].iter().any(|end| name.ends_with(end)) && name != "crate.alo" {
            let bytes = sample(&format!("models/{name}"));
            write(root, &format!("GameData/Data/Art/Models/{name}"), &bytes);
        }
    }
    for file in std::fs::read_dir(samples().join("textures")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        if !name.starts_with("cr") {
            let bytes = sample(&format!("textures/{name}"));
            write(root, &format!("GameData/Data/Art/Textures/{name}"), &bytes);
        }
    }
    let (model, texture) = (sample("models/crate.alo"), sample("textures/crate.dds"));
    let files: [(&[u8], &[u8]); 2] = [
        (b"DATA\\ART\\TEXTURES\\CRATE.DDS", &texture),
        (b"DATA\\ART\\MODELS\\CRATE.ALO", &model),
    ];
    write(root, "GameData/Data/Base.meg", &meg(1, &files).bytes);
    let list = b"<m><File>Data\\Base.meg</File></m>";
    write(root, "GameData/Data/MegaFiles.xml", list);
    folder
}

/// Adds a problem of each kind that Alamo games have.
fn break_alamo_game(folder: &Path) {
    let models = "GameData/Data/Art/Models";
    let crate_model = sample("models/crate.alo");
    let clip = sample("models/walker_MOVE_00.ala");
    write(folder, &format!("{models}/cut.alo"), &crate_model[..999]);
    write(folder, &format!("{models}/crate_MOVE_00.ala"), &clip);
    write(folder, &format!("{models}/walker_MOVE_02.ala"), &clip);
    write(folder, &format!("{models}/alone_MOVE_00.ala"), &clip);
    write(folder, &format!("{models}/crate.alo"), &crate_model);
    for file in ["Textures/walker.dds", "Models/p_smoke_small.alo"] {
        std::fs::remove_file(folder.join("GameData/Data/Art").join(file)).unwrap();
    }
}

fn json(folder: &Path, args: &[&str]) -> (i32, Value) {
    let (code, lines, errors) = validate(folder, args);
    let value = serde_json::from_str(&lines.join("\n"));
    (code, value.unwrap_or_else(|_| panic!("{lines:?} {errors}")))
}

/// The kinds and files of all problems in a JSON report.
fn kinds(report: &Value) -> Vec<String> {
    let problems = report["problems"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let kinds = problems.map(|it| format!("{} {}", text(&it["kind"]), text(&it["file"])));
    kinds.collect()
}

#[test]
fn games_without_problems_have_a_summary_only() {
    let game = alamo_game();
    let (code, lines, errors) = validate(game.path(), &EMPIRE_AT_WAR);
    let expected = ["checked 30 files: no problems"];
    assert_eq!(
        (code, &lines[..], &*errors),
        (0, &expected.map(str::to_owned)[..], "")
    );
    // Archives in folders are not opened, so the crate is missing.
    let (code, lines, _) = validate(game.path(), &["GameData"]);
    let expected = "checked 28 files: 1 warning";
    assert_eq!((code, &*lines[2]), (0, expected), "{lines:?}");
    assert!(lines[1].contains("\"crate.alo\""), "{lines:?}");
}

#[test]
fn systems_of_plugins_are_checked() {
    let game = alamo_game();
    let models = "GameData/Data/Art/Models";
    let system = plugins::minimal();
    write(
        game.path(),
        &format!("{models}/p_good.alo"),
        &sample("models/pe_portal.alo"),
    );
    write(game.path(), &format!("{models}/p_lost.alo"), &system);
    write(
        game.path(),
        &format!("{models}/p_limit.alo"),
        &plugins::every(),
    );
    write(
        game.path(),
        &format!("{models}/p_cut.alo"),
        &system[..system.len() - 9],
    );
    let (code, report) = json(game.path(), &[&EMPIRE_AT_WAR[..], &["--json"]].concat());
    assert_eq!(code, 1);
    let found = kinds(&report).join("\n").to_lowercase();
    assert!(!found.contains("p_good.alo"), "{found}");
    for expected in [
        "missing-texture data/art/models/p_lost.alo",
        "file-warning data/art/models/p_limit.alo",
        "refused data/art/models/p_cut.alo",
    ] {
        assert!(found.contains(expected), "{expected}: {found}");
    }
}

#[test]
fn problems_of_alamo_games_are_found() {
    let game = alamo_game();
    break_alamo_game(game.path());
    let (code, report) = json(game.path(), &[&EMPIRE_AT_WAR[..], &["--json"]].concat());
    assert_eq!(code, 1);
    let models = |kind: &str, name: &str| format!("{kind} data/art/models/{name}");
    let found = kinds(&report).join("\n").to_lowercase();
    for expected in [
        models("refused", "cut.alo"),
        models("missing-texture", "walker.alo"),
        models("missing-proxy", "walker.alo"),
        models("missing-clip", "walker_move_02.ala"),
        models("clip-mismatch", "crate_move_00.ala"),
        models("clip-without-model", "alone_move_00.ala"),
        models("shadowed", "crate.alo"),
    ] {
        assert!(found.contains(&expected), "{expected}: {found}");
    }
    assert_eq!(report["counts"]["error"], 1);
    let message = |kind: &str| {
        let problems = report["problems"].as_array().unwrap();
        let found = problems.iter().find(|it| it["kind"] == kind).unwrap();
        found["message"].as_str().unwrap().to_owned()
    };
    assert!(message("refused").starts_with("ALO: "));
    assert_eq!(
        message("missing-proxy"),
        "the file of a proxy, \"p_smoke_small.alo\", was not found"
    );
    let fit = message("clip-mismatch");
    assert!(
        fit.contains("does not fit data/art/models/crate.alo: bone "),
        "{fit}"
    );
    assert_eq!(message("shadowed"), "hides the same file in Data/Base.meg");
}

#[test]
fn only_files_of_the_mod_are_reported() {
    let game = alamo_game();
    let root = game.path();
    break_alamo_game(root);
    let model = sample("models/walker.alo");
    write(root, "Mod/Data/Art/Models/tower.alo", &model);
    write(root, "Mod/Data/Art/Models/bad.alo", b"");
    // Its clip in the game does not fit this model.
    let clip = sample("models/walker_MOVE_00.ala");
    write(root, "GameData/Data/Art/Models/tower_MOVE_00.ala", &clip);
    write(root, "GameData/Data/Art/Models/box_MOVE_00.ala", &clip);
    write(
        root,
        "Mod/Data/Art/Models/box.alo",
        &sample("models/crate.alo"),
    );
    let args = [&EMPIRE_AT_WAR[..], &["--mod", "Mod", "--json"]].concat();
    let (code, report) = json(root, &args);
    assert_eq!(code, 1);
    let models = |it: &str| it.replace("data/art/Models", "Data/Art/Models");
    let found: Vec<String> = kinds(&report).iter().map(|it| models(it)).collect();
    let expected = [
        "refused data/art/models/bad.alo",
        "missing-texture data/art/models/tower.alo",
        "missing-proxy data/art/models/tower.alo",
        "clip-mismatch data/art/models/box_move_00.ala",
    ];
    assert_eq!(
        found.iter().map(|it| it.to_lowercase()).collect::<Vec<_>>(),
        expected
    );
    assert_eq!(report["files"], 3);
    // Files that are given are those that are checked.
    let args = [&EMPIRE_AT_WAR[..], &["walker.alo", "no.alo", "--json"]].concat();
    let (_, report) = json(root, &args);
    let found = kinds(&report).join("\n");
    assert!(found.starts_with("refused no.alo\n"), "{found}");
    assert!(!found.contains("cut.alo"), "{found}");
    // The URIs are relative to the mod's folder.
    let args = [&EMPIRE_AT_WAR[..], &["--mod", "Mod", "--sarif"]].concat();
    let (_, log) = json(root, &args);
    let uri = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        ["uri"];
    assert_eq!(uri, "Data/Art/Models/bad.alo");
}

#[test]
fn problems_of_quake_games_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let model = tetrahedron().to_bytes();
    let mut big = tetrahedron();
    big.triangles.resize(4097, big.triangles[0]);
    let big = big.to_bytes();
    let files: [(&[u8], &[u8]); 3] = [
        (b"progs/a.mdl", &model),
        (b"progs/big.mdl", &big),
        (b"progs/a\\b.mdl", &model),
    ];
    write(root, "id1/pak0.pak", &pak(&files, 0).bytes);
    let args = [&QUAKE[..], &["--json"]].concat();
    let (code, report) = json(root, &args);
    let of_game = kinds(&report);
    let expected = [
        "engine-limit id1/pak0.pak",
        "engine-limit id1/pak0.pak",
        "engine-limit progs/big.mdl",
    ];
    assert_eq!((code, &of_game[..]), (0, &expected.map(str::to_owned)[..]));
    // Limits of a given engine are errors.
    let with_engine = |engine| json(root, &[&args[..], &["--engine", engine]].concat());
    assert_eq!(with_engine("quakespasm").0, 1);
    let (code, report) = with_engine("ezquake");
    assert_eq!((code, kinds(&report)), (0, Vec::new()));
    // Quake compares case.
    write(root, "upper/progs/B.mdl", &model);
    let (code, report) = json(root, &[&args[..], &["--mod", "upper"]].concat());
    assert_eq!(
        (code, kinds(&report)),
        (0, vec!["case progs/B.mdl".to_owned()])
    );
    // The names of a mod differ in case from those of the game.
    write(root, "mymod/Progs/A.mdl", &model);
    write(root, "mymod/progs/big.mdl", &model[..50]);
    let (code, report) = json(root, &[&args[..], &["--mod", "mymod"]].concat());
    let expected = [
        "refused progs/big.mdl",
        "case Progs/A.mdl",
        "shadowed Progs/A.mdl",
        "shadowed progs/big.mdl",
    ];
    assert_eq!(
        (code, &kinds(&report)[..]),
        (1, &expected.map(str::to_owned)[..])
    );
}

#[test]
fn problems_of_lithtech_games_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "game/Models/warden.abc", &sample("models/warden.abc"));
    write(root, "game/Skins/bad.dtx", b"no texture");
    let broken = RezNode::File(b"BAD", "ABC", b"no model");
    let nodes = [RezNode::Folder("MODELS", vec![broken])];
    write(root, "game.rez", &rez(&nodes).bytes);
    let args = ["--game", "lithtech", "game.rez", "game", "--json"];
    let (code, report) = json(root, &args);
    let expected = [
        "refused models/bad.abc",
        "refused skins/bad.dtx",
        "missing-skin models/warden.abc",
    ];
    let found = kinds(&report);
    let found: Vec<String> = found.iter().map(|it| it.to_lowercase()).collect();
    assert_eq!((code, &found[..]), (1, &expected.map(str::to_owned)[..]));
}

#[test]
fn manifests_of_folders_and_games_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "id1/progs/a.mdl", &tetrahedron().to_bytes());
    let manifest = b"(model: \"a.mdl\",\n scale: 0)";
    write(root, "id1/progs/a.model.ron", manifest);
    write(
        root,
        "id1/progs/b.model.ron",
        b"(model: \"a.mdl\",\n play: \"no\")",
    );
    for (args, start) in [(&QUAKE[..], ""), (&["id1"], "id1/")] {
        let (code, lines, errors) = validate(root, args);
        assert_eq!((code, &*errors), (1, ""), "{lines:?}");
        assert_eq!(lines[0], "manifest: 2 errors");
        let expected = format!("  {start}progs/a.model.ron:2:9: scale is 0");
        assert!(lines[1].starts_with(&expected), "{lines:?}");
        let expected = format!("  {start}progs/b.model.ron:2:8: play: ");
        assert!(lines[2].starts_with(&expected), "{lines:?}");
        assert_eq!(lines[3], "checked 3 files: 2 errors");
    }
    let (_, log) = json(root, &["id1", "--sarif"]);
    let region = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        region,
        &serde_json::json!({ "startLine": 2, "startColumn": 9 })
    );
}

#[test]
fn broken_archives_in_folders_are_problems() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "a.mdl", &sample("models/sentry.mdl"));
    write(root, "whole.pak", &pak(&[(b"b.mdl", b"x")], 0).bytes);
    write(root, "sub/broken.PAK", b"PACK");
    let (code, report) = json(root, &[".", "--json"]);
    assert_eq!(code, 1);
    assert_eq!(kinds(&report), ["refused ./sub/broken.PAK"]);
}

#[test]
fn groups_have_ten_lines_unless_all_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let model = tetrahedron().to_bytes();
    for length in 100..112 {
        write(root, &format!("models/{length}.mdl"), &model[..length]);
    }
    let (code, lines, _) = validate(root, &["models"]);
    assert_eq!(code, 1);
    assert_eq!(lines[0], "refused: 12 errors");
    assert_eq!(
        lines[11..],
        [
            "  … and 2 more (--all prints them)",
            "checked 12 files: 12 errors"
        ]
    );
    assert!(lines[1].starts_with("  models/100.mdl: MDL: "), "{lines:?}");
    let (_, lines, _) = validate(root, &["models", "--all"]);
    assert_eq!(lines.len(), 14);
    // The same message is one line.
    for name in ["a", "b", "c"] {
        write(root, &format!("empty/{name}.mdl"), b"");
    }
    let (_, lines, _) = validate(root, &["empty"]);
    assert!(
        lines[1].starts_with("  empty/a.mdl and 2 more: MDL: "),
        "{lines:?}"
    );
    assert_eq!(lines.len(), 3);
}

#[test]
fn only_new_problems_fail_with_a_baseline() {
    let game = alamo_game();
    let root = game.path();
    break_alamo_game(root);
    let (_, lines, _) = validate(root, &[&EMPIRE_AT_WAR[..], &["--json"]].concat());
    std::fs::write(root.join("known.json"), lines.join("\n")).unwrap();
    let with = |more: &[&str]| {
        let args = [&EMPIRE_AT_WAR[..], &["--baseline", "known.json"], more].concat();
        validate(root, &args)
    };
    let (code, lines, _) = with(&["--strict"]);
    assert_eq!((code, lines.len()), (0, 1), "{lines:?}");
    assert!(lines[0].contains(": no problems; "), "{lines:?}");
    assert!(
        lines[0].ends_with(" known problems of the baseline left out"),
        "{lines:?}"
    );
    write(root, "GameData/Data/Art/Models/new.alo", b"");
    let (code, lines, _) = with(&[]);
    assert_eq!(code, 1);
    assert_eq!(lines[0], "refused: 1 error");
    assert_eq!(lines.len(), 3, "{lines:?}");
    // Other reports have all problems, with their states.
    let (_, lines, _) = with(&["--json"]);
    let report: Value = serde_json::from_str(&lines.join("\n")).unwrap();
    let problems = report["problems"].as_array().unwrap();
    let new = problems.iter().filter(|it| it["known"] != true).count();
    assert_eq!(new, 1);
    let (_, lines, _) = with(&["--sarif"]);
    let log: Value = serde_json::from_str(&lines.join("\n")).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let new = results
        .iter()
        .filter(|it| it["baselineState"] == "new")
        .count();
    let known = results
        .iter()
        .filter(|it| it["baselineState"] == "unchanged");
    assert_eq!(new + known.count(), results.len());
    assert_eq!(new, 1);
}

/// The main rules of the schema of SARIF 2.1.0.
#[track_caller]
fn assert_sarif(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let [run] = &log["runs"].as_array().unwrap()[..] else {
        panic!("one run");
    };
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "classic-models");
    let levels = ["error", "warning", "note"];
    let is_level = |value: &Value| levels.iter().any(|level| value == level);
    let rules = driver["rules"].as_array().unwrap();
    for rule in rules {
        assert!(rule["id"].is_string() && rule["shortDescription"]["text"].is_string());
        assert!(is_level(&rule["defaultConfiguration"]["level"]));
    }
    for result in run["results"].as_array().unwrap() {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(result["ruleId"], rule["id"]);
        assert!(is_level(&result["level"]));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let location = &result["locations"][0]["physicalLocation"];
        let uri = location["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.contains([' ', '\\']) && !uri.starts_with('/'), "{uri}");
        let region = &location["region"];
        assert!(region.is_null() || region["startLine"].as_u64().unwrap() > 0);
    }
}

#[test]
fn sarif_follows_the_schema() {
    let game = alamo_game();
    let root = game.path();
    break_alamo_game(root);
    write(root, "GameData/Data/Art/Models/white space.alo", b"");
    let (code, log) = json(root, &[&EMPIRE_AT_WAR[..], &["--sarif"]].concat());
    assert_eq!(code, 1);
    assert_sarif(&log);
    let text = log.to_string();
    assert!(
        text.contains("\"GameData/Data/Art/Models/white%20space.alo\"")
            || text.contains("\"Data/Art/Models/white%20space.alo\""),
        "{text}"
    );
    assert!(!text.contains("\"ruleId\":\"shadowed\""), "{text}");
    let (_, log) = json(root, &[&EMPIRE_AT_WAR[..], &["--sarif", "--all"]].concat());
    assert_sarif(&log);
    assert!(log.to_string().contains("\"ruleId\":\"shadowed\""));
}

#[test]
fn warnings_fail_only_if_strict() {
    let game = alamo_game();
    let root = game.path();
    std::fs::remove_file(root.join("GameData/Data/Art/Textures/walker.dds")).unwrap();
    let (code, lines, _) = validate(root, &EMPIRE_AT_WAR);
    assert_eq!((code, &*lines[0]), (0, "missing-texture: 1 warning"));
    let (code, _, _) = validate(root, &[&EMPIRE_AT_WAR[..], &["--strict"]].concat());
    assert_eq!(code, 1);
}

#[test]
fn wrong_arguments_exit_with_2() {
    let game = alamo_game();
    let root = game.path();
    write(root, "no.json", b"{}");
    for (args, error) in [
        (&["--baseline", "missing.json"][..], "missing.json: "),
        (&["--baseline", "no.json"], "no.json: not a baseline"),
        (&["--json", "--sarif"], "--help"),
        (&["--assets", "."], "--help"),
    ] {
        let (code, lines, errors) = validate(root, &[&EMPIRE_AT_WAR[..], args].concat());
        assert_eq!((code, lines.len()), (2, 0), "{args:?} {errors}");
        assert!(errors.contains(error), "{args:?} {errors}");
    }
    // A game that cannot be opened.
    let (code, _, errors) = validate(root, &["--game", "quake", "."]);
    assert_eq!(code, 1, "{errors}");
    // A folder without files.
    std::fs::create_dir(root.join("none")).unwrap();
    let (code, lines, _) = validate(root, &["none"]);
    assert_eq!(code, 1);
    assert!(
        lines[1].starts_with("  none: the folder has no models"),
        "{lines:?}"
    );
}
