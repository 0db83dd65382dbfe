//! The subcommand `inspect` on archives and on their entries.

use crate::{run, sample, samples, save, stderr, stdout};
use classic_models_fixtures::ala;
use classic_models_fixtures::archives::{
    Vfs, crc_32, meg, pak, sample_meg, sample_pak, sample_rez, sample_vfs, with_u32,
};
use classic_models_fixtures::mdl::tetrahedron;
use classic_models_fixtures::pk3::{Pk3File, pk3, sample_pk3};
use serde_json::{Value, json};
use std::process::Output;

const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const X: &str = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
const MODEL: &str = "9372c470eeadd5ecd9c3c74c2b3cb633f8e2f2fad799250a0f70d652b6b825e4";

/// The lines of JSON of a run with this exit status.
#[track_caller]
fn lines(output: &Output, code: i32) -> Vec<Value> {
    let text = stdout(output, code);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn json_has_all_entries_of_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    let pak = sample_pak();
    let path = save(folder.path(), "without extension", &pak.bytes);
    let expected = json!({
        "file": path, "ok": true, "format": "pak", "version": null, "skipped": 0, "warnings": [],
        "entries": [
            {
                "name": "progs/player.mdl", "size": 13, "offset": 12,
                "sha256": "7e1801b3277d68504feffa681ce804e6b372beafadecca23c741f2e515a53838",
            },
            {
                "name": "maps/e1m1.bsp", "size": 7, "offset": 25,
                "sha256": "3b42c9f146947b5ba30a1fa2f6a855c7fdf96d0d7c798ac6b98d07f028db0a28",
            },
            {"name": "sound/empty.wav", "size": 0, "offset": 32, "sha256": EMPTY},
            {
                "name": "gfx/a-name-that-fills-all-of-the-56-bytes-of-its-field.l", "size": 1, "offset": 32,
                "sha256": X,
            },
        ],
    });
    for args in [
        &["inspect", "--json", &path][..],
        &["inspect", "--list", "--json", &path],
    ] {
        assert_eq!(
            lines(&run(args), 0),
            std::slice::from_ref(&expected),
            "{args:?}"
        );
    }
}

#[test]
fn the_versions_of_formats_are_detected() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, format, version) in [
        ("1.meg", sample_meg(1).bytes, "meg", 1),
        ("2", sample_meg(2).bytes, "meg", 2),
        ("3", sample_meg(3).bytes, "meg", 3),
        ("4", sample_rez().bytes, "rez", 1),
        ("5", sample_vfs().build(), "vfs", 1),
    ] {
        let path = save(folder.path(), name, &bytes);
        let [object] = &lines(&run(&["inspect", "--json", &path]), 0)[..] else {
            panic!("{name}: one line was expected");
        };
        assert_eq!(
            (&object["format"], &object["version"]),
            (&json!(format), &json!(version)),
            "{name}"
        );
        assert_eq!(object["warnings"], json!([]), "{name}");
        let entries = object["entries"].as_array().unwrap();
        assert!(
            entries.iter().all(|entry| entry["sha256"].is_string()),
            "{object}"
        );
        if format == "meg" {
            let umlaut = entries.iter().find(|entry| entry["size"] == 5).unwrap();
            assert_eq!(umlaut["name"], "DATA/ART/ÜBER A.ALO");
            let mut names: Vec<_> = entries
                .iter()
                .map(|entry| entry["name"].as_str().unwrap())
                .collect();
            let by_crc = |name: &&str| {
                let stored: Vec<u8> = name
                    .replace('/', "\\")
                    .chars()
                    .map(|letter| letter as u8)
                    .collect();
                crc_32(&stored)
            };
            assert!(names.is_sorted_by_key(by_crc), "{names:?}");
            names.sort_unstable();
            assert_eq!(
                names,
                [
                    "A.TXT",
                    "DATA/ART/ÜBER A.ALO",
                    "DATA/EMPTY.TXT",
                    "DATA/XML/B.XML"
                ]
            );
        }
        if format == "rez" {
            // A folder's content is where the folder is.
            let names: Vec<_> = entries.iter().map(|entry| &entry["name"]).collect();
            assert_eq!(
                names,
                [
                    "ATTRIBUTES.TXT",
                    "SKINS/A.DTX",
                    "SKINS/GUNS/COLT.45.DTX",
                    "SKINS/GUNS/EMPTY",
                    "SKINS/A.ABC",
                    "LONG.EXTENSION"
                ]
            );
        }
    }
}

#[test]
fn zip_archives_have_both_sizes_and_errors_of_entries() {
    let folder = tempfile::tempdir().unwrap();
    let mut secret = Pk3File::stored(b"secret.txt", b"x");
    secret.flags = 1;
    let files = [Pk3File::deflated(b"a.txt", b"x"), secret];
    let path = save(folder.path(), "a.kpf", &pk3(&files).bytes);
    let object = lines(&run(&["inspect", "--list", "--json", &path]), 1).remove(0);
    assert_eq!(object["format"], "pk3");
    let entries = &object["entries"];
    assert_eq!(
        entries[0],
        json!({"name": "a.txt", "size": 1, "stored": 6, "offset": 0, "sha256": X})
    );
    let error = entries[1]["error"]["message"].as_str().unwrap();
    assert!(
        error.contains("entry \"secret.txt\" at offset 133 is encrypted"),
        "{error}"
    );
}

#[test]
fn compressed_files_have_both_sizes_and_clusters() {
    let folder = tempfile::tempdir().unwrap();
    let vfs = sample_vfs();
    let path = save(folder.path(), "a.vfs", &vfs.build());
    let object = lines(&run(&["inspect", "--list", "--json", &path]), 0).remove(0);
    let [text, .., packed] = &vfs.root[..] else {
        panic!()
    };
    assert_eq!(
        object["entries"],
        json!([
            {
                "name": "h_eq-tnt#h.txt", "size": 200, "offset": text.first,
                "sha256": "8cbeafc05ce09a3eac73af9f501dfe20dc47081e87ab7ed00a1437c8bac3f3b5",
            },
            {"name": "Models/bike.LGW", "size": 5, "offset": object["entries"][1]["offset"], "sha256": MODEL},
            {"name": "Models/empty", "size": 0, "offset": object["entries"][2]["offset"], "sha256": EMPTY},
            {
                "name": "Škoda.txt", "size": 63, "offset": packed.first, "stored": packed.stored,
                "sha256": "b77c39e2fff8d44dcb0efd567f478406daa8cabbc068027a67b82d0056134de9",
            },
        ])
    );
}

#[test]
fn flawed_entries_have_errors_and_shadowed_ones_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let sample = pak(
        &[
            (b"a", b"x"),
            (b"b", b"x"),
            (b"a", b"x"),
            (b"../c", b""),
            (b"d/", b""),
        ],
        0,
    );
    let bytes = with_u32(&sample.bytes, sample.directory + 64 + 60, 5000);
    let path = save(folder.path(), "a.pak", &bytes);
    let object = lines(&run(&["inspect", "--json", &path]), 1).remove(0);
    let length = bytes.len();
    assert_eq!(
        object["entries"],
        json!([
            {"name": "a", "size": 1, "offset": 12, "sha256": X},
            {
                "name": "b", "size": 5000, "offset": 13,
                "error": {
                    "offset": 13,
                    "message": format!("PAK: entry \"b\" at offset 13 needs 5000 bytes, but only {} remain", length - 13),
                },
            },
            {"name": "a", "size": 1, "offset": 14, "sha256": X, "shadowed": true},
        ])
    );
    assert_eq!(object["skipped"], 2);
    assert_eq!(object["warnings"].as_array().unwrap().len(), 3, "{object}");
    let text = stdout(&run(&["inspect", &path]), 1);
    for part in [
        "PAK archive, 3 files",
        "2 entries are left out",
        "b, error: PAK: entry",
        "warning: ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn broken_archives_have_an_error_with_its_offset() {
    let folder = tempfile::tempdir().unwrap();
    let broken = save(
        folder.path(),
        "a.vfs",
        &with_u32(&sample_vfs().build(), 4, 0),
    );
    let model = save(folder.path(), "b.mdl", &tetrahedron().to_bytes());
    let good = save(folder.path(), "c.meg", &meg(1, &[(b"A", b"x")]).bytes);
    let objects = lines(
        &run(&["inspect", "--list", "--json", &broken, &model, &good]),
        1,
    );
    let [broken, model, good] = &objects[..] else {
        panic!("{objects:?}")
    };
    assert_eq!(
        (&broken["ok"], &broken["error"]["offset"]),
        (&json!(false), &json!(4))
    );
    assert_eq!(
        (&model["ok"], &model["error"]["offset"]),
        (&json!(false), &Value::Null)
    );
    let message = model["error"]["message"].as_str().unwrap();
    assert!(message.contains("not an archive"), "{message}");
    assert_eq!(
        good["entries"],
        json!([{"name": "A", "size": 1, "offset": 31, "sha256": X}])
    );
}

/// Adds an entry to the archive of each format.
fn archives_with(name: &str, bytes: &[u8]) -> [(&'static str, Vec<u8>); 4] {
    let upper = name.to_ascii_uppercase().replace('/', "\\");
    let mut vfs = Vfs::new(4096);
    let (folder, file) = name.split_once('/').unwrap();
    let file = vfs.add(file, 1, bytes, 0);
    let folder = vfs.add(folder, 2, &file.record(), 0);
    vfs.root = vec![folder];
    [
        ("a.meg", meg(1, &[(upper.as_bytes(), bytes)]).bytes),
        ("a.pak", pak(&[(name.as_bytes(), bytes)], 0).bytes),
        (
            "a.pk3",
            pk3(&[Pk3File::deflated(name.as_bytes(), bytes)]).bytes,
        ),
        ("a.vfs", vfs.build()),
    ]
}

#[test]
fn entries_are_described_like_files() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = tetrahedron().to_bytes();
    let clip = ala::clean(2);
    for (name, bytes) in [("progs/a #1.mdl", &bytes[..]), ("clips/b.ala", &clip)] {
        let file = save(folder.path(), "loose", bytes);
        let mut loose = lines(&run(&["inspect", "--json", &file]), 0).remove(0);
        for (archive, bytes) in archives_with(name, bytes) {
            let archive = save(folder.path(), archive, &bytes);
            // The case of the archive, and another one.
            for name in [name.to_owned(), name.to_ascii_uppercase()] {
                let entry = format!("{archive}/{name}");
                let found = lines(&run(&["inspect", "--json", &entry]), 0).remove(0);
                loose["file"] = entry.into();
                assert_eq!(found, loose);
            }
        }
    }
}

#[test]
fn archives_in_archives_are_described() {
    let folder = tempfile::tempdir().unwrap();
    let outer = pak(&[(b"in/a.meg", &meg(1, &[(b"A", b"x")]).bytes)], 0).bytes;
    let path = format!("{}/in/a.meg", save(folder.path(), "outer.pak", &outer));
    let object = lines(&run(&["inspect", "--json", &path]), 0).remove(0);
    assert_eq!(object["entries"][0]["sha256"], X);
}

#[test]
fn entries_that_cannot_be_read_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let archive = pak(&[(b"progs/a.mdl", &tetrahedron().to_bytes()[..200])], 0).bytes;
    let archive = save(folder.path(), "a.pak", &archive);
    let broken = save(folder.path(), "b.pak", b"PACK");
    for (path, expected, offset) in [
        (
            format!("{archive}/progs/missing.mdl"),
            "the archive has no entry \"progs/missing.mdl\"",
            None,
        ),
        (format!("{archive}/prog"), "the archive has no entry", None),
        // The offset is in the entry.
        (format!("{archive}/progs/a.mdl"), "MDL: ", Some(176)),
        (format!("{broken}/a.mdl"), "PAK: ", Some(0)),
        (format!("{archive}x/progs/a.mdl"), "No such file", None),
    ] {
        let object = lines(&run(&["inspect", "--json", &path]), 1).remove(0);
        let error = &object["error"];
        assert!(
            error["message"].as_str().unwrap().contains(expected),
            "{path}: {error}"
        );
        assert_eq!(error["offset"], json!(offset), "{path}: {error}");
    }
}

#[test]
fn entries_of_samples_are_posed_like_files() {
    for (entry, file) in [
        ("supply.meg/data/art/models/crate.alo", "models/crate.alo"),
        ("pak0.pak/progs/crystal.mdl", "models/crystal.mdl"),
        ("warden.rez/models/warden.abc", "models/warden.abc"),
        ("gamedata.vfs/models/courier.lgw", "models/courier.lgw"),
    ] {
        let (entry, file) = (sample(entry), samples().join(file).display().to_string());
        let args = ["inspect", "--json", "--time", "0.4", &entry, &file];
        let objects = lines(&run(&args), 0);
        let [mut found, mut loose] = <[Value; 2]>::try_from(objects).unwrap();
        assert!(loose["posed"]["centroid"].is_array(), "{loose}");
        loose["file"].take();
        found["file"].take();
        assert_eq!(found, loose, "{entry}");
    }
}

/// The sample with a name below `assets/models`, as an entry of a MEG archive.
fn sample_entry<'a>(name: &'a str, bytes: &'a [u8]) -> (Vec<u8>, &'a [u8]) {
    let path = format!("DATA\\ART\\{}", name.to_ascii_uppercase());
    (path.into_bytes(), bytes)
}

/// Writes a MEG archive with samples. Returns its path.
fn save_samples(folder: &std::path::Path, names: &[&str]) -> String {
    let read = |name: &&str| std::fs::read(samples().join("models").join(name)).unwrap();
    let bytes: Vec<_> = names.iter().map(read).collect();
    let entries = names.iter().zip(&bytes);
    let entries: Vec<_> = entries.map(|(name, it)| sample_entry(name, it)).collect();
    let entries: Vec<_> = entries.iter().map(|(name, it)| (&**name, *it)).collect();
    save(folder, "samples.meg", &meg(1, &entries).bytes)
}

/// The description of a file with these options, without its path.
#[track_caller]
fn described(options: &[&str], file: &str) -> Value {
    let args = [&["inspect", "--json"], options, &[file]].concat();
    let mut object = lines(&run(&args), 0).remove(0);
    object["file"].take();
    object
}

#[test]
fn entries_are_posed_in_a_clip_like_files() {
    let folder = tempfile::tempdir().unwrap();
    let archive = save_samples(folder.path(), &["walker.alo", "walker_MOVE_00.ala"]);
    let loose = |name: &str| samples().join("models").join(name).display().to_string();
    let (walker, clip) = (
        format!("{archive}/data/art/walker.alo"),
        format!("{archive}/data/art/walker_move_00.ala"),
    );
    let loose_clip = loose("walker_MOVE_00.ala");
    for (entry, file, clips, stride) in [
        // By the name of a clip beside the model, an entry, or a file.
        (
            walker,
            loose("walker.alo"),
            [
                &["MOVE_00", "move_00", &clip, &loose_clip][..],
                &["MOVE_00"],
            ],
            // Of the walker, in units of the file: 2.56 m.
            Some(6.4),
        ),
        // By the name of a clip in the file.
        (
            sample("warden.rez/models/warden.abc"),
            loose("warden.abc"),
            [&["walk", "WALK"], &["walk"]],
            Some(39.6),
        ),
        (
            sample("pak0.pak/progs/crystal.mdl"),
            loose("crystal.mdl"),
            [&["hover"], &["hover"]],
            None,
        ),
    ] {
        let [clips, of_file] = clips;
        let posed = |clip, path| described(&["--animation", clip, "--time", "0.4"], path);
        let expected = posed(of_file[0], &file);
        assert!(expected["posed"]["centroid"].is_array(), "{expected}");
        let found: Option<f64> = expected["posed"]["stride"].as_f64();
        let found = found.map(|stride| (stride * 10.0).round() / 10.0);
        assert_eq!(found, stride, "{file}");
        assert_ne!(
            expected,
            described(&["--animation", of_file[0], "--time", "0.7"], &file),
            "another time has another pose"
        );
        for clip in clips {
            assert_eq!(posed(clip, &entry), expected, "{entry} {clip}");
        }
    }
}

#[test]
fn clips_that_an_archive_does_not_have_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let archive = save_samples(folder.path(), &["walker.alo", "walker_MOVE_00.ala"]);
    let walker = format!("{archive}/data/art/walker.alo");
    let missing = format!("{archive}/data/art/walker_die_00.ala");
    for (clip, entry, expected) in [
        (
            "DIE_00",
            &walker,
            "there is no clip \"DIE_00\"; there are MOVE_00",
        ),
        (&missing, &walker, "there is no clip"),
        (&walker, &walker, "ALA: "),
        (
            "MOVE_00",
            &sample("gamedata.vfs/models/courier.lgw"),
            "there is no clip",
        ),
    ] {
        let args = ["inspect", "--json", "--animation", clip, entry];
        let object = lines(&run(&args), 1).remove(0);
        let message = object["error"]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{clip}: {message}");
    }
}

#[test]
fn entries_are_simulated_like_files() {
    let folder = tempfile::tempdir().unwrap();
    let name = "p_explosion.alo";
    let archive = save_samples(folder.path(), &[name, "walker.alo"]);
    let options = ["--simulate", "0.25,1.5"];
    let file = samples().join("models").join(name).display().to_string();
    let expected = described(&options, &file);
    assert_eq!(
        expected["simulated"].as_array().unwrap().len(),
        2,
        "{expected}"
    );
    assert_ne!(expected["simulated"][0], expected["simulated"][1]);
    let found = described(&options, &format!("{archive}/DATA/ART/P_EXPLOSION.ALO"));
    assert_eq!(found, expected);
    // Models are described without a simulation.
    let model = described(&options, &format!("{archive}/data/art/walker.alo"));
    assert_eq!(model["format"], "alo");
    assert_eq!(model["simulated"], Value::Null);
}

#[test]
fn the_content_of_an_archive_decides_its_format() {
    let folder = tempfile::tempdir().unwrap();
    for (bytes, format) in [
        (sample_meg(1).bytes, "meg"),
        (sample_meg(3).bytes, "meg"),
        (sample_pak().bytes, "pak"),
        (sample_pk3().bytes, "pk3"),
        (sample_rez().bytes, "rez"),
        (sample_vfs().build(), "vfs"),
    ] {
        for name in [
            "a.meg", "a.PAK", "a.pk3", "a.KPF", "a.rez", "a.vfs", "a.alo", "a",
        ] {
            let path = save(folder.path(), name, &bytes);
            assert_eq!(described(&["--list"], &path)["format"], format, "{name}");
        }
    }
}

/// A folder with both Alamo games. The archive with the crate is in that of Forces of Corruption.
fn alamo_games() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (game, list) in [
        ("GameData", "<m/>"),
        ("corruption", "<m><File>Data\\supply.meg</File></m>"),
    ] {
        let data = folder.path().join(game).join("Data");
        std::fs::create_dir_all(data.join("Art/Models")).unwrap();
        std::fs::write(data.join("MegaFiles.xml"), list).unwrap();
    }
    let archive = folder.path().join("corruption/Data/supply.meg");
    std::fs::copy(sample("supply.meg"), archive).unwrap();
    folder
}

/// The line of JSON of a run, without the name of the file.
#[track_caller]
fn line_of(args: &[&str], code: i32) -> Value {
    let args = [&["inspect", "--json"], args].concat();
    let mut lines = lines(&run(&args), code);
    assert_eq!(lines.len(), 1, "{args:?}");
    let mut object = lines.remove(0);
    object.as_object_mut().unwrap().remove("file").unwrap();
    object
}

#[test]
fn files_of_games_are_described_like_files() {
    let games = alamo_games();
    let folder = |path: &str| games.path().join(path).display().to_string();
    let model = |path: &str| samples().join("models").join(path).display().to_string();
    let (root, foc, eaw) = (folder(""), folder("corruption"), folder("GameData"));
    let expected = line_of(&[&model("crate.alo")], 0);
    assert!(expected["posed"]["min"].is_array(), "{expected}");
    let file = "DATA/Art\\Models/crate.alo";
    let kind = "forces-of-corruption";
    for args in [
        &["--game", kind, &root, file][..],
        &["--game", kind, &foc, file],
        &["--game", kind, &foc, &eaw, file],
    ] {
        assert_eq!(line_of(args, 0), expected, "{args:?}");
    }
    let archives = samples().join("archives").display().to_string();
    let courier = ["--game", "aftermath", &archives, "models/courier.lgw"];
    assert_eq!(line_of(&courier, 0), line_of(&[&model("courier.lgw")], 0));
    let warden = [
        "--game",
        "lithtech",
        &sample("warden.rez"),
        "models/warden.abc",
    ];
    assert_eq!(line_of(&warden, 0), line_of(&[&model("warden.abc")], 0));

    // Patterns select models and textures; without them, all models are described.
    for args in [&["*.ALO"][..], &["data/art/models"], &[]] {
        let args = [&["--game", kind, &root], args].concat();
        assert_eq!(line_of(&args, 0), expected, "{args:?}");
    }

    // A loose file wins, and a mod wins over it.
    std::fs::copy(
        model("walker.alo"),
        folder("corruption/Data/Art/Models/Crate.alo"),
    )
    .unwrap();
    let walker = line_of(&[&model("walker.alo")], 0);
    assert_eq!(line_of(&["--game", kind, &root, file], 0), walker);
    std::fs::create_dir_all(folder("mod/data/art/models")).unwrap();
    std::fs::write(
        folder("mod/data/art/models/crate.alo"),
        tetrahedron().to_bytes(),
    )
    .unwrap();
    let args = ["--game", kind, "--mod", &folder("mod"), &root, file];
    assert_eq!(line_of(&args, 0)["format"], "mdl");
}

#[test]
fn games_without_the_file_are_errors() {
    let games = alamo_games();
    let root = games.path().display().to_string();
    let missing = ["--game", "forces-of-corruption", &root, "data/missing.alo"];
    let object = line_of(&missing, 1);
    assert_eq!(object["error"]["message"], "the game has no such file");
    let empty = games.path().join("GameData").display().to_string();
    for (args, code, expected) in [
        (&["--game", "quake", &root, "a.mdl"][..], 1, "id1"),
        (
            &["--game", "lithtech", &empty, "--json"],
            1,
            "the game has no models",
        ),
        (&["--mod", "x", "a.mdl"], 2, "--game"),
    ] {
        let output = run(&[&["inspect"], args].concat());
        assert_eq!(stdout(&output, code), "", "{args:?}");
        assert!(
            stderr(&output).contains(expected),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}
