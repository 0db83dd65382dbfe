//! Models of games: those of all archives and folders, in the game's order.

use crate::{Folder, samples};
use classic_models_fixtures::archives::{meg, pak};
use classic_models_fixtures::mdl::tetrahedron;
use std::path::Path;

/// The files below a folder, sorted.
fn files_below(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path.strip_prefix(folder).unwrap().display().to_string()),
            }
        }
    }
    files.sort();
    files
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(samples().join(name)).unwrap()
}

/// A game with the crate in an archive, its texture in another one, and a loose walker with a clip in an archive.
fn alamo_game(folder: &Folder) {
    let (model, texture) = (sample("models/crate.alo"), sample("textures/crate.dds"));
    let clip = sample("models/walker_MOVE_00.ala");
    let models: [(&[u8], &[u8]); 2] = [
        (b"DATA\\ART\\MODELS\\CRATE.ALO", &model),
        (b"DATA\\ART\\MODELS\\WALKER_MOVE_00.ALA", &clip),
    ];
    folder.write("GameData/Data/Models.meg", &meg(1, &models).bytes);
    let textures: [(&[u8], &[u8]); 1] = [(b"DATA\\ART\\TEXTURES\\CRATE.DDS", &texture)];
    folder.write("GameData/Data/Textures.meg", &meg(1, &textures).bytes);
    let list = "<m><File>Data\\Models.meg</File><File>Data\\Textures.meg</File></m>";
    folder.write("GameData/Data/MegaFiles.xml", list.as_bytes());
    folder.write(
        "GameData/Data/Art/Models/Walker.alo",
        &sample("models/walker.alo"),
    );
}

#[test]
fn models_of_games_find_their_files_in_all_archives_and_folders() {
    let folder = Folder::new();
    alamo_game(&folder);
    let game = ["--game", "empire-at-war", "GameData"];
    folder.convert(&[&game[..], &["out"]].concat());
    assert_eq!(
        files_below(&folder.path("out")),
        ["data/art/models/Walker.glb", "data/art/models/crate.glb"]
    );
    let read =
        |name: &str| crate::reader::Model::read(&folder.path("out/data/art/models").join(name));
    let textured = read("crate.glb");
    assert!(textured.json["images"].is_array(), "from the other archive");
    assert_eq!(read("Walker.glb").clips().len(), 1, "from the archive");

    // The same model and texture as loose files.
    folder.write("Art/Models/crate.alo", &sample("models/crate.alo"));
    folder.write("Art/Textures/crate.dds", &sample("textures/crate.dds"));
    folder.convert(&["Art/Models/crate.alo", "loose.glb"]);
    let loose = std::fs::read(folder.path("loose.glb")).unwrap();
    let of_game = std::fs::read(folder.path("out/data/art/models/crate.glb")).unwrap();
    assert!(loose == of_game, "equal bytes");

    // A path with one result, and patterns, which also match textures.
    folder.convert(&[&game[..], &["data/art/models/crate.alo", "one.glb"]].concat());
    assert!(std::fs::read(folder.path("one.glb")).unwrap() == loose);
    folder.convert(&[&game[..], &["CRATE.*", "two"]].concat());
    assert_eq!(
        files_below(&folder.path("two")),
        ["data/art/models/crate.glb", "data/art/textures/crate.png"]
    );
}

#[test]
fn mods_win_over_the_game() {
    let folder = Folder::new();
    let model = tetrahedron().to_bytes();
    let base: [(&[u8], &[u8]); 1] = [(b"progs/a.mdl", b"broken")];
    folder.write("id1/pak0.pak", &pak(&base, 0).bytes);
    folder.write("mymod/progs/a.mdl", &model);
    let game = ["--game", "quake", "."];
    let output = folder.run(&[&game[..], &["out"]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    folder.convert(&[&game[..], &["--mod", "mymod", "out"]].concat());
    assert_eq!(files_below(&folder.path("out")), ["progs/a.glb"]);
}

#[test]
fn paths_that_lead_out_of_the_folder_and_missing_files_are_errors() {
    let folder = Folder::new();
    let model = tetrahedron().to_bytes();
    let files: [(&[u8], &[u8]); 3] = [
        (b"con/a.mdl", &model),
        (b"progs/what?.mdl", &model),
        (b"progs/b.mdl", &model),
    ];
    folder.write("id1/pak0.pak", &pak(&files, 0).bytes);
    folder.write("empty/id1/readme.txt", b"");
    let game = ["--game", "quake", "."];
    for (args, code, errors) in [
        (&["out"][..], 1, &["is a device", "has '?'"][..]),
        (&["*.abc", "out"], 1, &["the game has no such file"]),
        (
            &["../id1/pak0.pak", "out"],
            1,
            &["the game has no such file"],
        ),
        (
            &["progs/none.mdl", "a.glb"],
            1,
            &["the game has no such file"],
        ),
        (&["a.glb"], 2, &["several files need a folder"]),
    ] {
        let output = folder.run(&[&game[..], args].concat());
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
        for error in errors {
            assert!(text.contains(error), "{args:?}: {text}");
        }
    }
    assert_eq!(files_below(&folder.path("out")), ["progs/b.glb"]);
    let output = folder.run(&["--game", "quake", "empty", "out"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("the game has no models"), "{text}");
}

#[test]
fn files_outside_of_the_game_are_neither_read_nor_replaced() {
    let folder = Folder::new();
    let model = tetrahedron().to_bytes();
    let archived: [(&[u8], &[u8]); 1] = [(b"progs/a.mdl", &model)];
    folder.write("game/id1/pak0.pak", &pak(&archived, 0).bytes);
    folder.write("game/loose.mdl", &model);
    let outside = folder.write("outside.glb", &model);
    let absolute = outside.display().to_string();
    for input in [
        "../outside.glb",
        "progs/../../outside.glb",
        &absolute,
        "loose.mdl",
    ] {
        for out in ["outside.glb", "new.glb", "out"] {
            let output = folder.run(&["--game", "quake", "game", input, out, "--force"]);
            let text = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{input} {out}: {text}");
            let expected = "the game has no such file";
            assert!(text.contains(expected), "{input} {out}: {text}");
        }
    }
    assert!(std::fs::read(outside).unwrap() == model, "unchanged");
    assert!(!folder.path("new.glb").exists());
}
